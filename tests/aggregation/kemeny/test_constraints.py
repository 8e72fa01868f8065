"""Constraints against brute force: optima, proofs, conflicts, and refusals."""

import json
from itertools import permutations, product
from random import Random
from typing import Any

import numpy as np
import pytest

import rankagg as ra
from rankagg import check_certificate
from rankagg.aggregation.kemeny import constrained
from rankagg.aggregation.kemeny.constrained import _Sides
from rankagg.aggregation.kemeny.constraints import Above, Demands, Within
from rankagg.aggregation.kemeny.proof import Proof
from rankagg.check_certificate import Exchange, Leaf
from rankagg.exceptions import InfeasibleError, InvalidInputError, VerificationError
from rankagg.io.json_files import votes_to_dict
from tests.aggregation.kemeny import constrained_brute
from tests.conftest import seeds
from tests.tournaments import PALEY, paley


def keeps(demands: Demands, order: Any) -> bool:
    """Say whether an order, best first, keeps to all constraints."""
    place = np.argsort(order)
    pairs = np.argwhere(demands.stated(len(place)))
    return all(place[i] < place[j] for i, j in pairs) and demands.counts_hold(np.array(order))


def check(seed: int) -> bool:
    """Hold one random instance against all orders; return whether some order is allowed."""
    items, votes = constrained_brute.random_votes(seed)
    wish = constrained_brute.random_wish(Random(seed), items)
    tie_cost = (0.0, 0.5)[seed % 2]
    orders = constrained_brute.allowed(items, wish)
    rule = ra.Kemeny(constraints=wish, tie_cost=tie_cost)
    if not orders:
        with pytest.raises(InfeasibleError) as caught:
            rule.aggregate(votes)
        assert caught.value.conflict
        return False
    exact = rule.aggregate(votes)
    assert exact.order in orders
    cost = votes.exact_cost(exact.ranking, tie_cost=tie_cost)
    assert cost == constrained_brute.least_cost(votes, orders, tie_cost)
    certificate = exact.certificate
    assert certificate.status == "optimal"
    plain = json.loads(json.dumps(certificate.to_dict()))
    again = ra.Certificate.from_dict(plain)
    assert again == certificate
    assert again.verify(votes)
    check_certificate.check(plain, votes_to_dict(votes))
    return True


@pytest.mark.parametrize(
    ("seeds", "least", "most"),
    [(range(16), 4, 15), pytest.param(range(1_000, 2_200), 501, 1_099, marks=pytest.mark.slow)],
)
def test_random_instances_equal_brute_force(seeds, least, most) -> None:
    assert least <= sum(map(check, seeds)) <= most


def test_constrained_optimum_is_proved_by_branching() -> None:
    votes = paley(7)
    wish = ra.Constraints(
        above=[(6, 1)], quotas=[ra.Quota([1, 3, 4], 4, 2), ra.Quota([1, 2], 4, 1)]
    )
    exact = ra.Kemeny(constraints=wish).aggregate(votes)
    orders = constrained_brute.allowed(range(7), wish)
    assert exact.certificate.n_cases > 1
    assert votes.exact_cost(exact.ranking) == constrained_brute.least_cost(votes, orders, 0.0)


def test_without_constraints_the_certificate_is_the_same() -> None:
    votes = ra.datasets.load("condorcet_1785")
    free, empty = (ra.Kemeny(constraints=c).aggregate(votes) for c in (None, ra.Constraints()))
    assert free.certificate.to_dict() == empty.certificate.to_dict()
    assert "constraints" not in free.certificate.to_dict()


# -- proofs under other constraints ---------------------------------------------------------------


def genuine() -> tuple[ra.Certificate, ra.PairwiseMatrix]:
    votes = ra.PairwiseMatrix.from_wins(np.random.default_rng(12).integers(0, 9, size=(6, 6)))
    wish = ra.Constraints(
        above=[(5, 0)], quotas=[ra.Quota([0, 2, 4], 2, 2), ra.Quota([5, 1], 4, 2)]
    )
    return ra.Kemeny(constraints=wish).aggregate(votes).certificate, votes


