"""Logs of Inspect: letters, epochs, several scorers, archives."""

import json
import zipfile

import pytest

import rankagg as ra
from rankagg.exceptions import DataFormatError, InvalidInputError
from tests.io.evaluations.made import accuracy, archive, log, put, read


def test_logs_of_inspect_itself(data) -> None:
    found = ra.read_evaluations(data("evaluations/inspect"))
    assert found.metrics == ("choice/accuracy", "choice")
    by_task = found.table(by="task").to_frame()["inspect_evals/arc_easy"]
    assert by_task.to_dict() == {"ollama/qwen2.5:0.5b": 1 / 3, "anthropic/claude-sonnet-4-0": 1.0}
    table = found.table()
    assert table.instances == (1, 2, 3, 4, 5)
    assert table.n_missing == 2
    assert table.task_scores().tolist() == [[1 / 3], [1.0]]


ONE = [(1, 1, {"m": "C"})]


def test_letters_are_what_the_format_says(tmp_path) -> None:
    samples = [(n, 1, {"match": value}) for n, value in enumerate("CIPN")]
    table = read(tmp_path, log("A", "x", samples)).table()
    assert table.values.tolist() == [[1, 0, 0.5, 0]]
    assert table.higher_is_better["x"]


def test_numbers_have_a_direction_where_their_accuracy_is_counted(tmp_path) -> None:
    found = read(tmp_path, log("A", "x", [(1, 1, {"judge": 7}), (2, 1, {"judge": True})]))
    with pytest.raises(InvalidInputError, match="none for 'judge' of task 'x'"):
        found.table()
    assert found.table(higher_is_better=False).values.tolist() == [[7, 1]]
    content = log("A", "x", [(1, 1, {"match": 1})], scores=[accuracy(1.0)])
    assert read(tmp_path / "counted", content).table().higher_is_better["x"]


def test_other_letters_are_left_out(tmp_path) -> None:
    samples = [(1, 1, {"s": "C"}), (2, 1, {"s": "D"}), (3, 1, {"s": 0.5})]
    found = read(tmp_path, log("A", "x", samples))
    assert found.n_scores == 1
    assert [(one.why, one.number) for one in found.left_out] == [("a text, no number, under s", 2)]


def test_values_by_name_are_metrics_of_their_own(tmp_path) -> None:
    samples = [(1, 1, {"s": {"clear": 1, "kind": None, "parts": [1]}})]
    found = read(tmp_path, log("A", "x", samples))
    assert found.metrics == ("s/clear",)
    assert sorted(one.why for one in found.left_out) == [
        "a list, no number, under s/parts", "null, no number, under s/kind"
    ]  # fmt: skip


def test_values_are_not_taken_for_samples(tmp_path) -> None:
    value = {"id": 1, "epoch": 2, "input": 3}
    found = read(tmp_path, log("A", "x", [(1, 1, {"s": value})]))
    assert found.metrics == ("s/id", "s/epoch", "s/input")


def test_several_scorers_are_a_choice(tmp_path) -> None:
    found = read(tmp_path, log("A", "x", [(1, 1, {"match": "C", "model": "I"})]))
    with pytest.raises(InvalidInputError, match="x has match, model"):
        found.table()
    assert found.table(metric=["model", "match"]).values.tolist() == [[0]]


def test_epochs_are_never_averaged_unsaid(tmp_path) -> None:
    samples = [(1, 2, {"m": "I"}), (1, 1, {"m": "C"}), (2, 1, {"m": "C"}), (2, 2, {"m": "C"})]
    found = read(tmp_path, log("A", "x", samples))
    with pytest.raises(InvalidInputError, match=r"`runs` must be .*There are 2 runs of A on x"):
        found.table()
    assert found.table(runs="mean").values.tolist() == [[0.5, 1]]
    assert found.table(runs="first").values.tolist() == [[1, 1]]
    assert found.table(runs="last").values.tolist() == [[0, 1]]
    each = found.table(runs="each")
    assert each.systems.labels == ("A [A x, epoch 1]", "A [A x, epoch 2]")
    assert each.values.tolist() == [[1, 1], [0, 1]]


