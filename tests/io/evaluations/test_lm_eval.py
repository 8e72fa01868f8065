"""lm-evaluation-harness: results with filters and groups, and samples that need them."""

import math

import pytest

import rankagg as ra
from rankagg.exceptions import DataFormatError, InvalidInputError
from tests.io.evaluations.made import TIME, document, harness, put, read


def test_a_run_of_the_harness_itself(data) -> None:
    found = ra.read_evaluations(data("evaluations/lm_eval"))
    assert found.systems == (
        "RylanSchaeffer/mem_Qwen3-93M_minerva_math_rep_0_sbst_1.0000_epch_1_ot_1",
    )
    table = found.table()
    assert table.to_frame().iloc[0].tolist() == [0.0, 0.0004]
    assert all(table.higher_is_better.values())
    assert found.shortfalls[0].endswith("has 10 of 5000 samples")
    assert found.table(by="instance").instances == tuple(range(10))


def test_standard_errors_and_placeholders_are_no_metrics(tmp_path) -> None:
    scores = {"acc,none": 0.5, "acc_stderr,none": 0.1, " ": " ", "sample_len": 7, "f1,none": 0.4}
    found = read(tmp_path, harness("A", {"x": scores}))
    assert found.metrics == ("acc", "f1")
    assert [(one.what, one.number) for one in found.left_out] == [("standard error", 1)]


def test_filters_are_metrics_of_their_own(tmp_path) -> None:
    scores = {"exact_match,strict-match": 0.5, "exact_match,flexible-extract": 0.75}
    found = read(tmp_path, harness("A", {"gsm8k": scores}))
    with pytest.raises(
        InvalidInputError, match="gsm8k has exact_match,strict-match, exact_match,f"
    ):
        found.table()
    assert found.table(metric="exact_match,flexible-extract").values.tolist() == [[0.75]]


@pytest.mark.parametrize("value", ["N/A", None, [1], {"a": 1}])
def test_what_is_no_number_is_left_out_and_counted(tmp_path, value) -> None:
    found = read(tmp_path, harness("A", {"x": {"acc,none": 0.5, "bleu,none": value}}))
    assert found.metrics == ("acc",)
    assert [(one.what, one.number) for one in found.left_out] == [("score", 1)]
    assert "under bleu" in found.left_out[0].why


ACC = {"acc,none": 0.5}


@pytest.mark.parametrize(
    ("tasks", "groups", "left", "whole"),
    [
        (("mmlu", "mmlu_stem", "physics", "maths", "arc"),
         {"mmlu": ["mmlu_stem"], "mmlu_stem": ["physics", "maths"], "arc": []},
         ("physics", "maths", "arc"), ("mmlu", "arc")),
        # A group without its tasks is a task, and groups that hold each other end.
        (("mmlu",), {"mmlu": ["physics"]}, ("mmlu",), None),
        (("a", "b", "c"), {"a": ["b"], "b": ["a"]}, ("c",), None),
    ],
)  # fmt: skip
def test_groups_do_not_count_beside_their_tasks(tmp_path, tasks, groups, left, whole) -> None:
    found = read(tmp_path, harness("A", dict.fromkeys(tasks, ACC), group_subtasks=groups))
    assert found.table().tasks.labels == left
    if whole:
        assert found.table(groups=True).tasks.labels == whole
        told = "groups of tasks that are here themselves: mmlu, mmlu_stem"
        assert told in found.select().notes[-1]


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({}, "org/m"),
        ({"model_name": None, "config": {"model_args": "a=1,pretrained=p/q,b=2"}}, "p/q"),
        ({"model_name": None, "config": {"model_args": {"pretrained": "p/q"}}}, "p/q"),
        ({"model_name": None, "config": {"model": "dummy", "model_args": None}}, "dummy"),
    ],
)
def test_the_model_is_named_in_several_places(tmp_path, changes, name) -> None:
    content = {**harness("org/m", {"x": {"acc,none": 1}}), **changes}
    assert read(tmp_path, content).systems == (name,)


@pytest.mark.parametrize("better", [{}, {"x": {}}, {"x": {"acc": None}}])
def test_without_a_direction_one_is_asked_for(tmp_path, better) -> None:
    found = read(tmp_path, harness("A", {"x": {"acc,none": 1}}, better=better))
    with pytest.raises(InvalidInputError, match="none for 'acc' of task 'x'"):
        found.table()
    assert found.table(higher_is_better={"acc": True}).higher_is_better["x"]


def test_older_files_say_the_direction_in_the_settings_of_a_task(tmp_path) -> None:
    metrics = [{"metric": "ppl", "higher_is_better": False}, {"metric": "!function x"}]
    content = harness("A", {"x": {"ppl": 3.5, "ppl_stderr": 1}}, better={})
    content["configs"] = {"x": {"metric_list": metrics}}
    assert dict(read(tmp_path, content).table().higher_is_better) == {"x": False}


