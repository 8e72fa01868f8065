"""Random data that are hard for sentences, as plain Python and as the objects made of them.

Gaps, ties, clones, weights, one item, one task, and scores from far too small to far too large.
"""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

import rankagg as ra

NAN = float("nan")
WEIGHTS = (1.0, 1.0, 1.0, 2.0, 10.0, 0.1, 2**0.5)
# Powers of two, so that sums and differences of scores are exact: 1e-13, 1, and about 1e308.
LARGEST = 2.0**1018
SCALES = (1.0, 1.0, 2.0**-43, LARGEST)


@dataclass(frozen=True)
class Ballot:
    """One ranking: places from 0 or None, its weight, the task (group) and instance it is of."""

    places: tuple
    weight: Fraction
    task: object = None
    instance: object = None

    def has(self, i, j):
        return None not in (self.places[i], self.places[j])


@dataclass(frozen=True)
class Plain:
    """Data as an object of the package, and as what was put into it."""

    data: object
    items: str
    ballots: tuple
    # Of a table: scores, higher is better, by system and column; and the weight of each task.
    scores: tuple = ()
    weights: tuple = ()

    @property
    def n(self):
        return len(self.items)

    @property
    def tasks(self):
        return list(dict.fromkeys(ballot.task for ballot in self.ballots))

    @property
    def pairs(self):
        return [(i, j) for i in range(self.n) for j in range(i + 1, self.n)]

    @property
    def cells(self):
        return len(self.ballots) * self.n

    @property
    def missing(self):
        """How many cells are missing, of how many."""
        return sum(place is None for ballot in self.ballots for place in ballot.places), self.cells

    @property
    def never(self):
        """How many pairs no ballot has both of."""
        return sum(not any(b.has(i, j) for b in self.ballots) for i, j in self.pairs)


def either(rng, seed):
    """Return a table or rankings, in turn."""
    return table(rng) if seed % 2 else profile(rng)


def places_of(values):
    """Return places from 0 of scores, higher is better; None where there is none."""
    there = [v for v in values if v is not None]
    return tuple(None if v is None else sum(w > v for w in there) for v in values)


def weighing(rng, number):
    """Return weights, alike in one case of two."""
    if rng.random() < 0.5:
        return [1.0] * number
    return [float(w) for w in rng.choice(WEIGHTS, number)]


def fraction(weight):
    return Fraction(str(weight))


def table(rng, *, most=4, gaps=True, weights=True, binary=False):
    """Return a table of systems and tasks."""
    n, m = int(rng.integers(1, most + 1)), int(rng.integers(1, 7))
    numbers = rng.integers(0, 2 if binary else rng.choice([2, 4, 50]), size=(n, m)).astype(float)
    if n > 1 and rng.random() < 0.3:
        numbers[-1] = numbers[0]
    if gaps and rng.random() < 0.6:
        numbers[rng.random((n, m)) < rng.choice([0.1, 0.4, 0.8])] = NAN
    for k in np.flatnonzero(np.isnan(numbers).all(axis=0)):
        numbers[rng.integers(n), k] = 1.0
    higher = {f"t{k}": bool(rng.random() < 0.8) or binary for k in range(m)}
    each = weighing(rng, m) if weights else [1.0] * m
    data = ra.ScoreTable(
        numbers * (1.0 if binary else rng.choice(SCALES)), systems="ABCDEF"[:n], tasks=list(higher),
        higher_is_better=higher, task_weights=dict(zip(higher, each, strict=True)),
    )  # fmt: skip
    scores = tuple(
        tuple(
            None if np.isnan(v) else Fraction(v) * (1 if up else -1)
            for v, up in zip(row, higher.values(), strict=True)
        )
        for row in data.values.tolist()
    )
    ballots = tuple(
        Ballot(places_of([row[k] for row in scores]), fraction(each[k]), task)
        for k, task in enumerate(higher)
    )
    return Plain(data, "ABCDEF"[:n], ballots, scores, tuple(map(fraction, each)))


def instances(rng):
    """Return a table of instances in tasks, which have them apart or in common."""
    n, tasks, each = int(rng.integers(1, 5)), int(rng.integers(1, 4)), int(rng.integers(1, 5))
    numbers = rng.integers(0, rng.choice([2, 4, 50]), size=(n, tasks * each)).astype(float)
    if rng.random() < 0.5:
        numbers[rng.random(n) < 0.3, : each * int(rng.integers(1, tasks + 1))] = NAN
    numbers[0, np.isnan(numbers).all(axis=0)] = 1.0
    of_task = [f"t{k}" for k in range(tasks) for _ in range(each)]
    shared = rng.random() < 0.5
    of_instance = [k % each if shared else k for k in range(tasks * each)]
    scale = float(rng.choice(SCALES))
    data = ra.ScoreTable(
        numbers * scale, systems="ABCDEF"[:n], tasks=of_task, instances=of_instance,
        higher_is_better=True,
    )  # fmt: skip
    scores = [[None if np.isnan(v) else v for v in row] for row in numbers.tolist()]
    ballots = tuple(
        Ballot(places_of([row[k] for row in scores]), Fraction(1), task, instance)
        for k, (task, instance) in enumerate(zip(of_task, of_instance, strict=True))
    )
    return Plain(data, "ABCDEF"[:n], ballots)


