"""One table out of many scores, held against pandas; every choice said or asked for."""

import math
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankagg as ra
from rankagg.exceptions import DataFormatError, InvalidInputError
from tests.io.evaluations.made import TIME, aggregate, document, harness, line, log, put, result

SCORES = st.dictionaries(
    st.sampled_from("xyz"), st.sampled_from([0.0, 0.1, 0.2, 0.3, 1.0]), min_size=1
)
RUNS = st.dictionaries(
    st.tuples(st.sampled_from("ABC"), st.integers(1, 3)), SCORES, min_size=1, max_size=6
)


def written(folder, runs):
    """Write one aggregate a run; return rows of (system, task, score)."""
    rows = []
    for number, ((system, run), scores) in enumerate(sorted(runs.items())):
        results = [result(task, score) for task, score in sorted(scores.items())]
        put(folder / f"{number}.json", aggregate(system, *results, run=f"{system} {run}"))
        rows += [(system, task, score) for task, score in sorted(scores.items())]
    return rows


@settings(max_examples=15)
@given(RUNS)
def test_tables_are_what_a_slow_loop_makes(runs) -> None:
    with tempfile.TemporaryDirectory() as folder:
        rows = written(Path(folder), runs)
        found = ra.read_evaluations(folder)
    cells: dict[tuple[str, str], list[float]] = {}
    for system, task, score in rows:
        cells.setdefault((system, task), []).append(score)
    several = any(len(scores) > 1 for scores in cells.values())
    if several:
        with pytest.raises(InvalidInputError, match=r"`runs` must be"):
            found.table()
    expected = {
        "mean": lambda scores: math.fsum(scores) / len(scores),
        "first": lambda scores: scores[0],
        "last": lambda scores: scores[-1],
    }
    for how, value in expected.items():
        got = found.table(runs=how).to_frame().stack().dropna().to_dict()
        assert got == {cell: pytest.approx(value(scores), abs=1e-15)
                       for cell, scores in cells.items()}  # fmt: skip
    each = found.table(runs="each")
    assert sum(not math.isnan(v) for v in each.values.ravel()) == len(rows)


NAMED = [
    # What each run holds, how runs are chosen, the scores and the last note.
    ({("A", 1): {"x": 1}, ("A", 2): {"x": 2}, ("B", 1): {"x": 3}}, "each", [[1], [2], [3]],
     "runs: each run of A is a system of its own"),
    ({("A", 1): {"x": 1, "y": 2}, ("A", 2): {"x": 3}}, "mean", [[2, 2]],
     "runs: the mean of 2 runs of A on x"),
    ({("A", 1): {"x": 1}, ("A", 2): {"y": 2}}, None, [[1, 2]], None),
]  # fmt: skip


@pytest.mark.parametrize(("runs", "how", "values", "note"), NAMED)
def test_runs_are_named_where_there_are_several_of_a_task(tmp_path, runs, how, values, note):
    written(tmp_path, runs)
    chosen = ra.read_evaluations(tmp_path).select(**({"runs": how} if how else {}))
    assert chosen.table.values.tolist() == values
    if how == "each":
        assert chosen.table.systems.labels == ("A [A 1]", "A [A 2]", "B")
    assert note is None or chosen.notes[-1] == note


def test_the_mean_over_instances_and_runs(tmp_path) -> None:
    for run in (1, 2):
        put(tmp_path / f"{run}.json", aggregate("A", result("x", 0), run=f"r{run}"))
        put(tmp_path / f"{run}.jsonl", line("A", "x", "1", run, run=f"r{run}"),
            *([line("A", "x", "2", 9, run="r2")] if run == 2 else []))  # fmt: skip
    chosen = ra.read_evaluations(tmp_path).select(runs="mean")
    assert chosen.table.values.tolist() == [[1.5, 9]]
    assert chosen.notes[-1] == "runs: the mean of 2 runs of A on x"


