"""Damaged files are read or refused with a message, in bounded time and memory."""

import gzip
import random
import re
import shlex
import subprocess
import sys
from io import StringIO

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rankagg as ra
from rankagg.exceptions import DataFormatError, RankaggError
from rankagg.io.json_files import read_summary
from rankagg.io.tables.reading import read_table
from tests.io.damage import READERS, little_memory, outcomes, survives
from tests.io.tables.test_sources_formats import write_parquet

every_reader = pytest.mark.parametrize("kind", READERS)


@every_reader
@pytest.mark.parametrize(
    ("number", "seed"), [(60, 0), pytest.param(10_000, 1, marks=pytest.mark.slow)]
)
def test_damaged_files_are_read_or_refused(kind, number, seed, tmp_path):
    reader, wholes = READERS[kind]
    assert survives(reader, wholes[0], tmp_path / "file") == "read"
    counts = outcomes(reader, wholes, number, tmp_path / "file", seed)
    assert sum(counts.values()) == number
    # Damage that is never read, or always, tests nothing.
    assert counts["read"] >= number // 40
    assert counts["DataFormatError"] >= number // 10


# -- limits for small files -----------------------------------------------------------------------

HEADER = "# NUMBER ALTERNATIVES: {}\n# NUMBER VOTERS: 1\n"


CLAIMS = [
    HEADER.format(10**9) + "1: 1\n",
    HEADER.format(10**9) + "# ALTERNATIVE NAME 1000000000: A\n1: 1\n",
    HEADER.format(10_001) + "1: 1\n",
    HEADER.format("9" * 5000) + "1: 1\n",
    HEADER.format(2) + "# ALTERNATIVE NAME " + "9" * 5000 + ": A\n1: 1\n",
    HEADER.format(2) + "9" * 5000 + ": 1\n",
    HEADER.format(2) + "1: " + "9" * 5000 + "\n",
    "1000000000\n1,A\n2,B\n3,3,1\n3,1,2\n",
    "9" * 5000 + "\n1,A\n",
]


def test_claimed_sizes_in_headers_take_no_memory():
    for text in CLAIMS:
        with little_memory(), pytest.raises(DataFormatError) as error:
            ra.read_preflib(StringIO(text))
        assert len(str(error.value)) < 400


def test_a_table_that_is_all_but_empty_is_refused():
    # Each row names another system and another instance: 20,000 x 20,000 cells for 20,000 scores.
    rows = "".join(f"s{row},x,{row},1\n" for row in range(20_000))
    with pytest.raises(
        DataFormatError, match=r"20000 systems and 20000 units.*400000000 cells, 20000 of them"
    ):
        ra.read_scores(
            StringIO(f"s,t,k,v\n{rows}"), higher_is_better=True, task="t", instance="k", score="v"
        )
    names = "".join(f"# ALTERNATIVE NAME {i}: a{i}\n" for i in range(1, 20_001))
    ballots = "".join(f"1: {i}\n" for i in range(1, 20_001))
    text = f"# NUMBER ALTERNATIVES: 20000\n{names}{ballots}"
    with pytest.raises(DataFormatError, match="20000 ballots and 20000 alternatives"):
        ra.read_preflib(StringIO(text))


# Where time grew with the square of the length, each of these lines would take many minutes.
LONG = 100_000


def test_long_lines_end_in_one_sentence():
    for read, text in (
        (ra.read_preflib, "# A" + " " * LONG + "\n1: 1\n"),
        (ra.read_preflib, "# TITLE: " + "a " * LONG + "b\n1: 1\n"),
        (ra.read_preflib, "# NUMBER ALTERNATIVES: 1\n1" + " " * LONG + "x: 1\n"),
        (ra.read_preflib, "# NUMBER ALTERNATIVES: 1\n1: 1" + " " * LONG + "x\n"),
        (ra.read_preflib, "# NUMBER ALTERNATIVES: 1\n1: " + "{" * LONG + "\n"),
        (ra.read_preflib, "# NUMBER ALTERNATIVES: 1\n1: " + "1," * LONG + "x\n"),
        (ra.read_ballots, "A\n" + "0" * LONG + "e1\nx\n"),
        (ra.read_ballots, "A\n" + "1" * LONG + "x\n"),
        (ra.read_ballots, "-" + "1" * LONG + "x\nx\n"),
        (ra.read_ballots, "'" * LONG + "\nx\n"),
        (ra.read_ballots, "[" * LONG),
        (ra.io.read_matrix, "2\n" + "0" * LONG + "e1 1 1 x"),
    ):
        with pytest.raises(RankaggError) as error:
            read(StringIO(text))
        assert len(str(error.value)) < 1000


# -- Parquet, gzip and JSON Lines ------------------------------------------------------------


