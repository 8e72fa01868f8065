"""The search finds exactly what brute force finds."""

from dataclasses import dataclass, replace
from itertools import combinations, permutations
from typing import ClassVar

import numpy as np
import pytest

import rankagg as ra
from rankagg.aggregation import Outcome
from rankagg.axioms.ballots import Ballots, Outcomes
from rankagg.axioms.majorities import _clone_sets
from rankagg.axioms.search import _profiles, count_profiles
from rankagg.exceptions import InvalidInputError, OutOfTimeError
from tests.axioms.brute_force import (
    NAMES,
    RULES,
    all_profiles,
    ballots,
    broken,
    plain,
    rankings,
    some_slow,
    winners,
)


@pytest.mark.parametrize(("n", "m"), [(3, 3), (4, 2)])
def test_profiles_are_one_of_each_class(n, m) -> None:
    classes = list(_profiles(n, m))
    assert len(classes) == len(set(classes))
    assert len(classes) <= count_profiles(n, m)
    found = {
        tuple(sorted(tuple(names[x] for x in order) for order, k in one for _ in range(k)))
        for one in classes
        for names in permutations("ABCD"[:n])
    }
    assert found == set(all_profiles(n, m))


@pytest.mark.parametrize("rule", some_slow("Bucklin"))
def test_a_complete_search_equals_brute_force(rule) -> None:
    # Of all profiles, not of classes; the smallest size at which it is broken, or none.
    table = ra.axioms.axiom_table([rule], n_items=3, n_rankings=3)
    for axiom in NAMES:
        sizes = [
            (n, m)
            for n in (2, 3)
            for m in (1, 2, 3)
            if any(broken(axiom, plain(rule), one) for one in all_profiles(n, m))
        ]
        (witness,) = table.witnesses[NAMES.index(axiom)]
        if not sizes:  # a larger one may be known
            assert witness is None or max(witness.profile.n_items, witness.profile.n_rankings) > 3
        else:
            assert (witness.profile.n_items, int(witness.profile.counts.sum())) == sizes[0], axiom
            assert broken(axiom, plain(rule), ballots(witness.profile)), axiom
            assert witness.verify()


