"""Decisions about pairs of items: multiple testing (Holm, Tarone) and its assumptions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from rankagg._typing import Bools, Floats, Label
from rankagg.core import (
    ItemSet,
    Result,
    counted,
    level_of,
    listed,
    part_of,
    plural,
    quantity,
    sentence,
)
from rankagg.core.graphs import ordered_parts, strong_parts
from rankagg.distributions.fit_result import holm

# Methods whose level is only asymptotic.
APPROXIMATE = ("max-t", "percentile", "wilson")
#: The definition of tiers, as printed.
TIERS = "every item of a tier is decided to be above every item of the next ones"


@dataclass(frozen=True)
class Basis:
    """The method, units and assumptions of decisions."""

    # How pairs were decided.
    method: str
    # The independent unit, in the singular.
    word: str
    # The number of units.
    n_units: int
    # The least number of units that can decide a pair, if all agree and compare all pairs; None
    # if there is no pair.
    decidable_from: int | None
    # False if no outcome of these units would have decided a pair.
    is_possible: bool

    @property
    def assumes(self) -> str:
        """The assumptions under which the level holds, as printed."""
        if self.word == "estimate":
            return "errors of the estimates are normal, with the stated variances"
        draws = f"{plural(self.word)} are independent draws"
        if self.method == "sign-flips":
            return (
                f"{plural(self.word)} are independent, and the differences of all items in one "
                "are jointly symmetric about their center"
            )
        if self.method in ("sign-test", "clopper-pearson", "wilson"):
            return f"{draws}, and ties of some items are independent of the order of others"
        return f"{draws}, and many" if self.method in ("max-t", "percentile") else draws

    @property
    def _sizes(self) -> tuple[str, str]:
        """The number of units, and the least number that is enough, as texts."""
        units = quantity(self.n_units, "independent units", noun=self.word)
        return units, quantity(self.decidable_from or 0, "units that are enough")

    def counted(self) -> str:
        """Return the number of units, and the number that decisions need."""
        units, enough = self._sizes
        if self.decidable_from is None:
            return units
        # Fewer units may be enough if other pairs have too few to count (Tarone).
        template = "{} (decisions are possible from {} on)"
        if self.method == "sign-test":
            template = "{} ({} can decide a pair that they order)"
        return sentence(template, units, enough)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {"method": self.method, "assumes": self.assumes, **asdict(self)}

    def warning(self, alpha: float) -> str | None:
        """Return a warning if no outcome could have decided a pair."""
        if self.is_possible or self.decidable_from is None:
            return None
        units, enough = self._sizes
        if self.n_units >= self.decidable_from:
            template = "no pair can be decided at {}: no two items are ordered by the {} {} needed"
            return sentence(template, level_of(alpha), enough, plural(self.word))
        by_pair = self.method == "sign-test"
        needed = "{} that order a pair could" if by_pair else "at least {} are needed"
        template = f"with {{}} no pair can be decided at {{}}; {needed}"
        return sentence(template, units, level_of(alpha), enough)


def by_sign_flips(alpha: float) -> int:
    """Return the least T with 2^(1 - T) <= alpha."""
    return least_number(lambda units: 2.0 ** (1 - units) <= alpha)


def by_p_values(alpha: float, n_items: int, per_unit: float) -> int | None:
    """Return the least T whose smallest p-value, per_unit^T, passes Holm's procedure."""
    hypotheses = n_items * (n_items - 1)
    if not hypotheses:
        return None
    return least_number(lambda units: per_unit**units <= alpha / hypotheses)


def least_number(holds: Callable[[int], bool], most: int = 10**9) -> int:
    """Return the smallest number from which on a condition holds; the search ends at `most`."""
    high = 1
    while not holds(high) and high < most:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def tarone(p_values: Floats, least: Floats, alpha: float) -> Bools:
    """Return the hypotheses that Tarone's step-down procedure rejects.

    It is Holm's procedure without the hypotheses that cannot be rejected. Let k be the smallest
    number such that at most k hypotheses can have a p-value of alpha/k or less. Hypotheses at
    alpha/k or less are rejected, and the step is repeated with the others until none is. Fewer
    hypotheses never have a larger k, so that the true ones alone would be tested at no lower
    level. Bonferroni's inequality for those that can be rejected bounds the family-wise error rate.

    Tarone (1990), "A modified Bonferroni method for discrete data",
    https://doi.org/10.2307/2531456; Hommel and Krummenauer (1998), "Improvements and
    modifications of Tarone's multiple test procedure for discrete data", Biometrics 54, 673-681.
    """
    if not least.any():
        return holm(p_values) <= alpha
    rejected = np.zeros(len(p_values), dtype=bool)
    while not rejected.all():
        new = ~rejected & (p_values <= alpha / _testable(least[~rejected], alpha))
        if not new.any():
            break
        rejected |= new
    return rejected


