"""Quotas: ours, place variables in HiGHS, and merged groups: python -m tests.benchmarks.quotas

Rankings of a Mallows distribution; the half that its center puts last must fill 40 % of some
prefixes. The peer decides pairs and places, with all 3-cycles: the obvious program. Merged groups
are each in the order that is best for itself, and the cheapest of all their merges is taken. One
thread; seconds of the processor, of which limits are about so many, as they count the time.
"""

from __future__ import annotations

import os

# Before numpy is imported, which reads it once.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations, product
from math import ceil, inf
from time import process_time
from typing import Any

import click
import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

import rankagg as ra

SHARE = 0.4


@dataclass(frozen=True)
class Instance:
    """Votes, and how many of the last half must be within the first places."""

    votes: ra.PairwiseMatrix
    least: dict[int, int]

    @classmethod
    def drawn(cls, n: int, n_quotas: int, seed: int) -> Instance:
        votes = ra.Mallows(list(range(n)), theta=0.15).sample(15, rng=seed).pairwise()
        places = {round(n * at / (n_quotas + 1)) for at in range(1, n_quotas + 1)}
        least = {k: min(ceil(SHARE * k - 1e-9), n - n // 2) for k in sorted(places)}
        return cls(votes, least)

    @property
    def groups(self) -> tuple[list[int], list[int]]:
        n = self.votes.n_items
        return list(range(n // 2)), list(range(n // 2, n))

    @property
    def wish(self) -> ra.Constraints:
        quotas = [ra.Quota(self.groups[1], k, least) for k, least in self.least.items()]
        return ra.Constraints(quotas=quotas)


def ours(instance: Instance, seconds: float) -> tuple[float, float]:
    rule = ra.Kemeny(constraints=instance.wish, time_limit=seconds)
    certificate = rule.aggregate(instance.votes).certificate
    return certificate.cost, certificate.lower_bound


def peer(instance: Instance, seconds: float) -> tuple[float, float]:
    """Solve the program with x[i, j] where i < j, and y[i, p] where the place of i is p."""
    wins, n = instance.votes.wins, instance.votes.n_items
    pairs = {pair: at for at, pair in enumerate(combinations(range(n), 2))}
    first = len(pairs)
    rows: list[tuple[dict[int, float], float, float]] = []
    for i, j, k in combinations(range(n), 3):
        rows.append(({pairs[i, j]: 1, pairs[j, k]: 1, pairs[i, k]: -1}, 0, 1))
    for i in range(n):
        rows.append(({first + i * n + p: 1 for p in range(n)}, 1, 1))
        rows.append(({first + p * n + i: 1 for p in range(n)}, 1, 1))
        # The place is the number of those before; for j > i that is 1 - x[i, j].
        place: dict[int, float] = {first + i * n + p: -p for p in range(1, n)}
        place |= {pairs[min(i, j), max(i, j)]: (1 if j < i else -1) for j in range(n) if j != i}
        rows.append((place, -(n - 1 - i), -(n - 1 - i)))
    for k, least in instance.least.items():
        within = product(instance.groups[1], range(k))
        rows.append(({first + i * n + p: 1 for i, p in within}, least, inf))
    lengths = [len(row) for row, _, _ in rows]
    matrix = csr_array(
        (
            np.concatenate([list(row.values()) for row, _, _ in rows]),
            np.concatenate([list(row) for row, _, _ in rows]),
            np.concatenate([[0], np.cumsum(lengths)]),
        ),
        shape=(len(rows), first + n * n),
    )
    low, high = (np.array([row[at] for row in rows]) for at in (1, 2))
    costs = np.zeros(first + n * n)
    constant = 0.0
    for (i, j), at in pairs.items():
        costs[at] = wins[j, i] - wins[i, j]
        constant += wins[i, j]
    found: Any = milp(
        costs,
        integrality=np.ones(len(costs)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(matrix, low, high),
        options={"time_limit": seconds},
    )
    bound = -inf if found.mip_dual_bound is None else found.mip_dual_bound
    return (inf if found.x is None else found.fun) + constant, bound + constant


def merged(instance: Instance, seconds: float) -> tuple[float, float]:
    """Return what the cheapest merge of the groups' own orders costs."""
    wins = instance.votes.wins
    above, below = (own_order(instance.votes, group, seconds) for group in instance.groups)
    least = {(0, 0): 0.0}
    for a, b in product(range(len(above) + 1), range(len(below) + 1)):
        if a + b and b >= instance.least.get(a + b, 0):
            # Whoever comes next costs the wins that those of the other group have who come later.
            ways = [inf]
            if a:
                later = wins[below[b:], above[a - 1]].sum()
                ways.append(least.get((a - 1, b), inf) + later)
            if b:
                later = wins[above[a:], below[b - 1]].sum()
                ways.append(least.get((a, b - 1), inf) + later)
            least[a, b] = min(ways)
    within = sum(np.triu(wins[np.ix_(order, order)].T, k=1).sum() for order in (above, below))
    return float(within + least[len(above), len(below)]), -inf


def own_order(votes: ra.PairwiseMatrix, group: list[int], seconds: float) -> list[int]:
    own = ra.PairwiseMatrix.from_wins(votes.wins[np.ix_(group, group)], items=group)
    return list(ra.Kemeny(time_limit=seconds).aggregate(own).order)


WAYS: dict[str, Callable[[Instance, float], tuple[float, float]]] = {
    "ours": ours,
    "merged": merged,
    "peer": peer,
}


@click.command()
@click.option("--items", multiple=True, type=int, default=(20, 30, 40, 60, 100))
@click.option("--quotas", multiple=True, type=int, default=(1, 3, 8, 18))
@click.option("--seeds", default=2, show_default=True)
@click.option("--seconds", default=60.0, show_default=True)
@click.option("--peer-up-to", default=60, show_default=True, help="Items; 0 leaves it out.")
def main(
    items: tuple[int, ...], quotas: tuple[int, ...], seeds: int, seconds: float, peer_up_to: int
) -> None:
    """Print cost, bound and seconds of each."""
    click.echo("items,quotas,seed," + ",".join(f"{way},bound,s" for way in WAYS))
    for n, n_quotas, seed in product(items, quotas, range(1, seeds + 1)):
        instance = Instance.drawn(n, n_quotas, seed)
        _ = instance.votes.wins, ra.Kemeny  # what is loaded once is not of the seconds
        told = []
        for name, way in WAYS.items():
            if name == "peer" and n > peer_up_to:
                continue
            began = process_time()
            cost, bound = way(instance, seconds)
            told.append(f"{cost:.0f},{bound:.1f},{process_time() - began:.1f}")
        click.echo(f"{n},{n_quotas},{seed}," + ",".join(told))


if __name__ == "__main__":
    main()
