"""Counting scans: no batch, order, file or engine changes a bit."""

from itertools import pairwise

import joblib
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import rankagg as ra
from rankagg.exceptions import DataFormatError
from rankagg.io.scan import batches
from rankagg.io.scan import count as scan_count
from tests.io.scan.scan_files import LONG, drawn, long, scan, wide, write

MASK = 2**64 - 1


@settings(deadline=None, max_examples=2)
@given(
    seed=st.integers(0, 5),
    order=st.randoms(use_true_random=False),
    cuts=st.lists(st.integers(0, 40), max_size=3),
    sizes=st.tuples(st.integers(1, 50), st.sampled_from([1, 7, 1000])),
)
def test_files_and_batches_change_nothing(seed, order, cuts, sizes, tmp_path_factory):
    rows, enough = sizes
    table = drawn(seed)
    shuffled = wide(table).iloc[order.sample(range(40), 40)]
    folder = tmp_path_factory.mktemp("files")
    for number, (start, stop) in enumerate(pairwise([0, *sorted(cuts), 40])):
        write(shuffled[start:stop], folder / f"{number}.parquet", rows=rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan_count, "BATCH_ROWS", rows)
        patch.setattr(scan_count, "LEAST_ROWS", 1)
        patch.setattr(batches, "PART_ROWS", 2 * rows)
        patch.setattr(scan_count, "ENOUGH", enough)
        patch.setattr(scan_count, "WAITING_CELLS", 50 * enough)
        found = scan(folder, table).summarize()
    expected = ra.ScoreSummary.from_scores(table)
    assert list(found.tasks) == list(dict.fromkeys(shuffled["task"]))
    assert found == expected
    assert found.fingerprint == expected.fingerprint


@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize("form", [wide, long])
def test_forms_formats_and_workers_change_nothing(form, ending, tmp_path, monkeypatch):
    monkeypatch.setattr(batches, "PART_ROWS", 5)
    table = drawn(2)
    frame, names = form(table), LONG if form is long else None
    half = frame["id"].isin(table.instances[:20])
    write(frame[half], tmp_path / f"a.{ending}", rows=5)
    write(frame[~half], tmp_path / f"b.{ending}", rows=5)
    made = scan([tmp_path / f"{name}.{ending}" for name in "ba"], table, names)
    n_jobs = 2 if (form, ending) == (wide, "parquet") else 1
    with joblib.parallel_config(backend="threading"):
        found = made.summarize(n_jobs=n_jobs)
    assert found == ra.ScoreSummary.from_scores(table)


def turned(x, bits):
    return ((x << bits) | (x >> (64 - bits))) & MASK


def siphash(text, key=b"0123456789123456"):
    """Return SipHash-2-4 of a text, as its authors define it."""
    data = text.encode()
    k0, k1 = (int.from_bytes(key[i : i + 8], "little") for i in (0, 8))
    v = [0x736F6D6570736575 ^ k0, 0x646F72616E646F6D ^ k1,
         0x6C7967656E657261 ^ k0, 0x7465646279746573 ^ k1]  # fmt: skip

    def rounds(times):
        for _ in range(times):
            v[0] = (v[0] + v[1]) & MASK
            v[1] = turned(v[1], 13) ^ v[0]
            v[0] = turned(v[0], 32)
            v[2] = (v[2] + v[3]) & MASK
            v[3] = turned(v[3], 16) ^ v[2]
            v[0] = (v[0] + v[3]) & MASK
            v[3] = turned(v[3], 21) ^ v[0]
            v[2] = (v[2] + v[1]) & MASK
            v[1] = turned(v[1], 17) ^ v[2]
            v[2] = turned(v[2], 32)

    data += b"\0" * (7 - len(data) % 8) + bytes([len(text.encode()) % 256])
    for at in range(0, len(data), 8):
        word = int.from_bytes(data[at : at + 8], "little")
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xFF
    rounds(4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def mixed(x):
    """Return the finalizer of SplitMix64."""
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def key_of(label):
    """Return the key of a label in plain Python: a whole number is one as text too."""
    digits = label.removeprefix("-")
    is_whole = digits.isascii() and digits.isdigit() and (digits[0] != "0" or label == "0")
    # What is no number ends as pandas ends it.
    return int(label) & MASK if is_whole and len(digits) <= 20 else mixed(siphash(label))


LABELS = ["", "a", "i7", "id-000123456789", "é中", "007", "-0", "+1", "1.0", "1" * 21, "0", "7",
          "-7", str(10**18 - 1), str(10**18), str(2**63), str(-(2**63)), str(10**20 - 1),
          str(-(10**20)), str(10**21)]  # fmt: skip


@example(labels=LABELS)
@given(labels=st.lists(st.text(max_size=20), max_size=9))
def test_keys_follow_from_labels_alone(labels):
    found = batches._text_keys(pa.array(labels, pa.large_string()))
    assert found.tolist() == [key_of(label) for label in labels]


@pytest.mark.parametrize("kind", [pa.int64(), pa.string(), pa.large_string(), "dictionary"])
def test_whole_numbers_are_the_same_instance_as_text(kind, tmp_path):
    ids = [0, 7, -7, 10**17, 10**18, 2**62, 10**18 + 1, -(10**18)]
    column = pa.array(ids) if kind == pa.int64() else pa.array([str(i) for i in ids])
    column = column.dictionary_encode() if kind == "dictionary" else column.cast(kind)
    pq.write_table(pa.table({"id": column, "A": np.arange(8.0)}), tmp_path / "a.parquet")
    for number, one in enumerate(ids):
        again = tmp_path / f"{number}.csv"
        again.write_text(f"id,A\n {one} ,1.0\n")
        made = ra.io.scan_scores(
            [tmp_path / "a.parquet", again], higher_is_better=True, instance="id"
        )
        with pytest.raises(DataFormatError, match="same instance"):
            made.summarize()


def test_instances_that_differ_in_spaces_only_are_refused(tmp_path):
    (tmp_path / "a.csv").write_text("id,A\nx,1\n x,2\n")
    with pytest.raises(DataFormatError, match="are the same instance"):
        ra.io.scan_scores(tmp_path / "a.csv", higher_is_better=True, instance="id").summarize()
