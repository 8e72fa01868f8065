"""Top-k lists and weights of places against all lists."""

import json
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

import rankagg as ra
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny import placed_lists
from rankagg.exceptions import InvalidInputError
from tests.aggregation.kemeny.placed_brute import PRICES, costs, exact, random_votes, random_weights

NEVER = Deadline()


def check(seed: int, most: int) -> None:
    """Hold every k, at two prices, and weights against all lists."""
    votes = random_votes(seed, most)
    rng = np.random.default_rng(seed)
    n = votes.n_items
    for k in range(1, n + 1):
        tied, agreed = rng.choice(PRICES, size=2).tolist()
        found = ra.TopK(k=k, tie_cost=tied, consensus_tie_cost=agreed).aggregate(votes)
        least = min(costs(votes, [1] * k, tied, agreed).values())
        assert found.is_proved
        assert exact(found) == least, (seed, k, tied, agreed)
        assert found.cost == pytest.approx(float(least))
        sizes = [len(bucket) for bucket in found.buckets]
        assert sizes == [1] * min(k, n) + [n - k] * (k < n)
        assert found.certificate.verify(votes)
    weights, tied = random_weights(rng, n), float(rng.choice(PRICES))
    found = ra.PlaceWeightedKemeny(weights=weights, tie_cost=tied).aggregate(votes)
    assert found.is_proved
    assert exact(found) == min(costs(votes, weights, tied).values()), (seed, weights, tied)
    heard = min(sum(weight > 0 for weight in weights), n - 1)
    assert [len(bucket) for bucket in found.buckets] == [1] * heard + [n - heard]


@pytest.mark.parametrize(
    ("seeds", "most"),
    [(range(3), 5), (range(3, 15), 4), pytest.param(range(25, 1500), 6, marks=pytest.mark.slow)],
)
def test_nothing_is_cheaper(seeds, most: int) -> None:
    for seed in seeds:
        check(seed, most)


# -- what is known of it --------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(0, 12, 3))
def test_the_last_place_but_one_makes_it_kemenys_rule(seed: int) -> None:
    votes = random_votes(seed)
    n = votes.n_items
    kemeny = ra.Kemeny(tie_cost=0.5).aggregate(votes)
    for rule in (
        ra.TopK(k=n),
        ra.TopK(k=max(n - 1, 1)),
        ra.PlaceWeightedKemeny(weights=[1] * n, tie_cost=0.5),
    ):
        found = rule.aggregate(votes)
        assert found.cost == kemeny.cost
        assert isinstance(found.certificate, ra.Certificate)
        assert found.optima == kemeny.optima
    heavy = ra.PlaceWeightedKemeny(weights=[2.5] * n, tie_cost=0.5).aggregate(votes)
    assert exact(heavy) == Fraction(5, 2) * exact(kemeny)
    assert heavy.cost == kemeny.cost


