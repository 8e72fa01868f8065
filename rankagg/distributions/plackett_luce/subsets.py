"""Plackett-Luce summaries that have no closed form: sums over all sets of items that may be left.

A ranking passes through sets of items left, from all to none. The chance to meet a set, and what
is chosen from it, give every place, pair and the entropy. There are 2^n sets.
"""

from __future__ import annotations

from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats, Ranks
from rankagg.core.items import counted
from rankagg.exceptions import Described, InvalidInputError

__all__ = ["LARGEST", "BucketTable"]

#: Items at most; with buckets of several items the subsets of each set are gone through too.
LARGEST = 16


class BucketTable:
    """The sets that a ranking passes through, and their chances."""

    def __init__(self, log_worths: Floats, log_ties: dict[int, float]) -> None:
        n = len(log_worths)
        if n > LARGEST:
            raise InvalidInputError(
                "items", f"at most {LARGEST} for this sum over all subsets",
                Described(counted(n, "item")),
                "Estimate it from a sample: `.sample(10_000, rng=0)`.",
            )  # fmt: skip
        self.n = n
        buckets = [bucket for d in (1, *log_ties) if d <= n for bucket in combinations(range(n), d)]
        self.buckets = np.array([sum(1 << i for i in bucket) for bucket in buckets])
        self.logs = np.array(
            [log_ties.get(len(bucket), 0.0) + log_worths[list(bucket)].mean() for bucket in buckets]
        )
        self.sizes = np.array([len(bucket) for bucket in buckets])
        masks = np.arange(1 << n)
        self.left = ((masks[:, None] >> np.arange(n)) & 1).sum(axis=1)

    @cached_property
    def _choices(self) -> list[tuple[NDArray[np.intp], Floats]]:
        """For each bucket the sets that hold it, and its log chance in each."""
        masks = np.arange(1 << self.n)
        holding = [masks[(masks & bucket) == bucket] for bucket in self.buckets]
        totals = np.full(len(masks), -np.inf)
        for sets, log in zip(holding, self.logs, strict=True):
            totals[sets] = np.logaddexp(totals[sets], log)
        return [(sets, log - totals[sets]) for sets, log in zip(holding, self.logs, strict=True)]

    @cached_property
    def reached(self) -> Floats:
        """The chance that exactly these items are left at some moment, for every set."""
        chance = np.zeros(1 << self.n)
        chance[-1] = 1.0
        for number in range(self.n, 0, -1):
            for bucket, (sets, logs) in zip(self.buckets, self._choices, strict=True):
                now = self.left[sets] == number
                chance[sets[now] ^ bucket] += chance[sets[now]] * np.exp(logs[now])
        return chance

    def places(self) -> Floats:
        """Return P(item i has rank k + 1) in row i and column k; ties share the best rank."""
        table = np.zeros((self.n, self.n))
        for bucket, (sets, logs) in zip(self.buckets, self._choices, strict=True):
            flow = self.reached[sets] * np.exp(logs)
            by_place = np.bincount(self.n - self.left[sets], weights=flow, minlength=self.n)
            for item in range(self.n):
                if bucket >> item & 1:
                    table[item] += by_place[: self.n]
        return table

    def before(self) -> Floats:
        """Return P(row before column), shape (n, n)."""
        table = np.zeros((self.n, self.n))
        for bucket, (sets, logs) in zip(self.buckets, self._choices, strict=True):
            flow = self.reached[sets] * np.exp(logs)
            inside = [i for i in range(self.n) if bucket >> i & 1]
            for other in range(self.n):
                if other not in inside:
                    share = flow[(sets >> other & 1) == 1].sum()
                    table[inside, other] += share
        return table

    def entropy(self) -> float:
        """Return the entropy in nats."""
        total = 0.0
        for sets, logs in self._choices:
            total -= float((self.reached[sets] * np.exp(logs) * logs).sum())
        return total

    def mode(self) -> Ranks:
        """Return the places of a most probable ranking."""
        best = np.full(1 << self.n, -np.inf)
        best[0] = 0.0
        choice = np.zeros(1 << self.n, dtype=np.int64)
        for number in range(1, self.n + 1):
            for bucket, (sets, logs) in zip(self.buckets, self._choices, strict=True):
                now = self.left[sets] == number
                here, value = sets[now], logs[now]
                value = value + best[here ^ bucket]
                better = value > best[here]
                best[here[better]] = value[better]
                choice[here[better]] = bucket
        places = np.zeros(self.n, dtype=np.int32)
        left = (1 << self.n) - 1
        while left:
            for item in range(self.n):
                if choice[left] >> item & 1:
                    places[item] = self.n - self.left[left]
            left ^= int(choice[left])
        return places
