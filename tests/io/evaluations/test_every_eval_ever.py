"""Every Eval Ever: aggregates, samples, versions, and what belongs together."""

import json
from types import SimpleNamespace

import pytest
from jsonschema import validate

import rankagg as ra
from rankagg.exceptions import DataFormatError, InvalidInputError, OutputError
from tests.io.evaluations.made import aggregate, line, put, read, result


def test_the_samples_of_the_format_itself(data) -> None:
    found = ra.read_evaluations(data("evaluations/every_eval_ever/aggregate.json").parent)
    frame = found.to_frame()
    assert frame["score"].tolist() == [0.75, 1.0]
    assert frame["metric"].tolist() == ["accuracy", "accuracy"]
    assert frame["instance"].isna().tolist() == [True, False]
    assert frame["higher_is_better"].all()
    assert [(one.what, one.number) for one in found.left_out] == [("file", 1), ("file", 1)]
    assert found.table().instances == ("demo_0001",)


def test_directions_are_those_of_the_files(tmp_path) -> None:
    found = read(
        tmp_path,
        aggregate("A", result("acc", 0.5), result("loss", 2, lower=True, metric="nll")),
        aggregate("B", result("acc", 0.25), result("loss", 1, lower=True, metric="nll")),
    )
    table = found.table()
    assert dict(table.higher_is_better) == {"acc": True, "loss": False}
    assert table.values.tolist() == [[0.5, 2], [0.25, 1]]


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
    "one id of two results": (
        [aggregate("A", *(result(task, 1, name="same") for task in "xy"))],
        "must be the id of one result",
    ),
    "one evaluation in two files": (
        [aggregate("A", result("x", 1))] * 2, r"1\.json and .*0\.json are of one evaluation",
    ),
    "a whole number that no float is": ([aggregate("A", result("x", 2**53 + 1))], "64-bit float"),
    "a larger one": ([aggregate("A", result("x", 10**400))], "64-bit float"),
    **{
        f"score {score!r}": (
            [aggregate("A", result("x", score))], r"score_details\.score` must be a number",
        )
        for score in ("0.5", True, None, [1])
    },
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_contradicts_itself_is_named(tmp_path, name) -> None:
    contents, told = REFUSED[name]
    with pytest.raises(DataFormatError, match=told):
        read(tmp_path, *contents)


@pytest.mark.parametrize("version", ["0.2.1", "0.2.2", "0.2.3", "0.3.0"])
def test_versions_that_say_the_same_are_read(tmp_path, version) -> None:
    assert read(tmp_path, aggregate("A", result("x", 1), version=version)).n_scores == 1


@pytest.mark.parametrize("version", ["0.1.0", "0.2.0", "0.3.1", "1.0.0", "", None, 0.3, ["0.3.0"]])
def test_other_versions_are_refused_by_name(tmp_path, version) -> None:
    with pytest.raises(DataFormatError, match=r"schema_version` must be .*0\.3\.0.*Convert"):
        read(tmp_path, aggregate("A", result("x", 1), version=version))
    put(tmp_path / "results_0.json", aggregate("A", result("x", 1)))
    put(tmp_path / "s.jsonl", line("A", "x", "1", 1, version=version))
    with pytest.raises(DataFormatError, match=r"s\.jsonl, line 1: `schema_version` must be"):
        ra.read_evaluations(tmp_path)


def test_an_unknown_level_is_no_score(tmp_path) -> None:
    levels = {"score_type": "levels", "level_names": ["a"], "has_unknown_level": True}
    results = [aggregate(x, result("x", score, **levels)) for x, score in (("A", -1), ("B", 0))]
    found = read(tmp_path, *results)
    assert found.to_frame()["system"].tolist() == ["B"]
    assert [one.why for one in found.left_out] == ["-1, which stands for an unknown level"]