def refused_by_both(data: dict[str, Any], votes: ra.PairwiseMatrix) -> bool:
    """Return whether both checkers, each by itself, refuse it; they must agree."""
    try:
        ra.Certificate.from_dict(data).verify(votes)
        refused = False
    except (VerificationError, ra.exceptions.DataFormatError):
        refused = True
    try:
        check_certificate.check(data, votes_to_dict(votes))
        assert not refused
    except check_certificate.RefusedError:
        assert refused
    return refused


@pytest.mark.parametrize(
    "change",
    [
        lambda stated: stated.pop("counts"),
        lambda stated: stated["counts"].pop(),
        lambda stated: stated["counts"].pop(0),
        lambda stated: stated["above"].clear(),
        lambda stated: stated["above"].append([3, 1]),
        lambda stated: stated["above"].append([0, 5]),
        lambda stated: stated["counts"][0].update(at_least=1),
        lambda stated: stated["counts"][0].update(within=3),
        lambda stated: stated["counts"][0].update(items=[0, 2, 3, 4]),
        lambda stated: stated["first"].append(3),
        lambda stated: stated["last"].append(0),
    ],
)
def test_a_proof_does_not_hold_for_other_constraints(change: Any) -> None:
    certificate, votes = genuine()
    data = json.loads(json.dumps(certificate.to_dict()))
    change(data["constraints"])
    assert refused_by_both(data, votes)
    del data["constraints"]
    assert refused_by_both(data, votes)


# -- conflicts ------------------------------------------------------------------------------------


def test_a_conflict_is_named() -> None:
    votes = ra.datasets.load("tennessee").pairwise()
    a, b, c, _ = votes.items.labels
    wish = ra.Constraints(above=[(a, b), (b, c), (c, a)], first=[b], last=[b])
    with pytest.raises(InfeasibleError) as caught:
        ra.Kemeny(constraints=wish).aggregate(votes)
    assert len(caught.value.conflict) == 2
    assert str(caught.value) == (
        f"No ranking keeps all constraints: {'; '.join(caught.value.conflict)} contradict each "
        "other: leave any one of them out."
    )


def kept(part: Above | Within, order: tuple[int, ...]) -> bool:
    if isinstance(part, Above):
        return order.index(part.first) < order.index(part.second)
    places = order[-part.within :] if part.at_the_end else order[: part.within]
    return len(set(places) & set(part.items)) >= part.at_least


def test_a_conflict_is_unsatisfiable_and_minimal() -> None:
    rng = Random(3)
    n_seen = 0
    for _ in range(40):
        items = "ABCDE"
        wish = constrained_brute.random_wish(rng, items)
        if constrained_brute.allowed(items, wish):
            continue
        n_seen += 1
        parts = wish.over(ra.ItemSet(items)).parts
        found = constrained._conflict(parts, len(items), np.arange(len(items)))
        holds = [[kept(part, order) for part in found] for order in permutations(range(5))]
        assert not any(map(all, holds))
        for left_out in range(len(found)):
            assert any(all(row[:left_out] + row[left_out + 1 :]) for row in holds)
    assert n_seen > 5


# -- the time is over -----------------------------------------------------------------------------


def test_without_time_the_ranking_keeps_the_constraints() -> None:
    votes = PALEY
    wish = ra.Constraints(above=[(3, 0)], quotas=[ra.Quota([1, 2, 3], 2, 2)])
    exact = ra.Kemeny(constraints=wish, time_limit=0).aggregate(votes)
    assert exact.certificate.status == "gap"
    assert exact.certificate.verify(votes)
    assert all(test(exact.order) for test in constrained_brute.demands_of(wish))
    assert exact.notes == ("not proved optimal within the time limit of 0 s",)


# -- refusals -------------------------------------------------------------------------------------


