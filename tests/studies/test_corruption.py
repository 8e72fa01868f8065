"""Corrupted scores: every figure against slow loops, and the same whoever computes it."""

from dataclasses import dataclass
from itertools import combinations, permutations
from typing import ClassVar

import numpy as np
import pytest
from pandas.testing import assert_frame_equal

import rankagg as ra
from rankagg.aggregation.base import Aggregator, Needs, Outcome
from rankagg.aggregation.result import Consensus
from rankagg.exceptions import InvalidInputError, NotIdentifiedError
from rankagg.studies.corruption import EXACT, PRINTED, Drawing

SMALL = {
    "aggregators": PRINTED + EXACT, "steps": [0.2, 1.0], "n_systems": 4, "n_tasks": 3,
    "n_instances": 2, "n_repetitions": 3, "seed": 7,
}  # fmt: skip


def manipulation(**changes):
    return ra.studies.ManipulationStudy(**(SMALL | changes))


def scaling(**changes):
    return ra.studies.ScalingStudy(**(SMALL | {"factors": [0.5, 1, 8]} | changes))


BOTH = pytest.mark.parametrize("make", [manipulation, scaling])


def numbers(result):
    return result.to_frame(runtime=False)


# -- the figures ----------------------------------------------------------------------------------


def scores_in_words(study, step, repetition, n_reversed, factor):
    """Return {(system, task, instance): score} and the systems from the truly best to the worst."""
    n, t, k = study.n_systems, study.n_tasks, study.n_instances
    drawing = Drawing(n, t, k, step, repetition)
    order = drawing.generator(study.seed, "order").permutation(n)
    noise = drawing.generator(study.seed, "noise").gumbel(size=(n, t * k))
    scores = {}
    for system in range(n):
        height = int(order[system]) + 1  # the n-th of N systems, N is best
        for task in range(t):
            for instance in range(k):
                center = -height if task < n_reversed else step * height
                score = center + noise[system, task * k + instance]
                scores[system, task, instance] = score * (factor if task == 0 else 1)
    return scores, sorted(range(n), key=lambda system: -order[system])


def ranks(points):
    """Return the mid-rank of each, 1 for the most points."""
    return [
        1 + sum(other > own for other in points) + sum(other == own for other in points) / 2 - 0.5
        for own in points
    ]


def kemeny(votes, n):
    """Return {order: cost} by going through all orders."""
    return {
        order: sum(vote[low] < vote[high] for vote in votes for high, low in combinations(order, 2))
        for order in permutations(range(n))
    }


def in_words(study, scores):
    """Return for every rule the ranks that it may give, written from the definitions."""
    systems, tasks = range(study.n_systems), range(study.n_tasks)
    instances = range(study.n_instances)
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
    for name, given in (("Kemeny", votes.values()), ("TwoLevel(Borda, Kemeny)", inside)):
        costs = kemeny(list(given), study.n_systems)
        least = min(costs.values())
        found[name] = [
            [1 + order.index(s) for s in systems] for order, cost in costs.items() if cost == least
        ]
    return found


def error(truth, given):
    """Return the share of pairs that are the wrong way round, half for each tie."""
    pairs = list(combinations(truth, 2))
    wrong = [(given[low] < given[high]) + (given[low] == given[high]) / 2 for high, low in pairs]
    return sum(wrong) / len(pairs)


def first(truth, given):
    best = [system for system in truth if given[system] == min(given)]
    return (truth[0] in best) / len(best)


def assert_agrees(study, result, corruption):
    frame = numbers(result)
    distances = set()
    for row in frame.itertuples():
        n_reversed, factor = corruption(row)
        scores, truth = scores_in_words(study, row.step, row.repetition, n_reversed, factor)
        possible = in_words(study, scores)[row.method]
        found = {(round(error(truth, each), 9), first(truth, each)) for each in possible}
        assert (round(row.distance, 9), row.top1) in found
        distances.add(row.distance)
    assert len(distances) > 5


def test_manipulation_agrees_with_slow_loops() -> None:
    study = manipulation(n_repetitions=2)
    assert_agrees(study, study.run(), lambda row: (row.n_corrupted, 1))


def test_scaling_agrees_with_slow_loops() -> None:
    study = scaling(n_repetitions=2)
    assert_agrees(study, study.run(), lambda row: (int(row.reversed), row.factor))


def test_the_two_studies_meet() -> None:
    many = numbers(manipulation(n_repetitions=1).run()).set_index(
        ["n_corrupted", "step", "repetition", "method"]
    )
    scaled = numbers(scaling(n_repetitions=1).run())
    scaled = scaled[scaled["factor"] == 1].set_index(["reversed", "step", "repetition", "method"])
    for reverse in (False, True):
        assert_frame_equal(scaled.loc[reverse].drop(columns="factor"), many.loc[int(reverse)])


def test_systems_stand_in_random_order() -> None:
    tops = {Drawing(4, 3, 2, 0.1, repetition).truth(0).order[0] for repetition in range(40)}
    assert tops == {0, 1, 2, 3}