REFUSED = {
    "does not name its model": {**harness("", {"x": ACC}), "model_name": None},
    r"higher_is_better\.x\.acc` must be true or false": harness(
        "A", {"x": ACC}, better={"x": {"acc": 1}}
    ),
}


@pytest.mark.parametrize("told", REFUSED)
def test_what_is_no_run_is_refused(tmp_path, told) -> None:
    with pytest.raises(DataFormatError, match=told):
        read(tmp_path, REFUSED[told])


def test_settings_that_differ_are_told(tmp_path) -> None:
    one, two = (harness(model, {"x": {"acc,none": 1}}) for model in "AB")
    two["n-shot"]["x"] = 5
    notes = read(tmp_path, one, two).select().notes
    told = "settings differ: x: version 1.0, 0-shot (1 system); version 1.0, 5-shot (1 system)"
    assert told in notes


class TestSamples:
    def folder(self, path, model, rows, **more):
        folder = path / model
        put(folder / f"results_{TIME}.json", harness(model, {"x": {"acc,none": 0.5}}, **more))
        put(folder / f"samples_x_{TIME}.jsonl", *rows)
        return folder

    def test_belong_to_the_results_beside_them(self, tmp_path) -> None:
        self.folder(tmp_path, "A", [document(0, acc=1.0), document(1, acc=0)])
        self.folder(tmp_path, "B", [document(1, acc=True), document(0, acc=0.5)])
        table = ra.read_evaluations(tmp_path).table()
        assert table.instances == (0, 1)
        assert table.values.tolist() == [[1, 0], [0.5, 1]]

    def refused(self, path, told):
        with pytest.raises(DataFormatError, match=told):
            ra.read_evaluations(path)

    def test_alone_are_refused_with_the_file_that_is_needed(self, tmp_path) -> None:
        folder = self.folder(tmp_path, "A", [document(0, acc=1.0)])
        samples = folder / f"samples_x_{TIME}.jsonl"
        self.refused(samples, rf"needs the results .*results_{TIME}\.json")
        # Or of two results, or under another name.
        other = put(folder / f"again_{TIME}.json", harness("B", {"x": {"acc,none": 0.25}}))
        self.refused(folder, "may belong to")
        other.unlink()
        samples.rename(folder / "mine.jsonl")
        self.refused(folder, "must be called samples_TASK_TIME")
        put(folder / samples.name, document(0, acc=1), document(0, acc=1))
        (folder / "mine.jsonl").unlink()
        self.refused(folder, "task 'x', instance 0")

    def test_belong_to_the_results_of_their_time(self, tmp_path) -> None:
        folder = self.folder(tmp_path, "A", [document(0, acc=1.0)])
        later = TIME.replace("2026-01-02", "2026-01-03")
        put(folder / f"results_{later}.json", harness("B", {"x": {"acc,none": 0.25}}))
        put(folder / f"samples_x_{later}.jsonl", document(0, acc=0.0))
        table = ra.read_evaluations(folder).table()
        assert table.to_frame()["x", 0].to_dict() == {"A": 1, "B": 0}

    def test_lists_of_a_corpus_metric_and_nan_are_left_out(self, tmp_path) -> None:
        rows = [document(n, acc=1, bleu=["a", "b"]) for n in range(3)]
        self.folder(tmp_path, "A", [*rows, document(3, acc=math.nan)])
        found = ra.read_evaluations(tmp_path)
        assert found.n_scores == 4
        assert sorted((one.why, one.number) for one in found.left_out) == [
            ("a list, no number, under bleu", 3), ("no value", 1),
        ]  # fmt: skip

    def test_filters_are_told_apart(self, tmp_path) -> None:
        rows = [document(0, chosen="strict", acc=0), document(0, chosen="loose", acc=1)]
        self.folder(tmp_path, "A", rows)
        found = ra.read_evaluations(tmp_path)
        assert found.table(metric="acc,loose").values.tolist() == [[1]]
        assert found.table(metric="acc").instances is None

    def test_that_list_no_metrics_have_those_with_a_direction(self, tmp_path) -> None:
        row = document(0, acc=0.25, other=3)
        del row["metrics"]
        self.folder(tmp_path, "A", [row])
        assert ra.read_evaluations(tmp_path).table().values.tolist() == [[0.25]]

    def test_documents_that_differ_are_named(self, tmp_path) -> None:
        for model, digest in (("A", "a"), ("B", "b")):
            self.folder(tmp_path, model, [document(n, acc=1, digest=digest) for n in (0, 1)])
        with pytest.raises(InvalidInputError, match="instance 0 of task 'x' and 1 more"):
            ra.read_evaluations(tmp_path).table()
