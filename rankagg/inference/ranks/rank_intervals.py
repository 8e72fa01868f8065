"""Confidence intervals for the ranks of items, from decisions about pairs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, cast, get_args

import numpy as np
import scipy

from rankagg._typing import Floats, Generator, RNGLike
from rankagg._validation import as_generator, check_alpha, check_choice, check_integer
from rankagg.aggregation import Evidence, as_data, unlike_tasks
from rankagg.core import (
    UNRANKED,
    Profile,
    ScoreSummary,
    ScoreTable,
    counted,
    part_of,
    quantity,
    scaled,
    sentence,
)
from rankagg.core.comparisons import Comparisons
from rankagg.exceptions import Described, InvalidInputError
from rankagg.inference.decisions import Basis, Decisions, by_sign_flips
from rankagg.inference.pair_bounds import IntervalOptions, Method
from rankagg.inference.pair_values import Differences
from rankagg.inference.pairwise import intervals_of
from rankagg.inference.ranks.rank_results import (
    Families,
    Of,
    RankIntervals,
    ranks_from_decisions,
    ranks_from_intervals,
)
from rankagg.inference.ranks.sign_flips import MOST_CHECKED, asymmetry_note, sign_flips
from rankagg.inference.summed_units import SummedUnits
from rankagg.inference.units import Unit, Units, rankings_of, square

RankMethod = Literal["sign-flips", "sign-test", "hoeffding", "max-t"]
RANK_METHODS: dict[str, tuple[RankMethod, ...]] = {
    "pairwise": ("sign-test", "hoeffding", "max-t"),
    "borda": ("sign-flips", "hoeffding", "max-t"),
    "mean": ("sign-flips", "max-t"),
}

# Most differences for the test of symmetry.
VALUES_HELD = 20_000_000
# Test whether gaps depend on scores: the level, the fewest units, and the sweeps of the two-way
# fit of unit and system effects.
SELECTED, FEWEST_UNITS, SWEEPS = 0.01, 8, 20
# The compared scores, in words.
DIFFERENCES = {"borda": "Borda points", "mean": "scores"}


def _choose_method(of: Of, units: Units | SummedUnits) -> RankMethod:
    """Return the default method for the units."""
    has_strata = len(units.stratum_weights) > 1
    if of == "pairwise":
        # Exact if every ranking is a unit and all weights are equal.
        is_plain = units.unit == "ranking" and not units.is_weighted
        return "sign-test" if is_plain else "hoeffding"
    if of == "mean" and has_strata:
        # Scores have no known range, and signs cannot be flipped within fixed tasks.
        remedy = "Use of='borda', or `unit='task'` if the tasks are a sample."
        raise InvalidInputError("fixed_tasks", "False for of='mean'", True, remedy)
    if has_strata or isinstance(units, SummedUnits):
        # Sums cannot be flipped by unit.
        return "hoeffding"
    return "sign-flips"


def rank_intervals(
    data: Profile | ScoreTable | ScoreSummary,
    *,
    of: Of = "borda",
    method: RankMethod | None = None,
    alpha: float = 0.05,
    unit: Unit = "ranking",
    fixed_tasks: bool = False,
    n_resamples: int | None = None,
    rng: RNGLike = None,
) -> RankIntervals:
    """Bound the ranks of items, simultaneously and for each item alone.

    An item's rank in the population is one more than the number of items above it. It is at least
    one more than the number decided to be above, and at most n minus the number decided to be
    below. With probability 1 - `alpha` or more all decisions are right.

    Parameters
    ----------
    data : Profile, ScoreTable or ScoreSummary
        Rankings, or scores; `table.rankings(tolerance)` ties scores that differ by little. A
        summary is enough for "pairwise", and for "borda" by "hoeffding", its default; not for
        unit="task".
        For comparisons see `inference.comparison_rank_intervals`, for estimates with errors
        `inference.rank_sets`.
    of : {"borda", "mean", "pairwise"}, default "borda"
        The meaning of "above" in the population. "borda": more Borda points on average, which
        increasing transformations of a unit's scores do not change. "mean": a larger mean score.
        "pairwise": above in more than half of the units that compare the two and do not tie them.
        Ranks in the exact consensus have no intervals, since decisions about single pairs do not
        bound them.
    method : {"sign-flips", "sign-test", "hoeffding", "max-t"}, optional
        "sign-flips" (the default of "borda" and "mean") is valid for any number of units whose
        differences are symmetric about their center; see `RankIntervals.assumes`. Sums are also
        compared after scaling by the spread of their pair, unless asymmetry is detected. The level
        is exact if all items are equal, and held in simulations if only some are. "sign-test" (the
        default of "pairwise" if each ranking is a unit and weights are equal) is exact, and leaves
        ties out. "hoeffding" (not for "mean") holds for all independent units, counts a tie as
        half, and decides little; it is the default if the others cannot be used. "max-t" bootstraps
        the largest studentized difference, and is wrong far too often with few units.
    alpha : float, default 0.05
        Probability that any interval misses its rank, in (0, 1).
    unit : {"ranking", "instance", "task"}, default "ranking"
        The independent unit: rankings, or instances or tasks, whose rankings are averaged first.
        Clusters of a profile, or families of tasks of a table, replace rankings and tasks.
    fixed_tasks : bool, default False
        Whether the tasks are those of interest: average over each, then by their weights. Only for
        "hoeffding", and not for "mean".
    n_resamples : int, optional
        Resamples of "max-t", 2000 by default. Random sign vectors of "sign-flips" if there are too
        many to enumerate: 10,000 by default, fewer for more than 220 items.
    rng : int or numpy.random.Generator, optional
        For "max-t", and for "sign-flips" with more than 14 units.

    Notes
    -----
    The order of tasks has no effect. Declare dependent tasks, such as variants of one benchmark, as
    families (`task_families` of `ScoreTable`), and dependent instances of a task by `unit="task"`.
    If they are treated as independent, most tables of equal systems lead to decisions. A note is
    given if neighboring tasks of a table are alike.

    References
    ----------
    Mogstad, Romano, Shaikh and Wilhelm (2024), "Inference for ranks with applications to mobility
    across neighbourhoods and academic achievement across countries",
    https://doi.org/10.1093/restud/rdad006.

    Examples
    --------
    >>> import rankagg as ra
    >>> profile = ra.Profile.from_orders(["ABC", "ACB", "BAC"], counts=[40, 30, 30])
    >>> ranks = ra.rank_intervals(profile, rng=0)
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
    kind = check_choice(of, get_args(Of), "of")
    if method is not None:
        check_choice(method, RANK_METHODS[kind], f"method for of={kind!r}")
    level = check_alpha(alpha)
    if n_resamples is not None:
        check_integer(n_resamples, "n_resamples", low=100)
    if isinstance(data, Comparisons):
        remedy = "Use `inference.comparison_rank_intervals` for comparisons."
        raise InvalidInputError("data", "rankings or scores", data, remedy)
    units, notes = _units_of(data, kind, method, unit, fixed_tasks)
    chosen = method or _choose_method(kind, units)
    if chosen != "sign-flips" and method is None and kind in DIFFERENCES:
        units, notes = _units_of(data, kind, chosen, unit, fixed_tasks)
        if isinstance(units, Units):
            reason = "tasks are fixed, so that signs cannot be flipped within them"
            notes = (*notes, f"{reason}: decided by {chosen} instead")
    # Sign flips use ranked items only, unless unranked ones are last.
    by_policy = kind == "borda" and (chosen != "sign-flips" or data.unranked == "last")
    notes = (*notes, *_data_notes(data, units, by_policy=by_policy))
    if kind == "pairwise":
        if chosen == "sign-test" != _choose_method(kind, units):
            remedy = "A sign test needs single rankings of equal weight."
            raise InvalidInputError("method", "'hoeffding' here", method, remedy)
        intervals = intervals_of(units, _options_of(chosen, level, n_resamples, rng))
        ranks = ranks_from_intervals(intervals, "intervals" if chosen == "max-t" else "holm")
        return replace(ranks, notes=(*ranks.notes, *notes))
    is_task = isinstance(data, ScoreTable) and not data.is_instance_level
    # A ranking by the scores of one task is called a task.
    word = "task" if units.unit == "ranking" and is_task else units.unit
    if chosen == "sign-flips":
        assert isinstance(units, Units), "sums cannot be flipped by unit"
        families, how, more = _decide_by_flips(units, level, n_resamples, as_generator(rng), word)
        enough = by_sign_flips(level) if len(units.items) > 1 else None
    else:
        options = _options_of(chosen, level, n_resamples, rng)
        families, more = _decide_by_intervals(units, options)
        how = "max-t bootstrap intervals"
        if chosen == "hoeffding":
            how = "hoeffding (Bonferroni) intervals"
        enough = options.least_units(len(units.items))
    moments = units.moments
    possible = enough is not None and bool(moments.n.max() >= enough)
    decisions = Decisions(
        items=units.items,
        above=families.together,
        alpha=level,
        how=f"{how} of differences of {DIFFERENCES[kind]}",
        basis=Basis(chosen, word, units.n_units, enough, possible),
    )
    lead, errors = moments.mean - 0.5, units.errors
    above = square(len(units.items), lead - errors, -lead - errors, 0.0) > 0
    notes = (*decisions.warnings, *notes, *more)
    return ranks_from_decisions(kind, units.unit, above, decisions, notes, families=families)