def of_tennessee(**wish: Any) -> ra.Consensus:
    rule = ra.Kemeny(constraints=ra.Constraints(**wish))
    return rule.aggregate(ra.datasets.load("tennessee"))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ra.Constraints(above=[("A",)]), "pairs of items"),
        (lambda: ra.Constraints(above=[("A", "A")]), "free of repetitions"),
        (lambda: ra.Constraints(above=[("A", "B"), ("A", "B")]), "free of repetitions"),
        (lambda: ra.Constraints(above=5), "a list of pairs"),
        (lambda: ra.Constraints(first=["A", "A"]), "free of repetitions"),
        (lambda: ra.Constraints(last=3), "a list of items"),
        (lambda: ra.Constraints(quotas=["A"]), "a list of Quota"),
        (lambda: ra.Quota(["A"], within=0, at_least=1), "within of Quota"),
        (lambda: ra.Quota(["A"], within=3, at_least=2), "at most 1"),
        (lambda: ra.Quota([], within=3, at_least=1), "one or more items"),
        (lambda: ra.Quota("AA", within=3, at_least=1), "free of repetitions"),
        (lambda: ra.Kemeny(constraints=["A"]), "constraints of Kemeny"),
        (lambda: ra.Kemeny(constraints=ra.Constraints(), backend="subset-dp"), "backend of Kemeny"),
        (lambda: ra.Kemeny(constraints=ra.Constraints(), consensus_ties=True, tie_cost=0.5),
         "may tie items"),
        (lambda: of_tennessee(first=["Memphs"]), "Did you mean 'Memphis'"),
        (lambda: of_tennessee(above=[("Memphis", 3)]), "above of Constraints"),
        (lambda: of_tennessee(quotas=[ra.Quota(["Memphis"], 5, 1)]), "at most 4"),
    ],
)  # fmt: skip
def test_malformed_constraints_are_refused(make: Any, words: str) -> None:
    with pytest.raises(InvalidInputError, match=words):
        make()


@pytest.mark.parametrize(
    ("stated", "is_refused"),
    [
        ({"above": [[0, 1]], "first": [], "last": [], "counts": []}, True),
        ({"above": [], "first": [], "last": [2], "counts": []}, True),
        # Nothing is decided among the items: what holds of all orders holds of these.
        (
            {
                "above": [], "first": [], "last": [],
                "counts": [{"items": [0, 1, 2, 3], "within": 2, "at_least": 1}],
            },
            False,
        ),
        ({"above": [], "first": [], "last": [], "counts": []}, True),
    ],
)  # fmt: skip
def test_exchanges_that_move_constrained_items_are_refused(stated, is_refused) -> None:
    """A proof by an exchange covers all orders, and represents them where nothing is decided."""
    votes = ra.PairwiseMatrix.from_wins([[0 if i >= j else 3 for j in range(5)] for i in range(5)])
    chain = (Exchange(((0, 1),), 1, 1, 1), Leaf())
    free = ra.Certificate.build(votes, range(5), [Proof((0, 1, 2, 3, 4), chain)])
    data = json.loads(json.dumps(free.to_dict()))
    assert not refused_by_both(data, votes)
    data["constraints"] = stated
    if stated["last"]:
        data["order"] = [0, 1, 3, 4, 2]
        data["scaled_cost"], data["cost"], data["status"] = 6, "6", "gap"
    assert refused_by_both(data, votes) == is_refused


def test_an_enumeration_takes_orders_that_break_constraints() -> None:
    votes = ra.PairwiseMatrix.from_wins([[0, 3, 1], [0, 0, 3], [2, 0, 0]])
    found = ra.Kemeny(backend="subset-dp").aggregate(votes).certificate
    data = json.loads(json.dumps(found.to_dict()))
    assert "enumeration" in data["proofs"][0]["nodes"][0]
    first, second = data["order"][:2]
    data["constraints"] = {"above": [[first, second]], "first": [], "last": [], "counts": []}
    assert refused_by_both(data, votes)