@BOTH
def test_by_method_summarizes_the_rows(make) -> None:
    result = make(n_repetitions=5, aggregators=PRINTED[:2]).run()
    table, frame = result.by_method(), result.to_frame()
    grid = table.index.names
    assert len(table) * 5 == len(frame)
    for key, row in table.iterrows():
        part = frame[(frame[grid] == list(key)).all(axis=1)]
        distances = part["distance"].to_numpy()
        assert row["cells"] == len(distances) == 5
        assert row["mean_distance"] == pytest.approx(distances.mean())
        assert row["se_distance"] == pytest.approx(distances.std(ddof=1) / np.sqrt(5))
        for q in (0.05, 0.5, 0.95):
            assert row[f"distance_{q}"] == pytest.approx(np.quantile(distances, q))
        assert row["top1"] == pytest.approx(part["top1"].mean())
        assert row["se_top1"] == pytest.approx(part["top1"].std() / np.sqrt(5))
        assert row["median_runtime"] == part["runtime"].median()
        assert row["failed"] == row["unproved"] == 0


# -- the same whoever computes it -----------------------------------------------------------------


def test_a_cell_stays_what_it_is_in_another_grid() -> None:
    large = numbers(manipulation(n_repetitions=2).run())
    small = numbers(
        manipulation(
            steps=[1.0], n_corrupted=[2, 1], aggregators=EXACT[::-1], n_repetitions=2
        ).run()
    )
    assert len(small.merge(large, on=list(small.columns))) == len(small) == 2 * 2 * 2


@BOTH
@pytest.mark.parametrize(
    "changes",
    [
        {"seed": 8}, {"aggregators": PRINTED}, {"time_limit": 5.0}, {"n_systems": 5},
        {"n_tasks": 4}, {"n_instances": 3},
    ],
)  # fmt: skip
def test_the_journal_of_another_study_is_refused(make, changes, tmp_path) -> None:
    path = tmp_path / "study.jsonl"
    make(n_repetitions=1, steps=[1.0]).run(journal=path)
    with pytest.raises(InvalidInputError, match="same rules, seed and limits"):
        make(n_repetitions=1, steps=[1.0], **changes).run(journal=path)


# -- what is not known ----------------------------------------------------------------------------


def test_what_is_not_proved_in_time_is_counted() -> None:
    result = manipulation(
        aggregators=(ra.Borda(), *EXACT), steps=[0.01], n_systems=40, n_tasks=9, n_instances=1,
        n_corrupted=[4], n_repetitions=2, time_limit=0.0,
    ).run()  # fmt: skip
    frame = numbers(result).set_index("method")
    assert frame.loc[["Kemeny", "TwoLevel(Borda, Kemeny)"], "unproved"].all()
    assert not frame.loc["Borda", "unproved"].any()
    assert frame["distance"].notna().all()
    assert result.n_unproved == result.to_dict()["unproved"] == 4
    assert "an optimum was not proved 4 times" in result.summary()
    assert result.by_method()["unproved"].tolist() == [0, 2, 2]


@dataclass(frozen=True, kw_only=True)
class Tied(Aggregator):
    """Ties all, and ranks nothing where the first score is high."""

    needs: ClassVar[Needs] = "scores"
    highest: float = np.inf

    def _aggregate(self, evidence, rng):
        if evidence.scores.values[0, 0] > self.highest:
            raise NotIdentifiedError("too high")
        return Outcome(scores=np.zeros(len(evidence.items)))


@BOTH
def test_ties_count_as_if_broken_at_random(make) -> None:
    frame = numbers(make(aggregators=[Tied()]).run())
    assert (frame["distance"] == 0.5).all()
    assert (frame["top1"] == 0.25).all()


def test_a_rule_that_fails_is_counted_and_the_study_goes_on() -> None:
    result = manipulation(aggregators=[Tied(highest=0.5), ra.Borda()]).run()
    frame = numbers(result)
    failed = frame["error"].notna()
    assert 0 < failed.sum() == result.n_failed < len(frame) / 2
    assert (frame.loc[failed, "error"] == "too high").all()
    assert (frame.loc[failed, "method"] != "Borda").all()
    assert frame.loc[failed, ["distance", "top1"]].isna().all(axis=None)
    assert frame.loc[~failed, ["distance", "top1"]].notna().all(axis=None)
    assert result.by_method()["failed"].sum() == failed.sum()
    assert f"could not rank the data {failed.sum()} times" in result.summary()


@BOTH
def test_stopping_a_search_stops_the_study(make, monkeypatch) -> None:
    monkeypatch.setattr(
        Consensus, "__post_init__", lambda self: self.__dict__.update(interrupted=True)
    )
    with pytest.raises(KeyboardInterrupt):
        make(n_repetitions=1).run()


# -- input ----------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"aggregators": []}, "aggregators of .*Study"),
        ({"aggregators": ["borda"]}, "aggregator objects"),
        ({"aggregators": [ra.Borda(), ra.Borda()]}, "different values"),
        ({"steps": []}, "steps of .*Study"),
        ({"steps": [0]}, "steps of .*Study"),
        ({"steps": 0.1}, "different values"),
        ({"steps": [1, 1.0]}, "different values"),
        ({"steps": [np.inf]}, "steps of .*Study"),
        ({"n_systems": 1}, "n_systems of .*Study"),
        ({"n_tasks": 0}, "n_tasks of .*Study"),
        ({"n_instances": 0}, "n_instances of .*Study"),
        ({"n_repetitions": 0}, "n_repetitions of .*Study"),
        ({"seed": -1}, "seed of .*Study"),
        ({"time_limit": -1}, "time_limit of .*Study"),
    ],
)
def test_bad_input_is_named(make, changes, message) -> None:
    with pytest.raises(InvalidInputError, match=message):
        make(**changes)
