"""What a source may be, and what is said where it cannot be read."""

from pathlib import Path

import pytest

import rankagg as ra
from rankagg.exceptions import DataFormatError, InvalidInputError
from rankagg.io.tables.sources import check_filled, read_text

READERS = {
    "read_scores": lambda source: ra.read_scores(source, higher_is_better=True),
    "read_ballots": ra.read_ballots,
    "read_preflib": ra.read_preflib,
    "read_matrix": ra.io.read_matrix,
}
every_reader = pytest.mark.parametrize("read", READERS.values(), ids=READERS)


def write(path, text, encoding="utf-8"):
    path.write_bytes(text.encode(encoding))
    return path


def test_a_path_a_string_and_a_stream_are_the_same_source(tmp_path):
    path = write(tmp_path / "table.csv", "system,x\nÄ,1\n")
    with path.open(encoding="utf-8") as stream:
        sources = [read_text(path), read_text(str(path)), read_text(stream)]
    assert {text for _, text in sources} == {"system,x\nÄ,1\n"}
    assert [name for name, _ in sources[:2]] == ["table.csv", "table.csv"]


@every_reader
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("absent.csv", r"absent\.csv.*No such file"),
        (".", "readable file"),
        ("a" * 5000, "readable file.*File name too long"),
        ("a\x00b", "`source` must be a path"),
        ("\ud800", "`source` must be a path"),
    ],
    ids=["absent", "folder", "too long", "zero", "half a character"],
)
def test_paths_that_cannot_be_read(read, name, said, tmp_path):
    with pytest.raises(InvalidInputError, match=said):
        read(f"{tmp_path}/{name}")


@every_reader
@pytest.mark.parametrize("source", [None, b"system,x\nA,1\n"])
def test_what_is_no_source(read, source):
    with pytest.raises(InvalidInputError, match="source"):
        read(source)


@every_reader
def test_latin_1_names_the_byte(read, tmp_path):
    path = write(tmp_path / "table.csv", "system,x\nCafé,1\n", "latin-1")
    with pytest.raises(DataFormatError, match=r"table\.csv is not UTF-8: byte 12 is 0xe9"):
        read(path)


def test_a_byte_order_mark_in_a_stream(tmp_path):
    path = write(tmp_path / "table.csv", "A,B\n1,2\n", "utf-8-sig")
    with path.open(encoding="utf-8") as stream:
        assert list(ra.read_ballots(stream).items) == ["A", "B"]


@every_reader
def test_a_file_that_cannot_be_read(read, tmp_path, monkeypatch):
    def refuse(self, mode):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(InvalidInputError, match=r"readable file.*Permission denied\.$"):
        read(tmp_path / "table.csv")


@every_reader
def test_streams_that_cannot_be_read(read, tmp_path):
    path = write(tmp_path / "table.csv", "Café,x\n", "latin-1")
    for stream, error, said in (
        (path.open(encoding="utf-8"), DataFormatError, r"table\.csv is not UTF-8: byte 3 is 0xe9"),
        ((tmp_path / "new").open("w", encoding="utf-8"), InvalidInputError,
         r"readable stream.*not readable"),
        (path.open("rb"), InvalidInputError, "stream of text"),
    ):  # fmt: skip
        with stream, pytest.raises(error, match=said):
            read(stream)
    closed = path.open(encoding="utf-8")
    closed.close()
    with pytest.raises(InvalidInputError, match=r"readable stream.*closed"):
        read(closed)


@every_reader
@pytest.mark.parametrize("text", ["", "\n", "\r\n \r", "\ufeff", '""', '"\n"', ",", '"",""\n'])
def test_files_that_hold_nothing(read, text, tmp_path):
    path = write(tmp_path / "table.csv", text)
    with pytest.raises(DataFormatError, match=r"table\.csv"):
        read(path)


@pytest.mark.parametrize(
    ("rows", "columns", "is_made"),
    [(2**11, 2**12, True), (2**13, 2**13, False), (10**7, 1, True), (0, 10**9, True)],
)
def test_a_dense_table_is_small_or_asked_for(rows, columns, is_made):
    sizes = (rows, "rows"), (columns, "columns"), rows
    if is_made:
        check_filled("a.csv", *sizes)
        return
    with pytest.raises(DataFormatError, match=r"make \d+ cells, \d+ of them filled.*`max_bytes`"):
        check_filled("a.csv", *sizes)
    check_filled("a.csv", *sizes, max_bytes=2**31)