def _testable(least: Floats, alpha: float) -> int:
    """Return the smallest k such that at most k hypotheses can reach alpha/k."""
    number = np.arange(1, len(least) + 1)
    reach = np.searchsorted(np.sort(least), alpha / number, side="right")
    # The number of all hypotheses is such a k.
    return int(number[np.argmax(reach <= number)])


class Decisions(Result):
    """Pairs of items whose order is decided, with one family-wise error rate.

    Made by `PairwiseIntervals.decisions`. It has no plot: those of `PairwiseIntervals` and
    `RankIntervals` show the decided pairs.

    Attributes
    ----------
    items : ItemSet
        The items of rows and columns.
    above : ndarray of bool, shape (n, n)
        Whether row is decided to be above column; with probability 1 - alpha or more none is wrong.
    alpha : float
        The family-wise error rate: an upper bound of the probability of any wrong decision.
    how : str
        The procedure, as printed.
    basis : Basis or None
        `method`, `assumes`, `n_units` and `decidable_from`, the least number of units that can
        decide a pair; None if unknown.
    """

    items: ItemSet
    above: Bools
    alpha: float
    how: str
    basis: Basis | None = None

    _schema = "rankagg.decisions"
    _prints_table = False

    @property
    def is_approximate(self) -> bool:
        """True if alpha is only approached with many units."""
        return self.basis is not None and self.basis.method in APPROXIMATE

    @property
    def warning(self) -> str | None:
        """A warning if no outcome could have decided a pair, otherwise None."""
        return None if self.basis is None else self.basis.warning(self.alpha)

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warning as a tuple, empty if there is none."""
        return () if self.warning is None else (self.warning,)

    @property
    def pairs(self) -> tuple[tuple[Label, Label], ...]:
        """The decided pairs as (above, below), in the order of the items."""
        return self.items.pairs_where(self.above)

    def decided(self) -> str:
        """Return the number of decided pairs and of all pairs, as text."""
        pairs, decided = len(self.items) * (len(self.items) - 1) // 2, int(self.above.sum())
        return part_of(decided, "pairs decided", pairs, "pairs", "pair", form=",")

    @cached_property
    def tiers(self) -> tuple[tuple[Label, ...], ...]:
        """Sets of items that no decisions separate, the best first.

        The first tier is the smallest set of items that are all decided to be above every item
        outside; the second is that among the others, and so on. Two items are in one tier if a
        chain of undecided pairs, or of decided ones in a cycle, connects them.
        """
        # Arcs lead to items that are not decided to be above.
        return tuple(tuple(self.items.at(np.sort(part))) for part in ordered_parts(~self.above.T))

    @cached_property
    def cyclic_components(self) -> tuple[tuple[Label, ...], ...]:
        """Sets of items that the decided pairs order in cycles; empty if there is none.

        They are the strong components of more than one item. They need not be errors, since
        majorities can form Condorcet cycles.
        """
        label = strong_parts(self.above)
        sets = (self.items.where(label == number) for number in np.unique(label))
        return tuple(items for items in sets if len(items) > 1)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per decided pair, above and below, in the order of the items."""
        return pd.DataFrame(self.pairs, columns=["above", "below"])

    def _content(self) -> dict[str, Any]:
        basis = None if self.basis is None else self.basis.to_dict()
        parts = self._plain("warning", "pairs", "tiers", "cyclic_components")
        return {**self._plain("items", "how", "alpha", "is_approximate"), "basis": basis, **parts}

    def _facts(self) -> list[str]:
        bound = "about" if self.is_approximate else "at most"
        rate = quantity(self.alpha, "alpha", "g")
        template = "decided      {}, by {}; family-wise error rate {} {}"
        lines = [sentence(template, self.decided(), self.how, bound, rate)]
        if self.basis is not None:
            lines.append(f"assumed      {self.basis.assumes}")
        if self.warning is not None:
            lines.append(sentence("too few      {}", self.warning))
        lines += [f"cycles       among {listed(items)}" for items in self.cyclic_components]
        lines += [f"tiers        {TIERS}"] * (1 < len(self.tiers) < len(self.items))
        return lines + [f"tier         {listed(tier)}" for tier in self.tiers if tier[1:]]

    def __repr__(self) -> str:
        return (
            f"<Decisions on {counted(int(self.above.sum()), 'pair')} of "
            f"{counted(len(self.items), 'item')}>"
        )
