"""Files that are no text tables are named, with what to do about them."""

import gzip
import json
import pickle
import zipfile
from io import BytesIO, StringIO

import pandas as pd
import pytest

import rankagg as ra
from rankagg.exceptions import DataFormatError
from rankagg.io.tables.sources import check_plain_table
from tests.io.tables.test_sources import READERS, every_reader

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


@pytest.mark.parametrize("said", BINARY)
def test_binary_files_are_named(said, tmp_path):
    path = tmp_path / "scores.csv"
    path.write_bytes(BINARY[said])
    for read in READERS.values():
        with pytest.raises(
            DataFormatError, match=rf"^scores\.csv is {said}.*(save it as CSV|Save it as UTF-8)"
        ):
            read(path)


def test_what_only_begins_like_a_binary_file_is_text(tmp_path):
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
def test_a_broken_file_that_is_called_json(name, tmp_path):
    path = tmp_path / name
    path.write_text('{"a": 1,\n', encoding="utf-8")
    with pytest.raises(DataFormatError, match=r"is (not )?JSON"):
        ra.read_scores(path, higher_is_better=True)
    path.write_text(TABLE, encoding="utf-8")
    assert ra.read_scores(path, higher_is_better=True).n_systems == 2


@pytest.mark.parametrize(
    "text",
    [
        "[system],x\n[A],1\n", "{s},{x}\nA,1\n", "[1]\n[2]\n", "[]\n", "[" * 100_000, "<5,x\nA,1\n",
        "<tables>,x\nA,1\n", "<html>,x\nA,1\n", "<body", "|a|b|\n|1|2|\n", "|" * 100_000, TABLE, "",
    ],
    ids=lambda text: text[:10],
)  # fmt: skip
def test_what_only_looks_structured_is_a_table(text):
    check_plain_table("table.csv", text)
    with pytest.raises(DataFormatError, match="no plain table"):
        check_plain_table("table.json", "[" + text)
