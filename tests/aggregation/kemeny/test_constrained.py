"""All optima under constraints that decide pairs, and what is refused under others."""

from random import Random

import pytest

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from tests.aggregation.kemeny.constrained_brute import allowed, random_votes
from tests.conftest import seeds


def random_pairs(seed: int, items: str) -> ra.Constraints:
    """Constraints that all orders keep that have one random order of some items."""
    rng = Random(seed)
    order = rng.sample(items, len(items))
    pairs = [tuple(sorted(rng.sample(items, 2), key=order.index)) for _ in range(rng.randrange(4))]
    first = order[: rng.randrange(2)] if rng.random() < 0.5 else ()
    return ra.Constraints(above=dict.fromkeys(pairs), first=first)


@pytest.mark.parametrize("seed", seeds(6, 40))
def test_optima_equal_brute_force(seed: int) -> None:
    items, votes = random_votes(seed)
    wish = random_pairs(seed, items)
    costs = {
        order: votes.exact_cost(ra.Permutation.from_order(order, items=votes.items))
        for order in allowed(items, wish)
    }
    levels = sorted(set(costs.values()))
    best = {order for order, cost in costs.items() if cost == levels[0]}
    optima = ra.Kemeny(constraints=wish).aggregate(votes).optima
    assert {one.order for one in optima} == best
    assert optima.count() == len(best)
    assert optima.is_unique == (len(best) == 1)
    second = optima.second_value()
    assert second == (pytest.approx(float(levels[1])) if len(levels) > 1 else None)
    relation = optima.relation()
    for i, a in enumerate(votes.items):
        for j, b in enumerate(votes.items):
            always = i != j and all(order.index(a) < order.index(b) for order in best)
            assert relation[i, j] == always
    assert optima.within(60).addition_radius == radius(votes, costs, optima)


def radius(votes: ra.PairwiseMatrix, costs: dict, optima: ra.Optima) -> int | None:
    """Return after how many copies of its reverse the order is no longer best."""
    mine = optima.items.at(optima._order)
    if len(costs) == 1:
        return None
    apart = {
        order: sum(
            (mine.index(a) < mine.index(b)) != (order.index(a) < order.index(b))
            for at, a in enumerate(mine)
            for b in mine[at + 1 :]
        )
        for order in costs
    }
    copies = 1
    while all(costs[mine] + copies * apart[o] <= costs[o] for o in costs if o != mine):
        copies += 1
    return copies


def test_where_places_are_counted_the_optima_are_not_known_and_bounds_speak_of_all() -> None:
    table = ra.datasets.load("tennessee")
    rule = ra.Kemeny(constraints=ra.Constraints(top=(["Memphis"], 2)))
    consensus = rule.aggregate(table)
    assert consensus.is_proved
    assert consensus.optima is None
    for call, words in (
        (lambda: ra.rank_shares(table, rule, n_resamples=3), "set of optima is known"),
        (lambda: ra.inference.dispersion_report(table, [rule]), "without constraints"),
        (lambda: ra.analysis.removal_radius(table, rule=rule), "without constraints"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            call()
    assert ra.compare(table, [rule, ra.Kemeny()]).exact.rule == ra.Kemeny()


def test_swaps_are_priced_among_what_is_allowed() -> None:
    table = ra.datasets.load("tennessee")
    wish = ra.Constraints(above=[("Memphis", "Nashville")], top=(["Knoxville"], 3))
    consensus = ra.Kemeny(constraints=wish).aggregate(table)
    held = ra.explain(consensus, "Memphis", "Nashville")
    assert held.is_held
    assert held.is_complete
    assert held.swap is None
    assert "the constraints demand this order" in held.summary()
    above, below = consensus.order[0], consensus.order[-1]
    swap = ra.explain(consensus, above, below).swap
    assert swap is not None
    turned = [
        order
        for order in allowed(table.items.labels, wish)
        if order.index(below) < order.index(above)
    ]
    votes = table.pairwise()
    rankings = [ra.Permutation.from_order(order, items=table.items) for order in turned]
    least = min(votes.cost(ranking) for ranking in rankings)
    assert swap.extra_cost == least - consensus.cost
