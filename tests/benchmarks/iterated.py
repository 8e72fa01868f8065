"""The rule under a limit against a plain iterated search: python -m tests.benchmarks.iterated

An iterated local search of the plainest kind, compiled: what ours is held against.

Each item goes to its best place until no item moves; then some random pairs of items swap places,
and the search goes on from there where it ends no worse, else from where it was. All have the same
seconds of the processor, and compiled loops from the start. Needs the extra `fast`, and the folder
`lolib` of the optional data, see `kemeny_table`.
"""

from __future__ import annotations

from time import process_time

import click
import numba
import numpy as np

import rankagg as ra
from rankagg.aggregation import deadline
from rankagg.aggregation.kemeny import incumbent, parts
from tests.benchmarks.incumbent import Instance, choose, differences, instances

#: Swaps of a kick.
FEWEST, MOST = 2, 9
#: Kicks between two looks at the clock.
KICKS = 50


@numba.njit
def descend(margins: np.ndarray, order: np.ndarray) -> int:
    """Move items to their best places until none moves; return half of what that saves."""
    n, saved, moves = len(order), 0, 1
    while moves:
        moves = 0
        for place in range(n):
            item = order[place]
            row = margins[item]
            total = best = 0
            target = place
            for k in range(place + 1, n):
                total += row[order[k]]
                if total > best:
                    best, target = total, k
            total = 0
            for k in range(place - 1, -1, -1):
                total -= row[order[k]]
                if total > best:
                    best, target = total, k
            if best > 0:
                for k in range(place, target):
                    order[k] = order[k + 1]
                for k in range(place, target, -1):
                    order[k] = order[k - 1]
                order[target] = item
                saved += best
                moves += 1
    return saved


@numba.njit
def swap(margins: np.ndarray, order: np.ndarray, first: int, last: int) -> int:
    """Let two items swap places; return half of what that costs."""
    if first > last:
        first, last = last, first
    i, j = order[first], order[last]
    order[first], order[last] = j, i
    costs = margins[j, i] if i != j else 0
    for k in range(first + 1, last):
        costs += margins[j, order[k]] - margins[i, order[k]]
    return costs


@numba.njit
def kick(margins: np.ndarray, kept: np.ndarray, kicks: int, rng: np.random.Generator) -> None:
    """Kick an order some times, in place."""
    n = len(kept)
    for _ in range(kicks):
        order, costs = kept.copy(), 0
        for _ in range(rng.integers(FEWEST, MOST + 1)):
            costs += swap(margins, order, rng.integers(0, n), rng.integers(0, n))
        if costs <= descend(margins, order):
            kept[:] = order


def searched(margins: np.ndarray, order: np.ndarray, seconds: float) -> np.ndarray:
    """Return the best order after so many seconds of the processor."""
    rng, order = np.random.default_rng(0), order.copy()
    kick(np.zeros((2, 2), dtype=np.int64), np.arange(2), 1, rng)  # compiles
    began = process_time()
    descend(margins, order)
    while process_time() - began < seconds:
        kick(margins, order, KICKS, rng)
    return order


def found_by_rule(instance: Instance, seconds: float) -> tuple[int, float]:
    """Return what the rule's ranking is worth, and its gap in per cent."""
    votes = ra.PairwiseMatrix.from_wins(instance.matrix)
    rule = ra.Kemeny(unranked="ignore", time_limit=seconds)
    certificate = rule.aggregate(votes).certificate
    assert certificate is not None, "the rule is exact"
    value = int(votes.scaled_wins.sum()) - certificate.scaled_cost
    return value, 100 * (certificate.scaled_cost - certificate.scaled_lower_bound) / value


@click.command(help="Print how far orders are from the best known value after some CPU seconds.")
@click.option("--only", default="*", help="Instances whose names fit this pattern.")
@click.option("--seconds", default=10.0, show_default=True, help="For each of the three.")
def main(only: str, seconds: float) -> None:
    for module in (deadline, incumbent, parts):
        module.monotonic = process_time  # other programs take no part of the limit
    choose(compiled=True)
    click.echo(f"{'instance':14} {'N':>4}   the rule   gap %    memetic   iterated")
    for instance in instances(only):
        margins = instance.margins.astype(np.int64)
        first = np.argsort(margins.sum(axis=1), kind="stable")
        value, gap = found_by_rule(instance, seconds)
        memetic = differences(instance, [seconds], seed=0)[0]
        iterated = instance.value(searched(margins, first, seconds)) - instance.best_known
        click.echo(
            f"{instance.name:14} {len(margins):4} {value - instance.best_known:10} {gap:7.3f}"
            f" {memetic:10} {iterated:10}"
        )


if __name__ == "__main__":
    main()
