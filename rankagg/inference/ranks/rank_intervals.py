"""Confidence intervals for ranks: where an item may stand, given what is decided of its pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, cast, get_args

import numpy as np

from rankagg._typing import Label, RNGLike, Tolerance
from rankagg._validation import (
    as_generator,
    check_choice,
    check_flag,
    check_integer,
)
from rankagg.aggregation import Deadline, Evidence, time_limit_of, unlike_tasks
from rankagg.aggregation.evidence import as_data
from rankagg.core import (
    UNRANKED,
    Profile,
    ScoreSummary,
    ScoreTable,
    counted,
    part_of,
    said,
    scaled,
    stated,
)
from rankagg.core.comparisons import Comparisons
from rankagg.exceptions import Described, InvalidInputError
from rankagg.inference.decisions import Basis, Decisions, by_intervals, by_sign_flips, unit_word
from rankagg.inference.intervals.methods import ONLY_RESAMPLES, IntervalOptions, square
from rankagg.inference.intervals.pairwise import intervals_of, pair_units
from rankagg.inference.pair_values import (
    LOOKED_AT,
    Differences,
    asymmetry_note,
    point_differences,
    selection_note,
)
from rankagg.inference.ranks.comparison_ranks import (
    ANYTIME,
    check_silent,
    check_unit,
    ranks_of_comparisons,
)
from rankagg.inference.ranks.rank_results import (
    Families,
    Of,
    RankIntervals,
    RankUnit,
    decided_by_intervals,
)
from rankagg.inference.ranks.sign_flips import SUMS_HELD, sign_flips
from rankagg.inference.summed_units import SummedUnits, check_no_more, summed_points_of
from rankagg.inference.units import (
    Units,
    neighbors_alike,
    rankings_of,
    redrawn,
    units_from,
)

RankMethod: TypeAlias = Literal[
    "sign-flips", "sign-test", "hoeffding", "bernstein", "clopper-pearson", "max-t"
]
RANK_METHODS: dict[str, tuple[RankMethod, ...]] = {
    "pairwise": ("sign-test", "hoeffding", "clopper-pearson", "max-t"),
    "borda": ("sign-flips", "hoeffding", "bernstein", "max-t"),
    "mean": ("sign-flips", "hoeffding", "bernstein", "max-t"),
}


def _options_of(method: RankMethod, draws: dict[str, Any], ties: str = "half") -> IntervalOptions:
    """Return the options of two-sided intervals for all pairs, or those checked for a method."""
    known: Any = {"sign-test": "clopper-pearson", "sign-flips": "hoeffding", "max-t": "percentile"}
    return IntervalOptions(
        method=known.get(method, method),
        simultaneous="max-t" if method == "max-t" else "bonferroni",
        alternative="two-sided",
        anytime=False,
        ties=ties,
        **draws,
    )


def _by_majorities(
    units: Units | SummedUnits,
    method: RankMethod | None,
    ties: Literal["half", "exclude"] | None,
    draws: dict[str, Any],
) -> RankIntervals:
    """Bound ranks by which items are above which in more than half of the units."""
    if method is None:
        is_plain = units.unit == "ranking" and not units.is_weighted
        method = "sign-test" if is_plain else "hoeffding"
    if method == "sign-test":
        if ties == "half":
            allowed = "'exclude' or None for method='sign-test'"
            remedy = "Where a tie should count half, take 'hoeffding'."
            raise InvalidInputError("ties", allowed, ties, remedy)
        ties = "exclude"
    intervals = intervals_of(units, "direct", _options_of(method, draws, ties or "half"))
    return RankIntervals.from_intervals(intervals, "intervals" if method == "max-t" else "holm")


# A profile, the numbers of all items in its rankings, and the instances of these; and notes.
Observed: TypeAlias = tuple[Profile, Differences, Sequence[Label] | None, tuple[str, ...]]


def points_of(
    data: object,
    tolerance: Tolerance,
    instances: Sequence[Label] | None,
    method: RankMethod,
) -> Observed:
    """Return the Borda points of all items in all rankings."""
    profile, known = rankings_of(data, tolerance, instances)
    flips = method == "sign-flips"
    source = point_differences(profile, only_ranked=flips)
    gaps = int(profile.counts @ (profile.ranks == UNRANKED).sum(axis=1))
    notes: tuple[str, ...] = ()
    if flips and gaps:
        total = profile.n_rankings * profile.n_items
        notes = (_pair_by_pair(part_of(gaps, "cells missing", total, "cells", "rank"), "ranked"),)
    return profile, source, known, notes


def _pair_by_pair(gaps: str, what: str) -> str:
    told = (
        "{} are missing: two items are compared by the units in which both are {}, which assumes "
        "that what is missing does not depend on who is better"
    )
    return said(told, gaps, what)


def _score_numbers(
    data: object,
    score_range: tuple[float, float] | None,
    method: RankMethod,
    instances: Sequence[Label] | None,
) -> Observed:
    """Return the scores of all systems, as shares of their range."""
    if not isinstance(data, ScoreTable):
        raise InvalidInputError("data", "a ScoreTable for of='mean'", data)
    if data.n_missing and method != "sign-flips":
        raise InvalidInputError(
            "data",
            f"a table without missing scores for of='mean' and method={method!r}",
            Described(f"{data.n_missing} of {counted(data.values.size, 'score')} missing"),
            "Means over different units are not comparable; drop units, or use of='borda' or "
            "method='sign-flips', which compares two systems where both have scores.",
        )
    ends = np.array([np.nan] * 2 if score_range is None else _ends_of(score_range, data))
    numbers, _ = scaled(np.concatenate([ends, data.values.ravel()]))
    scores, (low, high) = (numbers[2:].reshape(data.values.shape) * data.signs).T, numbers[:2]
    if score_range is not None:
        scale = float(high - low)
    elif method in ("hoeffding", "bernstein"):
        remedy = "Without it use method='sign-flips' or 'max-t'."
        allowed = "the least and the largest possible score for this method"
        raise InvalidInputError("score_range", allowed, None, remedy)
    else:
        # Neither signs nor studentized differences depend on the scale.
        most = np.nanmax(scores, axis=1, initial=-np.inf)
        scale = float((most - np.nanmin(scores, axis=1, initial=np.inf)).max()) or 1.0
    source = Differences(scores, scale, is_bounded=score_range is not None)
    notes = tuple(unlike_tasks(data))
    if data.n_missing:
        gaps = part_of(data.n_missing, "cells missing", data.values.size, "cells", "score")
        notes += (_pair_by_pair(gaps, "scored"),)
    known = data.instances if instances is None else instances
    return data.rankings(), source, known, notes


def _ends_of(score_range: tuple[float, float], table: ScoreTable) -> tuple[float, float]:
    allowed = "two numbers, the least and the largest possible score"
    try:
        low, high = (float(end) for end in score_range)
    except (TypeError, ValueError):
        raise InvalidInputError("score_range", allowed, score_range) from None
    if not low < high < np.inf or low == -np.inf:
        raise InvalidInputError("score_range", allowed, score_range)
    least, most = np.nanmin(table.values), np.nanmax(table.values)
    if least < low or most > high:
        allowed = f"a range that holds all scores ({least:g} to {most:g})"
        raise InvalidInputError("score_range", allowed, score_range)
    return low, high


def rank_intervals(
    data: Profile | ScoreTable | ScoreSummary | Comparisons,
    *,
    of: Of = "borda",
    method: RankMethod | None = None,
    alpha: float = 0.05,
    unit: RankUnit = "ranking",
    fixed_tasks: bool = False,
    ties: Literal["half", "exclude"] | None = None,
    score_range: tuple[float, float] | None = None,
    tolerance: Tolerance = 0.0,
    instances: Sequence[Label] | None = None,
    anytime: bool = False,
    n_resamples: int | None = None,
    time_limit: float | None = None,
    rng: RNGLike = 0,
) -> RankIntervals:
    """Bound the ranks of all items at once, and of each alone.

    An item's rank in the population is one more than the number of items above it. It is at
    least one more than the number decided to be above, and at most n less the number decided to
    be below; all decisions together are wrong with probability `alpha` at most.

    Parameters
    ----------
    data : Profile, ScoreTable, ScoreSummary or Comparisons
        Rankings, or scores. A summary is enough for "pairwise", and for "borda" by "hoeffding",
        which is its default; one with groups for "max-t" too, see `ScoreScan.summarize`.
        Of comparisons "borda" is the mean over all other items of the win rate against each,
        "mean" the win rate over all comparisons of an item, whoever it met; a tie is half a win.
        Both take "max-t", by a bootstrap that gives units normal weights, and 20 units at least.
        "pairwise" takes "sign-test": of comparisons, or of clusters that favor one of the two.
    of : {"borda", "mean", "pairwise"}, default "borda"
        What "above" means in the population. "borda": more Borda points on average, which are the
        same for every increasing transformation of a unit's scores. "mean": a larger mean score.
        "pairwise": above in more than half of the units that compare the two and do not tie them.
        There is none for the exact consensus, whose rank no decisions about single pairs bound.
    method : str, optional
        "sign-flips" (the default of "borda" and "mean") is for every number of units whose
        differences are symmetric about their center; see `RankIntervals.assumes`. Sums are compared
        as they are, and scaled by the spread of their pair where no asymmetry is seen; the level is
        exact where all items are equal, and held in simulations where only some are. "sign-test"
        (the default of "pairwise" where each ranking is a unit and has the same weight) is exact,
        and leaves ties out. "hoeffding" holds for all independent units, but decides little; it
        is the default where the others cannot be used. "bernstein" (not for "pairwise") decides
        more where values vary little, and "clopper-pearson" (for "pairwise") decides as
        "sign-test". "max-t" bootstraps the largest studentized difference and is wrong far too
        often with few units; it is the default for the means of fixed tasks without `score_range`.
    alpha : float, default 0.05
        Probability that any interval misses its rank, in (0, 1).
    unit : str, default "ranking"
        What is independent: "ranking", "instance" or "task", see `PairwiseIntervals`; where a
        profile has clusters, or a table families of tasks, these instead of rankings and tasks.
        With "hierarchical", for "max-t", tasks are drawn and then instances of each. Of
        comparisons "comparison" or "cluster"; by default the clusters, where there are any.
    fixed_tasks : bool, default False
        The tasks are those of interest: average over each, then by their weights. With
        `unit="instance"` every instance is of one task, and several rankings of it are runs.
    ties : {"half", "exclude"}, optional
        For "pairwise": let a tie count half for each, or not at all. By default as the method
        needs: half, but left out by "sign-test".
    score_range : tuple of two floats, optional
        The least and the largest possible score, for "mean".
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by no more are tied; not for "mean".
    instances : sequence, length m, optional
        The instance of each ranking of a Profile, for `unit="instance"`; or other ones than those
        of a table, such as the question of each run.
    anytime : bool, default False
        For "pairwise" of comparisons: hold at every look together, so that one may stop when
        enough is decided, whichever pairs were compared next for whatever reason. Clusters are
        looked at when they are whole.
    n_resamples : int, optional
        Resamples of "max-t", 2000 by default. Sign vectors of "sign-flips" where there are too
        many to go through them all: 10,000 by default, fewer of more than 300 items.
    time_limit : float, optional
        Seconds after which sign flips, which take long for hundreds of items that are not all in
        the same units, raise `OutOfTimeError`. They log to "rankagg.inference" how far they are.
    rng : int or numpy.random.Generator, default 0
        For "max-t", and for "sign-flips" with more than 14 units.

    Returns
    -------
    RankIntervals

    Raises
    ------
    InvalidInputError
        If the options do not go together, or scores are missing for "mean" and another method
        than "sign-flips".

    Notes
    -----
    The order of tasks means nothing to it. Tasks that depend on each other, such as variants of one
    benchmark, are to be declared as families (`task_families` of `ScoreTable`), and instances of
    one task by `unit="task"`: taken as independent they make most tables of equal systems decide
    something. A note says where neighboring tasks of a table are alike.

    References
    ----------
    Mogstad, Romano, Shaikh and Wilhelm (2024), "Inference for ranks with applications to mobility
    across neighbourhoods and academic achievement across countries",
    https://doi.org/10.1093/restud/rdad006; at every look Robbins (1970),
    https://doi.org/10.1214/aoms/1177696786.

    Examples
    --------
    >>> import rankagg as ra
    >>> profile = ra.Profile.from_orders(["ABC", "ACB", "BAC"], counts=[40, 30, 30])
    >>> ranks = ra.rank_intervals(profile)
    >>> ranks.to_frame()[["rank", "best", "worst", "tier"]]
          rank  best  worst  tier
    item
    A        1     1      1     1
    B        2     2      2     2
    C        3     3      3     3
    >>> ranks.first, ranks.method, ranks.n_units
    (('A',), 'sign-flips', 100)
    """
    data = as_data(data)
    deadline = Deadline.after(time_limit_of(time_limit))
    kind = cast(Of, check_choice(of, get_args(Of), "of"))
    if method is not None:
        check_choice(method, RANK_METHODS[kind], f"method for of={kind!r}")
    if n_resamples is not None:
        check_integer(n_resamples, "n_resamples", low=100)
    check_choice(ties, (None, "half", "exclude"), "ties")
    every = check_flag(anytime, "anytime")
    if isinstance(data, Comparisons):
        check_silent(
            fixed_tasks=(fixed_tasks, False),
            instances=(instances, None),
            ties=(ties, None),
            score_range=(score_range, None),
            tolerance=(tolerance, 0.0),
        )
        return ranks_of_comparisons(
            data,
            kind,
            method,
            alpha=alpha,
            unit=unit,
            anytime=every,
            n_resamples=n_resamples,
            rng=rng,
        )
    if every:
        raise InvalidInputError("anytime", "False but of Comparisons", every, ANYTIME)
    unit = check_unit(unit)
    if unit == "hierarchical":
        if method not in (None, "max-t"):
            allowed = "'max-t' with `unit='hierarchical'`"
            raise InvalidInputError("method", allowed, method, ONLY_RESAMPLES)
        method = "max-t"
    draws: dict[str, Any] = {"alpha": alpha, "n_resamples": n_resamples or 2000, "rng": rng}
    if kind == "pairwise":
        told = pair_units(data, tolerance, instances, unit=unit, fixed_tasks=fixed_tasks)
        found = _by_majorities(told, method, ties, draws)
        return replace(found, notes=(*found.notes, *_data_notes(data, told)))
    if ties is not None:
        remedy = "Tied items have the same points or scores."
        raise InvalidInputError("ties", f"None for of={kind!r}", ties, remedy)

    def observed(method: RankMethod) -> Observed:
        if kind == "mean":
            return _score_numbers(data, score_range, method, instances)
        return points_of(data, tolerance, instances, method)

    if isinstance(data, ScoreSummary):
        check_no_more(data, tolerance, instances)
        summed = summed_points_of(data, kind, method, unit=unit, fixed_tasks=fixed_tasks)
        by: RankMethod = "max-t" if method == "max-t" else "hoeffding"
        return _Case(
            kind, by, False, _data_notes(data, summed, imputed=True), summed, _options_of(by, draws)
        ).by_bounds()
    independent, hierarchical = redrawn(unit)
    chosen = method or "sign-flips"
    profile, source, known, notes = observed(chosen)
    which = (independent, fixed_tasks, known)
    units = units_from(profile, source, *which, hierarchical=hierarchical)
    if method is None and len(units.stratum_weights) > 1:
        chosen = "max-t" if kind == "mean" and score_range is None else "hoeffding"
        profile, source, _, notes = observed(chosen)
        units = units_from(profile, source, *which)
        turned = "tasks are fixed, so that signs cannot be turned round within them"
        notes = (*notes, f"{turned}: decided by {chosen} instead")
    has_tasks = isinstance(data, ScoreTable) and not data.is_instance_level
    # Signs are of items that are there, unless absent ones are last.
    imputed = kind == "borda" and (chosen != "sign-flips" or profile.unranked == "last")
    notes = (*notes, *_data_notes(data, units, imputed=imputed))
    case = _Case(kind, chosen, has_tasks, notes, units, _options_of(chosen, draws))
    if chosen == "sign-flips":
        return case.by_flips(n_resamples, deadline)
    return case.by_bounds()


def _data_notes(data: Any, units: Units | SummedUnits, *, imputed: bool = False) -> tuple[str, ...]:
    """Return notes on groups that nothing joins, gaps that depend on scores, and like neighbors."""
    notes = Evidence(data).gaps(by_policy=imputed)
    if isinstance(data, ScoreTable) and isinstance(units, Units):
        gaps = selection_note((data.values * data.signs).T) if data.n_missing else ()
        notes = (*notes, *gaps, *neighbors_alike(data, units))
    return notes


# -- how it is decided ----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Case:
    """What is to be decided, and how."""

    of: Of
    method: RankMethod
    is_table: bool
    notes: tuple[str, ...]
    units: Units | SummedUnits
    options: IntervalOptions

    @property
    def word(self) -> str:
        """What a unit is, for the reader."""
        return unit_word(self.units.unit, is_task=self.is_table)

    def by_flips(self, n_vectors: int | None, deadline: Deadline) -> RankIntervals:
        """Decide by sign flips."""
        units, alpha = self.units, self.options.alpha
        assert isinstance(units, Units), "sums do not tell whose signs to flip"
        asymmetry = self._asymmetry()
        rng = as_generator(self.options.rng)
        flips = sign_flips(units, n_vectors, rng, deadline, scaled=not asymmetry)
        notes: list[str] = []
        if not flips.is_exact and flips.n_vectors * alpha < 50:
            drawn = stated(flips.n_vectors, "sign vectors", noun="sign vector")
            level = stated(alpha, "alpha", "g")
            notes.append(said("only {} for a level of {}: raise `n_resamples`", drawn, level))
        notes += asymmetry
        how = f"{'exact' if flips.is_exact else 'Monte Carlo'} sign-flip tests"
        enough = by_sign_flips(alpha) if len(units.items) > 1 else None
        return self._result(Families.from_flips(flips, alpha), how, enough, [*notes, *units.notes])

    def _asymmetry(self) -> tuple[str, ...]:
        """Return what must be said where differences are not symmetric."""
        units = self.units
        assert isinstance(units, Units), "sums do not tell of single units"
        first, second = units.pairs
        if units.n_units * len(first) > SUMS_HELD:
            return ()
        labels, step = units.items.labels, max(1, -(-units.n_units * len(first) // LOOKED_AT))
        values = np.concatenate(
            [
                np.repeat(block.values[:, ::step], block.counts.astype(np.intp), axis=0)
                for block in units.blocks()
            ]
        )
        remedy = f"`of='pairwise'` assumes none and asks who is above in more {self.word}s; "
        some = zip(first[::step], second[::step], strict=True)
        pairs = [(labels[i], labels[j]) for i, j in some]
        remedy += "`method='hoeffding'` assumes none"
        return asymmetry_note(values - 0.5, pairs, remedy)

    def by_bounds(self) -> RankIntervals:
        """Decide by intervals of differences."""
        families, notes = decided_by_intervals(self.units, self.options)
        joint = "max-t bootstrap" if self.method == "max-t" else f"{self.method} (Bonferroni)"
        if self.units.inner is not None:
            joint += " (tasks and then their instances drawn)"
        enough = by_intervals(self.options, len(self.units.items))
        return self._result(families, f"{joint} intervals", enough, notes)

    def _result(
        self, families: Families, how: str, enough: int | None, notes: Sequence[str]
    ) -> RankIntervals:
        moments = self.units.moments
        possible = enough is not None and bool(moments.n.max() >= enough)
        basis = Basis(self.method, self.word, self.units.n_units, enough, possible)
        differences = "Borda points" if self.of == "borda" else "scores"
        decisions = Decisions(
            items=self.units.items,
            above=families.together,
            alpha=self.options.alpha,
            how=f"{how} of differences of {differences}",
            is_approximate=self.method == "max-t",
            basis=basis,
        )
        lead, errors = moments.mean - 0.5, self.units.errors
        above = square(self.units, lead - errors, -lead - errors, 0.0) > 0
        never = int((moments.n == 0).sum())
        if never and self.method == "sign-flips":
            pairs = part_of(never, "pairs never compared", len(moments.n), "pairs", "pair")
            were = "was" if never == 1 else "were"
            notes = [*notes, said("{} {} never compared", pairs, were)]
        told = (*decisions._warnings, *self.notes, *notes)
        return RankIntervals.from_decisions(
            self.of, self.units.unit, above, decisions, told, families=families
        )