def profile(rng, *, most=4, ties=True):
    """Return rankings with counts and weights."""
    n, m = int(rng.integers(1, most + 1)), int(rng.integers(1, 6))
    rows = []
    for _ in range(m):
        values = rng.integers(0, n if ties else 99, size=n).tolist()
        if not ties:
            values = rng.permutation(n).tolist()
        if rng.random() < 0.4:
            values = [None if rng.random() < 0.4 else v for v in values]
        rows.append(places_of(values))
    counts, weights = rng.integers(1, 4, size=m).tolist(), weighing(rng, m)
    ranks = np.array([[-1 if p is None else p for p in row] for row in rows], dtype=np.int32)
    items = ra.ItemSet("ABCDEF"[:n])
    data = ra.Profile(
        [ra.PartialRanking(row, items) for row in ranks], counts=counts, weights=weights
    )
    ballots = [
        Ballot(row, fraction(weight))
        for row, count, weight in zip(rows, counts, weights, strict=True)
        for _ in range(count)
    ]
    return Plain(data, "ABCDEF"[:n], tuple(ballots))


@dataclass(frozen=True)
class Listing(Ballot):
    """A list; None is below all that it names."""

    def has(self, i, j):
        return (self.places[i], self.places[j]) != (None, None)


def by_policy(plain, policy):
    """Return the same data by a policy for unranked items; by "last" rankings are lists."""
    ballots = plain.ballots
    if policy == "last":
        ballots = tuple(Listing(b.places, b.weight, b.task) for b in ballots)
    return replace(plain, data=plain.data.with_unranked(policy), ballots=ballots)


def lists(rng, *, most=4):
    """Return lists of some of the items, with counts."""
    n, m = int(rng.integers(2, most + 1)), int(rng.integers(1, 6))
    orders = [rng.permutation(n)[: rng.integers(1, n + 1)].tolist() for _ in range(m)]
    counts = rng.integers(1, 6, size=m).tolist()
    rows = [tuple(o.index(k) if k in o else None for k in range(n)) for o in orders]
    items = ra.ItemSet("ABCDEF"[:n])
    codes = [[-2 if place is None else place for place in row] for row in rows]
    data = ra.Profile(
        [ra.PartialRanking(np.array(row, dtype=np.int32), items) for row in codes], counts=counts
    )
    ballots = [
        Listing(row, Fraction(1))
        for row, count in zip(rows, counts, strict=True)
        for _ in range(count)
    ]
    return Plain(data, "ABCDEF"[:n], tuple(ballots))


def condorcet_against_borda():
    """Return votes such that Borda's winner loses a decided majority."""
    return _counted("ABC", {"ABC": 30, "BCA": 20})


def condorcet_winner_behind():
    """Return votes whose Borda points decide that the first of the exact consensus is not first."""
    return _counted("ABCD", {"ABCD": 31, "BCDA": 30})


def _counted(items, counts):
    data = ra.Profile.from_orders(list(counts), counts=list(counts.values()))
    ballots = [
        Ballot(tuple(map(order.index, items)), Fraction(1))
        for order, count in counts.items()
        for _ in range(count)
    ]
    return Plain(data, items, tuple(ballots))


def comparisons(rng):
    """Return comparisons of two items at a time, (first, second, outcome, cluster)."""
    n, m = int(rng.integers(2, 5)), int(rng.integers(3, 60))
    first = rng.integers(0, n, size=m)
    second = (first + rng.integers(1, n, size=m)) % n
    strength = rng.normal(size=n) * rng.choice([0, 1, 8])
    outcomes = np.sign(np.round(strength[first] - strength[second] + rng.normal(size=m), 0))
    clusters = rng.integers(0, 12, size=m) if rng.random() < 0.5 else None
    items = "ABCDEF"[:n]
    data = ra.Comparisons.from_arrays(
        [items[i] for i in first], [items[j] for j in second], outcomes.astype(int), items=items,
        clusters=None if clusters is None else [f"c{k}" for k in clusters],
    )  # fmt: skip
    ballots = []
    for at, (i, j, outcome) in enumerate(zip(first, second, outcomes, strict=True)):
        ahead, behind = (i, j) if outcome >= 0 else (j, i)
        places = [None] * n
        places[ahead], places[behind] = 0, int(outcome != 0)
        ballots.append(
            Ballot(tuple(places), Fraction(1), None if clusters is None else clusters[at])
        )
    return Plain(data, items, tuple(ballots))
