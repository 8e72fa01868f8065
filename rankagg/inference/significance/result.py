"""The result of Friedman's test: whether items rank alike, and which of them do not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike

from rankagg._typing import Floats, Label
from rankagg._validation import check_alpha, check_integer
from rankagg.core.items import ItemSet, counted, listed
from rankagg.core.names import said, stated
from rankagg.core.pandas_labels import axis_labels
from rankagg.core.results import ROWS, Direction, Result
from rankagg.exceptions import InvalidInputError
from rankagg.inference.significance import average_ranks as nemenyi
from rankagg.inference.significance.average_ranks import (
    check_average_ranks,
    concordance_without_ties,
)
from rankagg.inference.units import Unit

__all__ = ["FriedmanTest"]

NO_TIES = "from average ranks alone, as those of rankings without ties"


class FriedmanTest(Result):
    """Friedman's test: whether all items rank alike in independent complete rankings.

    Made by `friedman`, or by `from_average_ranks` from printed numbers. `plot` draws a
    `rankagg.plotting.critical_difference_diagram`.

    Attributes
    ----------
    items : ItemSet
        The k items.
    average_ranks : ndarray of float, shape (k,)
        The mean rank of each item, from 1, with mid-ranks for ties.
    n_rankings : int
        N, the number of independent rankings: one per unit, repeated ones included.
    kendall_w : float
        Kendall's coefficient of concordance W, corrected for ties: 1 where all rankings are
        equal, 0 where all average ranks are.
    unit : {"ranking", "instance", "task"}
        What was taken to be independent.
    notes : tuple of str
        What the reader must know.
    """

    items: ItemSet
    average_ranks: Floats
    n_rankings: int
    kendall_w: float
    unit: Unit
    notes: tuple[str, ...]

    _schema = "rankagg.friedman"
    _plot = "critical_difference_diagram"
    _best: ClassVar[Mapping[str, Direction]] = {"average_rank": "lowest"}

    @classmethod
    def from_average_ranks(
        cls, average_ranks: ArrayLike, n_rankings: int, items: Iterable[Label] | None = None
    ) -> FriedmanTest:
        """Test average ranks that are printed somewhere, as those of rankings without ties.

        Parameters
        ----------
        average_ranks : array_like of float, shape (k,)
            From 1, the best. They sum to k(k + 1)/2, up to rounding.
        n_rankings : int
            The number of rankings, at least 2.
        items : iterable of str or int, optional
            The items; 0, 1, ..., k - 1 by default.

        Returns
        -------
        FriedmanTest
            A note says that no ties are assumed. With ties the statistics would be larger.

        Raises
        ------
        InvalidInputError
            If no rankings have these average ranks.

        Examples
        --------
        >>> import rankagg as ra
        >>> test = ra.FriedmanTest.from_average_ranks([3.143, 2.0, 2.893, 1.964], 14)
        >>> round(test.statistic, 2), round(test.f_statistic, 2)
        (9.28, 3.69)
        >>> round(test.critical_difference(0.05), 2), round(test.critical_difference(0.1), 2)
        (1.25, 1.12)
        """
        items = axis_labels(average_ranks, 0, items, "items")
        ranks = check_average_ranks(average_ranks)
        names = ItemSet.numbered(len(ranks)) if items is None else ItemSet.coerce(items, ())
        if len(names) != len(ranks):
            raise InvalidInputError("items", counted(len(ranks), "label"), names)
        size = check_integer(n_rankings, "n_rankings", low=2)
        return cls(
            items=names, average_ranks=ranks, n_rankings=size,
            kendall_w=concordance_without_ties(ranks), unit="ranking", notes=(NO_TIES,),
        )  # fmt: skip

    # -- whether all are alike ----------------------------------------------------------------

    @property
    def df(self) -> int:
        """Degrees of freedom of the chi-square distribution, k - 1."""
        return len(self.items) - 1

    @property
    def statistic(self) -> float:
        """Friedman's chi-square, corrected for ties: N(k - 1)W."""
        return self.n_rankings * self.df * self.kendall_w

    @property
    def p_value(self) -> float:
        """The chance of so large a chi-square if all items rank alike, for many rankings."""
        return float(scipy.stats.chi2.sf(self.statistic, self.df))

    @property
    def f_df(self) -> tuple[int, int]:
        """Degrees of freedom of the F distribution, k - 1 and (k - 1)(N - 1)."""
        return self.df, self.df * (self.n_rankings - 1)

    @property
    def f_statistic(self) -> float:
        """The F of Iman and Davenport, (N - 1)W/(1 - W); infinite where all rankings are equal."""
        rest = 1.0 - self.kendall_w
        return (self.n_rankings - 1) * self.kendall_w / rest if rest > 0 else float("inf")

    @property
    def f_p_value(self) -> float:
        """The chance of so large an F if all items rank alike; for few rankings the better one."""
        return float(scipy.stats.f.sf(self.f_statistic, *self.f_df))

    # -- which are not ------------------------------------------------------------------------

    def critical_difference(self, alpha: float = 0.05) -> float:
        """Return Nemenyi's critical difference, q sqrt(k(k + 1)/(6N)).

        q is the upper quantile of the range of k normal variables, divided by sqrt(2). Ties would
        make the difference smaller; they are not looked at.

        Parameters
        ----------
        alpha : float, default 0.05
            The family-wise error rate: the probability that two average ranks differ by more if
            all items rank alike, in (0, 1).

        Returns
        -------
        float
            In ranks.
        """
        level = check_alpha(alpha)
        return nemenyi.critical_difference(len(self.items), self.n_rankings, level)

    def groups(self, alpha: float = 0.05) -> tuple[tuple[Label, ...], ...]:
        """Return the sets of items that the critical difference does not tell apart.

        Parameters
        ----------
        alpha : float, default 0.05
            See `critical_difference`.

        Returns
        -------
        tuple of tuple
            The largest sets of items, next to each other by average rank, in which no two differ
            by more; the best first. They may overlap. A critical-difference diagram draws a bar
            for each set of two items or more.
        """
        found = nemenyi.alike(self.average_ranks, self.critical_difference(alpha))
        return tuple(tuple(self.items[i] for i in group) for group in found)

    def p_values(self) -> pd.DataFrame:
        """Return Nemenyi's p-value of each pair, adjusted for all pairs.

        Returns
        -------
        pandas.DataFrame
            Items by items, 1 on the diagonal. It is below alpha where two average ranks differ by
            more than the critical difference.
        """
        labels = pd.Index(list(self.items), name="item")
        values = nemenyi.pair_p_values(self.average_ranks, self.n_rankings)
        return pd.DataFrame(values, index=labels, columns=labels.rename(None))

    # -- how it looks -------------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """Return one row per item with its average rank, the best first."""
        index = pd.Index(list(self.items), name="item")
        frame = pd.DataFrame({"average_rank": self.average_ranks}, index=index)
        return frame.sort_values("average_rank", kind="stable")

    def _content(self) -> dict[str, Any]:
        return {
            "items": list(self.items),
            "average_ranks": self.average_ranks.tolist(),
            "n_rankings": self.n_rankings,
            "unit": self.unit,
            "kendall_w": self.kendall_w,
            "statistic": self.statistic,
            "df": self.df,
            "p_value": self.p_value,
            "f_statistic": self.f_statistic if np.isfinite(self.f_statistic) else None,
            "f_df": list(self.f_df),
            "f_p_value": self.f_p_value,
            "notes": list(self.notes),
        }

    def summary(self, *, alpha: float = 0.05, rows: int | None = ROWS) -> str:
        """Return the test as text.

        Parameters
        ----------
        alpha : float, default 0.05
            For the critical difference.
        rows : int or None, default 30
            How many items, and how many groups, to print at most; None prints all.

        Returns
        -------
        str
        """
        return self._text(self._facts(alpha, rows), rows)

    def _facts(self, alpha: float = 0.05, rows: int | None = ROWS) -> list[str]:
        groups = [listed(group) for group in self.groups(alpha) if len(group) > 1]
        items = stated(len(self.items), "items", noun="item")
        rankings = stated(self.n_rankings, "rankings", noun="ranking")
        chi2, f = stated(self.statistic, "chi-square", ".4g"), stated(self.f_statistic, "F", ".4g")
        p, p_of_f = stated(self.p_value, "p-value", ".3g"), stated(self.f_p_value, "p of F", ".3g")
        df, rest = stated(self.df, "freedom"), stated(self.f_df[1], "freedom of the rest")
        critical = stated(self.critical_difference(alpha), "critical difference", ".4g")
        level, w = stated(alpha, "alpha", "g"), stated(self.kendall_w, "Kendall's W", ".4g")
        return [
            said("{} in {}; independent: {}s", items, rankings, self.unit),
            *(said("note: {}", note) for note in self.notes),
            said("Friedman         chi-square {}, df {}, p {}", chi2, df, p),
            said("Iman, Davenport  F {}, df {} and {}, p {}", f, df, rest, p_of_f),
            said("Kendall          W {}", w),
            said("Nemenyi          critical difference {} at alpha {}", critical, level),
            *(f"not told apart   {group}" for group in groups[:rows]),
        ]

    def __repr__(self) -> str:
        return (
            f"<FriedmanTest of {counted(len(self.items), 'item')} in "
            f"{counted(self.n_rankings, 'ranking')}: "
            f"chi-square {self.statistic:.4g}, p = {self.p_value:.3g}, W = {self.kendall_w:.3g}>"
        )
