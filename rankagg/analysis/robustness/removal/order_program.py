"""The program in whole numbers for the fewest removals that change the exact consensus.

An order x is chosen by whoever wants the change, and has to beat every order p in which the present
first stays first; those are added as they turn out to be better:

    least number of removed units, so that for every p
    value(x) - sum over removed of value_k(x) >= value(p) - sum over removed of value_k(p) + 1

(or + 0). What a removed unit takes from x is a product of two unknowns. The copies of a class are
written in binary digits, and for each digit z >= value_k(x) - high + (high - low) digit and z >= 0
say it in linear rows, for values from low to high.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Integers
from rankagg.aggregation.kemeny.programs.integer_program import IntegerProgram
from rankagg.analysis.robustness.removal.contest import Contest, Order

__all__ = ["OrderProgram"]


class OrderProgram:
    """The program of a contest.

    Parameters
    ----------
    contest : Contest
        The question, and what units say of its items.

    Attributes
    ----------
    program : IntegerProgram
        Its rows.
    """

    @staticmethod
    def size_of(contest: Contest) -> int:
        """Return how many numbers the rows of the classes hold, about."""
        digits = sum(count.bit_length() for count in contest.merged.counts.tolist())
        return digits * len(contest.whole)

    def __init__(self, contest: Contest) -> None:
        self._contest = contest
        self.program = IntegerProgram()
        self._before = self.program.columns([1] * len(contest.whole))
        self._digits: list[tuple[int, int, int]] = []  # class, worth, column
        self._taken: dict[int, int] = {}  # what removed units take from x, by column
        self._orders()
        self._side()
        for k, count in enumerate(contest.merged.counts.tolist()):
            self._class(k, count)

    def _column(self, i: int, j: int) -> tuple[int, int]:
        """Return the column of a pair, and 1 where it says i before j, -1 where j before i."""
        low, high = min(i, j), max(i, j)
        at = low * self._contest.size - low * (low + 1) // 2 + high - low - 1
        return int(self._before[at]), 1 if i < j else -1

    def _ahead(self, pairs: list[tuple[int, int]], least: int) -> None:
        """Let at least so many pairs stand in the given order."""
        row: dict[int, int] = {}
        for i, j in pairs:
            column, sign = self._column(i, j)
            row[column] = sign
            least -= int(sign < 0)
        self.program.at_least(row, least)

    def _orders(self) -> None:
        for a, b, c in combinations(range(self._contest.size), 3):
            self._ahead([(a, b), (b, c), (c, a)], 1)
            self._ahead([(b, a), (c, b), (a, c)], 1)

    def _side(self) -> None:
        """Let rivals prevail: before the upper item, or before each present first."""
        tops, rivals = self._contest.tops, self._contest.rivals
        for top in tops:
            self._ahead([(rival, top) for rival in rivals], 1)

    def _class(self, k: int, count: int) -> None:
        leads: Integers = self._contest.leads[k]
        low, high = (int(part.astype(object).sum()) for part in (
            np.minimum(leads, 0), np.maximum(leads, 0)
        ))  # fmt: skip
        own = {int(c): int(-lead) for c, lead in zip(self._before, leads, strict=True)}
        digits: dict[int, int] = {}
        for bit in range(count.bit_length()):
            worth = 2**bit
            (digit,) = self.program.columns([1], cost=worth).tolist()
            (taken,) = self.program.columns([high - low], whole=False).tolist()
            self.program.at_least({**own, taken: 1, digit: low - high}, -high)
            self._taken[taken] = -worth
            self._taken[digit] = -worth * low
            self._digits.append((k, worth, digit))
            digits[digit] = -worth
        self.program.at_least(digits, -count)

    def must_beat(self, vector: NDArray[np.int64]) -> None:
        """Add the row that x is worth at least as much as an order of the others."""
        contest = self._contest
        own = {int(c): int(m) for c, m in zip(self._before, contest.whole, strict=True)}
        row = {**own, **self._taken}
        theirs = (contest.leads.astype(object) @ vector.astype(object)).tolist()
        for k, worth, digit in self._digits:
            row[digit] += worth * int(theirs[k])
        value = int((vector.astype(object) * contest.whole.astype(object)).sum())
        self.program.at_least(row, value + int(contest.question.strict))

    def read(self, values: NDArray[np.int64]) -> tuple[NDArray[np.int64], Order]:
        """Return the removed units by class, and the order."""
        contest = self._contest
        removed = np.zeros(len(contest.merged.counts), dtype=np.int64)
        for k, worth, digit in self._digits:
            removed[k] += worth * values[digit]
        before = np.zeros((contest.size, contest.size), dtype=np.int64)
        first, second = contest.pairs
        before[first, second] = values[self._before]
        before[second, first] = 1 - values[self._before]
        return removed, np.argsort(-before.sum(axis=1), kind="stable")
