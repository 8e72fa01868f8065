"""Corrupted scores: every number against slow loops, and unknown values."""

import numpy as np
import pytest

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from rankagg.studies import (
    AdversarialScores,
    Corruption,
    NoisyScores,
    RescaledScores,
    ReversedScores,
)
from rankagg.studies.corruption import _CorruptionCell
from tests import oracles
from tests.studies.rules import Stubborn

EXACT = (ra.Kemeny(), ra.TwoLevel(ra.Borda(), ra.Kemeny()))
RULES = (ra.Mean(), ra.Borda(), ra.TwoLevel(ra.Borda(), ra.Borda()), *EXACT)
MODELS = [
    ra.studies.LatentModel(step=step, n_systems=4, n_tasks=3, n_instances=2) for step in (0.2, 1.0)
]
TABLE = ra.ScoreTable(
    [[5, 1, 9, 2, 8], [4, 2, 7, 3, 9], [3, 3, 8, 1, 7], [2, 5, 6, 5, 1]],
    systems="ABCD", tasks="vwxyz", higher_is_better={t: t != "x" for t in "vwxyz"},
)  # fmt: skip
SMALL = {
    "data": MODELS,
    "corruptions": [AdversarialScores(), RescaledScores(factor=8.0, after=ReversedScores())],
    "rules": RULES, "n_repetitions": 3, "rng": 7,
}  # fmt: skip


def make(**changes):
    return ra.studies.CorruptionStudy(**(SMALL | changes))


# -- the figures ----------------------------------------------------------------------------------


def scores_in_words(study, cell):
    """Return {(system, task, instance): score}, corrupted, and the heights of the systems."""
    table = cell.model.sample(rng=cell.shared(study.rng, "data"))
    order = [table.systems[k] for k in cell.shared(study.rng, "systems").permutation(4)]
    corrupted = cell.shared(study.rng, "tasks").permutation(3)[: cell.n_corrupted]
    noise = cell.shared(study.rng, "corruption")
    scores = {}
    for task in range(3):
        for number, system in enumerate(order):
            for instance in range(2):
                unit = 2 * task + instance
                scores[number, task, instance] = table.values[table.systems.index(system), unit]
    # Systems are numbered from 0, and the last is the best.
    heights = [system + 1 for system in order]
    for task in corrupted:
        drawn = noise.gumbel(size=(4, 2))
        for instance in range(2):
            column = [scores[s, task, instance] for s in range(4)]
            for s in range(4):
                if cell.corruption == AdversarialScores():
                    new = -heights[s] + drawn[s, instance]
                else:
                    new = 8.0 * (max(column) + min(column) - column[s])
                scores[s, task, instance] = new
    return scores, sorted(range(4), key=lambda s: -heights[s])


def ranks(points):
    """Return the mid-rank of each, 1 for the most points."""
    return [
        1 + sum(other > own for other in points) + sum(other == own for other in points) / 2 - 0.5
        for own in points
    ]


def in_words(scores):
    """Return for every rule the ranks that it may give, written from the definitions."""
    systems, tasks, instances = (sorted({key[at] for key in scores}) for at in range(3))
    means = [
        np.mean([np.mean([scores[s, t, k] for k in instances]) for t in tasks]) for s in systems
    ]
    votes = {(t, k): ranks([scores[s, t, k] for s in systems]) for t in tasks for k in instances}
    one = [-sum(vote[s] for vote in votes.values()) for s in systems]
    inside = [ranks([-sum(votes[t, k][s] for k in instances) for s in systems]) for t in tasks]
    two = [-sum(vote[s] for vote in inside) for s in systems]
    found = {
        "Mean": [ranks(means)], "Borda": [ranks(one)], "TwoLevel(Borda, Borda)": [ranks(two)]
    }  # fmt: skip
    for name, given in (("Kemeny", list(votes.values())), ("TwoLevel(Borda, Kemeny)", inside)):
        _, best = oracles.kemeny(oracles.pairwise_votes(given)[0])
        found[name] = [[1 + order.index(s) for s in systems] for order in best]
    return found


def error(truth, given):
    """Return the share of pairs that are the wrong way round, half for each tie."""
    right = [truth.index(system) for system in range(len(truth))]
    return float(oracles.kendall_distance(right, given, tie_cost=1 / 2)) / len(
        oracles.pairs(len(truth))
    )


def first(truth, given):
    best = [system for system in truth if given[system] == min(given)]
    return (truth[0] in best) / len(best)


def test_rows_agree_with_slow_loops():
    study = make(n_repetitions=1)
    frame, distances = study.run().to_frame().set_index("method"), set()
    for number, cell in enumerate(study.cells()):
        scores, truth = scores_in_words(study, cell)
        rows = frame.iloc[5 * number : 5 * number + 5]
        assert rows["n_corrupted"].unique() == cell.n_corrupted
        for method, possible in in_words(scores).items():
            row = rows.loc[method]
            found = {(round(error(truth, each), 9), first(truth, each)) for each in possible}
            assert (round(row["distance"], 9), row["top1"]) in found
            distances.add(row["distance"])
    assert len(distances) > 4


