"""Certificates of a few kilobytes that ask for hours or gigabytes: they end, undecided."""

import json

import numpy as np
import pytest

import rankagg as ra
from rankagg.exceptions import (
    InvalidInputError,
    NotCheckedError,
)

LIMITS = {"time_limit": 0.05, "memory_limit": 2.0**26}


def drawn(n: int, high: int = 9, seed: int = 0) -> ra.PairwiseMatrix:
    """Return votes without any pattern."""
    wins = np.random.default_rng(seed).integers(0, high, size=(n, n))
    return ra.PairwiseMatrix.from_wins(wins.astype(object) * (1 - np.eye(n, dtype=int)))


def claimed(votes: ra.PairwiseMatrix, **parts) -> dict:
    """Return a certificate that states the bound 1 with other proofs or constraints."""
    plain = ra.Certificate.build(votes, range(votes.n_items), []).to_dict()
    denominator = plain["denominator"]
    bound = {
        "scaled_lower_bound": 1,
        "lower_bound": "1" if denominator == 1 else f"1/{denominator}",
    }
    return plain | bound | {"status": "gap"} | parts


def proof(positions, nodes, rows=()) -> dict:
    return {"positions": list(positions), "rows": list(rows), "nodes": list(nodes)}


def large_numbers() -> tuple[ra.PairwiseMatrix, dict]:
    """All subsets of 20 items, with costs that no machine integer holds."""
    votes = drawn(20)
    votes = ra.PairwiseMatrix.from_wins(votes.scaled_wins.astype(object) * 10**98)
    return votes, claimed(votes, proofs=[proof(range(20), [{"enumeration": True}])])


def enumerations() -> tuple[ra.PairwiseMatrix, dict]:
    """Ten parts of 20 items."""
    votes = drawn(200)
    parts = [range(start, start + 20) for start in range(0, 200, 20)]
    return votes, claimed(votes, proofs=[proof(part, [{"enumeration": True}]) for part in parts])


def doubling_rows() -> tuple[ra.PairwiseMatrix, dict]:
    """Rows that are each a sum of the one before, taken a thousand times, over most arcs."""
    n = 60
    arcs = [[1, [i, j]] for i in range(n) for j in range(i)]
    rows = [{"terms": arcs, "divisor": 1}]
    rows += [{"terms": [[1, at]] * 1000, "divisor": 1000} for at in range(40)]
    return (votes := drawn(n)), claimed(votes, proofs=[proof(range(n), [LEAF], rows)])


def repeated_rows() -> tuple[ra.PairwiseMatrix, dict]:
    """A row over most arcs that one case weighs ten thousand times."""
    n = 60
    rows = [{"terms": [[1, [i, j]] for i in range(n) for j in range(i)], "divisor": 1}]
    nodes = [{"cycles": [], "rows": [[0, 1]] * 10_000}]
    return (votes := drawn(n)), claimed(votes, proofs=[proof(range(n), nodes, rows)])


def repeated_pairs() -> tuple[ra.PairwiseMatrix, dict]:
    """One pair of a cut, thousands of times."""
    n = 120
    orders = [range(n), range(n), range(n - 1, -1, -1)]
    votes = ra.Profile.from_orders(orders, items=range(n)).pairwise()
    cut = {"above": list(range(n // 2)), "cut": [[0, n - 1]] * 20_000, "rest": 1}
    return votes, claimed(votes, proofs=[proof(range(n), [cut, LEAF])])


def many_cases() -> tuple[ra.PairwiseMatrix, dict]:
    """A tree that keeps thousands of cases waiting, each with what is known of all pairs."""
    n, m = 300, 8000
    nodes = [
        {"pair": [150 + at // 150, at % 150], "before": m + 1 + at, "after": at + 1}
        for at in range(m)
    ] + [LEAF] * (m + 1)
    return (votes := drawn(n)), claimed(votes, proofs=[proof(range(n), nodes)])


LEAF = {"cycles": [], "rows": []}
BOMBS = {
    bomb.__name__: bomb
    for bomb in (
        large_numbers, enumerations, doubling_rows, repeated_rows, repeated_pairs, many_cases,
    )
}  # fmt: skip


@pytest.mark.parametrize("name", BOMBS)
def test_what_asks_for_too_much_is_neither_proved_nor_refused(name: str) -> None:
    votes, plain = BOMBS[name]()
    with pytest.raises(NotCheckedError, match=r"Not checked within the budget: it takes more than"):
        ra.Certificate.from_dict(json.loads(json.dumps(plain))).verify(votes, **LIMITS)


def test_limits_are_numbers_and_none_is_no_limit() -> None:
    votes = drawn(60)
    certificate = ra.Certificate.build(votes, range(60), [])
    with pytest.raises(NotCheckedError, match=r"more than 0\.38147 MiB"):
        certificate.verify(votes, memory_limit=400_000)
    assert certificate.verify(votes, time_limit=None, memory_limit=None)
    for name in ("time_limit", "memory_limit"):
        for value in (-1, float("nan"), "60", True):
            with pytest.raises(InvalidInputError, match=rf"^`{name}` must be "):
                certificate.verify(votes, **{name: value})


@pytest.mark.parametrize("hidden", ["a\x1bb", "a\nb", "a\u202eb"])
def test_names_with_hidden_signs_are_proved(hidden: str) -> None:
    items = [hidden, "c", "d"]
    profile = ra.Profile.from_orders([items, items[1:] + items[:1], items[2:] + items[:2]])
    quota = ra.Quota([hidden, "c"], within=1, at_least=1)
    for rule in (
        ra.Kemeny(),
        ra.Kemeny(consensus_ties=True, tie_cost=0.5),
        ra.Kemeny(constraints=ra.Constraints(quotas=[quota])),
    ):
        found = rule.aggregate(profile)
        assert found.certificate.verify(found.pairwise)
        written = json.loads(json.dumps(found.certificate.to_dict()))
        assert type(found.certificate).from_dict(written).verify(found.pairwise)