def _options_of(
    method: RankMethod, alpha: float, n_resamples: int | None, rng: RNGLike
) -> IntervalOptions:
    """Return the options of the pairwise intervals that decide ranks."""
    if method == "max-t":
        times = n_resamples or 2000
        return IntervalOptions("percentile", alpha, "max-t", n_resamples=times, rng=rng)
    # If the exact sign test rejects, Clopper and Pearson's interval excludes 1/2.
    name: Method = "clopper-pearson" if method == "sign-test" else "hoeffding"
    return IntervalOptions(name, alpha, "bonferroni")


def _decide_by_intervals(
    units: Units | SummedUnits, options: IntervalOptions
) -> tuple[Families, tuple[str, ...]]:
    """Return decisions by intervals that exclude 1/2, and notes."""
    n, resamples = len(units.items), None
    if options.simultaneous == "max-t":
        ((_, resamples),) = options.resamples(units)
    bounds = options.bounds(units, resamples)
    together = square(n, bounds.lower, 1.0 - bounds.upper, 0.5) > 0.5
    families = Families.at_once(together)
    if n < 3:
        return families, bounds.notes
    led = np.zeros(n, dtype=bool)
    if resamples is None:
        each = replace(options, simultaneous=None, alpha=options.alpha / (n - 1))
        own = each.bounds(units)
        mine = (square(n, own.lower, 1.0 - own.upper, 0.5) > 0.5).astype(np.int8)
        for side in ("greater", "less"):
            one = replace(each, alternative=side).bounds(units)
            led |= (square(n, one.lower, 1.0 - one.upper, 0.5) > 0.5).any(axis=0)
        return Families(together, mine - mine.T, led), bounds.notes
    # Decide the pairs of each item by the largest deviation among them. Pairs on which all units
    # agree do not vary, and are decided as in the family of all pairs.
    alone, led = families.alone.copy(), families.led.copy()
    first, second = units.pairs
    for i in range(n):
        own_pairs = ((first == i) | (second == i)) & resamples.varies
        if not own_pairs.any():
            continue
        other = (first + second - i)[own_pairs]
        # Values of the other item above this one.
        reverse = resamples.take(own_pairs, second[own_pairs] == i)
        lower, upper = reverse.max_t(options.alpha, "two-sided")
        alone[i, other] = (upper < 0.5).astype(np.int8) - (lower > 0.5)
        led[i] |= bool((reverse.max_t(options.alpha, "greater")[0] > 0.5).any())
    return Families(together, alone, led), bounds.notes


