"""Ranks from decisions about majorities, pair by pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, cast

from rankagg._typing import Label, Tolerance
from rankagg.core.profiles.profile import Profile
from rankagg.core.scores.table import ScoreTable
from rankagg.core.sums.summary import ScoreSummary
from rankagg.exceptions import InvalidInputError
from rankagg.inference.intervals.methods import Options
from rankagg.inference.intervals.pairwise import PairwiseIntervals
from rankagg.inference.ranks.result import RankIntervals
from rankagg.inference.summed_units import summed_units
from rankagg.inference.units import rankings_of, units_of

__all__ = ["RankMethod", "by_majorities", "joint_options"]

RankMethod: TypeAlias = Literal[
    "sign-flips", "sign-test", "hoeffding", "bernstein", "clopper-pearson", "max-t"
]


def joint_options(method: RankMethod, alpha: float, n_resamples: int) -> Options:
    """Return the options of two-sided intervals for all pairs at once.

    Parameters
    ----------
    method : str
        A method of `rank_intervals`.
    alpha : float
        Probability that any interval is wrong.
    n_resamples : int
        For "max-t".

    Returns
    -------
    Options
    """
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
    """Bound ranks by which items are above which in more than half of the units.

    Parameters
    ----------
    data : Profile, ScoreTable or ScoreSummary
        Rankings, scores, or what these add up to.
    method : str or None
        The method; None for the sign test where each ranking is a unit and has the same weight,
        and for "hoeffding" otherwise.
    ties : {"half", "exclude"} or None
        What a tie counts.
    tolerance, instances, **options
        As for `PairwiseIntervals.from_data`.

    Returns
    -------
    RankIntervals
    """
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
