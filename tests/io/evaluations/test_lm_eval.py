"""lm-evaluation-harness: results with filters and groups, and samples that need them."""

import math

import pytest

import rankagg as ra
from rankagg.exceptions import DataFormatError, DataWarning
from tests.io.evaluations.made import TIME, cells, document, harness, put, read


def test_a_run_of_the_harness_itself(data) -> None:
    with pytest.warns(DataWarning, match="has 10 of 5000 samples that are stated"):
        frame = ra.read_evaluations(data("evaluations/lm_eval"))
    name = "RylanSchaeffer/mem_Qwen3-93M_minerva_math_rep_0_sbst_1.0000_epch_1_ot_1"
    assert frame["system"].unique().tolist() == [name]
    whole = frame[frame["instance"].isna()]
    assert whole["score"].tolist() == [0.0, 0.0004]
    assert whole["error"].tolist() == [0.0, 0.0002828144211304471]
    assert whole["n"].tolist() == [5000, 5000]
    assert frame["higher_is_better"].all()
    samples = frame[frame["instance"].notna()]
    assert samples["instance"].tolist() == list(range(10))
    assert samples["n"].isna().all()


def test_standard_errors_and_placeholders_are_no_metrics(tmp_path) -> None:
    scores = {
        "acc,none": 0.5, "acc_stderr,none": 0.1, " ": " ", "sample_len": 7, "f1,none": 0.4,
        "f1_stderr,none": "N/A",
    }  # fmt: skip
    frame, told = read(tmp_path, harness("A", {"x": scores}))
    assert frame[["metric", "score"]].values.tolist() == [["acc", 0.5], ["f1", 0.4]]
    assert frame["error"].fillna(-1).tolist() == [0.1, -1]
    assert told == []


def test_filters_are_metrics_of_their_own(tmp_path) -> None:
    scores = {
        "exact_match,strict-match": 0.5, "exact_match_stderr,strict-match": 0.1,
        "exact_match,flexible-extract": 0.75, "exact_match_stderr,flexible-extract": 0.2,
    }  # fmt: skip
    frame, _ = read(tmp_path, harness("A", {"gsm8k": scores}))
    assert frame[["metric", "score", "error"]].values.tolist() == [
        ["exact_match,strict-match", 0.5, 0.1], ["exact_match,flexible-extract", 0.75, 0.2]
    ]  # fmt: skip


def test_scores_of_older_files_are_left_out_and_counted(tmp_path) -> None:
    _, told = read(tmp_path, harness("A", {"x": {"acc": 0.5, "acc_stderr": 0.1, "f1,none": 1}}))
    assert told == ["left out: 2 scores (no metric and filter in its name)."]


@pytest.mark.parametrize("value", ["N/A", None, [1], {"a": 1}])
def test_what_is_no_number_is_left_out_and_counted(tmp_path, value) -> None:
    frame, told = read(tmp_path, harness("A", {"x": {"acc,none": 0.5, "bleu,none": value}}))
    assert frame["metric"].tolist() == ["acc"]
    assert told == ["left out: 1 score (no number under bleu)."]


ACC = {"acc,none": 0.5}


@pytest.mark.parametrize(
    ("tasks", "groups", "left"),
    [
        (("mmlu", "mmlu_stem", "physics", "maths", "arc"),
         {"mmlu": ["mmlu_stem"], "mmlu_stem": ["physics", "maths"], "arc": []},
         ["physics", "maths", "arc"]),
        # A group without its tasks is a task, and so is one that holds itself alone.
        (("mmlu",), {"mmlu": ["physics"]}, ["mmlu"]),
        (("mmlu",), {"mmlu": ["mmlu"]}, ["mmlu"]),
    ],
)  # fmt: skip
def test_groups_do_not_count_beside_their_tasks(tmp_path, tasks, groups, left) -> None:
    frame, told = read(tmp_path, harness("A", dict.fromkeys(tasks, ACC), group_subtasks=groups))
    assert frame["task"].tolist() == left
    gone = len(tasks) - len(left)
    assert told == [
        f"left out: {gone} scores (of a group of tasks, which are here themselves)."
    ] * (gone > 0)


