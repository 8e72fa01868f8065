"""Small elections, as profiles and as strings, and the tables of their steps."""

from itertools import combinations

from hypothesis import strategies as st

import rankagg as ra


@st.composite
def voters(draw, least=1, most=4):
    """Profiles of strict rankings, as a list of orders too."""
    items = "ABCDE"[: draw(st.integers(least, most))]
    orders = draw(st.lists(st.permutations(items).map("".join), min_size=1, max_size=6))
    return orders, ra.Profile.from_orders(orders, items=items)


def supporters(orders, a, b):
    return sum(order.index(a) < order.index(b) for order in orders)


def lead(orders, a, b):
    return supporters(orders, a, b) - supporters(orders, b, a)


def costs(orders, rankings):
    """Return how many votes each ranking contradicts."""
    return {
        tuple(ranking): sum(supporters(orders, b, a) for a, b in combinations(ranking, 2))
        for ranking in rankings
    }


def table(steps, heading):
    (step,) = (step for step in steps.steps if step.heading.startswith(heading))
    return step.to_frame()


def ballots(*orders):
    return list(orders), ra.Profile.from_orders(orders)


@st.composite
def partial(draw):
    """Profiles with ties, gaps, short lists and weights."""
    n = draw(st.integers(1, 4))
    rank = st.integers(1, 3).map(float) | st.just(float("nan"))
    rows = draw(st.lists(st.lists(rank, min_size=n, max_size=n), min_size=1, max_size=4))
    weight = st.sampled_from([1.0, 2.0, 0.5, 0.1])
    weights = [draw(weight) for _ in rows]
    return ra.Profile.from_ranks(rows, items="ABCD"[:n], weights=weights)