@pytest.mark.parametrize("status", ["started", "error", "cancelled"])
def test_logs_that_did_not_end_well_are_left_out(tmp_path, status) -> None:
    found = read(tmp_path, log("A", "x", ONE, status=status), log("B", "x", ONE))
    assert found.systems == ("B",)
    assert [(one.what, one.why) for one in found.left_out] == [("log", f"its status is {status}")]


def test_samples_without_a_score_are_counted(tmp_path) -> None:
    content = log("A", "x", [(n, 1, {"m": "C"}) for n in range(5)])
    content["samples"][0]["scores"] = None
    content["samples"][1].update(scores={}, error={"message": "boom"})
    content["samples"][2]["invalidation"] = {"author": "me"}
    content["samples"][3]["scores"]["m"]["value"] = float("nan")
    found = read(tmp_path, content)
    assert found.n_scores == 1
    assert sorted((one.what, one.why, one.number) for one in found.left_out) == [
        ("sample", "invalidated", 1), ("sample", "it ended in an error", 1),
        ("sample", "no score", 1), ("score", "no value", 1),
    ]  # fmt: skip


@pytest.mark.parametrize("version", [1, 3, 2.0, True, "2", None])
def test_other_versions_are_refused(tmp_path, version) -> None:
    with pytest.raises(DataFormatError, match=r"`version` must be 2.*inspect log convert"):
        read(tmp_path, log("A", "x", version=version))


def test_metrics_after_a_reducer_say_so(tmp_path) -> None:
    scores = [{**accuracy(0.5), "reducer": "mean"}, {**accuracy(0.75), "reducer": "pass_at_2"}]
    found = read(tmp_path, log("A", "x", scores=scores))
    assert found.metrics == ("match/accuracy/mean", "match/accuracy/pass_at_2")
    assert found.table(metric="match/accuracy/pass_at_2").values.tolist() == [[0.75]]


@pytest.mark.parametrize("epoch", [-1, 1.0, True, "1", 2**31, 10**30])
def test_an_epoch_is_a_small_whole_number(tmp_path, epoch) -> None:
    with pytest.raises(DataFormatError, match="epoch` must be a whole number"):
        read(tmp_path, log("A", "x", [(1, epoch, {"m": "C"})]))


class TestArchives:
    def test_say_what_the_log_says(self, tmp_path) -> None:
        samples = [("a/b", 1, {"m": "C"}), ("a/b", 2, {"m": "I"}), (3, 1, {"m": "C"})]
        plain = read(tmp_path / "plain", log("A", "x", samples, scores=[accuracy(0.5)]))
        path = archive(tmp_path / "log.eval", log("A", "x", samples, scores=[accuracy(0.5)]))
        packed = ra.read_evaluations(path)
        columns = ["system", "task", "metric", "instance", "epoch", "score"]
        assert packed.to_frame()[columns].equals(plain.to_frame()[columns])

    def test_samples_in_parts_are_read_by_their_shells(self, tmp_path) -> None:
        path = archive(tmp_path / "log.eval", log("A", "x", ONE))
        with zipfile.ZipFile(path, "a") as file:
            shell = {"id": 2, "epoch": 1, "input": "", "scores": {"m": {"value": "I"}}}
            file.writestr("samples/2_epoch_1/sample.json", json.dumps(shell))
            file.writestr("samples/2_epoch_1/events/0.json", "[broken")
        assert ra.read_evaluations(path).table().values.tolist() == [[1, 0]]

    def test_of_a_log_that_is_not_finished_are_left_out(self, tmp_path) -> None:
        put(tmp_path / "b.json", log("B", "x", ONE))
        for name, told in (("_journal/start.json", None), ("x.json", "without `header\\.json`")):
            with zipfile.ZipFile(tmp_path / "a.eval", "w") as file:
                file.writestr(name, "{}")
            if told is None:
                found = ra.read_evaluations(tmp_path)
                assert [one.why for one in found.left_out] == ["it was not finished"]
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
