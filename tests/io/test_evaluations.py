"""Logs of the three tools: their scores in one frame, and messages on contradictions."""

import json
import math
import zipfile

import pytest

import rankagg as ra
from rankagg.exceptions import DataFormatError, DataWarning, InvalidInputError
from tests.io.made_evaluations import (
    TIME,
    accuracy,
    archive,
    cells,
    document,
    harness,
    log,
    put,
    read,
    run,
    task,
)

# -- directions, and contradictions ---------------------------------------------------------------


def test_directions_are_those_of_the_files(tmp_path) -> None:
    frame, notes = read(
        tmp_path,
        run("A", task("acc", 0.5), task("loss", 2, lower=True, metric="nll")),
        run("B", task("acc", 0.25), task("loss", 1, lower=True, metric="nll")),
    )
    assert notes == []
    better = frame.groupby("task")["higher_is_better"].first()
    assert better.to_dict() == {"acc": True, "loss": False}
    table = ra.read_scores(
        frame, system="system", task="task", score="score", higher_is_better=better
    )
    assert table.values.tolist() == [[0.5, 2], [0.25, 1]]
    assert dict(table.higher_is_better) == {"acc": True, "loss": False}


#: Contents of files that are refused, and the messages.
REFUSED = {
    "a direction that files state differently": (
        [run("A", task("x", 1)), run("B", task("x", 1, lower=True))],
        r"_0\.json says that higher .*_1\.json that lower",
    ),
    "one evaluation in two files": (
        [log("A", "x", [(1, 1, {"m": "C"})])] * 2,
        r"1\.json or a file of the same run has two scores by 'm' for system 'A', task 'x'",
    ),
    "a whole number that no float is": ([run("A", task("x", 2**53 + 1))], "64-bit float"),
    "a larger one": ([run("A", task("x", 10**400))], "64-bit float"),
    "a blank task": ([log("A", " ")], r"eval\.task` must be a text"),
    "half of a character": ([run("A", task("\ud800", 1))], "half of a character"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_contradictions_in_a_file_are_named(tmp_path, name) -> None:
    contents, message = REFUSED[name]
    with pytest.raises(DataFormatError, match=message):
        read(tmp_path, *contents)


# -- Inspect ---------------------------------------------------------------------------------------


ONE = [(1, 1, {"m": "C"})]


def test_logs_written_by_inspect_are_read(data) -> None:
    with pytest.warns(ra.exceptions.DataWarning, match="settings differ: .*limit 3.*limit 5"):
        frame = ra.read_evaluations(data("evaluations/inspect"))
    whole = frame[frame["instance"].isna()].set_index("system")
    assert whole["metric"].unique().tolist() == ["choice/accuracy"]
    first, second = "ollama/qwen2.5:0.5b", "anthropic/claude-sonnet-4-0"
    assert whole["score"].to_dict() == {first: 1 / 3, second: 1.0}
    assert whole["n"].to_dict() == {first: 3, second: 5}
    assert whole["error"].round(6).to_dict() == {first: 0.333333, second: 0}
    # What the file states of the task is the mean of its samples.
    samples = frame[frame["instance"].notna()].groupby("system")["score"]
    assert samples.mean().to_dict() == whole["score"].to_dict()
    assert samples.size().to_dict() == whole["n"].to_dict()
    assert frame["higher_is_better"].all()


def test_letters_are_scored_as_the_format_defines(tmp_path) -> None:
    samples = [(n, 1, {"match": value}) for n, value in enumerate("CIPN")]
    frame, _ = read(tmp_path, log("A", "x", samples))
    assert frame["score"].tolist() == [1, 0, 0.5, 0]
    assert frame["instance"].tolist() == [0, 1, 2, 3]
    assert frame["higher_is_better"].all()


def test_numbers_have_a_direction_where_their_accuracy_is_counted(tmp_path) -> None:
    frame, _ = read(tmp_path, log("A", "x", [(1, 1, {"judge": 7}), (2, 1, {"judge": True})]))
    assert frame["score"].tolist() == [7, 1]
    assert frame["higher_is_better"].isna().all()
    content = log("A", "x", [(1, 1, {"match": 1})], scores=[accuracy(1.0)])
    assert read(tmp_path / "counted", content)[0]["higher_is_better"].all()


def test_standard_errors_are_read_for_means_only(tmp_path) -> None:
    frame, notes = read(tmp_path, log("A", "x", scores=[accuracy(0.5, f1=0.25, std=3)]))
    found = frame.set_index("metric")[["score", "error"]].fillna(-1)
    assert found.loc["match/accuracy"].tolist() == [0.5, 0.01]
    assert found.loc["match/f1"].tolist() == [0.25, -1]
    assert frame["higher_is_better"].isna().tolist() == [False, True]
    assert notes == ["left out: 1 score (std without a mean of samples)."]


def test_epochs_are_not_averaged_silently(tmp_path) -> None:
    samples = [(1, 2, {"m": "I"}), (1, 1, {"m": "C"}), (2, 1, {"m": "C"}), (2, 2, {"m": "C"})]
    frame, _ = read(tmp_path, log("A", "x", samples))
    assert frame["epoch"].tolist() == [2, 1, 1, 2]
    columns = {"system": "system", "task": "task", "instance": "instance", "score": "score"}
    with pytest.raises(DataFormatError, match="two scores for system 'A', instance 1"):
        ra.read_scores(frame, **columns, higher_is_better=True)
    means = frame.groupby(["system", "task", "instance"], as_index=False)["score"].mean()
    table = ra.read_scores(means, **columns, higher_is_better=True)
    assert table.values.tolist() == [[0.5, 1]]


@pytest.mark.parametrize("status", ["started", "error", "cancelled"])
def test_logs_that_did_not_end_well_are_left_out(tmp_path, status) -> None:
    frame, notes = read(tmp_path, log("A", "x", ONE, status=status), log("B", "x", ONE))
    assert frame["system"].tolist() == ["B"]
    assert notes == [f"left out: 1 log (its status is {status})."]


def test_samples_without_a_score_are_counted(tmp_path) -> None:
    content = log("A", "x", [(n, 1, {"m": "C"}) for n in range(5)])
    content["samples"][0]["scores"] = None
    content["samples"][1].update(scores={}, error={"message": "boom"})
    content["samples"][2]["invalidation"] = {"author": "me"}
    content["samples"][3]["scores"]["m"]["value"] = float("nan")
    frame, notes = read(tmp_path, content)
    assert len(frame) == 1
    assert sorted(notes) == [
        "left out: 1 sample (invalidated).", "left out: 1 sample (it ended in an error).",
        "left out: 1 sample (no score).", "left out: 1 score (not a finite number).",
    ]  # fmt: skip


def test_fewer_samples_than_stated_are_reported(tmp_path) -> None:
    content = log("A", "x", ONE)
    content["results"]["completed_samples"] = 3
    notes = read(tmp_path, content)[1]
    assert [one.partition(" has ")[2] for one in notes] == ["1 of 3 samples that are stated."]


@pytest.mark.parametrize("version", [1, 3, 2.0, True, "2", None])
def test_other_versions_are_refused(tmp_path, version) -> None:
    with pytest.raises(DataFormatError, match=r"`version` must be 2.*inspect log convert"):
        read(tmp_path, log("A", "x", version=version))


class TestArchives:
    def test_packed_samples_give_the_frame_of_the_log(self, tmp_path) -> None:
        samples = [("a/b", 1, {"m": "C"}), ("a/b", 2, {"m": "I"}), (3, 1, {"m": "C"})]
        plain, _ = read(tmp_path / "plain", log("A", "x", samples, scores=[accuracy(0.5)]))
        path = archive(tmp_path / "log.eval", log("A", "x", samples, scores=[accuracy(0.5)]))
        packed = ra.read_evaluations(path)
        assert packed.drop(columns="source").equals(plain.drop(columns="source"))

    def test_samples_in_parts_are_read_by_their_shells(self, tmp_path) -> None:
        path = archive(tmp_path / "log.eval", log("A", "x", ONE))
        with zipfile.ZipFile(path, "a") as file:
            shell = {"id": 2, "epoch": 1, "input": "", "scores": {"m": {"value": "I"}}}
            file.writestr("samples/2_epoch_1/sample.json", json.dumps(shell))
            file.writestr("samples/2_epoch_1/events/0.json", "[broken")
        assert read(path)[0]["score"].tolist() == [1, 0]

    def test_samples_of_an_unfinished_log_are_left_out(self, tmp_path) -> None:
        put(tmp_path / "b.json", log("B", "x", ONE))
        for name, message in (("_journal/start.json", None), ("x.json", "without `header\\.json`")):
            with zipfile.ZipFile(tmp_path / "a.eval", "w") as file:
                file.writestr(name, "{}")
            if message is None:
                assert read(tmp_path)[1] == ["left out: 1 log (it was not finished)."]
            else:
                with pytest.raises(DataFormatError, match=message):
                    ra.read_evaluations(tmp_path)


# -- lm-evaluation-harness -------------------------------------------------------------------------


def test_a_run_written_by_the_harness_is_read(data) -> None:
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
    frame, notes = read(tmp_path, harness("A", {"x": scores}))
    assert frame[["metric", "score"]].values.tolist() == [["acc", 0.5], ["f1", 0.4]]
    assert frame["error"].fillna(-1).tolist() == [0.1, -1]
    assert notes == []


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
    _, notes = read(tmp_path, harness("A", {"x": {"acc": 0.5, "acc_stderr": 0.1, "f1,none": 1}}))
    assert notes == ["left out: 2 scores (no metric and filter in its name)."]


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
def test_groups_are_left_out_if_their_tasks_are_present(tmp_path, tasks, groups, left) -> None:
    frame, notes = read(tmp_path, harness("A", dict.fromkeys(tasks, ACC), group_subtasks=groups))
    assert frame["task"].tolist() == left
    gone = len(tasks) - len(left)
    assert notes == [f"left out: {gone} scores (of a group of tasks that are here too)."] * (
        gone > 0
    )


@pytest.mark.parametrize("better", [{}, {"x": {}}, {"x": {"acc": None}}])
def test_no_direction_is_guessed(tmp_path, better) -> None:
    frame, _ = read(tmp_path, harness("A", {"x": {"acc,none": 1}}, better=better))
    assert frame["higher_is_better"].isna().all()


NO_RUNS = {
    "`model_name` is missing": {**harness("", {"x": ACC}), "model_name": None},
    r"higher_is_better\.x\.acc` must be true or false": harness(
        "A", {"x": ACC}, better={"x": {"acc": 1}}
    ),
}


@pytest.mark.parametrize("message", NO_RUNS)
def test_bad_runs_are_refused(tmp_path, message) -> None:
    with pytest.raises(DataFormatError, match=message):
        read(tmp_path, NO_RUNS[message])


def test_differing_settings_are_reported(tmp_path) -> None:
    one, two = (harness(model, {"x": {"acc,none": 1}}) for model in "AB")
    two["n-shot"]["x"] = 5
    frame, notes = read(tmp_path, one, two)
    assert frame["settings"].tolist() == ["version 1.0, 0-shot", "version 1.0, 5-shot"]
    assert notes == ["settings differ: those of 'x' are version 1.0, 0-shot, version 1.0, 5-shot."]
    one, two = (harness(model, {"x": {"acc,none": 1}, "y": {"acc,none": 1}}) for model in "AB")
    two["n-shot"] |= {"x": 5, "y": 5}
    (message,) = read(tmp_path, one, two)[1]
    assert message.endswith("version 1.0, 5-shot, and others on 1 more task.")


class TestSamples:
    def folder(self, path, model, rows, **more):
        folder = path / model
        put(folder / f"results_{TIME}.json", harness(model, {"x": {"acc,none": 0.5}}, **more))
        put(folder / f"samples_x_{TIME}.jsonl", *rows)
        return folder

    def samples(self, folder):
        frame, _ = read(folder)
        return cells(frame[frame["instance"].notna()])

    def test_samples_belong_to_the_results_in_their_folder(self, tmp_path) -> None:
        self.folder(tmp_path, "A", [document(0, acc=1.0), document(1, acc=0)])
        self.folder(tmp_path, "B", [document(1, acc=True), document(0, acc=0.5)])
        assert self.samples(tmp_path) == {
            ("A", "x", "acc", 0): 1, ("A", "x", "acc", 1): 0,
            ("B", "x", "acc", 1): 1, ("B", "x", "acc", 0): 0.5,
        }  # fmt: skip

    def refused(self, path, message):
        with pytest.raises(DataFormatError, match=message):
            ra.read_evaluations(path)

    def test_samples_alone_are_refused_naming_the_needed_file(self, tmp_path) -> None:
        folder = self.folder(tmp_path, "A", [document(0, acc=1.0)])
        samples = folder / f"samples_x_{TIME}.jsonl"
        self.refused(samples, rf"needs the results .*results_{TIME}\.json")
        # Or of two results, or under another name.
        other = put(folder / f"again_{TIME}.json", harness("B", {"x": {"acc,none": 0.25}}))
        self.refused(folder, "have the same time")
        other.unlink()
        samples.rename(folder / "mine.jsonl")
        self.refused(folder, "must be named samples_TASK_TIME")
        put(folder / samples.name, document(0, acc=1), document(0, acc=1))
        (folder / "mine.jsonl").unlink()
        self.refused(folder, "task 'x', instance 0")

    def test_lists_of_a_corpus_metric_and_nan_are_left_out(self, tmp_path) -> None:
        rows = [document(n, acc=1, bleu=["a", "b"]) for n in range(3)]
        self.folder(tmp_path, "A", [*rows, document(3, acc=math.nan)])
        frame, notes = read(tmp_path)
        assert len(frame) == 4
        assert notes == [
            "left out: 3 scores (no number under bleu).",
            "left out: 1 score (not a finite number).",
        ]


RESULTS, SAMPLES = f"results_{TIME}.json", f"samples_arc_{TIME}.jsonl"

# -- damage and paths ------------------------------------------------------------------------------


def test_a_truncated_archive_is_refused(tmp_path) -> None:
    path = archive(tmp_path / "x.eval", log("A", "z", [(1, 1, {"m": "C"})]))
    data = path.read_bytes()
    for size in (4, 30, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:size])
        with pytest.raises(DataFormatError, match=r"x\.eval is no archive|cannot be unpacked"):
            ra.read_evaluations(path)


def test_files_of_several_formats_are_read_together(tmp_path) -> None:
    put(tmp_path / "e" / "a.json", run("A", task("x", 0.5)))
    put(tmp_path / "h" / RESULTS, harness("A", {"arc": {"acc,none": 0.25}}))
    put(tmp_path / "h" / SAMPLES, document(0, acc=1))
    put(tmp_path / "i" / "log.json", log("B", "z", [(1, 1, {"m": "C"})]))
    put(tmp_path / "other.json", {"a": 1})
    (tmp_path / "README.md").write_text("")
    (tmp_path / ".hidden.json").write_text("[")
    frame, notes = read(tmp_path)
    assert list(frame.columns) == [
        *("system", "task", "metric", "score", "error", "n", "higher_is_better"),
        *("instance", "epoch", "settings", "source"),
    ]
    assert cells(frame) == {
        ("A", "x", "accuracy", None): 0.5, ("A", "arc", "acc", None): 0.25,
        ("B", "z", "m", 1): 1, ("A", "arc", "acc", 0): 1,
    }  # fmt: skip
    assert [one.partition(" (")[0] for one in notes] == ["left out: 1 file"] * 2
    again = ra.read_evaluations([tmp_path / "e", str(tmp_path / "h" / "*"), tmp_path / "i"])
    assert again.equals(frame)


def test_a_file_that_is_named_must_be_one_of_these(tmp_path) -> None:
    file = put(tmp_path / "x.json", {"a": 1})
    with pytest.raises(DataFormatError, match="none of the formats"):
        ra.read_evaluations(file)
    with pytest.raises(InvalidInputError, match="files with scores"):
        ra.read_evaluations(tmp_path)