def test_without_a_true_order_rules_are_compared_with_themselves():
    study = make(data=[TABLE], corruptions=[ReversedScores()], rules=RULES[:2], n_repetitions=2)
    frame = study.run().to_frame()
    for cell in study.cells():
        tasks = TABLE.tasks.at(cell.shared(7, "tasks").permutation(5)[: cell.n_corrupted])
        corrupted = ReversedScores().corrupt(TABLE, tasks)
        for rule in study.rules:
            before, after = rule.aggregate(TABLE), rule.aggregate(corrupted)
            (row,) = frame[
                (frame["n_corrupted"] == cell.n_corrupted) & (frame["method"] == rule.name)
                & (frame["repetition"] == cell.repetition)
            ].to_dict("records")  # fmt: skip
            expected = ra.kendall_distance(
                before.ranking, after.ranking, tie_cost=0.5, normalized=True
            )
            assert row["distance"] == pytest.approx(expected)
            one, other = set(before.buckets[0]), set(after.buckets[0])
            assert row["top1"] == len(one & other) / len(one) / len(other)


def test_systems_are_shuffled_so_that_ties_give_no_advantage():
    """With two opposite tasks every order of two systems is optimal."""
    table = ra.ScoreTable([[1.0, 2.0], [2.0, 1.0]], systems="AB", higher_is_better=True)
    result = make(data=[table], corruptions=[NoisyScores()], rules=[ra.Kemeny()], n_corrupted=[0],
                  n_repetitions=30).run()  # fmt: skip
    assert 0.25 < result.by_method()["mean_distance"].iloc[0] < 0.75


def test_smaller_sets_of_tasks_are_within_larger_ones():
    """A corruption without random numbers turns more and more pairs of a single rule's."""
    table = ra.ScoreTable(np.eye(2, 8)[:, ::-1] + [[8.0], [0.0]], higher_is_better=True)
    frame = make(data=[table], corruptions=[ReversedScores()], rules=[ra.Borda()]).run().to_frame()
    for _, part in frame.groupby("repetition"):
        assert part["distance"].is_monotonic_increasing
    cells = [_CorruptionCell(MODELS[0], one, n, 1) for one in SMALL["corruptions"] for n in (1, 2)]
    assert len({cell.shared(0, "x").integers(2**40) for cell in cells}) == 1
    assert len({cell.generator(0, "x").integers(2**40) for cell in cells}) == len(cells)


# -- unknown values -------------------------------------------------------------------------------


def test_ties_count_as_if_broken_at_random():
    frame = make(rules=[Stubborn(refused="nothing", ties=True)]).run().to_frame()
    assert (frame["distance"] == 0.5).all()
    assert (frame["top1"] == 0.25).all()
    own = make(data=[TABLE], rules=[Stubborn(refused="nothing", ties=True)]).run()
    assert (own.to_frame()["distance"] == 0).all()
    assert (own.to_frame()["top1"] == 0.25).all()


@pytest.mark.parametrize("models", [MODELS])
def test_a_rule_that_fails_is_counted_and_the_study_continues(models):
    result = make(data=models, rules=[Stubborn(refused="a high first score"), ra.Borda()])
    result = result.run()
    frame = result.to_frame()
    failed = frame["error"].notna()
    assert 0 < failed.sum() == result.n_failed <= len(frame) / 2
    assert (frame.loc[failed, "error"] == "a high first score").all()
    assert (frame.loc[failed, "method"] != "Borda").all()
    assert frame.loc[failed, ["distance", "top1"]].isna().all(axis=None)
    assert frame.loc[~failed, ["distance", "top1"]].notna().all(axis=None)
    assert result.by_method()["failed"].sum() == failed.sum()
    assert f"rules failed {failed.sum()} times" in result.summary()


# -- reported numbers -----------------------------------------------------------------------------


def result_of(distances):
    """Return the result that has these mean distances at 0, 1, 2, ... corrupted tasks."""
    counts = list(range(len(distances)))
    study = make(
        rules=[ra.Borda()], data=[TABLE], corruptions=[ReversedScores()],
        n_corrupted=counts[::-1], n_repetitions=2,
    )  # fmt: skip
    row = {"method": "Borda", "top1": 0.0, "proved": True, "error": None}
    cells, found = list(study.cells()), {}
    for cell in cells:
        distance = distances[cell.n_corrupted] + 0.02 * cell.repetition - 0.01
        found[cell.key] = [{**row, "distance": distance}]
    return ra.studies.StudyResult(study=study, _frame=study._frame(cells, found))


@pytest.mark.parametrize(
    ("distances", "expected"),
    [
        ([0.1, 0.5, 0.8, 0.9], 2),
        ([0.1, 0.8, 0.6, 0.9], 1),
        ([0.8, 0.8, 0.8, 0.9], 0),
        ([0.1, 0.75, 0.75, 0.75], None),
    ],
)
def test_breakdown_is_the_first_number_beyond_the_threshold(distances, expected):
    (row,) = result_of(distances)._table().to_dict("records")
    assert row.get("breakdown") == expected


# -- input ----------------------------------------------------------------------------------------


class Mine(Corruption):
    """Forgets to be a dataclass, and takes no gaps."""

    def _corrupted(self, tasks, heights, rng):
        return [-task for task in tasks]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"n_corrupted": [4]}, "n_corrupted of CorruptionStudy.*at least 0 and at most 3"),
        ({"corruptions": []}, "corruptions of CorruptionStudy"),
        ({"corruptions": ["reversed"]}, r"corruptions of .*such as `ReversedScores\(\)`"),
        ({"data": [TABLE.rankings()]}, "`data`.*sources of scores"),
        (
            {"data": [TABLE._with(values=np.where(TABLE.values == 9, np.nan, TABLE.values))],
             "corruptions": [ReversedScores(), Mine()]},
            "complete for scores that are Mine. Got 2 missing scores. `ScoreTable.drop`",
        ),
    ],
)  # fmt: skip
def test_bad_parameters_are_named(changes, words):
    with pytest.raises(InvalidInputError, match=words):
        make(**changes)
