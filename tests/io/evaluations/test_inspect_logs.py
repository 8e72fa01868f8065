"""Logs of Inspect: letters, epochs, several scorers, archives."""

import json
import zipfile

import pytest

import rankagg as ra
from rankagg.exceptions import DataFormatError
from tests.io.evaluations.made import accuracy, archive, cells, log, put, read

ONE = [(1, 1, {"m": "C"})]


def test_logs_of_inspect_itself(data) -> None:
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


def test_letters_are_what_the_format_says(tmp_path) -> None:
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


def test_a_standard_error_is_that_of_means_alone(tmp_path) -> None:
    frame, told = read(tmp_path, log("A", "x", scores=[accuracy(0.5, f1=0.25, std=3)]))
    found = frame.set_index("metric")[["score", "error"]].fillna(-1)
    assert found.loc["match/accuracy"].tolist() == [0.5, 0.01]
    assert found.loc["match/f1"].tolist() == [0.25, -1]
    assert frame["higher_is_better"].isna().tolist() == [False, True]
    assert told == ["left out: 1 score (std of no mean of samples)."]


def test_other_letters_are_left_out(tmp_path) -> None:
    samples = [(1, 1, {"s": "C"}), (2, 1, {"s": "D"}), (3, 1, {"s": 0.5})]
    frame, told = read(tmp_path, log("A", "x", samples))
    assert frame["score"].tolist() == [0.5]
    assert told == ["left out: 2 scores (no number under s)."]


def test_values_by_name_are_metrics_of_their_own(tmp_path) -> None:
    samples = [(1, 1, {"s": {"clear": 1, "kind": None, "parts": [1]}})]
    frame, told = read(tmp_path, log("A", "x", samples))
    assert cells(frame) == {("A", "x", "s/clear", 1): 1}
    assert sorted(told) == [
        "left out: 1 score (no number under s/kind).",
        "left out: 1 score (no number under s/parts).",
    ]


def test_values_are_not_taken_for_samples(tmp_path) -> None:
    value = {"id": 1, "epoch": 2, "input": 3}
    frame, _ = read(tmp_path, log("A", "x", [(1, 1, {"s": value})]))
    assert frame["metric"].tolist() == ["s/id", "s/epoch", "s/input"]


def test_epochs_are_never_averaged_unsaid(tmp_path) -> None:
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
    frame, told = read(tmp_path, log("A", "x", ONE, status=status), log("B", "x", ONE))
    assert frame["system"].tolist() == ["B"]
    assert told == [f"left out: 1 log (its status is {status})."]


def test_samples_without_a_score_are_counted(tmp_path) -> None:
    content = log("A", "x", [(n, 1, {"m": "C"}) for n in range(5)])
    content["samples"][0]["scores"] = None
    content["samples"][1].update(scores={}, error={"message": "boom"})
    content["samples"][2]["invalidation"] = {"author": "me"}
    content["samples"][3]["scores"]["m"]["value"] = float("nan")
    frame, told = read(tmp_path, content)
    assert len(frame) == 1
    assert sorted(told) == [
        "left out: 1 sample (invalidated).", "left out: 1 sample (it ended in an error).",
        "left out: 1 sample (no score).", "left out: 1 score (not a finite number).",
    ]  # fmt: skip


def test_samples_that_are_fewer_than_stated_are_told(tmp_path) -> None:
    content = log("A", "x", ONE)
    content["results"]["completed_samples"] = 3
    told = read(tmp_path, content)[1]
    assert [one.partition(" has ")[2] for one in told] == ["1 of 3 samples that are stated."]


@pytest.mark.parametrize("version", [1, 3, 2.0, True, "2", None])
def test_other_versions_are_refused(tmp_path, version) -> None:
    with pytest.raises(DataFormatError, match=r"`version` must be 2.*inspect log convert"):
        read(tmp_path, log("A", "x", version=version))


def test_metrics_after_a_reducer_say_so(tmp_path) -> None:
    scores = [{**accuracy(0.5), "reducer": "mean"}, {**accuracy(0.75), "reducer": "pass_at_2"}]
    frame, _ = read(tmp_path, log("A", "x", scores=scores))
    assert frame["metric"].tolist() == ["match/accuracy/mean", "match/accuracy/pass_at_2"]


@pytest.mark.parametrize("epoch", [-1, 1.0, True, "1", 2**31, 10**30])
def test_an_epoch_is_a_small_whole_number(tmp_path, epoch) -> None:
    with pytest.raises(DataFormatError, match="epoch` must be a whole number"):
        read(tmp_path, log("A", "x", [(1, epoch, {"m": "C"})]))


def test_epochs_may_begin_at_0(tmp_path) -> None:
    frame, _ = read(tmp_path, log("A", "x", [(1, 0, {"m": "C"})]))
    assert frame["epoch"].tolist() == [0]


class TestArchives:
    def test_say_what_the_log_says(self, tmp_path) -> None:
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

    def test_of_a_log_that_is_not_finished_are_left_out(self, tmp_path) -> None:
        put(tmp_path / "b.json", log("B", "x", ONE))
        for name, told in (("_journal/start.json", None), ("x.json", "without `header\\.json`")):
            with zipfile.ZipFile(tmp_path / "a.eval", "w") as file:
                file.writestr(name, "{}")
            if told is None:
                assert read(tmp_path)[1] == ["left out: 1 log (it was not finished)."]
            else:
                with pytest.raises(DataFormatError, match=told):
                    ra.read_evaluations(tmp_path)

    def test_compressed_in_another_way_say_what_to_do(self, tmp_path, monkeypatch) -> None:
        def fail(*_args):
            raise NotImplementedError("That compression method is not supported")

        path = archive(tmp_path / "log.eval", log("A", "x", ONE))
        monkeypatch.setattr(zipfile.ZipFile, "open", fail)
        with pytest.raises(DataFormatError, match=r"cannot be unpacked here.*inspect log convert"):
            ra.read_evaluations(path)

    def test_and_the_log_beside_them_are_one_run(self, tmp_path) -> None:
        put(tmp_path / "a.json", log("A", "x", ONE))
        archive(tmp_path / "a.eval", log("A", "x", ONE))
        with pytest.raises(DataFormatError, match="two scores by 'm'"):
            ra.read_evaluations(tmp_path)
