"""Tests of items in ranked lists, with robust rank aggregation."""

from __future__ import annotations

from typing import Any, ClassVar, cast

import numpy as np
import pandas as pd
import scipy

from rankagg._typing import Floats
from rankagg._validation import check_integer
from rankagg.core import (
    ItemSet,
    Profile,
    Result,
    are_level,
    counted,
    frozen_array,
    p_text,
    places,
    quantity,
    sentence,
)
from rankagg.distributions.base import check_independent
from rankagg.distributions.fit_result import holm
from rankagg.exceptions import InvalidInputError

# Distinct scores whose p-values are computed in one call, and lists up to which it takes seconds.
AT_ONCE, MOST_LISTS = 500, 200


class RobustRankAggregation(Result):
    """Significance of high ranks of items in ranked lists, against random order.

    Made by `robust_rank_aggregation`; `plot` draws a `rankagg.plotting.list_ranks_plot`.

    Attributes
    ----------
    items : ItemSet
        The items that the lists rank.
    n_items : int
        Number of items of the lists, including those that no list names.
    shares : ndarray of float, shape (m, n)
        The rank of each item in each list, from 1, divided by `n_items`; 1 if a list does not
        name it.
    scores : ndarray of float, shape (n,)
        rho, the least probability of so small a k-th share, over all k.
    p_values : ndarray of float, shape (n,)
        The probability of so small a score if all lists were in random order.
    """

    items: ItemSet
    n_items: int
    shares: Floats
    scores: Floats
    p_values: Floats

    _schema = "rankagg.robust_rank_aggregation"
    _plot = "list_ranks_plot"
    _best: ClassVar = {"score": "lowest"}
    _formats = dict.fromkeys(("score", "bound", "p_value", "p_holm"), p_text)

    @property
    def n_lists(self) -> int:
        """The number of lists."""
        return len(self.shares)

    @property
    def bounds(self) -> Floats:
        """The p-values of Kolde et al.: scores times the number of lists, at most 1."""
        return np.minimum(self.scores * self.n_lists, 1.0)

    @property
    def p_holm(self) -> Floats:
        """P-values adjusted for all `n_items` items (Holm 1979)."""
        unnamed = np.ones(self.n_items - len(self.items))
        return holm(np.concatenate([self.p_values, unnamed]))[: len(self.items)]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per item, the smallest score first.

        Returns
        -------
        pandas.DataFrame
            lists (the number that name the item), score, bound, p_value, p_holm.
        """
        columns = {
            "lists": (self.shares < 1.0).sum(axis=0),
            "score": self.scores,
            "bound": self.bounds,
            "p_value": self.p_values,
            "p_holm": self.p_holm,
        }
        frame = pd.DataFrame(columns, index=pd.Index(list(self.items), name="item"))
        return frame.sort_values("score", kind="stable")

    def _content(self) -> dict[str, Any]:
        rows = self.to_frame().reset_index().to_dict("records")
        return {**self._plain("items", "n_items", "n_lists"), "ranks": rows}

    def _facts(self) -> list[str]:
        lists = quantity(self.n_lists, "lists", ",", "list")
        size = sentence("{} of {}", lists, quantity(self.n_items, "items in all", ",", "item"))
        low = quantity(int((self.p_holm <= 0.05).sum()), "items below 5 %", ",", "item")
        return [size, sentence("p_holm at most .05: {}", low)]

    def __repr__(self) -> str:
        return (
            f"<RobustRankAggregation of {counted(len(self.items), 'item')} in "
            f"{counted(self.n_lists, 'list')}>"
        )


def robust_rank_aggregation(data: Profile, *, n_items: int | None = None) -> RobustRankAggregation:
    """Test for each item whether lists rank it higher than by chance.

    Parameters
    ----------
    data : Profile
        Independent ranked lists, as from `read_rankings`. Items that a list does not name are at
        its end.
    n_items : int, optional
        Number of items of the lists, such as all genes that were measured; by default those of
        `data`.

    Returns
    -------
    RobustRankAggregation
        Tied items have the mean of their ranks.

    Notes
    -----
    In a list in random order the share r/N of an item at rank r is about uniform (and no smaller).
    So the k-th smallest of n shares has about a Beta(k, n - k + 1) distribution. The score is the
    least of the probabilities of so small shares. As a minimum of n it is too small for a p-value.
    Kolde et al. multiply it by n; here its distribution is computed, as the probability that
    ordered uniform variables cross a boundary.

    References
    ----------
    Kolde, Laur, Adler and Vilo (2012), "Robust rank aggregation for gene list integration and
    meta-analysis", Bioinformatics 28(4), 573-580, https://doi.org/10.1093/bioinformatics/btr709;
    distribution of the score: Moscovich and Nadler (2017), "Fast calculation of boundary crossing
    probabilities for Poisson processes", https://doi.org/10.1016/j.spl.2016.11.027.

    Examples
    --------
    >>> import rankagg as ra
    >>> tops = [ra.PartialRanking.from_top_k(top, items="ABCDE") for top in ("ABC", "ADB", "AE")]
    >>> lists = ra.Profile(tops)
    >>> result = ra.inference.robust_rank_aggregation(lists, n_items=100)
    >>> result.to_frame().head(2).round(6)
          lists     score     bound   p_value    p_holm
    item
    A         3  0.000001  0.000003  0.000003  0.000299
    B         2  0.002646  0.007938  0.007433  0.735897
    """
    if not isinstance(cast(object, data), Profile):
        remedy = "`read_rankings` reads them from files."
        raise InvalidInputError("data", "a Profile of ranked lists", data, remedy)
    if not are_level(data.weights):
        raise InvalidInputError("data", "lists of equal weight", data)
    check_independent(data)
    if data.n_rankings > MOST_LISTS:
        raise InvalidInputError("data", f"at most {MOST_LISTS} lists", data.n_rankings)
    size = data.n_items
    total = size if n_items is None else check_integer(n_items, "n_items", low=size)
    shares = np.where(data.ranks < 0, total, places.mid_ranks(data.ranks) + 1.0) / total
    shares = np.repeat(shares, data.counts, axis=0)
    scores = _scores(shares)
    distinct, where = np.unique(scores, return_inverse=True)
    parts = np.array_split(distinct, -(-len(distinct) // AT_ONCE))
    chances = np.concatenate([_chance_of_less(part, len(shares)) for part in parts])
    return RobustRankAggregation(
        items=data.items,
        n_items=total,
        shares=frozen_array(shares),
        scores=frozen_array(scores),
        p_values=frozen_array(chances[where]),
    )


def _scores(shares: Floats) -> Floats:
    """Return the least tail probability of the ordered shares of each item."""
    n = len(shares)
    k = np.arange(1.0, n + 1.0)[:, None]
    tails = scipy.special.betainc(k, n - k + 1.0, np.sort(shares, axis=0))
    return np.asarray(tails.min(axis=0), dtype=np.float64)


def _chance_of_less(scores: Floats, n: int) -> Floats:
    """Return the probability that the least tail of n uniform variables is no larger.

    Then for some k at least k variables are below the k-th boundary. Boundaries are processed in
    order, and crossings are removed from the remaining probability.
    """
    k = np.arange(1.0, n + 1.0)
    boundaries: Any = scipy.special.betaincinv(k, n - k + 1.0, scores[:, None])
    # The probability of each number of variables so far without a crossing.
    below, reached, last = np.zeros((len(scores), n + 1)), *np.zeros((2, len(scores)))
    below[:, 0] = 1.0
    for level in range(1, n + 1):
        at = boundaries[:, level - 1]
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.where(at < 1.0, (at - last) / (1.0 - last), 1.0)
        last, before = at, below.copy()
        below[:] = 0.0
        for j in range(level):
            rest = n - j
            reached += before[:, j] * scipy.special.bdtrc(level - 1 - j, rest, share)
            more = np.arange(level - j)
            steps = share[:, None] ** more * (1.0 - share[:, None]) ** (rest - more)
            below[:, j:level] += before[:, j, None] * scipy.special.comb(rest, more) * steps
    return np.minimum(reached, 1.0)
