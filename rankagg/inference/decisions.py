"""Which pairs are decided, by many tests with one probability of error (Holm, Tarone)."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd

from rankagg._typing import Bools, Floats, Label
from rankagg.core.graphs import connected_parts, strong_parts
from rankagg.core.items import ItemSet, counted, listed
from rankagg.core.names import part_of, said, stated
from rankagg.core.results import Result
from rankagg.inference.basis import Basis

__all__ = ["Decisions", "holm", "tarone"]


def holm(p_values: Floats) -> Floats:
    """Return adjusted p-values: what is at most alpha is rejected at level alpha.

    References
    ----------
    Holm (1979), "A simple sequentially rejective multiple test procedure", Scandinavian Journal
    of Statistics 6.
    """
    order = np.argsort(p_values, kind="stable")
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.maximum.accumulate(
        p_values[order] * np.arange(len(p_values), 0, -1, dtype=np.float64)
    )
    return np.minimum(adjusted, 1.0)


def tarone(p_values: Floats, least: Floats, alpha: float) -> Bools:
    """Return what Holm's procedure rejects if hypotheses that cannot be rejected do not count.

    With k the smallest number such that at most k hypotheses can have a p-value of alpha/k or
    less, those at alpha/k or less are rejected; then the same with the hypotheses that are left,
    until none is. Fewer hypotheses never have a larger k, so the true ones alone would not be
    tested at a lower level than they are, and Bonferroni's inequality for those of them that can
    be rejected bounds the family-wise error rate.

    References
    ----------
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
    """Return the smallest k such that k hypotheses at most can reach alpha/k."""
    number = np.arange(1, len(least) + 1)
    reach = np.searchsorted(np.sort(least), alpha / number, side="right")
    # All hypotheses together are never more than their number, so there is one.
    return int(number[np.argmax(reach <= number)])


class Decisions(Result):
    """Pairs of items whose order is decided, with one level of error for all of them.

    Made by `PairwiseIntervals.decisions`. They have no plot of their own: those of
    `PairwiseIntervals` and `RankIntervals` show what is decided.

    Attributes
    ----------
    items : ItemSet
        The items of rows and columns.
    above : ndarray of bool, shape (n, n)
        Row is decided to be above column: with probability 1 - alpha at least none is wrong.
    alpha : float
        The family-wise error rate: the probability that any of them is wrong, at most.
    how : str
        What decided, for the reader.
    is_approximate : bool
        True where alpha is only approached with many units.
    basis : Basis or None
        What the decisions rest on: `method`, `assumes`, `n_units` and `decidable_from`, the number
        of units with which anything could be decided at all; None where nobody said.
    """

    items: ItemSet
    above: Bools
    alpha: float
    how: str
    is_approximate: bool = False
    basis: Basis | None = None

    _schema = "rankagg.decisions"
    _version = 2
    _prints_table = False

    @property
    def warning(self) -> str | None:
        """A sentence where no outcome could have decided anything, else None."""
        return None if self.basis is None else self.basis.warning(self.alpha)

    @property
    def pairs(self) -> tuple[tuple[Label, Label], ...]:
        """The decided pairs as (above, below), in the order of the items."""
        return self.items.pairs_where(self.above)

    def _of_pairs(self) -> str:
        """Return how many of all pairs are decided, as text."""
        pairs, decided = len(self.items) * (len(self.items) - 1) // 2, int(self.above.sum())
        return part_of(decided, "pairs decided", pairs, "pairs", "pair", form=",")

    @property
    def share(self) -> float:
        """The share of all pairs that is decided."""
        n = len(self.items)
        return float(self.above.sum() / (n * (n - 1) / 2)) if n > 1 else 1.0

    @cached_property
    def groups(self) -> tuple[tuple[Label, ...], ...]:
        """Sets of items that cannot be told apart.

        Two items are in one group where a chain of undecided pairs leads from one to the other;
        every pair across groups is decided. Groups with more wins stand first.
        """
        undecided = ~(self.above | self.above.T)
        label = connected_parts(undecided)
        strength = self.above.sum(axis=1) - self.above.sum(axis=0)
        numbers = sorted(np.unique(label), key=lambda g: -float(strength[label == g].mean()))
        return tuple(self.items.where(label == number) for number in numbers)

    @cached_property
    def cyclic_components(self) -> tuple[tuple[Label, ...], ...]:
        """Sets of items that the decided pairs order in cycles; empty where there is none.

        They are the strong components of more than one item. Majorities can form cycles
        (Condorcet), so this need not be an error.
        """
        label = strong_parts(self.above)
        sets = (self.items.where(label == number) for number in np.unique(label))
        return tuple(items for items in sets if len(items) > 1)

    def ranks(self) -> pd.DataFrame:
        """Return for each item the ranks that the decided pairs leave it.

        Returns
        -------
        pandas.DataFrame
            Index: items. Columns best and worst, from 1: one more than the items decided to be
            above it, and n less those decided to be below.
        """
        best = 1 + self.above.sum(axis=0)
        worst = len(self.items) - self.above.sum(axis=1)
        index = pd.Index(list(self.items), name="item")
        return pd.DataFrame({"best": best, "worst": worst}, index=index)

    def to_graph(self) -> nx.DiGraph[Label]:
        """Return the decided pairs as a graph with arcs from above to below.

        Returns
        -------
        networkx.DiGraph
            Every item is a node.
        """
        graph: nx.DiGraph[Label] = nx.DiGraph()
        graph.add_nodes_from(self.items)
        graph.add_edges_from(self.pairs)
        return graph

    def to_frame(self) -> pd.DataFrame:
        """Return one row per decided pair, above and below, in the order of the items."""
        return pd.DataFrame(self.pairs, columns=["above", "below"])

    def _content(self) -> dict[str, Any]:
        return {
            "items": list(self.items),
            "how": self.how,
            "alpha": self.alpha,
            "is_approximate": self.is_approximate,
            "basis": None if self.basis is None else self.basis.to_dict(),
            "warning": self.warning,
            "pairs": [list(pair) for pair in self.pairs],
            "groups": [list(group) for group in self.groups],
            "cyclic_components": [list(items) for items in self.cyclic_components],
        }

    def _facts(self) -> list[str]:
        bound = "about" if self.is_approximate else "at most"
        rate = stated(self.alpha, "alpha", "g")
        told = "decided      {}, by {}; family-wise error rate {} {}"
        lines = [said(told, self._of_pairs(), self.how, bound, rate)]
        if self.basis is not None:
            lines.append(f"assumed      {self.basis.assumes}")
        if self.warning is not None:
            lines.append(said("too few      {}", self.warning))
        lines += [f"cycles       among {listed(items)}" for items in self.cyclic_components]
        together = [group for group in self.groups if len(group) > 1]
        return [*lines, *(f"not told apart  {listed(group)}" for group in together)]

    def __repr__(self) -> str:
        return (
            f"<Decisions on {counted(int(self.above.sum()), 'pair')} of "
            f"{counted(len(self.items), 'item')}>"
        )
