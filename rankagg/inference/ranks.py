"""Confidence intervals for places: where an item may stand, given what is decided of its pairs."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rankagg._typing import Bools, Label, RNGLike, Unranked
from rankagg._validation import as_generator, check_choice, check_integer, check_unranked
from rankagg.core.items import ItemSet, shortened
from rankagg.core.profile import Profile
from rankagg.core.scores import ScoreTable
from rankagg.core.value import Value, array_key, frozen_array
from rankagg.exceptions import Described, InvalidInputError
from rankagg.inference.decisions import Decisions
from rankagg.inference.intervals import PairwiseIntervals
from rankagg.inference.methods import Bounds, Options, bounds_of
from rankagg.inference.pair_values import Differences, point_differences
from rankagg.inference.units import Unit, Units, rankings_of, units_from

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["RankIntervals", "rank_intervals"]

Of: TypeAlias = Literal["pairwise", "borda", "mean"]
RankMethod: TypeAlias = Literal["hoeffding", "bernstein", "clopper-pearson", "max-t"]

SCHEMA = "rankagg.rank_intervals"
SAME = 1e-12

METHODS: dict[str, tuple[RankMethod, ...]] = {
    "pairwise": ("hoeffding", "clopper-pearson", "max-t"),
    "borda": ("hoeffding", "bernstein", "max-t"),
    "mean": ("hoeffding", "bernstein", "max-t"),
}


def rank_intervals(
    data: Profile | ScoreTable,
    *,
    of: Of = "pairwise",
    method: RankMethod | None = None,
    delta: float = 0.05,
    unit: Unit = "ranking",
    fixed_tasks: bool = False,
    unranked: Unranked = "uniform",
    score_range: tuple[float, float] | None = None,
    tolerance: float | Mapping[Label, float] = 0.0,
    instances: Sequence[Label] | None = None,
    n_resamples: int = 2000,
    rng: RNGLike = None,
) -> RankIntervals:
    """Bound the places of all items at once.

    An item's place in the population is one more than the number of items above it. It is at
    least one more than the number decided to be above, and at most n less the number decided to
    be below; all decisions together are wrong with probability `delta` at most.

    Parameters
    ----------
    data : Profile or ScoreTable
        Rankings, or scores.
    of : {"pairwise", "borda", "mean"}, default "pairwise"
        What "above" means in the population. "pairwise": in more than half of the units that
        compare the two (direct comparisons). "borda": more Borda points on average. "mean": a
        larger mean score (complete score tables only). There is none for the exact consensus,
        whose place no decisions about single pairs bound.
    method : {"hoeffding", "bernstein", "clopper-pearson", "max-t"}, optional
        "hoeffding" (the default) and, but for "pairwise", "bernstein" hold for every number of
        units; "clopper-pearson" is for "pairwise" without ties and weights. "max-t" bootstraps
        the largest studentized difference and holds for many units; it is the default for "mean"
        without `score_range`.
    delta : float, default 0.05
        Probability that any interval misses its place, in (0, 1).
    unit : {"ranking", "instance", "task"}, default "ranking"
        What is independent; see `PairwiseIntervals`.
    fixed_tasks : bool, default False
        The tasks are those of interest: average over each, then by their weights.
    unranked : {"uniform", "ignore", "last"}, default "uniform"
        The policy of Borda points for unranked items.
    score_range : tuple of two floats, optional
        The least and the largest possible score, for "mean".
    tolerance : float or mapping from task to float, default 0
        Scores that differ by no more are tied; not for "mean".
    instances : sequence, length m, optional
        The instance of each ranking of a Profile, for `unit="instance"`.
    n_resamples : int, default 2000
        For "max-t".
    rng : int or numpy.random.Generator, optional
        For "max-t".

    Returns
    -------
    RankIntervals

    Raises
    ------
    InvalidInputError
        If the options do not go together, or scores are missing for "mean".

    References
    ----------
    Mogstad, Romano, Shaikh and Wilhelm (2024), "Inference for ranks with applications to mobility
    across neighbourhoods and academic achievement across countries",
    https://doi.org/10.1093/restud/rdad006.

    Examples
    --------
    >>> import rankagg as ra
    >>> profile = ra.Profile.from_orders(["ABC", "ACB", "BAC"], counts=[40, 30, 30])
    >>> ra.rank_intervals(profile, of="borda").to_frame()
          place  best  worst
    item
    A         1     1      1
    B         2     2      2
    C         3     3      3
    """
    kind = cast(Of, check_choice(of, get_args(Of), "of"))
    chosen = method or ("max-t" if kind == "mean" and score_range is None else "hoeffding")
    check_choice(chosen, METHODS[kind], f"method for of={kind!r}")
    resampling = chosen == "max-t"
    how = Options(
        method="percentile" if resampling else cast(Any, chosen),
        delta=delta,
        simultaneous="max-t" if resampling else "bonferroni",
        alternative="two-sided",
        anytime=False,
        ties="half",
        n_resamples=n_resamples,
    )
    if kind == "pairwise":
        profile, known = rankings_of(data, tolerance, instances)
        intervals = PairwiseIntervals.from_profile(
            profile, method=how.method, delta=delta, simultaneous=how.simultaneous, unit=unit,
            fixed_tasks=fixed_tasks, instances=known, n_resamples=n_resamples, rng=rng,
        )  # fmt: skip
        return RankIntervals.from_intervals(intervals, "intervals" if resampling else "holm")
    if kind == "borda":
        profile, known = rankings_of(data, tolerance, instances)
        source = point_differences(profile.ranks, check_unranked(unranked))
    else:
        profile, known, source = _scores_of(data, score_range, bounded=not resampling)
    units = units_from(profile, source, unit=unit, fixed_tasks=fixed_tasks, instances=known)
    bounds = bounds_of(units, how, as_generator(rng))
    return _from_bounds(kind, chosen, units, bounds, how)


def _scores_of(
    data: object, score_range: tuple[float, float] | None, *, bounded: bool
) -> tuple[Profile, Sequence[Label] | None, Differences]:
    if not isinstance(data, ScoreTable):
        raise InvalidInputError("data", "a ScoreTable for of='mean'", data)
    if data.n_missing:
        raise InvalidInputError(
            "data", "a table without missing scores for of='mean'",
            Described(f"{data.n_missing} of {data.values.size} scores missing"),
            "Means over different units are not comparable; drop units or use of='borda'.",
        )  # fmt: skip
    scores = (data.values * data.signs).T
    if score_range is not None:
        scale = _check_range(score_range, data)
    elif bounded:
        raise InvalidInputError(
            "score_range", "the least and the largest possible score for this method", None,
            "Without it use method='max-t'.",
        )  # fmt: skip
    else:
        # Studentized differences do not depend on the scale.
        scale = float(np.ptp(scores, axis=1).max()) or 1.0
    source = Differences(scores, scale, is_bounded=score_range is not None)
    return data.rankings(), data.instances, source


def _check_range(score_range: tuple[float, float], table: ScoreTable) -> float:
    allowed = "two numbers, the least and the largest possible score"
    try:
        low, high = (float(end) for end in score_range)
    except (TypeError, ValueError):
        raise InvalidInputError("score_range", allowed, score_range) from None
    if not low < high < np.inf or low == -np.inf:
        raise InvalidInputError("score_range", allowed, score_range)
    if table.values.min() < low or table.values.max() > high:
        held = f"{table.values.min():g} to {table.values.max():g}"
        raise InvalidInputError(
            "score_range", f"a range that holds all scores ({held})", score_range
        )
    return high - low


def _from_bounds(
    of: Of, method: RankMethod, units: Units, bounds: Bounds, how: Options
) -> RankIntervals:
    first, second = units.pairs
    n = len(units.items)
    above, decided = np.zeros((n, n), dtype=bool), np.zeros((n, n), dtype=bool)
    above[first, second], above[second, first] = bounds.mean > 0.5 + SAME, bounds.mean < 0.5 - SAME
    decided[first, second], decided[second, first] = bounds.lower > 0.5, bounds.upper < 0.5
    joint = "max-t bootstrap" if method == "max-t" else f"{method} (Bonferroni)"
    what = {"borda": "Borda points", "mean": "scores"}[of]
    decisions = Decisions(
        units.items, decided, how.delta, f"{joint} intervals of differences of {what}",
        is_approximate=method == "max-t",
    )  # fmt: skip
    return RankIntervals(of, units.unit, above, decisions, bounds.notes)


class RankIntervals(Value):
    """Simultaneous confidence intervals for the places of items.

    Made by `rank_intervals`.

    Attributes
    ----------
    of : {"pairwise", "borda", "mean"}
        What the places are by.
    unit : {"ranking", "instance", "task"}
        What was taken to be independent.
    place, best, worst : ndarray of int, shape (n,)
        The place in the sample and its bounds, from 1.
    decisions : Decisions
        The pairs that are decided, how, and with which probability of error.
    notes : tuple of str
        What the reader must know.
    """

    of: Of
    unit: Unit
    place: NDArray[np.intp]
    best: NDArray[np.intp]
    worst: NDArray[np.intp]
    decisions: Decisions
    notes: tuple[str, ...]

    def __init__(
        self, of: Of, unit: Unit, above: Bools, decisions: Decisions, notes: tuple[str, ...]
    ) -> None:
        bounds = decisions.places()
        self._set(
            of=of,
            unit=unit,
            place=frozen_array(1 + above.sum(axis=0)),
            best=frozen_array(bounds["best"].to_numpy()),
            worst=frozen_array(bounds["worst"].to_numpy()),
            decisions=decisions,
            notes=notes,
        )

    @classmethod
    def from_intervals(
        cls, intervals: PairwiseIntervals, how: Literal["holm", "intervals"] = "holm"
    ) -> RankIntervals:
        """Return the places by majorities that follow from decisions about pairs.

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
        above = np.where(np.isnan(intervals.estimate), 0.5, intervals.estimate) > 0.5 + SAME
        decisions = intervals.decisions(how)
        return cls("pairwise", intervals.unit, above, decisions, intervals.notes)

    def _key(self) -> tuple[Hashable, ...]:
        return (
            self.of, self.unit, array_key(self.place), self.decisions, self.notes,
        )  # fmt: skip

    @property
    def items(self) -> ItemSet:
        """The items."""
        return self.decisions.items

    def to_frame(self) -> pd.DataFrame:
        """Return one row per item: place, best, worst; the best place first."""
        index = pd.Index(list(self.items), name="item")
        columns = {"place": self.place, "best": self.best, "worst": self.worst}
        frame = pd.DataFrame(columns, index=index)
        return frame.sort_values(["place", "best", "worst"], kind="stable")

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, with `schema` and `version`."""
        return {
            "schema": SCHEMA,
            "version": 1,
            "of": self.of,
            "unit": self.unit,
            "delta": self.decisions.delta,
            "how": self.decisions.how,
            "notes": list(self.notes),
            "places": self.to_frame().reset_index().to_dict("records"),
        }

    def describe(self) -> str:
        """Return one sentence: which places, from what, and what the level covers."""
        level = f"{100 * (1 - self.decisions.delta):g} %"
        what = {"pairwise": "majorities", "borda": "mean Borda points", "mean": "mean scores"}
        return (
            f"places by {what[self.of]}; {level} intervals for all places at once, by "
            f"{self.decisions.how}; independent: {self.unit}s"
        )

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the intervals, one row per item; see `rankagg.plotting.forest_plot`.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from rankagg.plotting.forest import forest_plot  # noqa: PLC0415

        return forest_plot(self, ax=ax)

    def summary(self, *, rows: int | None = 30) -> str:
        """Return the intervals as text.

        Parameters
        ----------
        rows : int or None, default 30
            How many items to print at most; None prints all.

        Returns
        -------
        str
        """
        if rows is not None:
            check_integer(rows, "rows", low=1)
        frame = self.to_frame()
        shown = frame if rows is None else frame.head(rows)
        width = max(len(shortened(item)) for item in shown.index)
        lines = [self.describe(), *(f"note: {note}" for note in self.notes)]
        lines += [
            f"{place:>4}  {shortened(item):<{width}}  {_span(best, worst)}"
            for item, place, best, worst in shown.itertuples()
        ]
        if len(frame) > len(shown):
            lines.append(f"... and {len(frame) - len(shown)} more items")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return f"<RankIntervals of {len(self.items)} items by {self.of}>"

    def _repr_html_(self) -> str:
        return self.to_frame().to_html(escape=True)


def _span(best: int, worst: int) -> str:
    return f"place {best}" if best == worst else f"places {best} to {worst}"
