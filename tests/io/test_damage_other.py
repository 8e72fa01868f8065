"""Damaged Parquet, gzip and JSON Lines files are refused in words, and cannot ask for memory."""

import gzip
import random

import numpy as np
import pandas as pd
import pytest

import rankagg as ra
from rankagg.exceptions import DataFormatError
from tests.io.damage import outcomes
from tests.io.tables.test_sources_formats import FRAME, LONG, as_json_lines, write_parquet

DAMAGED = {
    ".parquet": lambda path: write_parquet(path, row_group_size=2),
    ".plain.parquet": lambda path: write_parquet(path, compression="none", use_dictionary=False),
    ".csv.gz": lambda path: path.write_bytes(gzip.compress(FRAME.to_csv(index=False).encode())),
    ".jsonl": lambda path: path.write_text(as_json_lines(FRAME), encoding="utf-8"),
}


def outcomes_of(suffix, number, seed, folder):
    path = folder / f"a{suffix}"
    DAMAGED[suffix](path)
    return outcomes(lambda p: ra.read_scores(p, **LONG), [path.read_bytes()], number, path, seed)


@pytest.mark.parametrize("suffix", DAMAGED)
def test_damaged_files(suffix, tmp_path):
    assert outcomes_of(suffix, 150, 0, tmp_path)["DataFormatError"] > 50


@pytest.mark.slow
@pytest.mark.parametrize("suffix", DAMAGED)
def test_many_damaged_files(suffix, tmp_path):
    assert sum(outcomes_of(suffix, 10_000, 1, tmp_path).values()) == 10_000


def test_a_file_that_is_cut_off_is_refused(tmp_path):
    for suffix in (".parquet", ".csv.gz"):
        path = tmp_path / f"a{suffix}"
        DAMAGED[suffix](path)
        whole = path.read_bytes()
        for length in range(0, len(whole), max(1, len(whole) // 40)):
            path.write_bytes(whole[:length])
            with pytest.raises(DataFormatError, match=rf"^a\{suffix} "):
                ra.read_scores(path, **LONG)


def test_a_flipped_byte_under_a_checksum_is_never_another_table(tmp_path):
    path = tmp_path / "a.parquet"
    frame = pd.DataFrame(
        {"s": [f"s{i}" for i in range(99)], "v": np.random.default_rng(0).random(99)}
    )
    write_parquet(path, frame, compression="none", use_dictionary=False, write_page_checksum=True)
    expected, whole = ra.read_scores(path, higher_is_better=True), path.read_bytes()
    footer = int.from_bytes(whole[-8:-4], "little")
    rng, refused = random.Random(0), 0
    for _ in range(150):
        data = bytearray(whole)
        data[rng.randrange(4, len(whole) - 8 - footer)] ^= 1 << rng.randrange(8)
        path.write_bytes(data)
        try:
            assert ra.read_scores(path, higher_is_better=True) == expected
        except DataFormatError:
            refused += 1
    assert refused > 100


def test_a_small_file_of_gzip_holds_no_large_one(tmp_path, monkeypatch):
    monkeypatch.setattr("rankagg.io.tables.sources.MOST_UNPACKED", 1000)
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"s,x\nA,1\n" + b"\n" * 10**6))
    with pytest.raises(
        DataFormatError, match=r"a\.csv\.gz holds more than \d+ bytes in \d+; unpack"
    ):
        ra.read_scores(path, higher_is_better=True)


def test_a_small_parquet_file_states_no_large_table(tmp_path, monkeypatch):
    monkeypatch.setattr("rankagg.io.tables.sources.ANY_CELLS", 1000)
    path = tmp_path / "a.parquet"
    write_parquet(path, pd.DataFrame({"s": ["A"] * 10**6, "x": [1] * 10**6}))
    with pytest.raises(DataFormatError, match="states 1000000 rows of 2 columns and has"):
        ra.read_scores(path, higher_is_better=True)