def test_infinite_scores_are_left_out_and_counted(tmp_path) -> None:
    found = read(tmp_path, aggregate("A", result("x", float("inf")), result("y", float("nan")),
                                     result("z", 1)))  # fmt: skip
    assert found.tasks == ("z",)
    assert sorted(one.why for one in found.left_out) == ["no value", "not a finite number"]


def test_names_that_stand_for_several_data_sets_are_told_apart(tmp_path) -> None:
    found = read(
        tmp_path,
        aggregate("A", result("Accuracy", 1, dataset="d"), result("Accuracy", 2, dataset="e")),
        aggregate("B", result("Accuracy", 3, dataset="d"), result("other", 4, dataset="f")),
    )
    assert found.tasks == ("d: Accuracy", "e: Accuracy", "other")
    assert any("Accuracy stand for several data sets" in note for note in found.notes)


def test_parameters_of_a_metric_tell_it_apart(tmp_path) -> None:
    results = [result("x", k, metric="pass", metric_parameters={"k": k}) for k in (1, 5)]
    found = read(tmp_path, aggregate("A", *results))
    assert found.metrics == ("pass (k=1)", "pass (k=5)")
    assert found.table(metric="pass (k=5)").values.tolist() == [[5]]


class TestSamples:
    def test_belong_to_the_result_that_they_name(self, tmp_path) -> None:
        both = [result("x", 0.5, name="x.acc"),
                result("x", 3, name="x.nll", metric="nll", lower=True)]  # fmt: skip
        put(tmp_path / "a.json", aggregate("A", *both))
        samples = [line("A", "x", "1", x, name=name) for x, name in ((0, "x.acc"), (4.5, "x.nll"))]
        put(tmp_path / "a_samples.jsonl", *samples)
        table = ra.read_evaluations(tmp_path).table(metric="nll")
        assert table.values.tolist() == [[4.5]]
        assert not table.higher_is_better["x"]

    def test_are_refused_where_it_cannot_be_told(self, tmp_path) -> None:
        put(tmp_path / "a.json", aggregate("A", result("x", 1), result("x", 2, metric="f1")))
        put(tmp_path / "s.jsonl", line("A", "x", "1", 1))
        with pytest.raises(DataFormatError, match="no `evaluation_result_id`"):
            ra.read_evaluations(tmp_path)
        put(tmp_path / "a.json", aggregate("A", result("x", 1)))
        put(tmp_path / "s.jsonl", line("A", "x", "1", 1), line("A", "x", "1", 1))
        with pytest.raises(DataFormatError, match="system 'A', task 'x', instance '1'"):
            ra.read_evaluations(tmp_path)

    @pytest.mark.parametrize(
        ("change", "told"),
        [
            ({"model_id": "B"}, "`model_id` must be 'A'"),
            ({"evaluation_name": "y"}, "`evaluation_name` must be"),
            ({"evaluation_result_id": "z"}, "`evaluation_result_id` must be"),
            ({"evaluation": {"score": "1"}}, r"`evaluation\.score` must be a number"),
            ({"sample_id": 7}, "`sample_id` must be a text"),
            ({"sample_id": " "}, "`sample_id` must be a text"),
        ],
    )
    def test_that_contradict_their_aggregate_are_refused(self, tmp_path, change, told) -> None:
        put(tmp_path / "a.json", aggregate("A", result("x", 1)))
        put(tmp_path / "s.jsonl", line("A", "x", "1", 1), {**line("A", "x", "2", 1), **change})
        with pytest.raises(DataFormatError, match=rf"s\.jsonl, line 2: {told}"):
            ra.read_evaluations(tmp_path)

    def test_without_an_aggregate_need_a_direction(self, tmp_path) -> None:
        put(tmp_path / "s.jsonl", line("A", "x", "1", 1), line("B", "x", "1", 0))
        found = ra.read_evaluations(tmp_path)
        with pytest.raises(InvalidInputError, match="none for 'score' of task 'x'"):
            found.table()
        assert not found.table(higher_is_better={"score": False}).higher_is_better["x"]
        assert "lower is better in score" in found.select(higher_is_better=False).notes[-1]

    def test_that_are_fewer_than_stated_are_told(self, tmp_path) -> None:
        more = {"detailed_evaluation_results": {"format": "jsonl", "total_rows": 3}}
        put(tmp_path / "a.json", aggregate("A", result("x", 1), **more))
        put(tmp_path / "s.jsonl", line("A", "x", "1", 1), line("A", "x", "2", 1))
        (note,) = ra.read_evaluations(tmp_path).shortfalls
        assert note.endswith("has 2 of 3 samples")

    def test_of_one_name_must_be_one_question(self, tmp_path) -> None:
        for model, digest in (("A", "aa"), ("B", "bb")):
            put(tmp_path / f"{model}.json", aggregate(model, result("x", 1)))
            put(tmp_path / f"{model}.jsonl", line(model, "x", "1", 1, digest=digest))
        found = ra.read_evaluations(tmp_path)
        with pytest.raises(InvalidInputError, match=r"`by` must be 'task' where .*instance '1' of"):
            found.table()
        assert found.table(by="task").values.tolist() == [[1], [1]]


