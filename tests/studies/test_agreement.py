"""Agreement of rules: against sets counted by hand, and the figures of the first paper."""

import json
from dataclasses import replace

import numpy as np
import pytest

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from rankagg.testing.studies import StudyContract
from tests import oracles

TABLE = ra.ScoreTable(
    [[3, 1, 2], [3, 2, 1], [1, 3, 1], [0, 2, 2], [1, 0, 0]], systems="ABCDE", tasks="xyz",
    higher_is_better=True,
)  # fmt: skip
INSTANCES = ra.ScoreTable(
    np.random.default_rng(4).normal(np.arange(5.0)[:, None] / 3, size=(5, 9)), systems="ABCDE",
    tasks=[task for task, n in zip("xyz", (2, 3, 4), strict=True) for _ in range(n)],
    instances=range(9), higher_is_better={"x": True, "y": True, "z": False},
    task_weights={"x": 2.0},
)  # fmt: skip
TWO = ra.TwoLevel(ra.Borda(), ra.Borda())


def of(data, **changes):
    return ra.studies.AgreementStudy(data=data, **changes).run()


def at_three(result):
    frame = result.to_frame()
    return frame[frame["k"] == 3].reset_index(drop=True)


def rankings_of(table, *rules):
    return [rule.aggregate(table).ranking for rule in rules]


# -- the figures ----------------------------------------------------------------------------------


def test_shares_are_those_of_breaking_ties_in_all_ways():
    mean, borda = rankings_of(TABLE, ra.Mean(), ra.Borda())
    assert not (mean.is_strict and borda.is_strict)
    curves = of(TABLE).to_frame().set_index("k")
    assert curves.index.tolist() == [1, 2, 3, 4, 5]
    for k in range(1, 6):
        expected = [of(mean, borda, k) for of in (oracles.top_k_overlap, oracles.last_k_overlap)]
        assert curves.loc[k, ["top", "last"]].tolist() == pytest.approx(list(map(float, expected)))


def test_each_scope_has_the_tau_of_its_definition():
    frame = at_three(of(INSTANCES))
    averaged = ra.ScoreTable(
        np.column_stack(
            [INSTANCES.values[:, :2].mean(1), INSTANCES.values[:, 2:5].mean(1),
             INSTANCES.values[:, 5:].mean(1)]
        ),
        systems="ABCDE", tasks="xyz", higher_is_better=INSTANCES.higher_is_better,
        task_weights={"x": 2.0},
    )  # fmt: skip
    one = {task: INSTANCES.drop(tasks=[t for t in "xyz" if t != task]) for task in "xyz"}
    expected = [
        ("tasks", None, averaged, ra.Mean(), ra.Borda()),
        ("instances", None, INSTANCES, ra.Mean(), ra.Borda()),
        ("instances", None, INSTANCES, ra.Mean(), TWO),
        ("instances", None, INSTANCES, ra.Borda(), TWO),
        *(("within", task, one[task], ra.Mean(), ra.Borda()) for task in "xyz"),
    ]
    assert len(frame) == len(expected)
    for row, (scope, task, table, first, second) in zip(
        frame.to_dict("records"), expected, strict=True
    ):
        both = rankings_of(table, first, second)
        assert (row["scope"], row["first"], row["second"]) == (scope, first.name, second.name)
        assert row["task"] == task or (task is None and row["task"] != row["task"])
        assert row["tau"] == pytest.approx(ra.kendall_tau(*both))
        assert row["top"] == pytest.approx(float(oracles.top_k_overlap(*both, 3)))
        assert row["last"] == pytest.approx(float(oracles.last_k_overlap(*both, 3)))
    assert frame["tau"].nunique() > 3


def test_systems_that_a_rule_leaves_out_are_counted():
    gaps = ra.ScoreTable(
        [[1, 2, np.nan, np.nan], [2, 1, 3, 1], [3, 3, 1, 2]], systems="ABC", tasks="xxyy",
        instances=[0, 1, 0, 1], higher_is_better=True,
    )  # fmt: skip
    result = of(gaps, rules=[ra.Mean(), ra.Borda()])
    within = result.to_frame().query("scope == 'within' and k <= 2").set_index(["task", "k"])
    assert within["n_ranked"].to_dict() == {
        (t, k): n for t, n in (("x", 3), ("y", 2)) for k in (1, 2)
    }
    assert result.by_method().loc["within"]["cells"].tolist() == [2, 2, 1]
    assert "1 of 4 comparisons are over the systems that both rules rank" in result.summary()
    json.dumps(result.to_dict(), allow_nan=False)


# -- rules and data -------------------------------------------------------------------------------


def test_two_level_rules_are_compared_on_all_instances_only():
    result = of(INSTANCES, rules=[ra.Borda(), TWO])
    assert set(result.to_frame()["scope"]) == {"instances"}
    assert result.notes == ()
    assert list(of(INSTANCES).to_frame()["scope"].unique()) == ["tasks", "instances", "within"]
    assert f"{TWO.name}: on all instances only" in of(INSTANCES).summary()
    assert set(of(TABLE).to_frame()["scope"]) == {"tasks"}


def test_draws_follow_the_seed():
    rules = [ra.KwikSort(), ra.Borda(), ra.Mean()]
    study = ra.studies.AgreementStudy(data=INSTANCES, rules=rules, rng=0)
    assert study.run() == study.run()
    frames = [replace(study, rng=seed).run().to_frame() for seed in range(6)]
    assert not all(frame.equals(frames[0]) for frame in frames)
    assert isinstance(replace(study, rng=None).rng, int)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"data": TABLE.rankings()}, "data of AgreementStudy"),
        ({"rules": [ra.Borda()]}, "two or more rules"),
        ({"rules": [ra.Borda(), TWO]}, "two or more rules with one level"),
        ({"rules": ["mean", "borda"]}, "rule object"),
        ({"rules": [ra.Borda(), ra.Borda()]}, "different values"),
        ({"tolerance": -1}, "tolerance"),
    ],
)
def test_bad_input_is_named(changes, message):
    with pytest.raises(InvalidInputError, match=message):
        of(**({"data": TABLE} | changes))


class TestContract(StudyContract):
    study = ra.studies.AgreementStudy(
        data=INSTANCES, rules=[ra.KwikSort(), ra.Borda(), ra.Mean()], rng=0
    )
