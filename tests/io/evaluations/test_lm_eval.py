"""lm-evaluation-harness: results with filters and groups, and samples that need them."""

import math

import pytest

import rankagg as ra
from rankagg.exceptions import DataFormatError, InvalidInputError
from tests.io.evaluations.made import TIME, document, harness, put, read


def test_a_run_of_the_harness_itself(data) -> None:
    folder = data("evaluations/lm_eval")
    found = ra.read_evaluations(folder)
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
        InvalidInputError, match=r"gsm8k has exact_match,strict-match, exact_match,f"
    ):
        found.table()
    table = found.table(metric="exact_match,flexible-extract")
    assert table.values.tolist() == [[0.75]]


@pytest.mark.parametrize("value", ["N/A", None, [1], {"a": 1}])
def test_what_is_no_number_is_left_out_and_counted(tmp_path, value) -> None:
    found = read(tmp_path, harness("A", {"x": {"acc,none": 0.5, "bleu,none": value}}))
    assert found.metrics == ("acc",)
    assert [(one.what, one.number) for one in found.left_out] == [("score", 1)]
    assert "under bleu" in found.left_out[0].why


def test_groups_do_not_count_beside_their_tasks(tmp_path) -> None:
    scores = {
        "mmlu": {"acc,none": 0.5}, "mmlu_stem": {"acc,none": 0.4}, "physics": {"acc,none": 0.25},
        "maths": {"acc,none": 0.55}, "arc": {"acc,none": 0.9},
    }  # fmt: skip
    groups = {"mmlu": ["mmlu_stem"], "mmlu_stem": ["physics", "maths"], "arc": []}
    found = read(tmp_path, harness("A", scores, group_subtasks=groups))
    assert found.table().tasks.labels == ("physics", "maths", "arc")
    assert found.table(groups=True).tasks.labels == ("mmlu", "arc")
    assert "groups of tasks that are here themselves: mmlu, mmlu_stem" in found.select().notes[-1]


def test_a_group_without_its_tasks_is_a_task(tmp_path) -> None:
    groups = {"mmlu": ["physics"]}
    found = read(tmp_path, harness("A", {"mmlu": {"acc,none": 0.5}}, group_subtasks=groups))
    assert found.table().tasks.labels == ("mmlu",)


def test_groups_that_hold_each_other_end(tmp_path) -> None:
    groups = {"a": ["b"], "b": ["a"]}
    scores = {"a": {"acc,none": 1}, "b": {"acc,none": 2}, "c": {"acc,none": 3}}
    found = read(tmp_path, harness("A", scores, group_subtasks=groups))
    assert found.table().tasks.labels == ("c",)


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


def test_a_model_without_a_name_is_refused(tmp_path) -> None:
    with pytest.raises(DataFormatError, match="does not name its model"):
        read(tmp_path, {**harness("", {"x": {"acc,none": 1}}), "model_name": None})


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
    table = read(tmp_path, content).table()
    assert dict(table.higher_is_better) == {"x": False}


def test_a_direction_that_is_no_truth_value_is_refused(tmp_path) -> None:
    with pytest.raises(DataFormatError, match=r"higher_is_better\.x\.acc` must be true or false"):
        read(tmp_path, harness("A", {"x": {"acc,none": 1}}, better={"x": {"acc": 1}}))


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

    def test_alone_are_refused_with_the_file_that_is_needed(self, tmp_path) -> None:
        folder = self.folder(tmp_path, "A", [document(0, acc=1.0)])
        with pytest.raises(DataFormatError, match=rf"needs the results .*results_{TIME}\.json"):
            ra.read_evaluations(folder / f"samples_x_{TIME}.jsonl")

    def test_belong_to_the_results_of_their_time(self, tmp_path) -> None:
        folder = self.folder(tmp_path, "A", [document(0, acc=1.0)])
        later = TIME.replace("2026-01-02", "2026-01-03")
        put(folder / f"results_{later}.json", harness("B", {"x": {"acc,none": 0.25}}))
        put(folder / f"samples_x_{later}.jsonl", document(0, acc=0.0))
        table = ra.read_evaluations(folder).table()
        assert table.to_frame()["x", 0].to_dict() == {"A": 1, "B": 0}

    def test_that_may_belong_to_two_results_are_refused(self, tmp_path) -> None:
        folder = self.folder(tmp_path, "A", [document(0, acc=1.0)])
        put(folder / f"again_{TIME}.json", harness("B", {"x": {"acc,none": 0.25}}))
        with pytest.raises(DataFormatError, match="may belong to"):
            ra.read_evaluations(folder)

    def test_under_another_name_are_refused(self, tmp_path) -> None:
        folder = self.folder(tmp_path, "A", [document(0, acc=1.0)])
        (folder / f"samples_x_{TIME}.jsonl").rename(folder / "mine.jsonl")
        with pytest.raises(DataFormatError, match="must be called samples_TASK_TIME"):
            ra.read_evaluations(folder)

    def test_lists_of_a_corpus_metric_are_left_out(self, tmp_path) -> None:
        rows = [document(n, acc=1, bleu=["a", "b"]) for n in range(4)]
        self.folder(tmp_path, "A", rows)
        found = ra.read_evaluations(tmp_path)
        assert found.n_scores == 5
        assert [(one.why, one.number) for one in found.left_out] == [
            ("a list, no number, under bleu", 4)
        ]

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

    def test_a_document_twice_is_named(self, tmp_path) -> None:
        self.folder(tmp_path, "A", [document(0, acc=1), document(0, acc=1)])
        with pytest.raises(DataFormatError, match="task 'x', instance 0"):
            ra.read_evaluations(tmp_path)

    def test_documents_that_differ_are_named(self, tmp_path) -> None:
        self.folder(tmp_path, "A", [document(0, acc=1, digest="a"), document(1, acc=1, digest="a")])
        self.folder(tmp_path, "B", [document(0, acc=1, digest="b"), document(1, acc=1, digest="b")])
        with pytest.raises(InvalidInputError, match="instance 0 of task 'x' and 1 more"):
            ra.read_evaluations(tmp_path).table()

    def test_nan_is_counted(self, tmp_path) -> None:
        self.folder(tmp_path, "A", [document(0, acc=math.nan), document(1, acc=1)])
        found = ra.read_evaluations(tmp_path)
        assert [(one.why, one.number) for one in found.left_out] == [("no value", 1)]