def test_a_file_that_is_cut_off_is_refused(tmp_path):
    for kind, suffix in (("parquet", ".parquet"), ("gzip", ".csv.gz")):
        whole = READERS[kind][1][0]
        path = tmp_path / f"a{suffix}"
        for length in range(0, len(whole), max(1, len(whole) // 40)):
            path.write_bytes(whole[:length])
            with pytest.raises(DataFormatError, match=rf"^a\{suffix} "):
                ra.read_scores(path, higher_is_better=True, task="t", score="v")


def test_a_flipped_byte_under_a_checksum_is_never_another_table(tmp_path):
    path = tmp_path / "a.parquet"
    labels = [f"s{i}" for i in range(99)]
    frame = pd.DataFrame({"s": labels, "v": np.random.default_rng(0).random(99)})
    write_parquet(path, frame, compression="none", use_dictionary=False, write_page_checksum=True)
    expected, whole = ra.read_scores(path, higher_is_better=True), path.read_bytes()
    footer = int.from_bytes(whole[-8:-4], "little")
    rng, refused = random.Random(0), 0
    for _ in range(60):
        data = bytearray(whole)
        data[rng.randrange(4, len(whole) - 8 - footer)] ^= 1 << rng.randrange(8)
        path.write_bytes(data)
        try:
            assert ra.read_scores(path, higher_is_better=True) == expected
        except DataFormatError:
            refused += 1
    assert refused > 40


REFUSED = r"^a\.[a-z.]+ takes about [0-9,]+ bytes of memory or more, and `max_bytes` is [0-9,]+\. "


def test_endless_streams_are_read_up_to_the_limit(tmp_path):
    (tmp_path / "a.csv").symlink_to("/dev/zero")
    with little_memory(), pytest.raises(DataFormatError, match="is binary"):
        read_table(tmp_path / "a.csv", max_bytes=10**6)
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"s,x\n" + b"A,1\n" * 10**6))
    with little_memory(), pytest.raises(DataFormatError, match=REFUSED):
        read_table(tmp_path / "a.csv.gz", max_bytes=10**6)
    with pytest.raises(DataFormatError, match="the stream takes about"):
        read_table(StringIO("s,x\n" + "A,1\n" * 10**5), max_bytes=10**6)


@pytest.mark.parametrize(
    "reader",
    [ra.io.read_matrix, ra.io.read_votes, read_summary, ra.read_evaluations, ra.io.read_abif],
)
def test_readers_other_than_tables_have_a_size_limit(reader, tmp_path):
    (tmp_path / "a.json").write_text('{"a": [1, 2, 3]}', encoding="utf-8")
    with pytest.raises(DataFormatError, match=r"a\.json takes about .* and `max_bytes` is 100\. "):
        reader(tmp_path / "a.json", max_bytes=100)
    with pytest.raises(RankaggError) as caught:
        reader(tmp_path / "a.json", max_bytes=10**6)
    assert "max_bytes" not in str(caught.value)


def labels(n):
    return [f"s{at}" for at in range(n)]


def texts(n, of):
    return "".join(of(at) for at in range(n)).encode()


#: Small files that need more than a gigabyte each, by suffix.
BOMBS = {
    "blank lines": (".csv.gz", lambda: b"s,x\nA,1\n" + b"\n" * 7 * 10**7),
    "labels": (".csv", lambda: b"system,x\n" + texts(2_500_000, lambda at: f"{at},1\n")),
    "one object": (".jsonl", lambda: b'{"s": [' + b"[]," * 10**7 + b"[]]}\n"),
    "long texts": (".parquet", lambda: {"s": labels(2), "x": ["x" * 10**6] * 2}),
    "many values": (".parquet", lambda: {"s": np.zeros(7 * 10**7, np.int8)}),
}


def write_bomb(kind, folder):
    suffix, content = BOMBS[kind]
    path, content = folder / f"a{suffix}", content()
    if kind == "long texts":
        one = pa.DictionaryArray.from_arrays(pa.array([0] * 10**4, pa.int32()), content["x"][:1])
        pq.write_table(pa.table({"s": one}), path)
    elif suffix == ".parquet":
        pq.write_table(pa.table(content), path)
    else:
        path.write_bytes(gzip.compress(content, 1) if suffix == ".csv.gz" else content)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("kind", BOMBS)
def test_no_small_file_takes_more_than_a_gigabyte(kind, tmp_path):
    path = write_bomb(kind, tmp_path)
    program = (
        "import resource, sys\nimport rankagg as ra\n"
        f"try: ra.read_scores({str(path)!r}, higher_is_better=True)\n"
        "except ra.exceptions.DataFormatError as error: print(error)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    # The peak of a process begins with that of the one which started it.
    done = subprocess.run(
        ["/bin/sh", "-c", f"exec {shlex.quote(sys.executable)} -c {shlex.quote(program)}"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    message, kibibytes = done.stdout.splitlines()
    assert re.match(REFUSED, message)
    assert int(kibibytes) < 1.1 * 2**20
