"""What a source may be, and the messages if it cannot be read."""

import gzip
import json
import pickle
import zipfile
from io import BytesIO, StringIO

import pandas as pd
import pytest

import rankagg as ra
from rankagg.exceptions import DataFormatError, InvalidInputError
from rankagg.io.tables.sources import check_filled, check_plain_table, read_text

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
    ("name", "message"),
    [
        ("absent.csv", r"absent\.csv.*No such file"),
        (".", "readable file"),
        ("a" * 5000, "readable file.*File name too long"),
        ("a\x00b", "`source` must be a path"),
        ("\ud800", "`source` must be a path"),
    ],
    ids=["absent", "folder", "too long", "zero", "half a character"],
)
def test_unreadable_paths_are_refused(read, name, message, tmp_path):
    with pytest.raises(InvalidInputError, match=message):
        read(f"{tmp_path}/{name}")


@every_reader
@pytest.mark.parametrize("source", [None, b"system,x\nA,1\n"])
def test_objects_that_are_no_source_are_refused(read, source):
    with pytest.raises(InvalidInputError, match="source"):
        read(source)


@every_reader
def test_the_refusal_of_latin_1_names_the_byte(read, tmp_path):
    path = write(tmp_path / "table.csv", "system,x\nCafé,1\n", "latin-1")
    with pytest.raises(DataFormatError, match=r"table\.csv is not UTF-8: byte 12 is 0xe9"):
        read(path)


@every_reader
def test_unreadable_streams_are_refused(read, tmp_path):
    path = write(tmp_path / "table.csv", "Café,x\n", "latin-1")
    for stream, error, message in (
        (path.open(encoding="utf-8"), DataFormatError, r"table\.csv is not UTF-8: byte 3 is 0xe9"),
        ((tmp_path / "new").open("w", encoding="utf-8"), InvalidInputError,
         r"readable stream.*not readable"),
        (path.open("rb"), InvalidInputError, "stream of text"),
    ):  # fmt: skip
        with stream, pytest.raises(error, match=message):
            read(stream)
    closed = path.open(encoding="utf-8")
    closed.close()
    with pytest.raises(InvalidInputError, match=r"readable stream.*closed"):
        read(closed)


@pytest.mark.parametrize(
    ("rows", "columns", "is_made"),
    [(2**11, 2**12, True), (2**13, 2**13, False), (10**7, 1, True), (0, 10**9, True)],
)
def test_a_dense_table_above_the_limit_is_refused(rows, columns, is_made):
    sizes = {"rows": rows, "columns": columns}
    if is_made:
        check_filled("a.csv", sizes, rows)
        return
    with pytest.raises(DataFormatError, match=r"make \d+ cells, \d+ of them filled.*`max_bytes`"):
        check_filled("a.csv", sizes, rows)
    check_filled("a.csv", sizes, rows, 2**31)


# -- files that are no text of a table -------------------------------------------------------------

TABLE = "system,x\nA,1\nB,2\n"
FRAME = pd.DataFrame({"system": ["A", "B"], "x": [1, 2]})


def zipped(name, content="x"):
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(name, content)
    return buffer.getvalue()


BINARY = {
    "a workbook or a zip archive": zipped("xl/workbook.xml"),
    "an old Excel workbook": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600),
    "compressed by gzip": gzip.compress(TABLE.encode()),
    "a Parquet file": b"PAR1" + bytes(20) + b"PAR1",
    "a PDF document": b"%PDF-1.7\n" + bytes(20),
    "UTF-16 text": TABLE.encode("utf-16"),
    "binary, or UTF-16 text without a byte order mark": TABLE.encode("utf-16-le"),
    "binary": pickle.dumps(FRAME),
    "not UTF-8: byte": "é".encode("latin-1"),
}


@pytest.mark.parametrize("kind", BINARY)
def test_binary_files_are_named(kind, tmp_path):
    path = tmp_path / "scores.csv"
    path.write_bytes(BINARY[kind])
    for read in READERS.values():
        with pytest.raises(
            DataFormatError, match=rf"^scores\.csv is {kind}.*(save it as CSV|Save it as UTF-8)"
        ):
            read(path)


def test_text_that_starts_like_a_binary_file_is_read(tmp_path):
    path = tmp_path / "scores.csv"
    for first in ("PAR1", "PK", "BZh9", "7z", "PDF-", "Rar", "ustar", "ARROW1"):
        path.write_text(TABLE.replace("system", first), encoding="utf-8")
        assert ra.read_scores(path, higher_is_better=True).n_systems == 2


STRUCTURED = {
    "JSON": [
        FRAME.to_json(), FRAME.to_json(orient="records"),
        FRAME.to_json(orient="records", lines=True), FRAME.to_json(orient="values"),
        json.dumps({"a": {"b": 1}}, indent=2), "\n  " + json.dumps([[1, 2], [3, 4]], indent=2),
    ],
    "HTML or XML": [
        FRAME.to_html(), "<!DOCTYPE html>\n<html></html>", "<HTML>", "\n <?xml version='1.0'?><a/>",
        "<head>", "<body >",
    ],
    "Markdown": [FRAME.to_markdown(), "\n| a |b|\r\n| :-: |--|\n|1|2|\n"],
}  # fmt: skip


@every_reader
@pytest.mark.parametrize(
    ("kind", "text"), [(kind, text) for kind, texts in STRUCTURED.items() for text in texts]
)
def test_structured_text_is_named(read, kind, text):
    with pytest.raises(
        DataFormatError, match=rf"^the stream is {kind}, no plain table.*(pandas|as CSV)"
    ):
        read(StringIO(text))


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "b.NDJSON"])
def test_a_broken_json_file_is_refused(name, tmp_path):
    path = tmp_path / name
    path.write_text('{"a": 1,\n', encoding="utf-8")
    with pytest.raises(DataFormatError, match=r"is (not )?JSON"):
        ra.read_scores(path, higher_is_better=True)
    path.write_text(TABLE, encoding="utf-8")
    assert ra.read_scores(path, higher_is_better=True).n_systems == 2


@pytest.mark.parametrize(
    "text",
    [
        "[system],x\n[A],1\n",  "[1]\n[2]\n",  "[" * 100_000,
        "<tables>,x\nA,1\n", "<html>,x\nA,1\n", "<body", "|a|b|\n|1|2|\n", "|" * 100_000, TABLE, "",
    ],
    ids=lambda text: text[:10],
)  # fmt: skip
def test_tables_that_look_like_structured_text_are_read(text):
    check_plain_table("table.csv", text)
    with pytest.raises(DataFormatError, match="no plain table"):
        check_plain_table("table.json", "[" + text)
