"""Bootstrap rank shares: how often each item takes each rank in resamples of the data.

Such shares describe how robust a result is to single units. They are no confidence levels: the
bootstrap of a discrete choice such as the winner has no guaranteed coverage.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from rankagg._typing import Bools, Floats, Label, Positions, RNGLike, Tolerance
from rankagg._validation import as_generator, check_alpha, check_integer, check_jobs
from rankagg.aggregation import Aggregator, as_data, check_rule
from rankagg.aggregation.kemeny import Kemeny
from rankagg.analysis.robustness.redraws import ranks_in_resamples
from rankagg.core import (
    ItemSet,
    Profile,
    Result,
    ScoreSummary,
    ScoreTable,
    counted,
    plain_rows,
)
from rankagg.core.comparisons import Comparisons
from rankagg.inference.ranks.rank_results import RankUnit


def rank_shares(
    data: Profile | ScoreTable | ScoreSummary | Comparisons,
    rule: Aggregator | None = None,
    *,
    n_resamples: int = 1000,
    unit: RankUnit = "ranking",
    fixed_tasks: bool = False,
    tolerance: Tolerance = 0.0,
    instances: Sequence[Label] | None = None,
    rng: RNGLike = None,
    n_jobs: int | None = None,
) -> RankShares:
    """Aggregate bootstrap resamples of the data, and count the ranks of each item.

    Units are drawn with replacement, as many as there are; each resample is aggregated anew.

    Parameters
    ----------
    data : Profile, ScoreTable, ScoreSummary or Comparisons
        Rankings, scores, or results of pairs. Of a summary only tasks can be drawn.
    rule : Aggregator, optional
        Any rule; the exact `Kemeny()` by default.
    n_resamples : int, default 1000
        Number of resamples.
    unit : {"ranking", "instance", "task", "comparison", "cluster"}, default "ranking"
        The independent unit, which is resampled; see `PairwiseIntervals`. The default for
        comparisons is their clusters, if they have any.
    fixed_tasks : bool, default False
        Draw within each task.
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by at most this much are tied.
    instances : sequence, length m, optional
        The instance of each ranking of a Profile, for `unit="instance"`.
    rng : int or numpy.random.Generator, optional
        A seed or a generator.
    n_jobs : int, optional
        Number of processes that joblib starts; -1 for all cores.

    Returns
    -------
    RankShares

    Raises
    ------
    InvalidInputError
        If the data lack what the unit or the rule needs.
    InformationLostError
        If the data are a summary, and the unit is not "task".

    Examples
    --------
    >>> import rankagg as ra
    >>> profile = ra.Profile.from_orders(["ABC", "ACB", "BAC"], counts=[4, 3, 3])
    >>> shares = ra.rank_shares(profile, ra.Borda(), n_resamples=200, rng=0)
    >>> shares.to_frame().round(2)
          first_in_every  first_in_some  mean_rank  lower  upper
    item
    A               0.96           0.98       1.03      1      2
    B               0.02           0.04       2.02      1      3
    C               0.00           0.00       2.96      2      3
    """
    data = as_data(data)
    rule = Kemeny() if rule is None else check_rule(rule)
    items, drawn, *ends, is_proved = ranks_in_resamples(
        data,
        rule,
        check_integer(n_resamples, "n_resamples", low=1),
        as_generator(rng),
        unit=unit,
        fixed_tasks=fixed_tasks,
        tolerance=tolerance,
        instances=instances,
        n_jobs=check_jobs(n_jobs),
    )
    return _rank_shares(items, rule, drawn, *ends, is_proved=is_proved, fixed_tasks=fixed_tasks)


def _rank_shares(
    items: ItemSet,
    rule: Aggregator,
    unit: RankUnit,
    best: Positions,
    worst: Positions,
    *,
    is_proved: Bools,
    fixed_tasks: bool = False,
) -> RankShares:
    """Return the shares of resamples with these ranks, with notes."""
    drawn = counted(len(best), "resample")
    several, without = (int(odd.any(axis=1).sum()) for odd in (best != worst, best == 0))
    unproved = int((~is_proved).sum())
    what = "more than one optimum" if isinstance(rule, Kemeny) else "ties"
    notes = [
        f"{several} of {drawn} {'has' if several == 1 else 'have'} {what}" if several else "",
        f"{unproved} of {drawn} {'is' if unproved == 1 else 'are'} not proved optimal: one "
        "ranking counts"
        if unproved
        else "",
        f"in {without} of {drawn} some item has no rank" if without else "",
    ]
    return RankShares(
        items=items,
        rule=rule,
        unit=unit,
        fixed_tasks=fixed_tasks,
        best=best,
        worst=worst,
        notes=tuple(filter(None, notes)),
    )


class RankShares(Result):
    """Share of resamples in which each item takes each rank.

    Made by `rank_shares`; `plot` draws a `rankagg.plotting.rank_distribution_plot`. These are
    shares of resamples, not confidence levels.

    Attributes
    ----------
    items : ItemSet
        The items.
    rule : Aggregator
        The rule.
    unit : {"ranking", "instance", "task", "comparison", "cluster"}
        The resampled unit.
    fixed_tasks : bool
        True if it was resampled within each task.
    best, worst : ndarray of int, shape (B, n)
        First and last rank, from 1, of each item in each resample: of its bucket where it is tied,
        of all optima for an exact rule (`Optima.rank_ranges`); 0 where it has no rank.
    notes : tuple of str
        Remarks on ties, several optima and missing proofs.
    """

    items: ItemSet
    rule: Aggregator
    unit: RankUnit
    fixed_tasks: bool
    best: Positions
    worst: Positions
    notes: tuple[str, ...]

    _schema = "rankagg.rank_shares"
    _plot = "rank_distribution_plot"
    _best: ClassVar = {
        **dict.fromkeys(("first_in_every", "first_in_some"), "highest"),
        "mean_rank": "lowest",
    }

    @property
    def n_resamples(self) -> int:
        """The number of resamples."""
        return len(self.best)

    @property
    def first_in_every(self) -> Floats:
        """Share in which each item is first alone (in every optimum), shape (n,)."""
        return np.asarray((self.worst == 1).mean(axis=0))

    @property
    def first_in_some(self) -> Floats:
        """Share in which each item is first, perhaps tied (in some optimum), shape (n,)."""
        return np.asarray((self.best == 1).mean(axis=0))

    def ranks(self) -> pd.DataFrame:
        """Return the share of every rank for every item.

        Several possible ranks of an item in a resample have equal shares: exact for ties broken at
        random, a convention for several optima.

        Returns
        -------
        pandas.DataFrame
            Index: items; columns: ranks from 1. Rows sum to 1 where the item always has a rank.
        """
        n = len(self.items)
        rows, item = np.nonzero(self.best)
        best, worst = self.best[rows, item], self.worst[rows, item]
        share, steps = 1.0 / (worst - best + 1), np.zeros((n, n + 2))
        np.add.at(steps, (item, best), share)
        np.add.at(steps, (item, worst + 1), -share)
        shares = np.clip(np.cumsum(steps, axis=1)[:, 1 : n + 1] / self.n_resamples, 0.0, 1.0)
        frame = pd.DataFrame(shares, index=self._index(), columns=range(1, n + 1))
        return frame.iloc[self._order()]

    def within(self, k: int) -> pd.DataFrame:
        """Return the share of resamples in which each item is among the first k.

        Parameters
        ----------
        k : int
            From 1 to the number of items.

        Returns
        -------
        pandas.DataFrame
            in_every: in every optimum, however ties are broken; in_some: in some optimum, or for
            some way to break ties.
        """
        depth = check_integer(k, "k", low=1, high=len(self.items))
        ranked = self.best > 0
        columns = {
            "in_every": (ranked & (self.worst <= depth)).mean(axis=0),
            "in_some": (ranked & (self.best <= depth)).mean(axis=0),
        }
        return pd.DataFrame(columns, index=self._index()).iloc[self._order()]

    def to_frame(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return one row per item, the best mean rank first.

        Parameters
        ----------
        alpha : float, default 0.05
            Share of resamples outside the percentile interval, in (0, 1).

        Returns
        -------
        pandas.DataFrame
            first_in_every, first_in_some, mean_rank (of the midpoints of `best` and `worst`), and
            lower and upper, the percentile interval of the ranks: the alpha/2 quantile of `best`
            and the 1 - alpha/2 quantile of `worst`. Leaderboards print it; it has no guaranteed
            coverage, unlike `rank_intervals`.
        """
        level = check_alpha(alpha)
        columns = {"first_in_every": self.first_in_every, "first_in_some": self.first_in_some}
        frame = pd.DataFrame({**columns, "mean_rank": self._mean_rank()}, index=self._index())
        # Resamples without a rank of an item are left out for it.
        first, last = (
            pd.DataFrame(np.where(ranks > 0, ranks, np.nan), columns=frame.index)
            for ranks in (self.best, self.worst)
        )
        frame["lower"] = first.quantile(level / 2.0, interpolation="lower").astype("Int64")
        frame["upper"] = last.quantile(1.0 - level / 2.0, interpolation="higher").astype("Int64")
        return frame.iloc[self._order()]

    def _mean_rank(self) -> Floats:
        times = (self.best > 0).sum(axis=0)
        middle = ((self.best + self.worst) / 2.0).sum(axis=0)
        return np.where(times > 0, middle / np.maximum(times, 1), np.nan)

    def _order(self) -> Positions:
        return np.argsort(self._mean_rank(), kind="stable")

    def _index(self) -> pd.Index[Any]:
        return pd.Index(list(self.items), name="item")

    def _content(self) -> dict[str, Any]:
        what = self._plain("unit", "fixed_tasks", "n_resamples", "notes")
        return {"rule": self.rule.name, **what, "items": plain_rows(self.to_frame().reset_index())}

    def _facts(self) -> list[str]:
        within = " within tasks" if self.fixed_tasks else ""
        return [
            f"{self.rule.name} on {counted(self.n_resamples, 'resample')} of "
            f"{self.unit}s{within}; shares of resamples, not confidence",
            *(f"note: {note}" for note in self.notes),
        ]

    def __repr__(self) -> str:
        return (
            f"<RankShares of {counted(len(self.items), 'item')} by {self.rule.name} "
            f"on {counted(self.n_resamples, 'resample')}>"
        )