@pytest.mark.parametrize("n", [1, 2, 3, 40])
def test_all_tied(n: int) -> None:
    votes = ra.PairwiseMatrix.from_wins(np.zeros((n, n)))
    for k in {1, n // 2, n} - {0}:
        found = ra.TopK(k=k).aggregate(votes)
        assert found.is_proved
        assert found.cost == 0


def test_weights_of_any_size_are_exact() -> None:
    votes = random_votes(12)
    assert votes.n_items > 3
    for weights in ([1e300, 1e-300], [1e16 + 2, 1e16, 1 / 3], [2**0.5, 0.1, 5e-324]):
        found = ra.PlaceWeightedKemeny(weights=weights).aggregate(votes)
        heard = ra.PlaceWeightedKemeny(weights=weights)._weights(votes.n_items)
        assert exact(found) == min(costs(votes, heard, 0).values())
        again = ra.PlacedCertificate.from_json(json.dumps(found.certificate.to_dict()))
        assert again == found.certificate
        assert again.verify(votes)


def test_huge_votes_are_exact() -> None:
    few = random_votes(3)
    many = ra.PairwiseMatrix.from_wins(few.wins * 1e30)
    found = ra.TopK(k=2).aggregate(many)
    assert exact(found) == min(costs(many, [1, 1], 0.5, 0.5).values())


# -- the parts of the proof, each by itself -------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_some_best_list_has_all_pairs_of_the_exchanges(seed: int) -> None:
    votes = random_votes(seed, 5)
    rng = np.random.default_rng(seed)
    weights = [weight for weight in random_weights(rng, votes.n_items) if weight]
    for heard, price in (([1.0], 0.5), ([1.0, 1.0], 1.0), (weights, 0.0)):
        if votes.n_items < 2:
            return
        shares = [Fraction(weight) for weight in heard]
        problem = placed_lists.PlacedProblem.from_pairwise(votes, shares, 0.5, price)
        items, above = placed_lists.contenders(problem.gains, problem.k, NEVER)
        everything = costs(votes, shares, 0.5, price)
        least = min(everything.values())
        best = [placed for placed, cost in everything.items() if cost == least]
        assert any(_keeps(placed, items.tolist(), above) for placed in best)


def test_the_pairs_of_the_exchanges_and_what_is_found_hold_for_any_gains() -> None:
    """Also where the two costs of a pair do not add up to the same, and where gains are losses."""
    n = 4
    orders = np.array(list(permutations(range(n))))
    rng = np.random.default_rng(0)
    n_pairs = 0
    for _ in range(400):
        gains = rng.integers(-1, 3, size=(n, n))
        np.fill_diagonal(gains, 0)
        k = int(rng.integers(1, n))
        weights = tuple(sorted(rng.integers(1, 4, size=k).tolist(), reverse=True))
        problem = placed_lists.PlacedProblem(gains, 7, weights, 1)
        pairs = gains[orders[:, :, None], orders[:, None, :]]
        every = (np.triu(pairs, k=1).sum(axis=2)[:, :k] * weights).sum(axis=1) + 7
        items, above = placed_lists.contenders(gains, k, NEVER)
        best = orders[every == every.min()][:, :k].tolist()
        assert any(_keeps(placed, items.tolist(), above) for placed in best), (gains, weights)
        found = placed_lists.enumerate_below(problem, int(every.min()) + 1, NEVER)
        assert found.bound == every.min()
        assert found.placed.tolist() in best
        n_pairs += above.sum()
    assert n_pairs > 100


def _keeps(placed, items, above) -> bool:
    """Say whether a list names these items alone, none before one that must be above it."""
    if not set(placed) <= set(items):
        return False
    where = {item: placed.index(item) if item in placed else len(placed) for item in items}
    return all(
        where[items[i]] < where[items[j]] or where[items[j]] == len(placed)
        for i, j in np.argwhere(above)
    )


@pytest.mark.parametrize("seed", range(8))
def test_bounds_are_below_all_that_they_bound(seed: int) -> None:
    votes = random_votes(seed, 5)
    rng = np.random.default_rng(seed)
    weights = [Fraction(w) for w in random_weights(rng, votes.n_items) if w]
    if votes.n_items < 2:
        return
    for heard, price in (([Fraction(1)] * 2, 0.5), (weights, 0.0)):
        problem = placed_lists.PlacedProblem.from_pairwise(votes, heard, 0.5, price)
        n, k = problem.n, problem.k
        lists = {
            placed: problem.cost(np.array(placed)) - problem.constant
            for placed in permutations(range(n), k)
        }
        bounds = placed_lists.Bounds(problem, np.arange(n))
        twice = bounds.with_each()
        for item in range(n):
            assert twice[item] <= 2 * min(lists[placed] for placed in lists if item in placed)
        for size in range(k):
            for start in permutations(range(n), size):
                used = np.isin(np.arange(n), start)[None]
                left = problem.gains * ~used
                spent = sum(
                    weight * sum(int(problem.gains[i, j]) for j in {*range(n)} - {*start[:p]})
                    for p, (i, weight) in enumerate(zip(start, problem.weights, strict=False))
                )
                rest = left.sum(axis=1)[None]
                (found,) = bounds.least(
                    used, problem.weighed(np.array([spent], dtype=object), 1), rest, NEVER
                )
                best = min(cost for placed, cost in lists.items() if placed[:size] == start)
                assert found <= 2 * best
                if size == k - 1:  # one place is left, and nothing is taken back
                    assert found == 2 * best


@pytest.mark.parametrize("seed", range(10))
def test_a_narrow_beam_says_nothing_false(seed: int) -> None:
    votes = random_votes(seed, least=2)
    k = max(votes.n_items - 2, 1)
    problem = placed_lists.PlacedProblem.from_pairwise(votes, [Fraction(1)] * k, 0.5, 0.5)
    least = min(costs(votes, [1] * k, 0.5, 0.5).values()) * problem.denominator
    assert placed_lists.first_bound(problem, NEVER) <= least
    for below in (least, least + 1, least + 5):
        for width in (1, 2, None):
            found = placed_lists.enumerate_below(problem, int(below), NEVER, width)
            assert found.bound <= min(least, below)
            assert found.is_complete or width is not None
            if found.placed is not None:
                assert least <= problem.cost(found.placed) < below
            if found.is_complete:
                assert found.bound == min(least, below)


@pytest.mark.parametrize("at_once", [1, 40, 200])
def test_layers_that_come_in_pieces_are_the_same(monkeypatch, at_once: int) -> None:
    votes = ra.PairwiseMatrix.from_wins(np.random.default_rng(0).integers(0, 9, size=(9, 9)))
    whole = ra.TopK(k=6).aggregate(votes)
    monkeypatch.setattr(placed_lists, "GROWN_AT_ONCE", at_once)
    monkeypatch.setattr("rankagg.aggregation.kemeny.placed_lists.BOUND_CELLS", at_once)
    pieces = ra.TopK(k=6).aggregate(votes)
    assert pieces.certificate.scaled_lower_bound == whole.certificate.scaled_cost
    assert pieces.is_proved


# -- real tables, and what is refused -------------------------------------------------------------


def test_systems_of_leaderboards(data) -> None:
    for name, k, cost in (("superglue", 5, 922.5), ("glue", 10, 19196), ("glue", 20, 15525.5)):
        table = ra.read_scores(data(f"tasks/{name}.csv"), higher_is_better=True)
        found = ra.TopK(k=k).aggregate(table)
        assert found.is_proved
        assert found.cost == cost
        assert sum(len(bucket) == 1 for bucket in found.buckets) >= k


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ra.TopK(k=0), "`k of TopK`"),
        (lambda: ra.TopK(k=2.5), "`k of TopK`"),
        (lambda: ra.TopK(k=True), "`k of TopK`"),
        (lambda: ra.TopK(k=1, tie_cost=2), "`tie_cost of TopK`"),
        (lambda: ra.TopK(k=1, consensus_tie_cost=-1), "`consensus_tie_cost of TopK`"),
        (lambda: ra.TopK(k=1, time_limit=-1), "`time_limit of TopK`"),
        (lambda: ra.TopK(k=1, on_progress=3), "`on_progress of TopK`"),
        (lambda: ra.TopK(k=1, verify="no"), "`verify of TopK`"),
        (lambda: ra.TopK(k=1, unranked="none"), "`unranked of TopK`"),
        (lambda: ra.TopK(k=5).aggregate(ra.Profile.from_orders(["ABC"])), "number of items, 3"),
        (lambda: ra.PlaceWeightedKemeny(weights=[]), "none larger than the one before it"),
        (lambda: ra.PlaceWeightedKemeny(weights=[0, 0]), "the first above 0"),
        (lambda: ra.PlaceWeightedKemeny(weights=[1, 2]), "none larger than the one before it"),
        (lambda: ra.PlaceWeightedKemeny(weights=[1, -1]), "PlaceWeightedKemeny"),
        (lambda: ra.PlaceWeightedKemeny(weights=[1, float("nan")]), "PlaceWeightedKemeny"),
        (lambda: ra.PlaceWeightedKemeny(weights=[float("inf"), 1]), "PlaceWeightedKemeny"),
        (lambda: ra.PlaceWeightedKemeny(weights="1,2"), "PlaceWeightedKemeny"),
        (lambda: ra.PlaceWeightedKemeny(weights={"A": 1}), "PlaceWeightedKemeny"),
        (lambda: ra.PlaceWeightedKemeny(weights=3), "PlaceWeightedKemeny"),
        (lambda: ra.PlaceWeightedKemeny(weights=[[1]]), "PlaceWeightedKemeny"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_sentence(make, words: str) -> None:
    with pytest.raises(InvalidInputError) as refused:
        make()
    assert words in str(refused.value)


def test_rules_are_values() -> None:
    rule = ra.PlaceWeightedKemeny(weights=np.array([1, 0.5]))
    assert rule == ra.PlaceWeightedKemeny(weights=(1, 0.5))
    assert hash(rule) == hash(ra.PlaceWeightedKemeny(weights=(1, 0.5)))
    assert eval(repr(rule), vars(ra) | {"PlaceWeightedKemeny": ra.PlaceWeightedKemeny}) == rule
    assert ra.TopK(k=3).name == "TopK(k=3)"


def test_lists_are_no_yardstick() -> None:
    """Their certificates speak of lists, and not of all rankings."""
    table = ra.datasets.load("glue_human")
    lists = [ra.TopK(k=2), ra.PlaceWeightedKemeny(weights=[1, 0.5])]
    assert ra.compare(table, [*lists, ra.Borda()]).exact is None
    assert isinstance(ra.compare(table, [*lists, ra.Kemeny()]).exact.aggregator, ra.Kemeny)
    with pytest.raises(InvalidInputError, match="set of optima is known") as refused:
        ra.rank_shares(table, lists[0], n_resamples=2, rng=0)
    assert "constraints" not in str(refused.value)
