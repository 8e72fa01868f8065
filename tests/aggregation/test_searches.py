"""Insertion search, KwikSort, pick-a-perm and the footrule optimum: what each promises."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.analysis.rules import named_rules
from rankagg.exceptions import InvalidInputError
from tests.strategies import profiles

strict = st.lists(st.permutations(range(5)), min_size=1, max_size=6)


def profile_of(orders):
    return ra.Profile.from_orders(orders, items=range(5))


def optimum(votes):
    n = votes.n_items
    return min(
        votes.cost(ra.Permutation.from_ranks(p, items=votes.items)) for p in permutations(range(n))
    )


@given(orders=strict)
def test_no_move_of_one_item_makes_the_result_cheaper(orders):
    votes = profile_of(orders).pairwise()
    found = ra.InsertionSearch().aggregate(votes)
    assert found.cost <= votes.cost(ra.Borda().aggregate(votes).ranking)
    order = list(found.order)
    for item in order:
        rest = [other for other in order if other != item]
        for place in range(5):
            moved = ra.Permutation.from_order([*rest[:place], item, *rest[place:]], items=range(5))
            assert votes.cost(moved) >= found.cost


def test_kwiksort_costs_at_most_twice_the_optimum_on_average():
    rng = np.random.default_rng(0)
    numbers = []
    for _ in range(3):
        votes = ra.distributions.Uniform(range(6)).sample(5, rng=rng).pairwise()
        costs = [ra.KwikSort().aggregate(votes, rng=rng).cost for _ in range(60)]
        assert np.mean(costs) <= 2 * optimum(votes)
        numbers.append(len(set(costs)))
    assert max(numbers) > 1


@given(profile=profiles(max_size=4))
@pytest.mark.parametrize("policy", ["uniform", "last"])
def test_pick_a_perm_takes_the_cheapest_of_those_given(profile, policy):
    found = ra.PickAPerm().aggregate(profile.with_unranked(policy))
    votes = profile.with_unranked(policy).pairwise()
    complete = [r for r in profile if r.is_complete]
    assert all(votes.cost(r) >= found.cost - 1e-9 for r in complete)
    if profile.is_complete:
        assert found.ranking in list(profile)


def test_items_without_a_starting_rank_go_last():
    profile = ra.Profile.from_orders(["BC", "CB", "CB"], items="ABC").with_unranked("ignore")
    search = ra.InsertionSearch(start=ra.Bucklin())
    assert search.aggregate(profile).order == ("C", "B", "A")


# -- parameters -----------------------------------------------------------------------------------


def test_parameters_are_checked_and_named():
    for rule, name, wrong in (
        (ra.InsertionSearch, "start", "borda"), (ra.KwikSort, "pivot", "first"),
    ):  # fmt: skip
        with pytest.raises(InvalidInputError, match=f"{name} of {rule.__name__}"):
            rule(**{name: wrong})
    assert ra.InsertionSearch().name == "InsertionSearch"
    assert named_rules()["insertion-search"] == ra.InsertionSearch()
    assert ra.InsertionSearch(start=ra.Copeland()).name == "InsertionSearch(start=Copeland)"


@pytest.mark.parametrize("seed", range(4))
def test_the_best_pivot_separates_pairs_at_the_least_ratio(seed):
    rng = np.random.default_rng(seed)
    wins = rng.integers(0, 9, size=(6, 6)).astype(float)
    np.fill_diagonal(wins, 0.0)
    part = rng.permutation(6)[:5]
    ratios = {}
    for k in part.tolist():
        lead = [i for i in part.tolist() if wins[i, k] > wins[k, i]]
        behind = [j for j in part.tolist() if j != k and j not in lead]
        paid = sum(wins[j, i] for i in lead for j in behind)
        floor = sum(min(wins[j, i], wins[i, j]) for i in lead for j in behind)
        ratios[k] = paid / floor if floor else (1.0 if paid == 0 else np.inf)
    pivot = ra.KwikSort(pivot="best")._pivot(wins, part, rng)
    assert ratios[pivot] == min(ratios.values())