# -- units of rankings and scores -----------------------------------------------------------------


def _units_of(
    data: Profile | ScoreTable | ScoreSummary,
    of: Of,
    method: RankMethod | None,
    unit: object,
    fixed_tasks: object,
) -> tuple[Units | SummedUnits, tuple[str, ...]]:
    """Return the independent units, and notes on their values."""
    if of == "pairwise":
        if isinstance(data, ScoreSummary):
            return SummedUnits.of_pairs(data, unit, fixed_tasks), ()
        return Units.of(data, unit=unit, fixed_tasks=fixed_tasks), ()
    if isinstance(data, ScoreSummary):
        return SummedUnits.of_points(data, of, method, unit=unit, fixed_tasks=fixed_tasks), ()
    is_flipped = method in (None, "sign-flips")
    profile, instances = rankings_of(data)
    if of == "borda":
        source = Differences.of_points(profile, only_ranked=is_flipped)
        gaps = int(profile.counts @ (profile.ranks == UNRANKED).sum(axis=1))
        total, words, notes = profile.n_rankings * profile.n_items, ("rank", "ranked"), []
    else:
        source = _score_differences(data, is_flipped=is_flipped)
        table = cast(ScoreTable, data)
        gaps, total = table.n_missing, table.values.size
        words, notes = ("score", "scored"), unlike_tasks(table)
    if is_flipped and gaps:
        by_pair = (
            "{} are missing: two items are compared by the units in which both are {}, which "
            "assumes that gaps do not depend on who is better"
        )
        cells = part_of(gaps, "cells missing", total, "cells", words[0])
        notes = [*notes, sentence(by_pair, cells, words[1])]
    return Units.of_values(profile, source, unit, fixed_tasks, instances), tuple(notes)


