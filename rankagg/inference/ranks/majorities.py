"""What ranks are bounded by: majorities pair by pair, and points or scores of all items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

import numpy as np

from rankagg._typing import Label, Tolerance, Unranked
from rankagg.core.arithmetic.exact_sum import scaled
from rankagg.core.items import counted
from rankagg.core.names import part_of, said
from rankagg.core.profile import Profile
from rankagg.core.rankings.places import UNRANKED
from rankagg.core.score_summary import ScoreSummary
from rankagg.core.scores import ScoreTable
from rankagg.exceptions import Described, InvalidInputError
from rankagg.inference.intervals.methods import Options
from rankagg.inference.intervals.pair_values import Differences, point_differences
from rankagg.inference.intervals.pairwise import PairwiseIntervals
from rankagg.inference.ranks.result import RankIntervals
from rankagg.inference.summed_units import summed_units
from rankagg.inference.units import Unit, Units, rankings_of, units_from, units_of

__all__ = ["Observed", "RankMethod", "by_majorities", "joint_options", "points_of", "scores_of"]

RankMethod: TypeAlias = Literal[
    "sign-flips", "sign-test", "hoeffding", "bernstein", "clopper-pearson", "max-t"
]


def joint_options(method: RankMethod, alpha: float, n_resamples: int) -> Options:
    """Return the options of two-sided intervals for all pairs at once."""
    resampling = method == "max-t"
    return Options(
        method="percentile" if resampling else cast(Any, _intervals_of(method)),
        alpha=alpha,
        simultaneous="max-t" if resampling else "bonferroni",
        alternative="two-sided",
        anytime=False,
        ties="half",
        n_resamples=n_resamples,
    )


def _intervals_of(method: RankMethod) -> str:
    """Return the intervals that go with a method, or whose options are checked for it."""
    return {"sign-test": "clopper-pearson", "sign-flips": "hoeffding"}.get(method, method)


def by_majorities(
    data: Profile | ScoreTable | ScoreSummary,
    method: RankMethod | None,
    ties: Literal["half", "exclude"] | None,
    *,
    tolerance: Tolerance,
    instances: Sequence[Label] | None,
    **options: Any,
) -> RankIntervals:
    """Bound ranks by which items are above which in more than half of the units."""
    if isinstance(data, ScoreSummary):
        kept: Any = {"tolerance": tolerance, "instances": instances}
    else:
        data, known = rankings_of(data, tolerance, instances)
        kept = {"instances": known}
    chosen = method or _default(data, options["unit"], options["fixed_tasks"], kept["instances"])
    if chosen == "sign-test":
        if ties == "half":
            raise InvalidInputError(
                "ties", "'exclude' or None for method='sign-test'", ties,
                "Where a tie should count half, take 'hoeffding'.",
            )  # fmt: skip
        ties = "exclude"
    resampling = chosen == "max-t"
    intervals = PairwiseIntervals.from_data(
        data, method="percentile" if resampling else cast(Any, _intervals_of(chosen)),
        simultaneous="max-t" if resampling else "bonferroni", ties=ties or "half", **kept,
        **options,
    )  # fmt: skip
    return RankIntervals.from_intervals(intervals, "intervals" if resampling else "holm")


def _default(
    data: Profile | ScoreSummary,
    unit: object,
    fixed_tasks: object,
    instances: Sequence[Label] | None,
) -> RankMethod:
    if isinstance(data, ScoreSummary):
        units: Any = summed_units(data, unit=unit, estimand="direct", fixed_tasks=fixed_tasks)
    else:
        units = units_of(data, unit=unit, fixed_tasks=fixed_tasks, instances=instances)
    return "sign-test" if units.unit == "ranking" and not units.is_weighted else "hoeffding"


@dataclass(frozen=True, eq=False)
class Observed:
    """Numbers of all items in all rankings of a profile."""

    profile: Profile
    instances: Sequence[Label] | None
    source: Differences
    is_table: bool
    notes: tuple[str, ...] = ()

    def units(self, unit: Unit, fixed_tasks: bool, *, hierarchical: bool = False) -> Units:
        """Return the independent units."""
        return units_from(
            self.profile, self.source, unit=unit, fixed_tasks=fixed_tasks,
            instances=self.instances, hierarchical=hierarchical,
        )  # fmt: skip


def points_of(
    data: object,
    tolerance: Tolerance,
    instances: Sequence[Label] | None,
    unranked: Unranked,
    method: RankMethod,
) -> Observed:
    """Return the Borda points of all items in all rankings."""
    profile, known = rankings_of(data, tolerance, instances)
    flips = method == "sign-flips"
    source = point_differences(profile.ranks, unranked, only_ranked=flips)
    gaps = int(profile.counts @ (profile.ranks == UNRANKED).sum(axis=1))
    notes: tuple[str, ...] = ()
    if flips and gaps and unranked != "last":
        total = profile.n_rankings * profile.n_items
        notes = (_pair_by_pair(part_of(gaps, "cells missing", total, "cells", "rank"), "ranked"),)
    return Observed(profile, known, source, _has_tasks(data), notes)


def _pair_by_pair(gaps: str, what: str) -> str:
    told = (
        "{} are missing: two items are compared by the units in which both are {}, which assumes "
        "that what is missing does not depend on who is better"
    )
    return said(told, gaps, what)


def _has_tasks(data: object) -> bool:
    return isinstance(data, ScoreTable) and not data.is_instance_level


def scores_of(
    data: object,
    score_range: tuple[float, float] | None,
    method: RankMethod,
    instances: Sequence[Label] | None,
) -> Observed:
    """Return the scores of all systems, as shares of their range."""
    if not isinstance(data, ScoreTable):
        raise InvalidInputError("data", "a ScoreTable for of='mean'", data)
    flips = method == "sign-flips"
    if data.n_missing and not flips:
        raise InvalidInputError(
            "data", f"a table without missing scores for of='mean' and method={method!r}",
            Described(f"{data.n_missing} of {counted(data.values.size, 'score')} missing"),
            "Means over different units are not comparable; drop units, or use of='borda' or "
            "method='sign-flips', which compares two systems where both have scores.",
        )  # fmt: skip
    ends = np.array([np.nan] * 2 if score_range is None else _check_range(score_range, data))
    numbers, _ = scaled(np.concatenate([ends, data.values.ravel()]))
    scores, (low, high) = (numbers[2:].reshape(data.values.shape) * data.signs).T, numbers[:2]
    if score_range is not None:
        scale = float(high - low)
    elif method in ("hoeffding", "bernstein"):
        raise InvalidInputError(
            "score_range", "the least and the largest possible score for this method", None,
            "Without it use method='sign-flips' or 'max-t'.",
        )  # fmt: skip
    else:
        # Neither signs nor studentized differences depend on the scale.
        most = np.nanmax(scores, axis=1, initial=-np.inf)
        least = np.nanmin(scores, axis=1, initial=np.inf)
        scale = float((most - least).max()) or 1.0
    source = Differences(scores, scale, is_bounded=score_range is not None)
    notes: tuple[str, ...] = ()
    if data.n_missing:
        gaps = part_of(data.n_missing, "cells missing", data.values.size, "cells", "score")
        notes = (_pair_by_pair(gaps, "scored"),)
    known = data.instances if instances is None else instances
    return Observed(data.rankings(), known, source, _has_tasks(data), notes)


def _check_range(score_range: tuple[float, float], table: ScoreTable) -> tuple[float, float]:
    allowed = "two numbers, the least and the largest possible score"
    try:
        low, high = (float(end) for end in score_range)
    except (TypeError, ValueError):
        raise InvalidInputError("score_range", allowed, score_range) from None
    if not low < high < np.inf or low == -np.inf:
        raise InvalidInputError("score_range", allowed, score_range)
    least, most = np.nanmin(table.values), np.nanmax(table.values)
    if least < low or most > high:
        raise InvalidInputError(
            "score_range", f"a range that holds all scores ({least:g} to {most:g})", score_range
        )
    return low, high
