"""Ways to decide which of two systems is better: those of the package, and those in print."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, get_args

import numpy as np

from rankagg._typing import Bools, Floats, Generator, Label, RNGLike
from rankagg._validation import check_choice, check_flag
from rankagg.core import ItemSet, Profile, ScoreTable
from rankagg.exceptions import InvalidInputError
from rankagg.inference.intervals.methods import (
    BINOMIAL,
    IntervalOptions,
    Method,
    Simultaneous,
    radius_of_shares,
)
from rankagg.inference.intervals.pairwise import intervals_of
from rankagg.inference.units import Unit, Units, square, units_of

Ties = Literal["half", "exclude"]
Radius = Literal["equation 4", "figure 4"]


@dataclass(frozen=True, eq=False)
class RankedTable:
    """The rankings of a table, and their units, which several methods share."""

    # One ranking of each column.
    profile: Profile
    instances: Sequence[Label] | None
    _units: dict[tuple[Unit, bool], Units] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, table: ScoreTable) -> RankedTable:
        """Rank the systems of a table on every column."""
        return cls(table.rankings(), table.instances)

    def units(self, unit: Unit, *, is_direct: bool = True) -> Units:
        """Return the independent units, which tell of what they compare, or of all by policy."""
        key = unit, is_direct
        if key not in self._units:
            known = self.instances if unit == "instance" else None
            self._units[key] = units_of(
                self.profile, unit=unit, instances=known, is_direct=is_direct
            )
        return self._units[key]

    def comparisons(self, unit: Unit) -> float:
        """Return the mean number of units that compare a pair."""
        return float(self.units(unit).moments.n.mean())


@dataclass(frozen=True, eq=False)
class Judged:
    """What a method says of every pair; arrays of shape (n, n), row against column."""

    items: ItemSet
    # The estimated proportion; NaN where nothing was compared.
    estimate: Floats
    # Row is decided to be above column.
    above: Bools
    # The interval; None where the method decides without one.
    lower: Floats | None = None
    upper: Floats | None = None


@dataclass(frozen=True, kw_only=True)
class PairMethod(ABC):
    """A way to decide pairs of systems, with intervals or without.

    A new method is a frozen dataclass that implements `name` and `_judge`.
    """

    #: What is independent, as for `PairwiseIntervals.from_data`.
    unit: Unit = "ranking"
    #: What a tie counts, as for `PairwiseIntervals.from_data`.
    ties: ClassVar[Ties] = "half"

    def __post_init__(self) -> None:
        check_choice(self.unit, get_args(Unit), f"unit of {type(self).__name__}")

    @property
    @abstractmethod
    def name(self) -> str:
        """What it is called in tables; no two methods of a study may share it."""

    @abstractmethod
    def _judge(self, ranked: RankedTable, alpha: float, rng: Generator) -> Judged:
        """Decide the pairs of a table."""

    def _named(self, parts: Sequence[str]) -> str:
        units = [] if self.unit == "ranking" else [f"by {self.unit}"]
        return ", ".join([*parts, *units])


@dataclass(frozen=True, kw_only=True)
class IntervalMethod(PairMethod):
    """Intervals of the package: a pair is decided where 1/2 is outside, or by Holm's procedure.

    Ties count half; the binomial methods leave them out.

    Parameters
    ----------
    method : str, default "hoeffding"
        As for `PairwiseIntervals.from_data`.
    simultaneous : {"bonferroni", "max-t"}, optional
        Cover all pairs at once.
    anytime : bool, default False
        Cover every number of units at once.
    unit : {"ranking", "instance", "task"}, default "ranking"
        What is independent.
    holm : bool, default False
        Decide by Holm's procedure; there is no interval then. For "hoeffding" and the binomial
        methods, whose p-values are those of exact sign tests.

    Raises
    ------
    InvalidInputError
        If the options do not go together.

    Examples
    --------
    >>> import rankagg as ra
    >>> ra.studies.IntervalMethod(simultaneous="bonferroni", unit="instance").name
    'hoeffding, bonferroni, by instance'
    """

    method: Method = "hoeffding"
    simultaneous: Simultaneous | None = None
    anytime: bool = False
    holm: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        owner = "of IntervalMethod"
        self._options()
        if self.is_binomial and self.unit != "ranking":
            allowed = "'hoeffding' or a bootstrap here"
            remedy = "Binomial methods are for units that are single rankings."
            raise InvalidInputError(f"method {owner}", allowed, self.method, remedy)
        if not check_flag(self.holm, f"holm {owner}"):
            return
        plain = self.simultaneous is None and not self.anytime
        if not plain or not (self.is_binomial or self.method == "hoeffding"):
            allowed = (
                "False unless the method is 'hoeffding' or binomial, and neither simultaneous "
                "nor anytime"
            )
            raise InvalidInputError(f"holm {owner}", allowed, self.holm)

    @property
    def is_binomial(self) -> bool:
        """Whether it counts wins, and leaves ties out."""
        return self.method in BINOMIAL

    @property
    def ties(self) -> Ties:  # type: ignore[override]
        """What a tie counts."""
        return "exclude" if self.is_binomial else "half"

    @property
    def name(self) -> str:
        """The method with the options that differ from their defaults."""
        options = {
            "sign-test" if self.is_binomial and self.holm else self.method: True,
            "anytime": self.anytime,
            str(self.simultaneous): self.simultaneous,
            "holm": self.holm,
        }
        return self._named([name for name, is_stated in options.items() if is_stated])

    def _options(self, alpha: float = 0.05, rng: RNGLike = 0) -> IntervalOptions:
        return IntervalOptions(self.method, alpha, self.simultaneous, anytime=self.anytime, rng=rng)

    def _judge(self, ranked: RankedTable, alpha: float, rng: Generator) -> Judged:
        intervals = intervals_of(ranked.units(self.unit), self._options(alpha, rng))
        items, estimate = intervals.items, intervals.estimate
        if self.holm:
            return Judged(items, estimate, intervals.decisions("holm").above)
        lower, upper = intervals.lower, intervals.upper
        return Judged(items, estimate, lower > 0.5, lower, upper)


@dataclass(frozen=True, kw_only=True)
class PrintedRadius(PairMethod):
    """A radius as it is printed, around the mean that it is printed with.

    The mean is that of imputed proportions over all rankings, and z is the number of direct
    comparisons of a pair: with missing scores it is an interval for neither. It is here to be
    measured; use `IntervalMethod` for your own data.

    Parameters
    ----------
    radius : {"equation 4", "figure 4"}
        sqrt(log(1/alpha)/(2z)), or sqrt(log(4 n z^2/alpha)/(2z)) for n systems.
    unit : {"ranking", "instance", "task"}, default "ranking"
        What z counts. The print counts rankings, of which an instance has one for each metric.

    References
    ----------
    Himmi et al. (2023), "Towards more robust NLP system evaluation: handling missing scores in
    benchmarks", https://doi.org/10.48550/arXiv.2305.10284, equation 4 and figure 4.

    Examples
    --------
    >>> import rankagg as ra
    >>> ra.studies.PrintedRadius(radius="equation 4").name
    'equation 4'
    """

    radius: Radius

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.radius, get_args(Radius), "radius of PrintedRadius")

    @property
    def name(self) -> str:
        """The place in print."""
        return self._named([self.radius])

    def _judge(self, ranked: RankedTable, alpha: float, rng: Generator) -> Judged:
        imputed = ranked.units(self.unit, is_direct=False)
        mean, z = imputed.moments.mean, ranked.units(self.unit).moments.n
        number, n_items = np.maximum(z, 1.0), len(imputed.items)
        level = alpha / (4.0 * n_items * number**2) if self.radius == "figure 4" else alpha
        radius = np.where(z > 0, radius_of_shares(1.0 / number, level, sides=1), 1.0)
        lower, upper = np.clip(mean - radius, 0.0, 1.0), np.clip(mean + radius, 0.0, 1.0)
        estimate, low, high = (
            square(n_items, above, 1.0 - below, 0.5)
            for above, below in ((mean, mean), (lower, upper), (upper, lower))
        )
        return Judged(imputed.items, estimate, low > 0.5, low, high)
