"""Whether two groups of rankings are alike: a permutation test by distances of rankings."""

from __future__ import annotations

from itertools import compress, product
from math import comb, prod
from typing import Any

import numpy as np
import pandas as pd

from rankagg._typing import Floats, Generator, Group, Integers64, RNGLike
from rankagg._validation import as_generator, check_integer
from rankagg.aggregation import Aggregator, Borda, Consensus, check_aggregator
from rankagg.core import Profile, Result, ScoreTable, listed, p_text, percent, said, stated
from rankagg.distances import kendall_distance
from rankagg.exceptions import Described, InvalidInputError
from rankagg.inference.dispersion import spread
from rankagg.inference.rank_tests import check_rankings
from rankagg.inference.units import Units, rankings_of, units_of

# Divisions into two groups up to which all are counted, and numbers that are held at one time.
MOST_DIVISIONS, HELD = 20_000, 2_000_000


class TwoGroupTest(Result):
    """A permutation test of whether two groups of rankings are alike.

    Made by `two_group_test`. It has no plot.

    Attributes
    ----------
    groups : tuple
        The first and the second group.
    sizes : tuple of int
        How many rankings each has.
    within : tuple of float
        The share of judgments of two items in which two different rankings of a group differ, a tie
        and an order by a quarter; NaN where it has one ranking.
    between : float
        That of two rankings of different groups.
    statistic : float
        The energy distance of the groups, 0 where their proportions for all pairs are equal.
    p_value : float
        The share of divisions into groups of these sizes that have as large a statistic.
    n_resamples : int
        How many divisions were drawn, the observed one among them; 0 where all were counted.
    consensuses : tuple of Consensus
        That of each group.
    unit : {"ranking", "cluster"}
        What was taken to be independent.
    notes : tuple of str
        What the reader must know.
    """

    groups: tuple[Group, Group]
    sizes: tuple[int, int]
    within: tuple[float, float]
    between: float
    statistic: float
    p_value: float
    n_resamples: int
    consensuses: tuple[Consensus, Consensus]
    unit: str
    notes: tuple[str, ...]

    _schema = "rankagg.two_group_test"
    _row = "group"

    @property
    def distance(self) -> float:
        """How far the consensuses are apart, as a share of the pairs of items."""
        first, second = (one.ranking for one in self.consensuses)
        return kendall_distance(first, second, p=0.5, normalized=True)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per group: rankings, and the share in which two of them differ."""
        index = pd.Index(list(self.groups), name="group")
        return pd.DataFrame({"rankings": self.sizes, "within": self.within}, index=index)

    def _content(self) -> dict[str, Any]:
        what = self._plain("groups", "sizes", "within", "between", "statistic", "p_value", "unit")
        rest = self._plain("n_resamples", "distance", "notes")
        return what | rest | {"consensuses": [one.to_dict() for one in self.consensuses]}

    def _facts(self) -> list[str]:
        between = stated(self.between, "share of judgments that differ", percent)
        apart = stated(self.distance, "share of pairs that consensuses order differently", percent)
        energy = stated(self.statistic, "energy distance", ".4g")
        p_value = stated(self.p_value, "p-value", p_text)
        how = stated(self.n_resamples, "draws", ",") if self.n_resamples else "all"
        rule = self.consensuses[0].aggregator.name
        return [
            said("energy   {}, p {} by {} divisions of {}s", energy, p_value, how, self.unit),
            *(said("note: {}", note) for note in self.notes),
            said("between  two rankings of different groups differ in {} of judgments", between),
            said("between  the consensuses by {} differ in {} of pairs", rule, apart),
        ]


def two_group_test(
    data: Profile | ScoreTable,
    first: Group,
    second: Group,
    *,
    aggregator: Aggregator | None = None,
    n_resamples: int = 10_000,
    rng: RNGLike = 0,
) -> TwoGroupTest:
    """Test whether two groups of rankings are drawn from one distribution.

    Parameters
    ----------
    data : Profile or ScoreTable
        Rankings with groups, or scores of tasks; ties and gaps are allowed. Where clusters
        are stated, such as raters, each lies in one group; they are independent, not rankings.
    first, second : str or int
        Two of the groups.
    aggregator : Aggregator, optional
        The rule for the consensus of each group, which does not bear on the test; by default Borda.
    n_resamples : int, default 10,000
        Random divisions into groups of these sizes, the observed one among them. Where there are
        few enough, all are counted instead.
    rng : int or numpy.random.Generator, default 0
        For these.

    Returns
    -------
    TwoGroupTest

    Raises
    ------
    InvalidInputError
        If there are no such groups, weights differ, a cluster lies in both groups, or no two items
        are compared in both.

    Notes
    -----
    The statistic is the average over pairs of items of 2 (x - y)^2, with x and y the proportions of
    the two groups for the first item, a tie counted half, of those that compare the two. Without
    gaps it is the energy distance: twice the average Kendall distance (p = 1/4) of two rankings of
    different groups, less those within each group, as a share of pairs. So groups with the same
    proportions are not told apart. Of a cluster, averages count, by its size. The p-value is exact
    if gaps come about alike in both groups.

    References
    ----------
    Feigin and Alvo (1986), "Intergroup diversity and concordance for ranking data",
    https://doi.org/10.1214/aos/1176349947; Székely and Rizzo (2013), "Energy statistics: a class of
    statistics based on distances", https://doi.org/10.1016/j.jspi.2013.03.018; for the question
    Hollander and Sethuraman (1978), https://doi.org/10.1093/biomet/65.2.403.

    Examples
    --------
    >>> import rankagg as ra
    >>> orders, counts = ["BAC", "BCA", "CBA", "ABC", "ACB", "CAB", "CBA"], [1, 7, 6, 1, 1, 5, 6]
    >>> leisure = ra.Profile.from_orders(orders, counts=counts, groups=list("wwwbbbb"))
    >>> print(ra.inference.two_group_test(leisure, "w", "b"))
    energy   0.3608, p 0.000168 by all divisions of rankings
    between  two rankings of different groups differ in 43 % of judgments
    between  the consensuses by Borda differ in 67 % of pairs
       rankings  within
    w        14   0.223
    b        13   0.325
    """
    rule = Borda() if aggregator is None else check_aggregator(aggregator)
    times, generator = check_integer(n_resamples, "n_resamples", low=100), as_generator(rng)
    groups = rankings_of(data, 0.0, None)[0].by_group()
    for parameter, group in (("first", first), ("second", second)):
        if group not in groups or first == second:
            allowed = f"one of two different groups among {listed(list(groups))}"
            raise InvalidInputError(parameter, allowed, group)
    one, two = groups[first], groups[second]
    mine, theirs = one.pairwise("ignore"), two.pairwise("ignore")
    judged, others = mine.wins + mine.wins.T + mine.ties, theirs.wins + theirs.wins.T + theirs.ties
    alone = int(((judged > 0) ^ (others > 0)).sum()) // 2
    if not (judged * others).any():
        allowed = "groups that both compare two items"
        raise InvalidInputError("data", allowed, Described("none that both do"))
    ties = mine.ties * (others - theirs.ties) + theirs.ties * (judged - mine.ties)
    apart = 2.0 * mine.wins * theirs.wins.T + ties / 4.0
    statistic, p_value, drawn = _permuted((one + two).compress(), first, times, generator)
    lone = stated(alone, "pairs that one group alone compares", noun="pair")
    return TwoGroupTest(
        groups=(first, second),
        sizes=(one.n_rankings, two.n_rankings),
        within=(_within(one), _within(two)),
        between=float(apart.sum() / (judged * others).sum()),
        statistic=statistic,
        p_value=p_value,
        n_resamples=drawn,
        consensuses=(rule.aggregate(one), rule.aggregate(two)),
        unit="ranking" if one.clusters is None else "cluster",
        notes=(said("{} of items that one group alone compares: left out", lone),) if alone else (),
    )


def _within(group: Profile) -> float:
    return spread(group, normalized=True, p=0.25, unranked="ignore")


def _permuted(both: Profile, first: Group, times: int, rng: Generator) -> tuple[float, float, int]:
    """Return the statistic, the share of divisions that reach it, and how many were drawn."""
    check_rankings(both)
    units, inside = units_of(both), np.array([group == first for group in both.groups or ()])
    often, chosen = both.counts, np.where(inside, both.counts, 0)
    if units.clusters is not None:
        # Whether each cluster is in the second group, and in the first.
        is_in = np.zeros((2, units.n_units), dtype=np.int64)
        is_in[inside.astype(int), units.clusters] = 1
        often, chosen = is_in.max(axis=0), is_in[1]
        if (is_in.sum(axis=0) > 1).any():
            found = Described(f"{int(is_in.all(axis=0).sum())} in both")
            raise InvalidInputError("data", "clusters that lie in one group each", found)
    if often.sum() >= 10**9:
        raise InvalidInputError("data", "fewer than a billion rankings", both.n_rankings)
    statistic, size = float(_energies(units, often, chosen[None])[0]), int(chosen.sum())
    # What differs by less is equal.
    least, some = statistic - 1e-9, max(1, HELD // max(len(often), len(units.pairs[0])))
    if prod(seen + 1 for seen in often.tolist()) <= MOST_DIVISIONS:
        every = np.array(list(product(*(range(seen + 1) for seen in often.tolist()))))
        every = every[every.sum(axis=1) == size]
        ways = [prod(map(comb, often.tolist(), row)) for row in every.tolist()]
        parts = np.array_split(every, -(-len(every) // some))
        reached = np.concatenate([_energies(units, often, part) >= least for part in parts])
        return statistic, sum(compress(ways, reached)) / sum(ways), 0
    # Shuffling all units takes long where few are seen often.
    method: Any = "count" if often.sum() < 10 * len(often) else "marginals"
    many, done = 1, 1
    while done < times:
        rows = rng.multivariate_hypergeometric(often, size, min(some, times - done), method)
        many += int((_energies(units, often, rows) >= least).sum())
        done += len(rows)
    return statistic, many / times, times


def _energies(units: Units, often: Integers64, chosen: Integers64) -> Floats:
    """Return the energy distance of some units, shape (t, u), and the rest."""
    sums = np.zeros((2, len(chosen) + 1, len(units.pairs[0])))
    # Those of all units are the last row.
    rows = np.vstack([chosen, often])
    for block in units.blocks():
        some, rows = np.hsplit(rows, [len(block.values)])
        told, weights = ~np.isnan(block.values), some * block.weights
        sums += weights @ np.where(told, block.values, 0.0), weights @ told
    (won, told), (rest, others) = sums[:, :-1], sums[:, -1:] - sums[:, :-1]
    both = (told > 0) & (others > 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        apart = np.where(both, won / told - rest / others, 0.0)
    return np.asarray(2.0 * (apart**2).sum(axis=1) / np.maximum(both.sum(axis=1), 1))