def _score_differences(data: object, *, is_flipped: bool) -> Differences:
    """Return the differences of scores of all systems."""
    if not isinstance(data, ScoreTable):
        raise InvalidInputError("data", "a ScoreTable for of='mean'", data)
    if data.n_missing and not is_flipped:
        raise InvalidInputError(
            "data",
            "a table without missing scores for of='mean' and method='max-t'",
            Described(f"{data.n_missing} of {counted(data.values.size, 'score')} missing"),
            "Means over different units are not comparable; drop units, or use of='borda' or "
            "method='sign-flips', which compares two systems on the units with both scores.",
        )
    numbers, _ = scaled(data.values)
    scores = (numbers * data.signs).T
    # Neither signs nor studentized differences depend on the scale.
    most = np.nanmax(scores, axis=1, initial=-np.inf)
    scale = float((most - np.nanmin(scores, axis=1, initial=np.inf)).max()) or 1.0
    return Differences(scores, scale, is_bounded=False)


def _data_notes(data: Any, units: Units | SummedUnits, *, by_policy: bool) -> tuple[str, ...]:
    """Return notes on unconnected groups, gaps that depend on scores, and similar neighbors."""
    notes = Evidence(data).gaps(by_policy=by_policy)
    if isinstance(data, ScoreTable) and isinstance(units, Units):
        gaps = _selection_note((data.values * data.signs).T) if data.n_missing else ()
        notes = (*notes, *gaps, *units.neighbor_notes(data))
    return notes


def _selection_note(scores: Floats) -> tuple[str, ...]:
    """Return a note if scores are missing more often in units in which other systems do worse.

    The number of missing scores of a unit is compared with the effect of the unit, after removal of
    system effects, by rank correlation at a level of 1 %. Scores have a row per unit; higher is
    better.
    """
    scores = scores[~np.isnan(scores).all(axis=1)]
    present = ~np.isnan(scores)
    missing = (~present).sum(axis=1)
    if len(scores) < FEWEST_UNITS:
        return ()
    values, own = np.where(present, scores, 0.0), np.zeros(scores.shape[1])
    values /= np.abs(values).max() or 1.0
    for _ in range(SWEEPS):
        level = ((values - own) * present).sum(axis=1) / present.sum(axis=1)
        own = ((values - level[:, None]) * present).sum(axis=0) / np.fmax(present.sum(axis=0), 1)
    level = np.round(level / (np.abs(level).max() or 1.0), 9)
    if np.ptp(missing) == 0 or np.ptp(level) == 0:
        return ()
    test = scipy.stats.spearmanr(missing, level, alternative="less")
    if not test.pvalue < SELECTED:
        return ()
    note = (
        "scores are missing more often where the others do worse (rank correlation {}): systems "
        "without scores on hard units look better than they are, and decisions may be wrong more "
        "often than stated"
    )
    return (sentence(note, quantity(float(test.statistic), "rank correlation of gaps", ".2f")),)


# -- sign flips -----------------------------------------------------------------------------------


def _decide_by_flips(
    units: Units, alpha: float, n_resamples: int | None, rng: Generator, word: str
) -> tuple[Families, str, tuple[str, ...]]:
    """Return decisions by sign flips, the name of the test, and notes."""
    asymmetry = _asymmetry(units, word)
    flips = sign_flips(units, n_resamples, rng, scaled=not asymmetry)
    notes = (*asymmetry, *units.notes, *_gap_note(units))
    if not flips.is_exact and flips.n_vectors * alpha < 50:
        drawn = quantity(flips.n_vectors, "sign vectors", noun="sign vector")
        few = "only {} for a level of {}: raise `n_resamples`"
        notes = (sentence(few, drawn, quantity(alpha, "alpha", "g")), *notes)
    how = f"{'exact' if flips.is_exact else 'Monte Carlo'} sign-flip tests"
    return flips.families(alpha), how, notes


def _gap_note(units: Units) -> tuple[str, ...]:
    """Return a note on pairs that no unit compares."""
    n = units.moments.n
    if not (never := int((n == 0).sum())):
        return ()
    pairs = part_of(never, "pairs never compared", len(n), "pairs", "pair")
    return (sentence("{} {} never compared", pairs, "was" if never == 1 else "were"),)


def _asymmetry(units: Units, word: str) -> tuple[str, ...]:
    """Return a note if differences are not symmetric."""
    first, second = units.pairs
    if units.n_units * len(first) > VALUES_HELD:
        return ()
    labels, step = units.items.labels, max(1, -(-units.n_units * len(first) // MOST_CHECKED))
    values = np.concatenate(
        [
            np.repeat(block.values[:, ::step], block.counts.astype(np.intp), axis=0)
            for block in units.blocks()
        ]
    )
    remedy = f"majorities (pairwise) assume none and test who is above in more {word}s; "
    remedy += "bounds by Hoeffding assume none"
    some = zip(first[::step], second[::step], strict=True)
    return asymmetry_note(values - 0.5, [(labels[i], labels[j]) for i, j in some], remedy)
