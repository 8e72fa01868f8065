"""The time limit: at any moment the result is valid, and no slow step starts afterwards."""

import itertools
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import rankagg as ra
from rankagg.aggregation import deadline as deadlines
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny import orders, relaxation
from rankagg.aggregation.kemeny.weak_search import _WeakRelaxation
from rankagg.exceptions import OutOfTimeError
from tests.tournaments import PALEY


def random_profile(n: int, m: int, seed: int = 0) -> ra.Profile:
    rng = np.random.default_rng(seed)
    return ra.Profile.from_ranks(np.argsort(rng.random((m, n)), axis=1), items=range(n))


# Branches, and 391 optima in one block.
TANGLED = random_profile(13, 4, seed=10)
LIMIT = 1000.0


@pytest.fixture
def stop_at(monkeypatch):
    """Return a function that lets a thousand seconds pass at the k-th reading of the clock."""

    def patch(k: int) -> None:
        looks = itertools.count()
        monkeypatch.setattr(deadlines, "monotonic", lambda: 2 * LIMIT * (next(looks) > k))

    return patch


def test_a_deadline_is_one_point_in_time(monkeypatch) -> None:
    monkeypatch.setattr(deadlines, "monotonic", lambda: 100.0)
    assert Deadline.after(None) == Deadline()
    assert not Deadline().is_over
    assert Deadline().share(3) == Deadline()
    limit = Deadline.after(6)
    assert limit.at == 106
    assert limit.seconds_left() == 6
    assert limit.share(3).at == 102
    assert limit.sooner(None) == limit
    assert limit.time_limit == 6
    assert (Deadline().time_limit, Deadline(3).time_limit) == (None, 0)
    assert limit.sooner(2).at == 102
    assert limit.sooner(9).at == 106
    assert limit.later(1).at == 107
    assert Deadline.after(0).is_over
    assert Deadline(90).share(2).at == 100
    for over in (Deadline(100), Deadline(3)):
        with pytest.raises(OutOfTimeError, match="Not computed in time"):
            over.seconds_left()


STRICT = ra.Kemeny(time_limit=LIMIT)
WEAK = ra.Kemeny(consensus_ties=True, tie_cost=1.0, consensus_tie_cost=1.0, time_limit=LIMIT)
TIED = ra.Profile.from_ranks(np.random.default_rng(0).integers(1, 5, (7, 12))).pairwise()
FAST = (0, 18, 60, 208)
SLOW = sorted({*range(0, 60, 3), *range(60, 400, 37)} - {*FAST})
MOMENTS = [(k, []) for k in FAST] + [(k, [pytest.mark.slow]) for k in SLOW]
SOLVES = [
    *(
        pytest.param(STRICT, votes, k, marks=marks)
        for votes in (TANGLED.pairwise(), PALEY)
        for k, marks in MOMENTS
    ),
    *((WEAK, votes, k) for votes in (TIED, PALEY) for k in (0, 45)),
    *(
        pytest.param(WEAK, votes, k, marks=pytest.mark.slow)
        for votes in (TIED, PALEY)
        for k in (9, 400)
    ),
]


@cache
def least_cost(rule: ra.Aggregator, votes: ra.PairwiseMatrix) -> float:
    if rule == STRICT:
        rule = ra.Kemeny(backend="subset-dp")
    found = replace(rule, time_limit=None).aggregate(votes)
    assert found.is_proved
    return found.cost


@pytest.mark.parametrize(("rule", "votes", "k"), SOLVES)
def test_a_solve_stopped_at_any_moment_is_valid(stop_at, monkeypatch, rule, votes, k):
    optimum = least_cost(rule, votes)
    stop_at(k)
    found = rule.aggregate(votes)
    monkeypatch.undo()  # checking has a budget of its own
    assert found.certificate.verify(votes)
    assert found.certificate.lower_bound <= optimum <= found.cost == found.certificate.cost
    assert found.is_proved == (found.cost == found.certificate.lower_bound)
    assert not found.interrupted
    if not found.is_proved:
        assert found.notes == ("not proved optimal within the time limit of 1000 s",)


INTERRUPTED = [
    (STRICT, (relaxation.Relaxation, "solve"), "ranking"),
    (WEAK, (_WeakRelaxation, "solve"), "weak order"),
]


