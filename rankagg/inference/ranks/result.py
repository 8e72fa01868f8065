"""Confidence intervals for the ranks of items, as a result to read, print and draw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rankagg._typing import Bools, Label
from rankagg._validation import check_flag, check_integer
from rankagg.core.arithmetic.exact_sum import rounding_error
from rankagg.core.items import ItemSet, counted, listed, shortened
from rankagg.core.names import level_of, said
from rankagg.core.results import ROWS, Result
from rankagg.inference.decisions import Decisions
from rankagg.inference.intervals.methods import BINOMIAL
from rankagg.inference.intervals.pair_decisions import least_p_values, p_values
from rankagg.inference.intervals.pairwise import PairwiseIntervals
from rankagg.inference.ranks.families import Families
from rankagg.inference.units import Redrawn

__all__ = ["Of", "RankIntervals", "RankUnit"]

Of: TypeAlias = Literal["pairwise", "borda", "mean"]

#: What may be independent; the last two of comparisons.
RankUnit: TypeAlias = Redrawn | Literal["comparison", "cluster"]


class RankIntervals(Result):
    """Confidence intervals for the ranks of items: for all at once, and for each alone.

    Made by `rank_intervals`; `plot` draws a `rankagg.plotting.forest_plot`.

    Attributes
    ----------
    of : {"pairwise", "borda", "mean"}
        What the ranks are by.
    unit : {"ranking", "instance", "task", "comparison", "cluster"}
        What was taken to be independent.
    rank, best, worst : ndarray of int, shape (n,)
        The rank in the sample, from 1, and its bounds, which hold for all items at once.
    marginal_best, marginal_worst : ndarray of int, shape (n,)
        Bounds that hold for each item alone, and for all of them together less often. To be used
        for an item that was chosen before the data were seen.
    decisions : Decisions
        The pairs that are decided, how, and with which probability of error.
    notes : tuple of str
        What the reader must know.
    """

    of: Of
    unit: RankUnit
    rank: NDArray[np.intp]
    best: NDArray[np.intp]
    worst: NDArray[np.intp]
    marginal_best: NDArray[np.intp]
    marginal_worst: NDArray[np.intp]
    decisions: Decisions
    notes: tuple[str, ...]
    _led: Bools

    _schema = "rankagg.rank_intervals"
    _version = 2
    _plot = "forest_plot"
    _intervals: ClassVar[Mapping[str, tuple[str, str]]] = {"rank": ("best", "worst")}

    @classmethod
    def from_decisions(
        cls,
        of: Of,
        unit: RankUnit,
        above: Bools,
        decisions: Decisions,
        notes: tuple[str, ...],
        *,
        families: Families | None = None,
    ) -> RankIntervals:
        """Return the ranks by `above`, and those that decisions leave.

        Parameters
        ----------
        of : {"pairwise", "borda", "mean"}
            What the ranks are by.
        unit : {"ranking", "instance", "task", "comparison", "cluster"}
            What was taken to be independent.
        above : ndarray of bool, shape (n, n)
            Whether row is above column in the data.
        decisions : Decisions
            The pairs that are decided.
        notes : tuple of str
            What the reader must know.
        families : Families, optional
            Decisions in smaller families of pairs; those of all pairs by default, which hold in
            every smaller family too.

        Returns
        -------
        RankIntervals
        """
        bounds = decisions.ranks()
        # Decisions on all pairs hold in every smaller family too.
        known = Families.at_once(decisions.above) if families is None else families
        rank = 1 + above.sum(axis=0)
        return cls(
            of=of,
            unit=unit,
            rank=rank,
            best=bounds["best"].to_numpy(),
            worst=bounds["worst"].to_numpy(),
            marginal_best=1 + (known.alone < 0).sum(axis=1),
            marginal_worst=len(rank) - (known.alone > 0).sum(axis=1),
            decisions=decisions,
            notes=(*notes, *_incoherence(rank)),
            _led=known.led,
        )

    @classmethod
    def from_intervals(
        cls, intervals: PairwiseIntervals, how: Literal["holm", "intervals"] = "holm"
    ) -> RankIntervals:
        """Return the ranks by majorities that follow from decisions about pairs.

        Parameters
        ----------
        intervals : PairwiseIntervals
            Of direct comparisons.
        how : {"holm", "intervals"}, default "holm"
            See `PairwiseIntervals.decisions`.

        Returns
        -------
        RankIntervals
        """
        lead = np.where(np.isnan(intervals.estimate), 0.0, intervals.estimate - 0.5)
        above = lead > rounding_error(1.0)
        decisions = intervals.decisions(how)
        families = None
        if how == "holm":
            least = least_p_values(intervals) if intervals.method in BINOMIAL else 0.0
            values = p_values(intervals)
            families = Families.from_p_values(
                values, np.broadcast_to(least, values.shape), decisions.alpha
            )
        warning = () if decisions.warning is None else (decisions.warning,)
        return cls.from_decisions(
            "pairwise", intervals.unit, above, decisions, (*warning, *intervals.notes),
            families=families,
        )  # fmt: skip

    @property
    def items(self) -> ItemSet:
        """The items."""
        return self.decisions.items

    @property
    def method(self) -> str | None:
        """How pairs were decided; None where nobody said, as in the three below."""
        return None if self.decisions.basis is None else self.decisions.basis.method

    @property
    def assumes(self) -> str | None:
        """What must be true for the level to hold."""
        return None if self.decisions.basis is None else self.decisions.basis.assumes

    @property
    def n_units(self) -> int | None:
        """How many independent units there are."""
        return None if self.decisions.basis is None else self.decisions.basis.n_units

    @property
    def decidable_from(self) -> int | None:
        """With how many units anything could be decided at all; None also for a single item."""
        return None if self.decisions.basis is None else self.decisions.basis.decidable_from

    @property
    def first(self) -> tuple[Label, ...]:
        """The items that may be first: with probability 1 - alpha that item is among them.

        Several items can be first together; then each of them is among these with that
        probability. For all of them at once see `top`.
        """
        # An item is left out where another is decided to be above it, in a family of its own pairs.
        # For an item that is first that is an error, so it is left out with probability alpha at
        # most. How many other items are tried does not matter: to leave out
        # those is no error.
        return self.items.where(~self._led)

    @property
    def tied_with_first(self) -> tuple[Label, ...]:
        """The items with the best rank in the sample, and those that are not told from them.

        An item is told from them where some item with the best rank is decided to be above it, all
        pairs at once. `first` asks another question: who may be first in the population.
        """
        leaders = self.rank == self.rank.min()
        return self.items.where(~self.decisions.above[leaders].any(axis=0))

    def top(self, k: int) -> tuple[Label, ...]:
        """Return the items that may be among the first k.

        With probability 1 - alpha these hold all items whose rank is k or better.

        Parameters
        ----------
        k : int
            From 1 to the number of items.

        Returns
        -------
        tuple of labels
            In the order of the items. `top(1)` can hold more than `first`, which looks at one
            item only.
        """
        last = check_integer(k, "k", low=1, high=len(self.items))
        return self.items.where(self.best <= last)

    def to_frame(self, *, simultaneous: bool = True) -> pd.DataFrame:
        """Return one row per item: rank, best, worst; the best rank first.

        Parameters
        ----------
        simultaneous : bool, default True
            False takes the bounds that hold for each item alone.

        Returns
        -------
        pandas.DataFrame
        """
        joint = check_flag(simultaneous, "simultaneous")
        index = pd.Index(list(self.items), name="item")
        best, worst = (
            (self.best, self.worst) if joint else (self.marginal_best, self.marginal_worst)
        )
        columns = {"rank": self.rank, "best": best, "worst": worst}
        frame = pd.DataFrame(columns, index=index)
        return frame.sort_values(["rank", "best", "worst"])

    def _content(self) -> dict[str, Any]:
        return {
            "of": self.of,
            "unit": self.unit,
            "alpha": self.decisions.alpha,
            "how": self.decisions.how,
            "method": self.method,
            "assumes": self.assumes,
            "n_units": self.n_units,
            "decidable_from": self.decidable_from,
            "first": list(self.first),
            "tied_with_first": list(self.tied_with_first),
            "notes": list(self.notes),
            "ranks": self.to_frame().reset_index().to_dict("records"),
            "marginal": self.to_frame(simultaneous=False).reset_index().to_dict("records"),
        }

    @property
    def by(self) -> str:
        """What ranks are by, in words."""
        what = {"pairwise": "majorities", "borda": "mean Borda points", "mean": "mean scores"}
        if self.unit in ("comparison", "cluster"):
            what |= {"borda": "mean win rates over all opponents", "mean": "win rates"}
        return what[self.of]

    def describe(self) -> str:
        """Return one sentence: which ranks, from what, and what the level covers."""
        basis, told = (
            self.decisions.basis,
            "ranks by {}; simultaneous {} confidence intervals, by {}",
        )
        units = f"{self.unit}s" if basis is None else basis.counted()
        level = level_of(self.decisions.alpha)
        return said(told + "; independent: {}", self.by, level, self.decisions.how, units)

    def _facts(self) -> list[str]:
        assumed = [] if self.assumes is None else [f"assumed: {self.assumes}"]
        return [self.describe(), *assumed, *(said("note: {}", note) for note in self.notes)]

    def _printed(self, table: pd.DataFrame) -> str:
        width = max(len(shortened(item)) for item in table.index)
        return "\n".join(
            f"{rank:>4}  {shortened(item):<{width}}  {_span(best, worst)}"
            for item, rank, best, worst in table.itertuples()
        )

    def _below(self, rows: int | None = ROWS) -> list[str]:
        alone = " (asked of the first place alone)" * (set(self.first) != set(self.top(1)))
        return [f"may be first: {listed(self.first)}{alone}"]

    def __repr__(self) -> str:
        return f"<RankIntervals of {counted(len(self.items), 'item')} by {self.of}>"


def _span(best: int, worst: int) -> str:
    return f"rank {best}" if best == worst else f"ranks {best} to {worst}"


def _incoherence(rank: NDArray[np.intp]) -> tuple[str, ...]:
    """Return a note where ranks are not those of any ranking with ties."""
    expected = 1 + (rank[:, None] > rank).sum(axis=1)
    if (rank == expected).all():
        return ()
    return (
        "a rank is one more than the number of items above; cycles, ties or gaps keep these "
        "pairs from adding up to a ranking, so that ranks repeat or are left out",
    )