# -- a consensus is written as its schema wants it, and read back ---------------------------------

HOSTILE = ["org/model:7b", "ORG/model:7b", "../../up", "<script>", "模型", ".hidden", "a" * 300]


def consensus(items=("A", "B", "C")):
    return ra.Kemeny().aggregate(ra.Profile.from_orders([list(items)] * 2))


@pytest.mark.parametrize(
    "rule", [ra.Kemeny(), ra.Borda(), ra.Kemeny(consensus_ties=True, tie_cost=0.5)]
)
def test_what_is_written_is_what_the_schema_wants(tmp_path, data, rule) -> None:
    schema = json.loads(data("evaluations/every_eval_ever/eval.schema.json").read_text("utf-8"))
    found = rule.aggregate(ra.datasets.load("tennessee"))
    for file in ra.write_evaluations(found, tmp_path / "new" / "folder"):
        validate(json.loads(file.read_text("utf-8")), schema)


def test_ranks_come_back_with_their_direction(tmp_path) -> None:
    found = ra.Borda().aggregate(ra.Profile.from_orders([["A", "B", "C"], ["B", "A", "C"]]))
    ra.write_evaluations(found, tmp_path, title="mine", timestamp=7)
    table = ra.read_evaluations(tmp_path).table()
    assert table.to_frame()["mine"].to_dict() == {"A": 1, "B": 1, "C": 3}
    assert dict(table.higher_is_better) == {"mine": False}


def test_any_label_makes_a_file_of_its_own_in_the_folder(tmp_path) -> None:
    files = ra.write_evaluations(consensus(HOSTILE), tmp_path / "x")
    assert len({file.name.lower() for file in files}) == len(HOSTILE)
    assert {file.parent for file in files} == {tmp_path / "x"}
    assert set(ra.read_evaluations(tmp_path / "x").systems) == set(HOSTILE)


def test_all_items_must_be_ranked(tmp_path) -> None:
    (ranking,) = ra.Profile.from_orders([["A", "B"]], items=["A", "B", "C"])
    found = SimpleNamespace(ranking=ranking, aggregator=None, is_proved=None, cost=0.0)
    with pytest.raises(InvalidInputError, match=r"ranking of all items. Got 'C'"):
        ra.write_evaluations(found, tmp_path)


@pytest.mark.parametrize(
    "change", [{"title": " "}, {"organization": 3}, {"timestamp": -1}, {"timestamp": "now"}]
)
def test_bad_parameters_are_named(tmp_path, change) -> None:
    (name,) = change
    with pytest.raises(InvalidInputError, match=name):
        ra.write_evaluations(consensus(), tmp_path, **change)


def test_a_file_in_place_of_the_folder_is_told(tmp_path) -> None:
    (tmp_path / "x").write_text("")
    with pytest.raises(OutputError, match="cannot be made"):
        ra.write_evaluations(consensus(), tmp_path / "x")
