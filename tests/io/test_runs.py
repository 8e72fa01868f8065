"""Run files: what is read, fused by hand and by rules, and written back."""

from io import StringIO
from pathlib import Path

import numpy as np
import pytest

import rankagg as ra
from rankagg.exceptions import DataFormatError, DataWarning, InvalidInputError

ONE = "q1 Q0 a 1 9 x\nq1 Q0 b 2 7 x\nq1 Q0 c 3 5 x\nq2\tQ0\ta\t1\t3.5\tx\nq2 Q0 d 2 1.5 x\n"
OTHER = "q1 Q0 b 1 .8 y\nq1 Q0 d 2 .2 y\n"


@pytest.fixture
def runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("one.run").write_text(ONE, encoding="utf-8")
    Path("other.run").write_text(OTHER, encoding="utf-8")
    return ra.read_run(["one.run", "other.run"])


def scores(runs, topic):
    frame = runs.to_frame()
    chosen = frame[frame["topic"] == topic]
    return dict(zip(chosen["document"], chosen["score"], strict=True))


# By hand: a 1, b 1/2, c 0 in the first run; b 1, d 0 in the second.
BY_HAND = {
    ra.ReciprocalRankFusion(k=60): {
        "b": 1 / 62 + 1 / 61, "a": 1 / 61, "d": 1 / 62, "c": 1 / 63
    },
    ra.CombSUM(): {"b": 1.5, "a": 1, "d": 0, "c": 0},
    ra.CombMNZ(): {"b": 3, "a": 1, "d": 0, "c": 0},
}  # fmt: skip


@pytest.mark.parametrize("rule", BY_HAND, ids=str)
def test_two_runs_by_hand(runs, rule):
    fused = runs.fuse(rule)
    assert (fused.names, fused.topics) == ((rule.name,), ("q1", "q2"))
    assert scores(fused, "q1") == pytest.approx(BY_HAND[rule], abs=1e-15)
    # Equal scores stand as trec_eval orders them.
    assert list(scores(fused, "q1")) == list(BY_HAND[rule])


def test_weights_depth_and_rules_without_scores(runs):
    assert scores(runs.fuse(ra.CombSUM(), weights={"other": 3}), "q1")["b"] == 3.5
    assert scores(runs.fuse(ra.CombSUM(), weights={"y": 3}), "q1")["b"] == 3.5
    assert scores(runs.fuse(ra.ReciprocalRankFusion(), depth=1), "q1") == {"b": 1 / 61}
    # One run has a first, then b, the other b, then d.
    exact = scores(runs.fuse(ra.Kemeny(), depth=2), "q1")
    assert (set(exact), list(exact.values())) == ({"a", "b"}, [3, 2])
    for topic, profile in runs.profiles().items():
        assert profile.groups == (("one", "other") if topic == "q1" else ("one",))
        assert not profile.has_unranked


def test_a_tag_of_several_runs_names_none(runs):
    Path("third.run").write_text(ONE, encoding="utf-8")
    several = ra.read_run(["one.run", "third.run"])
    with pytest.raises(InvalidInputError, match="Got 'x'"):
        several.fuse(ra.CombSUM(), weights={"x": 2})


def test_what_is_written_is_read_back(runs):
    fused = runs.fuse(ra.ReciprocalRankFusion())
    ra.write_run(fused, "ReciprocalRankFusion.run")
    assert ra.read_run("ReciprocalRankFusion.run").to_frame().equals(fused.to_frame())
    first = Path("ReciprocalRankFusion.run").read_text(encoding="utf-8").splitlines()[0]
    assert first.split()[:4] == ["q1", "Q0", "b", "1"]
    with pytest.raises(InvalidInputError, match="one run"):
        ra.write_run(runs, "x.run")


@pytest.fixture
def fused(runs, called):
    """Return a function from options to the exit code of fusing both runs, and what it says."""

    def call(options):
        code, out, err = called(f"fuse one.run other.run {options} -o out.run")
        return code, out + err

    return call


def test_the_command_fuses_and_writes(runs, fused):
    code, told = fused("--method combmnz --weight other=3")
    assert (code, "2 runs, 2 topics, 4 documents" in told) == (0, True)
    assert scores(ra.read_run("out.run"), "q1")["b"] == 14
    assert fused("--method rrf-20")[0] == 0
    by_20 = runs.fuse(ra.ReciprocalRankFusion(k=20))
    assert scores(ra.read_run("out.run"), "q1") == scores(by_20, "q1")
    for option, words in (
        ("--weight nope=2", "`--weight` must be of runs that were read, which are one, other. Got"),
        ("--method rra", "rra is a test: `rankagg.inference.robust_rank_aggregation`"),
        ("--method rrf-x", "Did you mean 'rrf'"),
    ):
        code, told = fused(option)
        assert (code, words in told) == (2, True), told


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("q Q0 a 1 2\n", "line 1, must hold topic, Q0"),
        ("q Q0 a 1 2 x\nq Q0 a one 2 x\n", "line 2, must hold"),
        ("q Q0 a 1 nan x\n", "line 1, must hold"),
        ("q Q0 a 1 2 x\nq Q0 a 2 1 x\n", "has 'a' twice in topic 'q'"),
        ("", "is empty"),
    ],
)
def test_what_is_no_run_is_refused(text, words):
    with pytest.raises(DataFormatError, match=words):
        ra.read_run(StringIO(text))


def test_scores_count_and_not_ranks():
    with pytest.warns(DataWarning, match="in 1 topic ranks say another order"):
        run = ra.read_run(StringIO("q Q0 a 1 1 x\nq Q0 b 2 2 x\np Q0 a 1 2 x\n"))
    assert run.to_frame()["document"].tolist() == ["b", "a", "a"]
    with pytest.raises(InvalidInputError, match="Did you mean"):
        run.fuse(ra.CombSUM(), weights={"the streem": 1})


@pytest.mark.parametrize("rule", [ra.CombSUM(), ra.CombMNZ()], ids=str)
def test_sums_of_scores_are_those_of_a_loop(rule):
    rng = np.random.default_rng(3)
    values = rng.normal(size=(7, 4)).round(2)
    values[rng.random((7, 4)) < 0.4] = np.nan
    values[0], values[1] = 0.5, 2.5
    table = ra.ScoreTable(
        values, higher_is_better={0: True, 1: False, 2: True, 3: True}, task_weights={2: 0.5}
    )
    expected = []
    for row in values:
        total, found = 0.0, 0.0
        for task, value in enumerate(row):
            column = [x for x in values[:, task] if not np.isnan(x)]
            if not np.isnan(value):
                found += 0.5 if task == 2 else 1
                share = (value - min(column)) / (max(column) - min(column))
                total += (1 - share if task == 1 else share) * (0.5 if task == 2 else 1.0)
        expected.append(total * (found if isinstance(rule, ra.CombMNZ) else 1))
    assert rule.aggregate(table).scores == pytest.approx(np.array(expected), abs=1e-12)


def test_equal_scores_of_a_run_count_in_full():
    table = ra.ScoreTable([[3.0, 1.0], [3.0, None]], systems="AB", higher_is_better=True)
    assert ra.CombSUM().aggregate(table).scores.tolist() == [2.0, 1.0]