@pytest.mark.parametrize(
    ("number", "sizes"), [(4, (4, 7)), pytest.param(150, (1, 11), marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("rule", RULES, ids=plain)
def test_outcomes_of_larger_profiles_equal_brute_force(rule, number, sizes) -> None:
    rng = np.random.default_rng(5)
    outcomes = Outcomes(rule, "ABCD", neutral=True)
    if number < 150 and plain(rule) in ("Young", "Dodgson", "Kemeny"):
        number = 1
    for _ in range(number):
        drawn = ["".join(rng.permutation(list("ABCD"))) for _ in range(rng.integers(*sizes))]
        given = Ballots.of_profile(ra.Profile.from_orders(drawn))
        orders = [tuple(order) for order in drawn]
        labels = {"ABCD"[item] for item in outcomes.winners(given)}
        assert labels == winners(plain(rule), orders)
        found = {
            tuple(tuple("ABCD"[item] for item in bucket) for bucket in ranking)
            for ranking in outcomes.rankings(given)
        }
        assert found == rankings(plain(rule), orders)


def test_an_unfinished_search_raises_out_of_time() -> None:
    asked = {"n_items": 3, "n_rankings": 3, "time_limit": 0}
    with pytest.raises(OutOfTimeError, match=r"0 profiles of at most .* candidates under"):
        ra.axioms.find_counterexample(ra.Schulze(), "majority", **asked)
    with pytest.raises(OutOfTimeError, match="under Borda"):
        ra.axioms.axiom_table([ra.Borda()], **asked)


def test_long_searches_log_their_progress(caplog, monkeypatch) -> None:
    monkeypatch.setattr("rankagg.axioms.search.SECONDS_BETWEEN", 0.0)
    with caplog.at_level("INFO", logger="rankagg.axioms"):
        ra.axioms.find_counterexample(ra.Schulze(), "majority", n_items=2, n_rankings=2)
    messages = [record.getMessage() for record in caplog.records]
    assert [line.rpartition(",")[0] for line in messages] == [
        f"Schulze: {seen} profiles of at most 3 candidates" for seen in range(3)
    ]


def test_memory_of_outcomes_is_bounded(monkeypatch) -> None:
    monkeypatch.setattr("rankagg.axioms.ballots.CACHE_SIZE", 2)
    asked = {"n_items": 3, "n_rankings": 2}
    names = ("reversal symmetry", "reinforcement of rankings")
    few = [ra.axioms.find_counterexample(ra.Bucklin(), name, **asked) for name in names]
    monkeypatch.undo()
    assert few == [ra.axioms.find_counterexample(ra.Bucklin(), name, **asked) for name in names]


def test_a_witness_of_something_else_does_not_verify() -> None:
    found = ra.axioms.find_counterexample(ra.Borda(), "later-no-harm", n_items=3, n_rankings=4)
    assert found.verify()
    assert not replace(found, rule=ra.PickAPerm()).verify()
    assert not replace(found, axiom=ra.axioms.Pareto()).verify()
    assert not replace(found, profiles=found.profiles[::-1]).verify()
    other = ra.Profile.from_orders(["ABC", "ABC"])
    assert not replace(found, profiles=(found.profile, other)).verify()
    assert not replace(found, winners=found.winners[::-1]).verify()


@dataclass(frozen=True, kw_only=True)
class ByName(ra.Aggregator):
    """Most first places; of several the first by name."""

    needs: ClassVar[str] = "rankings"

    def _aggregate(self, evidence, rng) -> Outcome:
        profile = evidence.profile
        firsts = ((profile.ranks == 0) * profile.counts[:, None]).sum(axis=0)
        return Outcome(scores=firsts - np.arange(profile.n_items) / 100)


@dataclass(frozen=True, kw_only=True)
class WinnerOrAll(ByName):
    """The Condorcet winner, and without one all items."""

    needs: ClassVar[str] = "votes"

    def _aggregate(self, evidence, rng) -> Outcome:
        beaten = (evidence.votes.margins > 0).sum(axis=1)
        return Outcome(scores=(beaten == len(beaten) - 1).astype(float))


def test_rules_with_several_winners_are_exempt_from_theorems_about_one() -> None:
    kept = ["condorcet winner", "monotonicity", "participation", "strategyproofness"]
    table = ra.axioms.axiom_table([WinnerOrAll()], [*kept, "pareto"], n_items=3, n_rankings=5)
    assert [witness is None for (witness,) in table.witnesses] == [True, True, True, True, False]


@dataclass(frozen=True, kw_only=True)
class Unsteady(ByName):
    """Each time another winner."""

    asked: ClassVar[list[int]] = []

    def _aggregate(self, evidence, rng) -> Outcome:
        self.asked.append(1)
        n = len(evidence.items)
        return Outcome(scores=np.roll(np.arange(n), len(self.asked)).astype(float))


@dataclass(frozen=True, kw_only=True)
class Silent(ByName):
    """No score for anything."""

    def _aggregate(self, evidence, rng) -> Outcome:
        return Outcome(scores=np.full(len(evidence.items), np.nan))


@dataclass(frozen=True, kw_only=True)
class LateByName(ByName):
    """Borda, but the first item in the alphabet if there are so many ballots."""

    late: int = 4

    def _aggregate(self, evidence, rng) -> Outcome:
        if evidence.profile.counts.sum() == self.late:
            return Outcome(scores=-np.arange(len(evidence.items)))
        return ra.Borda()._aggregate(evidence, rng)


@pytest.mark.parametrize(
    ("rule", "message"),
    [(Unsteady(), "the same outcome each time"), (Silent(), "a rule that ranks some item")],
)
def test_rules_without_an_outcome_of_their_own_are_refused(rule, message) -> None:
    asked = {"n_items": 3, "n_rankings": 2}
    with pytest.raises(InvalidInputError, match=message):
        ra.axioms.find_counterexample(rule, "majority", **asked)


@pytest.mark.parametrize("late", [1, 3, 4])
def test_dependence_on_names_is_detected(late) -> None:
    # Under the canonical names of an odd number of ballots on two items the first one wins.
    rule = LateByName(late=late)
    found = ra.axioms.find_counterexample(rule, "reversal symmetry", n_items=2, n_rankings=late)
    assert found is not None
    assert found.winners == (("A",), ("A",))
    assert found.profile.counts.sum() == late


def test_a_rule_that_depends_on_names_is_tried_with_all_names() -> None:
    # In the canonical names A > B and B > A alone are the same profile.
    found = ra.axioms.find_counterexample(ByName(), "reversal symmetry", n_items=2, n_rankings=2)
    assert found is not None
    assert found.winners == (("A",), ("A",))


def test_a_witness_names_the_ranking_that_is_lost() -> None:
    whole = ra.Profile.from_orders(["ABC", "BAC", "CAB"], counts=[2, 2, 1])
    found = ra.axioms.RankingReinforcement().check(ra.InstantRunoff(), whole)
    assert found is not None
    assert found.verify()
    assert found.sentence == "Both parts choose B > A > C, and together they do not."
    one, other = found.profiles[1:]
    broken_ties = [
        {way.order for way in ra.InstantRunoff().aggregate(part).ranking.compatible_permutations()}
        for part in (whole, one, other)
    ]
    assert ("B", "A", "C") not in broken_ties[0]
    assert broken_ties[0] < broken_ties[1] & broken_ties[2]


REFUSED = [
    ({"rule": "Borda"}, "`rule` must be a rule object"),
    ({"axiom": "monotony"}, "Did you mean 'monotonicity'"),
    ({"axiom": 3}, "must be an axiom or the name of one"),
    ({"n_items": 0}, "`n_items` must be an integer of at least 1"),
    ({"n_items": 7}, "at most 6"),
    ({"n_rankings": 0}, "`n_rankings` must be"),
    ({"n_items": 5, "n_rankings": 9}, "a search has at most 3,000,000 candidate profiles"),
    ({"n_items": 6, "n_rankings": 30}, "a search has at most 3,000,000 candidate profiles"),
    ({"n_items": 6, "n_rankings": 9999}, "more than 1e"),
    ({"n_items": 2, "n_rankings": 63}, "at most 62 for a search with 2 items"),
    ({"n_items": 3, "n_rankings": 25}, "at most 24 for a search with 3 items"),
]


def test_bad_searches_are_refused() -> None:
    plain = {"rule": ra.Borda(), "axiom": "majority", "n_items": 3, "n_rankings": 3}
    for asked, message in REFUSED:
        given = plain | asked
        with pytest.raises(InvalidInputError, match=message):
            ra.axioms.find_counterexample(given.pop("rule"), given.pop("axiom"), **given)


@pytest.mark.parametrize(
    ("profile", "message"),
    [
        (ra.Profile.from_orders(["AB", "A"], items="AB"), "complete strict rankings"),
        (ra.Profile.from_ranks([[1, 1, 2]]), "complete strict rankings"),
        (ra.Profile.from_orders(["AB"], weights=[0.5]), "without weights"),
        ("ABC", "must be a Profile"),
        (ra.Profile.from_orders(["ABCDEFG"]), "at most 6 items"),
    ],
)
def test_axioms_refuse_incomplete_or_tied_rankings(profile, message) -> None:
    with pytest.raises(InvalidInputError, match=message):
        ra.axioms.Strategyproofness().check(ra.Borda(), profile)


def test_searches_and_divisions_are_bounded() -> None:
    count_profiles(5, 4)
    with pytest.raises(InvalidInputError, match=r"9\.1e"):
        count_profiles(5, 4, neutral=False)  # a rule that goes by names has more profiles
    many = ra.Profile.from_orders(["ABC", "BCA"], counts=[10**6, 10**6])
    with pytest.raises(InvalidInputError, match="divides into two in at most 100,000 ways"):
        ra.axioms.Reinforcement().check(ra.Borda(), many)


def test_clone_sets_are_found_among_neighbors() -> None:
    for one in _profiles(4, 3):
        expected = [
            inside
            for number in (2, 3)
            for inside in combinations(range(4), number)
            if all(
                set(inside) in [set(order[at : at + number]) for at in range(5 - number)]
                for order, _ in one
            )
        ]
        assert list(_clone_sets(one)) == expected
    # Of all sets of 26 items there are too many.
    assert len(list(_clone_sets(((tuple(range(26)), 1),)))) == 25 * 26 // 2 - 1


def test_labels_are_those_of_the_profile() -> None:
    profile = ra.Profile.from_orders([[7, 1, 3], [1, 3, 7]], items=[1, 7, 3], counts=[3, 2])
    found = ra.axioms.CondorcetWinner().check(ra.Borda(), profile)
    assert found.items == (7,)
    assert found.winners == ((1,),)
    assert found.verify()
