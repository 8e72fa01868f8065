"""Skillings and Mack's test of whether items rank alike, for rankings with gaps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, cast

import numpy as np
import pandas as pd
import scipy
from numpy.typing import NDArray

from rankagg._typing import Bools, Floats, Label, RNGLike, Tolerance
from rankagg._validation import as_generator, check_integer
from rankagg.core.arithmetic.exact_sum import are_level
from rankagg.core.graphs import Parts, connected_parts
from rankagg.core.items import ItemSet, counted
from rankagg.core.names import said, stated
from rankagg.core.profile import Profile
from rankagg.core.rankings.places import UNLISTED
from rankagg.core.results import Result
from rankagg.core.scores import ScoreTable
from rankagg.exceptions import Described, InvalidInputError
from rankagg.inference.units import Unit, rankings_of, units_of


class SkillingsMackTest(Result):
    """Skillings and Mack's test: whether all items rank alike in rankings that may lack some.

    Made by `skillings_mack`; it has no plot.

    Attributes
    ----------
    items : ItemSet
        The k items.
    points : ndarray of float, shape (k,)
        The sum of the points of each item: below 0 where it ranks better than by chance.
    n_ranked : ndarray of int, shape (k,)
        In how many units it is ranked.
    n_rankings : int
        The number of independent units.
    n_telling : int
        Those that tell two items apart.
    statistic : float
        Skillings and Mack's; Friedman's chi-square where nothing is missing.
    df : int
        Degrees of freedom: items less parts that no chain of units links.
    chi2_p_value : float
        By the chi-square distribution, for many units.
    simulated_p_value : float or None
        By random orders within units, the observed one among them; None where none were drawn.
    n_resamples : int
        How many orders there were; 0 where none were drawn.
    unit : {"ranking", "instance", "task"}
        What was taken to be independent.
    notes : tuple of str
        What the reader must know.
    """

    items: ItemSet
    points: Floats
    n_ranked: NDArray[np.intp]
    n_rankings: int
    n_telling: int
    statistic: float
    df: int
    chi2_p_value: float
    simulated_p_value: float | None
    n_resamples: int
    unit: Unit
    notes: tuple[str, ...]

    _schema: ClassVar[str] = "rankagg.skillings_mack"

    @property
    def p_value(self) -> float:
        """The simulated p-value, or that of chi-square where nothing was drawn."""
        return self.chi2_p_value if self.simulated_p_value is None else self.simulated_p_value

    @property
    def average_points(self) -> Floats:
        """The points of each item per unit that ranks it, shape (k,); NaN where none does."""
        with np.errstate(invalid="ignore"):
            average: Floats = self.points / self.n_ranked
        return average

    def to_frame(self) -> pd.DataFrame:
        """Return one row per item: points per unit, and the units, the best first."""
        index = pd.Index(list(self.items), name="item")
        columns = {"average_points": self.average_points, "n_ranked": self.n_ranked}
        frame = pd.DataFrame(columns, index=index)
        return frame.sort_values("average_points", kind="stable")

    def _content(self) -> dict[str, Any]:
        average = [None if np.isnan(x) else float(x) for x in self.average_points]
        return {
            "items": list(self.items),
            "average_points": average,
            "n_ranked": self.n_ranked.tolist(),
            "n_rankings": self.n_rankings,
            "n_telling": self.n_telling,
            "unit": self.unit,
            "statistic": self.statistic,
            "df": self.df,
            "p_value": self.p_value,
            "chi2_p_value": self.chi2_p_value,
            "simulated_p_value": self.simulated_p_value,
            "n_resamples": self.n_resamples,
            "notes": list(self.notes),
        }

    def _facts(self) -> list[str]:
        units = stated(self.n_rankings, "rankings", noun="ranking")
        telling = stated(self.n_telling, "rankings that tell items apart", of=self.n_rankings)
        size = said("{} in {}, {}", stated(len(self.items), "items", noun="item"), units, telling)
        value, df = stated(self.statistic, "Skillings-Mack", ".4g"), stated(self.df, "freedom")
        p_value = stated(self.chi2_p_value, "p-value", ".3g")
        lines = [
            said("{} of which tell items apart; independent: {}s", size, self.unit),
            *(said("note: {}", note) for note in self.notes),
            said("Skillings, Mack  {}, df {}, p {} by chi-square", value, df, p_value),
        ]
        if self.simulated_p_value is not None:
            simulated = stated(self.simulated_p_value, "simulated p-value", ".3g")
            draws = stated(self.n_resamples, "draws", noun="draw")
            told = "simulated        p {}, of {} of orders within {}s"
            lines.append(said(told, simulated, draws, self.unit))
        return lines

    def __repr__(self) -> str:
        how = "chi-square" if self.simulated_p_value is None else "simulated"
        return (
            f"<SkillingsMackTest of {counted(len(self.items), 'item')} in "
            f"{counted(self.n_rankings, 'ranking')}: {self.statistic:.4g}, df {self.df}, "
            f"p = {self.p_value:.3g} ({how})>"
        )


# Up to so many units p-values are simulated unless told otherwise, in so many draws.
FEW, DRAWS = 50, 10_000
# Numbers held at one time, about.
BLOCK = 2_000_000
# Statistics that differ by less, as a share, are equal.
SAME = 1e-9


def skillings_mack(
    data: Profile | ScoreTable,
    *,
    unit: Unit = "ranking",
    tolerance: Tolerance = 0.0,
    instances: Sequence[Label] | None = None,
    n_resamples: int | None = None,
    rng: RNGLike = 0,
) -> SkillingsMackTest:
    """Test whether all items rank alike, from independent rankings that may lack items.

    Parameters
    ----------
    data : Profile or ScoreTable
        Rankings, or scores that rank; which items a ranking lacks must not depend on how good they
        are. Counts are independent repetitions.
    unit : {"ranking", "instance", "task"}, default "ranking"
        What is independent. Of an instance or a task the items are ranked once, by their average
        rank in those of its rankings that have them, which must have the same items.
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by no more are tied; see `ScoreTable.rankings`.
    instances : sequence, length m, optional
        The instance of each ranking, for `unit="instance"`.
    n_resamples : int, optional
        Draws for the p-value, what was observed among them: the observed ranks of each unit in
        random order. By default 10,000 with up to 50 units, and above none: chi-square.
    rng : int or numpy.random.Generator, default 0
        For the draws.

    Returns
    -------
    SkillingsMackTest

    Raises
    ------
    InvalidInputError
        If weights differ, no unit tells two items apart, or there are less than two items or units.

    Notes
    -----
    An item of a unit with k of them counts sqrt(12/(k + 1)) (r - (k + 1)/2), r its mid-rank; one
    that is lacking counts nothing. The statistic is A' S^- A, with A the sums of the items and S
    their covariance if all orders are as likely. Ties make S smaller, by 1 - sum (t^3 - t)/(k^3 -
    k) in a unit; without gaps the statistic is then Friedman's chi-square. Items that no chain of
    units links are compared within their parts only, with fewer degrees of freedom.

    References
    ----------
    Skillings and Mack (1981), "On the use of a Friedman-type statistic in balanced and unbalanced
    block designs", https://doi.org/10.1080/00401706.1981.10486261; Chatfield and Mander (2009),
    "The Skillings-Mack test (Friedman test when there are missing data)",
    https://doi.org/10.1177/1536867X0900900208, for simulated p-values.

    Examples
    --------
    >>> import rankagg as ra
    >>> ra.skillings_mack(ra.datasets.load("superglue_human"))
    <SkillingsMackTest of 6 items in 10 rankings: 25.92, df 5, p = 0.0001 (simulated)>
    >>> ra.friedman(ra.datasets.load("superglue_human")).statistic.__round__(2)
    25.92
    """
    profile, known = rankings_of(data, tolerance, instances)
    units = units_of(profile, unit=unit, instances=known)
    _check(profile)
    ranks, counts = _numbers(profile), profile.counts
    if units.clusters is not None:
        ranks = _averaged(ranks, counts, units.clusters)
        counts = np.ones(len(ranks), dtype=np.int64)
    ranks, where = np.unique(_mid_ranks(ranks), axis=0, return_inverse=True)
    counts = np.bincount(where.ravel(), weights=counts).astype(np.int64)
    n_units = int(counts.sum())
    if n_units < 2:
        raise InvalidInputError(
            "data", f"two {units.unit}s or more", Described(counted(n_units, units.unit))
        )
    points, spread = _points(ranks)
    telling = spread > 0
    if not telling.any():
        raise InvalidInputError(
            "data", "rankings that tell two items apart",
            Described(f"a tie, or one item alone, in every {units.unit}"),
        )  # fmt: skip
    covariance = _covariance(~np.isnan(ranks), spread * counts)
    linked = connected_parts(covariance < 0)
    inverse = cast(Floats, np.linalg.pinv(covariance, hermitian=True))
    sums = counts @ points
    statistic = float(sums @ inverse @ sums)
    df = len(profile.items) - len(np.unique(linked))
    times = None if n_resamples is None else check_integer(n_resamples, "n_resamples", low=100)
    if times is None and n_units <= FEW:
        times = DRAWS
    p_value = float(scipy.stats.chi2.sf(statistic, df))
    simulated = None
    if times is not None:
        each = np.repeat(np.where(np.isnan(ranks), np.nan, points), counts, axis=0)
        simulated = _simulated(each, inverse, statistic, times, as_generator(rng))
    present = (~np.isnan(ranks)).T @ counts
    return SkillingsMackTest(
        items=profile.items, points=sums, n_ranked=present.astype(np.intp), n_rankings=n_units,
        n_telling=int(counts[telling].sum()), statistic=statistic, df=df, chi2_p_value=p_value,
        simulated_p_value=simulated, n_resamples=times or 0, unit=units.unit,
        notes=(*units.notes, *_notes(linked)),
    )  # fmt: skip


def _check(profile: Profile) -> None:
    if profile.n_items < 2:
        raise InvalidInputError("data", "rankings of two items or more", profile)
    if not are_level(profile.weights):
        low, high = profile.weights.min(), profile.weights.max()
        raise InvalidInputError(
            "data", "rankings of equal weight for this test",
            Described(f"weights from {low:g} to {high:g}"),
            "Make them equal; a ScoreTable's with `with_task_weights({})`.",
        )  # fmt: skip


def _numbers(profile: Profile) -> Floats:
    """Return ranks as numbers, NaN where an item is not ranked."""
    ranks = profile.ranks
    listed = np.where(ranks == UNLISTED, ranks.max() + 1, ranks).astype(np.float64)
    numbers: Floats = np.where((ranks < 0) & (ranks != UNLISTED), np.nan, listed)
    return numbers


def _averaged(ranks: Floats, counts: NDArray[np.int64], clusters: NDArray[np.intp]) -> Floats:
    """Return the average mid-rank of each item in each unit, NaN where it is in none of it."""
    mid = _mid_ranks(ranks)
    told = ~np.isnan(mid)
    units = int(clusters.max()) + 1
    sums, often = np.zeros((units, mid.shape[1])), np.zeros((units, mid.shape[1]))
    np.add.at(sums, clusters, np.where(told, mid, 0.0) * counts[:, None])
    np.add.at(often, clusters, told * counts[:, None])
    total = np.bincount(clusters, weights=counts)[:, None]
    if ((often > 0) & (often < total)).any():
        raise InvalidInputError(
            "data", "rankings of the same items within every unit",
            Described("items that only some rankings of a unit have"),
            "Average ranks among different items are not comparable: leave these items out of "
            "the unit, or take `unit='ranking'` where rankings are independent.",
        )  # fmt: skip
    with np.errstate(invalid="ignore"):
        averages: Floats = sums / often
    return averages


def _mid_ranks(values: Floats) -> Floats:
    """Return mid-ranks from 1 of the numbers of each row, NaN where there is none."""
    mid: Floats = scipy.stats.rankdata(np.round(values, 9), axis=1, nan_policy="omit")
    return np.where(np.isnan(values), np.nan, mid)


def _points(ranks: Floats) -> tuple[Floats, Floats]:
    """Return what items count in each unit, and the variance of that over k - 1, 0 if all tie.

    Without ties the sum of the squares of the points is k(k - 1), and the covariance in a unit
    k times the identity less one.
    """
    told = ~np.isnan(ranks)
    k = told.sum(axis=1, keepdims=True)
    points = np.where(told, np.sqrt(12.0 / (k + 1.0)) * (ranks - (k + 1.0) / 2.0), 0.0)
    most = (k * (k - 1.0))[:, 0]
    squares = (points**2).sum(axis=1)
    shares = np.divide(squares, most, out=np.zeros(len(ranks)), where=most > 0)
    return points, shares


def _covariance(told: Bools, weights: Floats) -> Floats:
    """Return the covariance of the sums, with weights of units for ties and counts."""
    together = (told * weights[:, None]).T @ told.astype(np.float64)
    np.fill_diagonal(together, 0.0)
    covariance: Floats = np.diag(together.sum(axis=1)) - together
    return covariance


def _simulated(
    points: Floats, inverse: Floats, statistic: float, times: int, rng: np.random.Generator
) -> float:
    """Return how often points in random order give as large a statistic, the observed one too."""
    n = points.shape[1]
    reached, done = 1, 1
    while done < times:
        some = min(max(1, BLOCK // n), times - done)
        sums = np.zeros((some, n))
        for row in points:
            at = np.flatnonzero(~np.isnan(row))
            sums[:, at] += rng.permuted(np.broadcast_to(row[at], (some, len(at))), axis=1)
        drawn = ((sums @ inverse) * sums).sum(axis=1)
        reached += int((drawn >= statistic * (1.0 - SAME)).sum())
        done += some
    return reached / times


def _notes(linked: Parts) -> tuple[str, ...]:
    parts = np.unique(linked, return_counts=True)[1]
    alone, several = int((parts == 1).sum()), int((parts > 1).sum())
    notes: tuple[str, ...] = ()
    if several > 1:
        told = "no chain of rankings links {} of the items, which are compared within each"
        notes += (said(told, stated(several, "parts that nothing links", noun="part")),)
    if alone:
        items = stated(alone, "items told from no other", noun="item", of=len(linked))
        notes += (said("{} {} told from no other", items, "is" if alone == 1 else "are"),)
    return notes