@pytest.mark.parametrize(("rule", "where", "called"), INTERRUPTED)
@pytest.mark.parametrize("step", range(3))
def test_ctrl_c_returns_the_best_so_far(monkeypatch, rule, where, called: str, step: int) -> None:
    optimum = least_cost(rule, PALEY)
    real, calls = getattr(*where), itertools.count()

    def interrupted(*args):
        if next(calls) == step:
            raise KeyboardInterrupt
        return real(*args)

    monkeypatch.setattr(*where, interrupted)
    found = rule.aggregate(PALEY)
    assert found.interrupted
    assert found.notes == (f"interrupted: the best {called} so far, not proved optimal",)
    assert found.certificate.lower_bound <= optimum <= found.cost
    monkeypatch.undo()
    assert found.certificate.verify(PALEY)


def test_a_limit_in_the_middle_keeps_what_was_proved(stop_at) -> None:
    found = []
    for k in (*range(0, 60, 9), 10_000):
        stop_at(k)
        found.append(STRICT.aggregate(TANGLED).certificate)
    assert (found[0].status, found[-1].status) == ("gap", "optimal")
    stopped = [one.lower_bound for one in found if one.status == "gap"]
    assert max(stopped) > stopped[0]


QUESTIONS = {
    "relation": lambda optima: optima.relation().tolist(),
    "is_unique": lambda optima: optima.is_unique,
    "count": lambda optima: optima.count(),
    "winners": lambda optima: optima.winners(),
    "rank_ranges": lambda optima: [places.tolist() for places in optima.rank_ranges()],
    "addition_radius": lambda optima: optima.addition_radius,
    "nearest": lambda optima: optima.nearest(ra.Permutation.from_ranks(np.arange(13)[::-1])),
    "first": lambda optima: len(optima.first(10**6)),
}


QUICK = ("relation", "count", "winners", "nearest")


@pytest.mark.parametrize(
    "question",
    [pytest.param(q, marks=() if q in QUICK else pytest.mark.slow) for q in QUESTIONS],
)
def test_optima_are_exact_or_raise_out_of_time(stop_at, question: str) -> None:
    ask = QUESTIONS[question]
    true = ask(ra.Kemeny().aggregate(TANGLED).optima)
    outcomes = []
    for k in (0, 7, 100, 10**6):
        optima = ra.Kemeny().aggregate(TANGLED).optima
        stop_at(k)
        try:
            answer = ask(optima.within(LIMIT))
        except OutOfTimeError:
            outcomes.append("not in time")
        else:
            assert answer == true
            outcomes.append("answered")
    assert outcomes[-1] == "answered"
    if question != "addition_radius":  # the majorities tell it at once
        assert outcomes[0] == "not in time"


def test_known_results_need_no_time() -> None:
    optima = ra.Kemeny().aggregate(TANGLED).optima
    unique, radius = optima.is_unique, optima.addition_radius
    late = optima.within(0)
    assert (late.is_unique, late.addition_radius) == (unique, radius)
    assert late == optima
    with pytest.raises(OutOfTimeError):
        late.count()
    # With copies of the reverse of A > B > C, the three majorities are still a cycle.
    cycle = ra.Kemeny().aggregate(ra.datasets.load("condorcet_1785")).optima
    with pytest.raises(OutOfTimeError):
        _ = cycle.within(0).addition_radius
    assert cycle.addition_radius > 1


def test_no_slow_step_starts_after_the_deadline(monkeypatch) -> None:
    def never(*args: object, **options: object) -> None:
        raise AssertionError("begun after the deadline")

    votes = random_profile(40, 5).pairwise()
    monkeypatch.setattr(orders, "insertion_gains", never)
    monkeypatch.setattr(relaxation.Relaxation, "__init__", never)
    found = ra.Kemeny().solve(votes, deadline=Deadline(0.0))
    assert found.certificate.status == "gap"
    assert found.notes == ("not proved optimal in time",)


def test_a_first_order_that_is_interrupted_is_an_order_all_the_same(monkeypatch) -> None:
    def interrupt(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(orders, "insertion_gains", interrupt)
    found = ra.Kemeny().aggregate(TANGLED)
    assert found.interrupted
    assert found.certificate.verify(TANGLED.pairwise())


def test_two_level_rules_pass_the_deadline_on() -> None:
    table = ra.ScoreTable(
        np.random.default_rng(0).normal(size=(25, 12)), systems=range(25),
        tasks=["x"] * 6 + ["y"] * 6, instances=[*range(6), *range(6)], higher_is_better=True,
    )  # fmt: skip
    rule = ra.TwoLevel(ra.Kemeny(), ra.Kemeny())
    assert rule.aggregate(table).notes == ()
    late = rule.aggregate(table, deadline=Deadline(0.0))
    assert "x: the inner consensus is not proved optimal" in late.notes