class TestMetrics:
    def found(self, tmp_path):
        put(tmp_path / "a.json", harness("A", {
            "arc": {"acc,none": 1, "acc_norm,none": 2}, "gsm8k": {"exact_match,none": 3},
            "piqa": {"acc,none": 4, "acc_norm,none": 5},
        }))  # fmt: skip
        return ra.read_evaluations(tmp_path)

    @pytest.mark.parametrize(
        ("metric", "expected"),
        [
            ("acc", {"arc": 1, "piqa": 4}),
            (["acc_norm", "exact_match"], {"arc": 2, "gsm8k": 3, "piqa": 5}),
            (["exact_match", "acc"], {"arc": 1, "gsm8k": 3, "piqa": 4}),
            ({"arc": "acc", "piqa": "acc_norm"}, {"arc": 1, "gsm8k": 3, "piqa": 5}),
        ],
    )
    def test_are_chosen_by_name(self, tmp_path, metric, expected) -> None:
        frame = self.found(tmp_path).table(metric=metric).to_frame()
        assert frame.loc["A"].to_dict() == expected

    def test_that_a_task_lacks_leave_it_out_and_say_so(self, tmp_path) -> None:
        notes = self.found(tmp_path).select(metric="acc").notes
        assert "left out: 1 task without that metric (gsm8k)" in notes
        assert "metric: acc" in notes

    @pytest.mark.parametrize(
        ("options", "told"),
        [
            (
                {},
                "arc has acc, acc_norm; piqa has acc, acc_norm. Name one, or several in the order",
            ),
            ({"metric": "accc"}, "Did you mean 'acc'"),
            ({"metric": {"arx": "acc"}}, "Did you mean 'arc'"),
            ({"metric": {"arc": "f1"}}, "one of acc, acc_norm for task 'arc'"),
            ({"metric": {"arc": "acc"}}, "piqa has acc, acc_norm"),
            ({"metric": 3}, "a name, several names"),
            ({"metric": []}, "a name, several names"),
            ({"metric": [1]}, "a name, several names"),
            ({"metric": "acc", "by": "tasks"}, "`by` must be 'task' or 'instance'"),
            ({"metric": "acc", "by": "instance"}, "They have no scores of instances"),
            ({"metric": "acc", "runs": "median"}, "`runs` must be"),
            ({"metric": "acc", "groups": 1}, "`groups` must be"),
            ({"metric": "acc", "higher_is_better": "yes"}, "`higher_is_better` must be"),
            ({"metric": "acc", "higher_is_better": {"acc": 1}}, "`higher_is_better` must be"),
            ({"metric": "acc", "higher_is_better": {"f1": True}}, "a mapping from metrics"),
            ({"metric": "acc", "higher_is_better": {"acc": False}}, "what .* states of 'acc'"),
        ],
    )
    def test_and_other_options_are_checked(self, tmp_path, options, told) -> None:
        with pytest.raises(InvalidInputError, match=told):
            self.found(tmp_path).table(**options)


def test_formats_go_together(tmp_path) -> None:
    put(tmp_path / "e" / "a.json", aggregate("A", result("x", 0.5)))
    put(tmp_path / "h" / f"results_{TIME}.json", harness("A", {"y": {"acc,none": 0.25}}))
    put(tmp_path / "h" / f"samples_y_{TIME}.jsonl", document(0, acc=1))
    put(tmp_path / "i" / "log.json", log("B", "z", [(1, 1, {"m": "C"})]))
    put(tmp_path / "other.json", {"a": 1})
    (tmp_path / "README.md").write_text("")
    (tmp_path / ".hidden.json").write_text("[")
    found = ra.read_evaluations(tmp_path)
    assert found.formats == (
        ("Every Eval Ever (aggregates)", 1), ("lm-evaluation-harness (results)", 1),
        ("lm-evaluation-harness (samples)", 1), ("Inspect (logs)", 1),
    )  # fmt: skip
    assert sum(one.number for one in found.left_out if one.what == "file") == 2
    assert found.systems == ("A", "B")
    again = ra.read_evaluations([tmp_path / "e", str(tmp_path / "h" / "*"), tmp_path / "i"])
    assert again.to_frame().equals(found.to_frame())
    assert found.overview()["scores"].sum() == found.n_scores == 4
    assert "Evaluations of 2 systems on 3 tasks: 4 scores" in str(found)
    assert hash(found) != hash(again)  # what was left out is a part of it


@pytest.mark.parametrize("paths", [[], 3, [3], b"x", [b"x"], None])
def test_paths_are_paths(paths) -> None:
    with pytest.raises(InvalidInputError, match=r"`paths` must be"):
        ra.read_evaluations(paths)


@pytest.mark.parametrize("path", ["nowhere", "nowhere/*.json", "a\0b", "\ud800", "x" * 5000])
def test_what_is_not_there_is_told(path) -> None:
    with pytest.raises(InvalidInputError):
        ra.read_evaluations(path)


def test_a_file_that_is_named_must_be_one_of_these(tmp_path) -> None:
    file = put(tmp_path / "x.json", {"a": 1})
    with pytest.raises(DataFormatError, match="none of the formats"):
        ra.read_evaluations(file)
    with pytest.raises(InvalidInputError, match="files with scores"):
        ra.read_evaluations(tmp_path)
