"""Results of rank intervals, and the families of pairs behind them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats, Label, Positions
from rankagg._validation import check_flag, check_integer
from rankagg.core import (
    ROWS,
    ItemSet,
    Result,
    counted,
    level_of,
    listed,
    rounding_error,
    sentence,
    shortened,
)
from rankagg.inference.decisions import TIERS, Decisions, tarone
from rankagg.inference.pair_bounds import BINOMIAL
from rankagg.inference.pairwise import PairwiseIntervals, p_values
from rankagg.inference.units import Unit

# The scores that define ranks, in words; others have their own name.
BY: dict[RanksBy, str] = {
    "pairwise": "majorities",
    "borda": "mean Borda points",
    "mean": "mean scores",
}
BY_IN_BATTLES: dict[RanksBy, str] = {
    "borda": "mean win rates over all opponents",
    "mean": "win rates",
    "worths": "Bradley-Terry ratings",
}


@dataclass(frozen=True, eq=False)
class Families:
    """Decisions with one probability of error in each of several families of pairs."""

    # Shape (n, n). Whether row is decided to be above column, in the family of all pairs.
    together: Bools
    # Shape (n, n). 1 if row is decided to be above column, -1 if column is above row, in the
    # family of the pairs of the row's item; 0 elsewhere.
    alone: NDArray[np.int8]
    # Shape (n,). Whether some item is decided to be above this one, in the family of the
    # hypotheses that others are above it, or of all its pairs.
    led: Bools

    @classmethod
    def at_once(cls, together: Bools) -> Families:
        """Return decisions on all pairs, which hold in every smaller family."""
        alone = together.astype(np.int8) - together.T
        return cls(together, alone, np.any(together, axis=0, keepdims=True)[0])

    @classmethod
    def from_p_values(cls, p_values: Floats, least: Floats, alpha: float) -> Families:
        """Decide by Holm's procedure with Tarone's count."""
        n = len(p_values)
        off = ~np.eye(n, dtype=bool)
        together = np.zeros((n, n), dtype=bool)
        together[off] = tarone(p_values[off], least[off], alpha)
        alone, led = np.zeros((n, n), dtype=np.int8), np.zeros(n, dtype=bool)
        for i in range(n):
            others = off[i]
            mine = np.concatenate([p_values[i, others], p_values[others, i]])
            floor = np.concatenate([least[i, others], least[others, i]])
            up, down = np.split(tarone(mine, floor, alpha), 2)
            alone[i, others] = up.astype(np.int8) - down
            led[i] = tarone(p_values[others, i], least[others, i], alpha).any()
        return cls(together, alone, led)


Of = Literal["pairwise", "borda", "mean"]
#: The scores that define ranks: those of `rank_intervals`, worths of a fit, or other estimates.
RanksBy = Of | Literal["worths", "estimates"]

#: Independent units; the last two of comparisons.
RankUnit = Unit | Literal["comparison", "cluster"]
#: Units of a result, including estimates.
KnownUnit = RankUnit | Literal["estimate"]


class RankIntervals(Result):
    """Confidence intervals for the ranks of items, simultaneous and for each item alone.

    Made by `rank_intervals`, `comparison_rank_intervals` and `rank_sets`; `plot` draws a
    `rankagg.plotting.forest_plot`.

    Attributes
    ----------
    of : {"pairwise", "borda", "mean", "worths", "estimates"}
        The scores that define the ranks.
    unit : str or None
        The independent unit: "ranking" or another unit of `rank_intervals`, or "estimate"; None
        if estimates have a covariance.
    rank, best, worst : ndarray of int, shape (n,)
        The rank in the sample, from 1, and its bounds, which hold for all items at once.
    marginal_best, marginal_worst : ndarray of int, shape (n,)
        Bounds that hold for each item alone, but not for all together. Use them for an item that
        was chosen before seeing the data.
    decisions : Decisions
        The decided pairs, with the method and the probability of error.
    notes : tuple of str
        Caveats.
    estimate : ndarray of float, shape (n,), or None
        The estimates, for `rank_sets`.
    """

    of: RanksBy
    unit: KnownUnit | None
    rank: Positions
    best: Positions
    worst: Positions
    marginal_best: Positions
    marginal_worst: Positions
    decisions: Decisions
    notes: tuple[str, ...]
    estimate: Floats | None = None
    _led: Bools
    # Whether the data are comparisons, whose scores are win rates.
    _is_fought: bool

    _schema = "rankagg.rank_intervals"
    _plot = "forest_plot"
    _intervals: ClassVar = {"rank": ("best", "worst")}

    @property
    def items(self) -> ItemSet:
        """The items."""
        return self.decisions.items

    @property
    def method(self) -> str | None:
        """The method of the decisions; None if unknown, as for the three below."""
        return None if self.decisions.basis is None else self.decisions.basis.method

    @property
    def assumes(self) -> str | None:
        """The assumptions under which the level holds."""
        return None if self.decisions.basis is None else self.decisions.basis.assumes

    @property
    def n_units(self) -> int | None:
        """The number of independent units."""
        return None if self.decisions.basis is None else self.decisions.basis.n_units

    @property
    def decidable_from(self) -> int | None:
        """The least number of units that can decide a pair; None also for a single item."""
        return None if self.decisions.basis is None else self.decisions.basis.decidable_from

    @property
    def first(self) -> tuple[Label, ...]:
        """The items that may be first: a confidence set for the first item.

        The first item is among them with probability 1 - alpha. If several items are first
        together, each is with that probability; for all of them at once see `top`.
        """
        # Leaving out an item that is first is an error in the family of its own pairs. So no
        # correction for the number of items is needed.
        return self.items.where(~self._led)

    @property
    def tied_with_first(self) -> tuple[Label, ...]:
        """The items with the best rank in the sample, and those not decided to be below them.

        An item is left out if some item with the best rank is decided to be above it, all pairs at
        once. In contrast, `first` is about the population.
        """
        return self.items.where(~self.decisions.above[self.rank == self.rank.min()].any(axis=0))

    def top(self, k: int) -> tuple[Label, ...]:
        """Return the items that may be among the first k: a confidence set for the k best.

        With probability 1 - alpha these include all items whose rank is k or better. `top(1)` can
        include more than `first`, which is for one item only.

        Parameters
        ----------
        k : int
            From 1 to the number of items.
        """
        return self.items.where(self.best <= check_integer(k, "k", low=1, high=len(self.items)))

    def bottom(self, k: int) -> tuple[Label, ...]:
        """Return the items that may be among the last k: a confidence set for the k worst.

        With probability 1 - alpha these include all items above fewer than k others.

        Parameters
        ----------
        k : int
            From 1 to the number of items.
        """
        last = check_integer(k, "k", low=1, high=len(self.items))
        return self.items.where(self.worst > len(self.items) - last)

    @cached_property
    def _order(self) -> Positions:
        """The places of the items from the best rank to the worst, shape (n,)."""
        return np.lexsort((self.worst, self.best, self.rank))

    @cached_property
    def tier(self) -> Positions:
        """The tier of each item, from 1, shape (n,): see `Decisions.tiers`."""
        tiers = np.empty(len(self.items), dtype=np.intp)
        for number, members in enumerate(self.decisions.tiers, start=1):
            tiers[self.items.indices(members)] = number
        return tiers

    @cached_property
    def separable(self) -> Bools:
        """Whether each item is decided to be above the next in the order, shape (n,).

        The last one is above none.
        """
        separable = np.zeros(len(self.items), dtype=bool)
        upper, lower = self._order[:-1], self._order[1:]
        separable[upper] = self.decisions.above[upper, lower]
        return separable

    def to_frame(self, *, simultaneous: bool = True) -> pd.DataFrame:
        """Return one row per item, the best rank first.

        Parameters
        ----------
        simultaneous : bool, default True
            If False, best and worst are the bounds for each item alone. Tier and separable are
            left out, since they depend on simultaneous decisions.

        Returns
        -------
        pandas.DataFrame
            estimate (for `rank_sets`), rank, best, worst, marginal_best, marginal_worst, tier,
            and separable. Every item of a tier is decided to be above every item of the next ones;
            a separable item is decided to be above that of the next row.
        """
        columns: dict[str, NDArray[Any]] = {}
        if self.estimate is not None:
            columns["estimate"] = self.estimate
        if check_flag(simultaneous, "simultaneous"):
            names = ["rank", "best", "worst", "marginal_best", "marginal_worst"]
            columns |= {name: getattr(self, name) for name in (*names, "tier", "separable")}
        else:
            columns |= {
                "rank": self.rank,
                "best": self.marginal_best,
                "worst": self.marginal_worst,
            }
        frame = pd.DataFrame(columns, index=pd.Index(list(self.items), name="item"))
        return frame.sort_values(["rank", "best", "worst"])

    def _to_paste(self) -> pd.DataFrame:
        frame = self.to_frame()
        return frame[[name for name in ("estimate", "rank", "best", "worst") if name in frame]]

    def _content(self) -> dict[str, Any]:
        rest = ("method", "assumes", "n_units", "decidable_from")
        together = self.to_frame().drop(columns=["marginal_best", "marginal_worst"])
        frames = {"ranks": together, "marginal": self.to_frame(simultaneous=False)}
        return {
            **self._plain("of", "unit"),
            **self.decisions._plain("alpha", "how"),
            **self._plain(*rest, "first", "tied_with_first", "notes"),
            **{name: frame.reset_index().to_dict("records") for name, frame in frames.items()},
        }

    @property
    def by(self) -> str:
        """The scores that define ranks, in words."""
        return (BY | BY_IN_BATTLES if self._is_fought else BY).get(self.of, self.of)

    def describe(self) -> str:
        """Return one sentence on the ranks, the intervals and the independent units."""
        basis, level = self.decisions.basis, level_of(self.decisions.alpha)
        template = "ranks by {}; simultaneous {} confidence intervals, by {}"
        line = sentence(template, self.by, level, self.decisions.how)
        if self.unit is None:
            return line
        units = f"{self.unit}s" if basis is None else basis.counted()
        return sentence("{}; independent: {}", line, units)

    def _facts(self) -> list[str]:
        assumed = [] if self.assumes is None else [f"assumed: {self.assumes}"]
        return [self.describe(), *assumed, *(sentence("note: {}", note) for note in self.notes)]

    def _printed(self, table: pd.DataFrame) -> str:
        width = max(len(shortened(item)) for item in table.index)
        has_tiers, rows = len(self.decisions.tiers) > 1, cast(Any, table.itertuples())
        return "\n".join(
            f"{row.rank:>4}  {shortened(row.Index):<{width}}  "
            + (f"rank {row.best}" if row.best == row.worst else f"ranks {row.best} to {row.worst}")
            + (f"; tier {row.tier}" if has_tiers else "")
            + ("; above the next" if row.separable else "")
            for row in rows
        )

    def _below(self, rows: int | None = ROWS) -> list[str]:
        tiers = [f"tiers: {TIERS}"] * (len(self.decisions.tiers) > 1)
        return [f"may be first: {listed(self.first)}{self.first_note}", *tiers]

    @property
    def first_note(self) -> str:
        """The reason why `first` is smaller than `top(1)`, if it is, in parentheses."""
        return " (for the first place alone)" * (len(self.first) < len(self.top(1)))

    def __repr__(self) -> str:
        return f"<RankIntervals of {counted(len(self.items), 'item')} by {self.of}>"


def ranks_from_decisions(
    of: RanksBy,
    unit: KnownUnit | None,
    above: Bools,
    decisions: Decisions,
    notes: tuple[str, ...],
    *,
    families: Families | None = None,
    estimate: Floats | None = None,
    is_fought: bool = False,
) -> RankIntervals:
    """Return the ranks by `above`, shape (n, n), with the bounds from the decisions.

    Without `families` the decisions on all pairs are used for every smaller family.
    """
    families = families or Families.at_once(decisions.above)
    rank = 1 + above.sum(axis=0)
    return RankIntervals(
        of=of,
        unit=unit,
        rank=rank,
        best=1 + decisions.above.sum(axis=0),
        worst=len(rank) - decisions.above.sum(axis=1),
        marginal_best=1 + (families.alone < 0).sum(axis=1),
        marginal_worst=len(rank) - (families.alone > 0).sum(axis=1),
        decisions=decisions,
        notes=(*notes, *_incoherence(rank)),
        estimate=estimate,
        _led=families.led,
        _is_fought=is_fought,
    )


def ranks_from_intervals(
    intervals: PairwiseIntervals, how: Literal["holm", "intervals"] = "holm"
) -> RankIntervals:
    """Return the ranks by majorities that follow from `intervals.decisions(how)`."""
    lead = np.where(np.isnan(intervals.estimate), 0.0, intervals.estimate - 0.5)
    above = lead > rounding_error(1.0)
    decisions = intervals.decisions(how)
    families = None
    if how == "holm":
        values, least = p_values(intervals)
        least = least if intervals.method in BINOMIAL else np.zeros_like(values)
        families = Families.from_p_values(values, least, decisions.alpha)
    unit, notes = intervals.unit, (*decisions.warnings, *intervals.notes)
    return ranks_from_decisions("pairwise", unit, above, decisions, notes, families=families)


def _incoherence(rank: Positions) -> tuple[str, ...]:
    """Return a note if ranks are not those of any ranking with ties."""
    if (rank == 1 + (rank[:, None] > rank).sum(axis=1)).all():
        return ()
    return (
        "a rank is one more than the number of items above; because of cycles, ties or gaps these "
        "pairs form no ranking, so that ranks repeat or are left out",
    )
