"""Young and Dodgson against every part and every lift."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankagg as ra
from rankagg.aggregation.kemeny.pulp_programs import IntegerProgram, _Optimum
from rankagg.exceptions import InvalidInputError, OutOfTimeError, SolverError
from tests.aggregation.voting import slow
from tests.strategies import policies, profiles

few = settings(max_examples=8, deadline=None)
SIZES = st.sampled_from([1.0, 1 / 2, 2.0])


def small(**kinds):
    return profiles(max_size=4, max_rows=3, weights=SIZES, **kinds).filter(
        lambda profile: len(slow.units(profile)[0]) <= 8
    )


@few
@given(profile=small(), policy=policies)
def test_young_scores_equal_brute_force(profile, policy) -> None:
    consensus = ra.Young().aggregate(profile.with_unranked(policy))
    expected = [slow.young(profile, item, policy) for item in range(profile.n_items)]
    assert consensus.scores.tolist() == [float(number) for number in expected]


@few
@given(profile=small(unranked=False))
def test_dodgson_scores_equal_brute_force(profile) -> None:
    consensus = ra.Dodgson().aggregate(profile)
    expected = [slow.dodgson(profile, item) for item in range(profile.n_items)]
    assert consensus.scores.tolist() == [-float(number) for number in expected]
    gaps = ra.Profile.from_orders(["ABC", "AB"], items="ABC")
    with pytest.raises(InvalidInputError, match="unranked of the data"):
        ra.Dodgson().aggregate(gaps)
    assert ra.Dodgson().aggregate(gaps.with_unranked("last")).order == ("A", "B", "C")


@pytest.mark.parametrize("rule", [ra.Young(), ra.Dodgson()], ids=repr)
def test_large_data_are_refused_with_the_reason(rule) -> None:
    rng = np.random.default_rng(0)
    ranks = np.argsort(rng.random((3_000, 14)), axis=1)
    with pytest.raises(InvalidInputError, match=f"data of {rule.name}.*different ballots"):
        rule.aggregate(ra.Profile.from_ranks(ranks))
    cycle = ra.Profile.from_orders(["ABC", "BCA", "CAB"], weights=[0.999999, 0.999998, 0.999997])
    with pytest.raises(InvalidInputError, match=f"data of {rule.name}.*smallest weight"):
        rule.aggregate(cycle)
    with pytest.raises(OutOfTimeError):
        replace(rule, time_limit=0).aggregate(ra.Profile(list(cycle), counts=[4, 3, 2]))


def test_more_ballots_than_the_stated_limit_are_refused() -> None:
    for votes in (2**20, 2**20 + 1):
        cycle = ra.Profile.from_orders(["ABC", "BCA", "CAB"], counts=[votes - 4, 2, 2])
        if votes == 2**20:
            assert ra.Dodgson().aggregate(cycle).scores.max() == 0
            continue
        with pytest.raises(InvalidInputError, match=r"1048576 ballots .* Got 1048577 ballots"):
            ra.Dodgson().aggregate(cycle)
    # By "uniform" A leads B by one vote, and C by a third of one: three thirds a ballot.
    ballot = ra.PartialRanking.from_buckets(["A", "B"], items="ABC")
    assert ra.Young().aggregate(ra.Profile([ballot], counts=[349_525])).scores.max() == 349_525
    with pytest.raises(InvalidInputError, match=r"349525 ballots .* Got 349526 ballots"):
        ra.Young().aggregate(ra.Profile([ballot], counts=[349_526]))


def test_too_large_data_are_refused_before_any_solve(monkeypatch) -> None:
    monkeypatch.setattr(IntegerProgram, "solve", None)
    ranks = [np.roll(np.arange(4_000), 400 * shift) for shift in range(3)]
    for rule in (ra.Dodgson(), ra.Young()):
        with pytest.raises(InvalidInputError, match=f"data of {rule.name}.* Got 12000 cells"):
            rule.aggregate(ra.Profile.from_ranks([*ranks, *ranks[:1]] * 2))


@pytest.mark.parametrize("rule", [ra.Young(), ra.Dodgson()], ids=repr)
def test_a_wrong_answer_of_the_solver_is_refused(monkeypatch, rule) -> None:
    """What the solver says is checked against the rows, and is no score where there is nothing."""
    cycle = ra.Profile.from_orders(["ABC", "BCA", "CAB"], counts=[4, 3, 2])
    honest = IntegerProgram.solve

    def nothing(self, *args, **options):
        found = honest(self, *args, **options)
        return _Optimum(0, 0 * found.values)

    monkeypatch.setattr(IntegerProgram, "solve", nothing)
    with pytest.raises(SolverError, match="broke a row"):
        rule.aggregate(cycle)