@pytest.mark.parametrize("better", [{}, {"x": {}}, {"x": {"acc": None}}])
def test_no_direction_is_guessed(tmp_path, better) -> None:
    frame, _ = read(tmp_path, harness("A", {"x": {"acc,none": 1}}, better=better))
    assert frame["higher_is_better"].isna().all()


REFUSED = {
    "`model_name` is missing": {**harness("", {"x": ACC}), "model_name": None},
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
    frame, told = read(tmp_path, one, two)
    assert frame["settings"].tolist() == ["version 1.0, 0-shot", "version 1.0, 5-shot"]
    assert told == ["settings differ: those of 'x' are version 1.0, 0-shot, version 1.0, 5-shot."]
    one, two = (harness(model, {"x": {"acc,none": 1}, "y": {"acc,none": 1}}) for model in "AB")
    two["n-shot"] |= {"x": 5, "y": 5}
    (told,) = read(tmp_path, one, two)[1]
    assert told.endswith("version 1.0, 5-shot, and others on 1 more task.")


class TestSamples:
    def folder(self, path, model, rows, **more):
        folder = path / model
        put(folder / f"results_{TIME}.json", harness(model, {"x": {"acc,none": 0.5}}, **more))
        put(folder / f"samples_x_{TIME}.jsonl", *rows)
        return folder

    def samples(self, folder):
        frame, _ = read(folder)
        return cells(frame[frame["instance"].notna()])

    def test_belong_to_the_results_beside_them(self, tmp_path) -> None:
        self.folder(tmp_path, "A", [document(0, acc=1.0), document(1, acc=0)])
        self.folder(tmp_path, "B", [document(1, acc=True), document(0, acc=0.5)])
        assert self.samples(tmp_path) == {
            ("A", "x", "acc", 0): 1, ("A", "x", "acc", 1): 0,
            ("B", "x", "acc", 1): 1, ("B", "x", "acc", 0): 0.5,
        }  # fmt: skip

    def refused(self, path, told):
        with pytest.raises(DataFormatError, match=told):
            ra.read_evaluations(path)

    def test_alone_are_refused_with_the_file_that_is_needed(self, tmp_path) -> None:
        folder = self.folder(tmp_path, "A", [document(0, acc=1.0)])
        samples = folder / f"samples_x_{TIME}.jsonl"
        self.refused(samples, rf"needs the results .*results_{TIME}\.json")
        # Or of two results, or under another name.
        other = put(folder / f"again_{TIME}.json", harness("B", {"x": {"acc,none": 0.25}}))
        self.refused(folder, "are of one time")
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
        assert self.samples(folder) == {("A", "x", "acc", 0): 1, ("B", "x", "acc", 0): 0}

    def test_lists_of_a_corpus_metric_and_nan_are_left_out(self, tmp_path) -> None:
        rows = [document(n, acc=1, bleu=["a", "b"]) for n in range(3)]
        self.folder(tmp_path, "A", [*rows, document(3, acc=math.nan)])
        frame, told = read(tmp_path)
        assert len(frame) == 4
        assert told == [
            "left out: 3 scores (no number under bleu).",
            "left out: 1 score (not a finite number).",
        ]

    def test_filters_are_told_apart(self, tmp_path) -> None:
        rows = [document(0, chosen="strict", acc=0), document(0, chosen="loose", acc=1)]
        self.folder(tmp_path, "A", rows)
        assert self.samples(tmp_path) == {
            ("A", "x", "acc,strict", 0): 0, ("A", "x", "acc,loose", 0): 1
        }  # fmt: skip

    def test_documents_that_differ_are_named(self, tmp_path) -> None:
        for model, digest in (("A", "a"), ("B", "b")):
            self.folder(tmp_path, model, [document(n, acc=1, digest=digest) for n in (0, 1)])
        self.refused(tmp_path, "has another question as instance 0 of task 'x'")
