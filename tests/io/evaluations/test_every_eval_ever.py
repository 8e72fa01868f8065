"""Every Eval Ever: aggregates, their versions and directions, and what contradicts itself."""

import pytest

import rankagg as ra
from rankagg.exceptions import DataFormatError
from tests.io.evaluations.made import aggregate, cells, put, read, result


@pytest.mark.filterwarnings("ignore::rankagg.exceptions.DataWarning")
def test_the_samples_of_the_format_itself(data) -> None:
    frame = ra.read_evaluations(data("evaluations/every_eval_ever/aggregate.json").parent)
    task = "demo-source.demo_bench"
    assert cells(frame) == {("demo-org/demo-model", task, "accuracy", None): 0.75}
    assert frame["higher_is_better"].all()


def test_directions_are_those_of_the_files(tmp_path) -> None:
    frame, told = read(
        tmp_path,
        aggregate("A", result("acc", 0.5), result("loss", 2, lower=True, metric="nll")),
        aggregate("B", result("acc", 0.25), result("loss", 1, lower=True, metric="nll")),
    )
    assert told == []
    better = frame.groupby("task")["higher_is_better"].first()
    assert better.to_dict() == {"acc": True, "loss": False}
    table = ra.read_scores(
        frame, system="system", task="task", score="score", higher_is_better=better
    )
    assert table.values.tolist() == [[0.5, 2], [0.25, 1]]
    assert dict(table.higher_is_better) == {"acc": True, "loss": False}


def test_standard_errors_and_numbers_of_samples_are_kept(tmp_path) -> None:
    part = result("x", 0.5)
    part["score_details"]["uncertainty"] = {"standard_error": {"value": 0.125}, "num_samples": 16}
    frame, _ = read(tmp_path, aggregate("A", part, result("y", 1)))
    assert frame["error"].fillna(-1).tolist() == [0.125, -1]
    assert frame["n"].fillna(-1).tolist() == [16, -1]


def without_direction():
    broken = result("x", 1)
    del broken["metric_config"]["lower_is_better"]
    return broken


#: Contents of files that are refused, and what is said of them.
REFUSED = {
    "a direction that files state differently": (
        [aggregate("A", result("x", 1)), aggregate("B", result("x", 1, lower=True))],
        r"_0\.json says that higher .*_1\.json that lower",
    ),
    "no direction": (
        [aggregate("A", without_direction())], r"lower_is_better` is missing\. It states the dir",
    ),
    "one result twice": (
        [aggregate("A", result("x", 1), result("x", 2))],
        r"two scores by 'accuracy' for system 'A', task 'x'",
    ),
    "one evaluation in two files": (
        [aggregate("A", result("x", 1))] * 2, r"1\.json or a file of the same run has two scores",
    ),
    "a whole number that no float is": ([aggregate("A", result("x", 2**53 + 1))], "64-bit float"),
    "a larger one": ([aggregate("A", result("x", 10**400))], "64-bit float"),
    "a blank task": ([aggregate("A", result(" ", 1))], "evaluation_name` must be a text"),
    "half of a character": ([aggregate("A", result("\ud800", 1))], "of whole characters"),
    **{
        f"score {score!r}": ([aggregate("A", result("x", score))], told)
        for score, told in (
            ("0.5", "`score` must be a number. Got '0.5'"), (True, "must be a number"),
            (None, "`score` is missing"), ([1], "must be a number. Got a list"),
        )
    },
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_contradicts_itself_is_named(tmp_path, name) -> None:
    contents, told = REFUSED[name]
    with pytest.raises(DataFormatError, match=told):
        read(tmp_path, *contents)


@pytest.mark.parametrize("version", ["0.2.1", "0.2.2", "0.2.3", "0.3.0"])
def test_versions_that_say_the_same_are_read(tmp_path, version) -> None:
    assert len(read(tmp_path, aggregate("A", result("x", 1), version=version))[0]) == 1


@pytest.mark.parametrize("version", ["0.2.0", "0.3.1", "", None, 0.3, ["0.3.0"]])
def test_other_versions_are_refused_by_name(tmp_path, version) -> None:
    with pytest.raises(DataFormatError, match=r"schema_version` must be .*0\.3\.0.*Convert"):
        read(tmp_path, aggregate("A", result("x", 1), version=version))


def test_an_unknown_level_is_no_score(tmp_path) -> None:
    levels = {"score_type": "levels", "level_names": ["a"], "has_unknown_level": True}
    results = [aggregate(x, result("x", score, **levels)) for x, score in (("A", -1), ("B", 0))]
    frame, told = read(tmp_path, *results)
    assert frame["system"].tolist() == ["B"]
    assert told == ["left out: 1 score (-1, which stands for an unknown level)."]


def test_infinite_scores_are_left_out_and_counted(tmp_path) -> None:
    scores = (float("inf"), float("nan"), 1)
    parts = [result(task, score) for task, score in zip("xyz", scores, strict=True)]
    frame, told = read(tmp_path, aggregate("A", *parts))
    assert frame["task"].tolist() == ["z"]
    assert told == ["left out: 2 scores (not a finite number)."]


def test_names_that_stand_for_several_data_sets_are_told_apart(tmp_path) -> None:
    frame, told = read(
        tmp_path,
        aggregate("A", result("Accuracy", 1, dataset="d"), result("Accuracy", 2, dataset="e")),
        aggregate("B", result("Accuracy", 3, dataset="d"), result("other", 4, dataset="f")),
    )
    assert frame["task"].tolist() == ["d: Accuracy", "e: Accuracy", "d: Accuracy", "other"]
    assert told == ["tasks: the name of the data set is put in front of Accuracy."]


def test_parameters_of_a_metric_tell_it_apart(tmp_path) -> None:
    results = [result("x", k, metric="pass", metric_parameters={"k": k}) for k in (1, 5)]
    frame, _ = read(tmp_path, aggregate("A", *results))
    assert frame["metric"].tolist() == ["pass (k=1)", "pass (k=5)"]


def test_lines_of_samples_are_counted_and_left_out(tmp_path) -> None:
    sample = {"schema_version": "0.3.0", "sample_id": "1", "evaluation": {"score": 1}}
    path = put(tmp_path / "a_samples.jsonl", sample)
    frame, told = read(tmp_path, aggregate("A", result("x", 1)))
    assert len(frame) == 1
    assert told[0].startswith("left out: 1 file (none of the formats")
    with pytest.raises(DataFormatError, match=r"a_samples\.jsonl holds none of the formats"):
        ra.read_evaluations(path)
