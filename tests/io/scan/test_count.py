"""Groups of instances hang on labels: no batch, order, file or engine changes a bit."""

import json
from itertools import pairwise

import joblib
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankagg as ra
from rankagg.core import task_tally
from rankagg.exceptions import DataFormatError, InvalidInputError
from rankagg.io.scan import batches
from rankagg.io.scan import count as scan_count
from tests.io.scan.scan_files import LONG, drawn, long, scan, wide, write

GROUPS = 5


def expected_of(table):
    return ra.ScoreSummary.from_scores(table, n_groups=GROUPS)


def drawn_from(summary, unit):
    """Return all that resamples of a summary say, as text."""
    intervals = ra.PairwiseIntervals.from_data(
        summary, method="percentile", unit=unit, rng=1, n_resamples=100
    )
    ranks = ra.rank_intervals(summary, method="max-t", unit=unit, rng=1, n_resamples=100)
    shares = ra.rank_shares(summary, ra.Borda(), unit=unit, rng=1, n_resamples=5)
    return json.dumps([intervals.to_dict(), ranks.to_dict(), shares.to_dict()])


@settings(deadline=None, max_examples=2)
@given(
    seed=st.integers(0, 5),
    order=st.randoms(use_true_random=False),
    cuts=st.lists(st.integers(0, 40), max_size=3),
    sizes=st.tuples(st.integers(1, 50), st.sampled_from([1, 7, 1000])),
)
def test_rows_files_and_batches(seed, order, cuts, sizes, tmp_path_factory):
    rows, enough = sizes
    table = drawn(seed)
    shuffled = wide(table).iloc[order.sample(range(40), 40)]
    folder = tmp_path_factory.mktemp("files")
    for number, (start, stop) in enumerate(pairwise([0, *sorted(cuts), 40])):
        write(shuffled[start:stop], folder / f"{number}.parquet", rows=rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan_count, "ENOUGH_GROUPED", enough)
        patch.setattr(scan_count, "WAITING_CELLS_GROUPED", 50 * enough)
        patch.setattr(scan_count, "BATCH_ROWS", rows)
        patch.setattr(scan_count, "LEAST_ROWS", 1)
        patch.setattr(batches, "PART_ROWS", 2 * rows)
        patch.setattr(scan_count, "ENOUGH", enough)
        patch.setattr(scan_count, "WAITING_CELLS", 50 * enough)
        made = scan(folder, table)
        found, plain = made.summarize(n_groups=GROUPS), made.summarize()
    assert plain == ra.ScoreSummary.from_scores(table)
    assert list(plain.tasks) == list(dict.fromkeys(shuffled["task"]))
    expected = expected_of(table)
    assert found == expected
    assert found.fingerprint == expected.fingerprint
    # What is drawn is the same too, to the last bit, though tasks come in another order.
    assert drawn_from(found, "ranking") == drawn_from(expected, "ranking")
    assert drawn_from(found, "instance") == drawn_from(expected, "instance")


@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize("form", [wide, long])
def test_forms_formats_and_workers(form, ending, tmp_path, monkeypatch):
    monkeypatch.setattr(batches, "PART_ROWS", 5)
    table = drawn(2)
    frame, names = form(table), LONG if form is long else None
    half = frame["id"].isin(table.instances[:20])
    write(frame[half], tmp_path / f"a.{ending}", rows=5)
    write(frame[~half], tmp_path / f"b.{ending}", rows=5)
    made = scan([tmp_path / f"{name}.{ending}" for name in "ba"], table, names)
    n_jobs = 2 if (form, ending) == (wide, "parquet") else 1
    with joblib.parallel_config(backend="threading"):
        found = made.summarize(n_groups=GROUPS, n_jobs=n_jobs)
    assert found == expected_of(table)
    plain = made.summarize()
    assert plain.n_groups is None
    assert plain.fingerprint == found.fingerprint


def test_whole_numbers_are_the_same_instance_as_text(tmp_path):
    ids = [0, 7, -7, 10**17, 10**18, 2**62, 10**18 + 1, -(10**18)]
    found = []
    for number, kind in enumerate((pa.int64(), pa.string(), pa.large_string(), "dictionary")):
        column = pa.array(ids) if kind == pa.int64() else pa.array([str(i) for i in ids])
        column = column.dictionary_encode() if kind == "dictionary" else column.cast(kind)
        path = tmp_path / f"{number}.parquet"
        pq.write_table(pa.table({"id": column, "A": np.arange(8.0), "B": [3.0] * 8}), path)
        found.append(path)
    pd.DataFrame({"id": ids, "A": np.arange(8.0), "B": 3.0}).to_csv(tmp_path / "4.csv", index=False)
    spaced = "id,A,B\n" + "".join(f" {i} ,{a}.0,3.0\n" for a, i in enumerate(ids))
    (tmp_path / "5.csv").write_text(spaced)
    found += [tmp_path / "4.csv", tmp_path / "5.csv"]
    made = [
        ra.io.scan_scores(path, higher_is_better=True, instance="id").summarize(n_groups=1000)
        for path in found
    ]
    table = ra.ScoreTable(
        [np.arange(8.0), [3.0] * 8], systems="AB", tasks=["scores"] * 8, instances=ids,
        higher_is_better=True,
    )  # fmt: skip
    assert len(made[0].grouped["scores"].parts) == 8
    assert all(summary == ra.ScoreSummary.from_scores(table, n_groups=1000) for summary in made)


def test_an_instance_that_is_there_twice_but_for_spaces(tmp_path):
    (tmp_path / "a.csv").write_text("id,A\nx,1\n x,2\n")
    with pytest.raises(DataFormatError, match="are the same instance"):
        ra.io.scan_scores(tmp_path / "a.csv", higher_is_better=True, instance="id").summarize()


@pytest.mark.parametrize("groups", [0, 1, 2.5, "5", 10**7])
def test_impossible_numbers(groups, tmp_path):
    made = scan(write(wide(drawn()), tmp_path / "a.parquet"), drawn())
    with pytest.raises(InvalidInputError, match="groups"):
        made.summarize(n_groups=groups)


def test_no_groups_without_a_column_of_instances(tmp_path):
    made = scan(write(wide(drawn()), tmp_path / "a.parquet"), drawn(), {"task": "task"},
                systems=["s0", "s1"])  # fmt: skip
    with pytest.raises(InvalidInputError, match="Name it with `instance=`"):
        made.summarize(n_groups=5)


@pytest.mark.parametrize("room", [400, 2000])
def test_sums_that_would_fill_the_memory(room, tmp_path, monkeypatch):
    monkeypatch.setattr(task_tally, "MOST_BYTES", room)
    made = scan(write(wide(drawn()), tmp_path / "a.parquet"), drawn())
    with pytest.raises(InvalidInputError, match="Take fewer groups"):
        made.summarize(n_groups=GROUPS)
    made.summarize()