@pytest.mark.parametrize("seed", seeds(3, 40))
def test_quota_rows_hold_for_every_order_that_meets_the_quotas(seed: int) -> None:
    rng = Random(seed)
    quotas = [
        ra.Quota(some := rng.sample(range(6), rng.randrange(1, 6)), k := rng.randrange(1, 7),
                 rng.randrange(1, min(k, len(some)) + 1))
        for _ in range(rng.randrange(1, 4))
    ]  # fmt: skip
    demands = ra.Constraints(quotas=dict.fromkeys(quotas)).over(ra.ItemSet(range(6)))
    kept = [order for order in permutations(range(6)) if demands.counts_hold(np.array(order))]
    for _ in range(10):
        upper = rng.sample(range(6), rng.randrange(1, 5))
        lower = rng.sample(sorted(set(range(6)) - set(upper)), rng.randrange(1, 7 - len(upper)))
        row = demands.ahead(upper, lower)
        assert (row.upper, row.lower) == (tuple(upper), tuple(lower))
        turned = [
            sum(o.index(i) < o.index(j) for i, j in product(row.upper, row.lower)) for o in kept
        ]
        assert all(number >= row.least for number in turned)
    # Every order that breaks a count breaks a row; of two sides, the least is met.
    for sides in _Sides.of(Demands(counts=demands.counts[:1]), 6):
        least = sides._least
        assert least[-1, -1] == sides.row(sides.upper, sides.lower).terms[0][1].least
        alone = [o for o in permutations(range(6)) if sides.demands.counts_hold(np.array(o))]
        pairs = [sum(o.index(i) < o.index(j) for i in sides.upper for j in sides.lower)
                 for o in alone]  # fmt: skip
        assert min(pairs) == least[-1, -1]


def test_a_row_of_the_constraints_needs_its_items_in_the_part() -> None:
    certificate, votes = genuine()
    data = json.loads(json.dumps(certificate.to_dict()))
    row = {"terms": [[1, {"ahead": [[0, 2], [1]]}]], "divisor": 1}
    leaf = {"cycles": [], "rows": [[0, 1]]}
    data["scaled_lower_bound"], data["lower_bound"], data["status"] = 0, "0", "gap"
    whole = list(range(6))
    for positions, is_refused in (
        (whole, False),
        ([0, 1, 2], False),
        ([0, 1], True),
        ([1, 6], True),
    ):
        data["proofs"] = [{"positions": positions, "rows": [row], "nodes": [leaf]}]
        assert refused_by_both(data, votes) == is_refused
    wrong = (
        {"ahead": [[0, 2]]}, {"ahead": [[0], []]}, {"ahead": [[0], [0]]}, {"ahead": [[0], [6]]},
        {"ahead": [[0], [1], [2]]}, {"ahead": [[0, 0], [1]]}, {"ahead": 0},
        {"quota": 0}, {"before": 0}, {}, {"ahead": [[0], [1]], "quota": 0},
    )  # fmt: skip
    for name in wrong:
        row["terms"][0][1] = name
        data["proofs"] = [{"positions": whole, "rows": [row], "nodes": [leaf]}]
        assert refused_by_both(data, votes)


def test_under_constraints_the_set_of_optima_is_not_known() -> None:
    table = ra.datasets.load("tennessee")
    rule = ra.Kemeny(constraints=ra.Constraints(above=[("Memphis", "Nashville")]))
    consensus = rule.aggregate(table)
    assert consensus.is_proved
    assert consensus.optima is None
    for call, words in (
        (lambda: ra.rank_shares(table, rule, n_resamples=3), "set of optima is known"),
        (lambda: ra.inference.dispersion_report(table, [rule]), "without constraints"),
        (lambda: ra.analysis.removal_radius(table, rule=rule), "and `constraints`"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            call()
    assert ra.compare(table, [rule, ra.Kemeny()]).exact.rule == ra.Kemeny()


def test_swaps_are_priced_among_allowed_orders() -> None:
    table = ra.datasets.load("tennessee")
    wish = ra.Constraints(above=[("Memphis", "Nashville")], quotas=[ra.Quota(["Knoxville"], 3, 1)])
    consensus = ra.Kemeny(constraints=wish).aggregate(table)
    held = ra.explain(consensus, "Memphis", "Nashville")
    assert held.is_held
    assert held.is_complete
    assert held.swap is None
    assert "the constraints require this order" in held.summary()
    above, below = consensus.order[0], consensus.order[-1]
    swapped = ra.explain(consensus, above, below)
    turned = [
        order
        for order in constrained_brute.allowed(table.items.labels, wish)
        if order.index(below) < order.index(above)
    ]
    votes = table.pairwise()
    rankings = [ra.Permutation.from_order(order, items=table.items) for order in turned]
    least = min(votes.cost(ranking) for ranking in rankings)
    assert swapped.extra_cost == least - consensus.cost
