"""Confidence: decisions on pairs of systems on drawn tables, their errors and coverage."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, ClassVar, Literal, cast, get_args

import numpy as np
import pandas as pd

from rankagg._typing import Bools, Floats, Generator, Label, RNGLike
from rankagg._validation import check_choice, check_flag, check_kind, check_number
from rankagg.core import ItemSet, Profile, ScoreTable
from rankagg.cultures import DataSource, checked
from rankagg.exceptions import InvalidInputError, RankaggError
from rankagg.inference.pair_bounds import (
    BINOMIAL,
    IntervalOptions,
    Method,
    Simultaneous,
    radius_of_shares,
)
from rankagg.inference.pairwise import intervals_of
from rankagg.inference.units import Unit, Units, square
from rankagg.studies.measures import Curve, Measures
from rankagg.studies.removal import MECHANISM, RANDOM_REMOVAL, GapCell, ScoreRemoval
from rankagg.studies.sources import LatentModel
from rankagg.studies.study import ROUNDING, Row, Study, StudyResult

Ties = Literal["half", "exclude"]
Radius = Literal["equation 4", "figure 4"]

# True proportions, row above column, by model, unit and treatment of ties.
_Truths = Mapping[tuple[str, Unit, Ties], pd.DataFrame]

#: The grid of figure 4, and equal systems.
FIGURE_4 = tuple(
    LatentModel(step=step, n_systems=10, n_tasks=1, n_instances=number)
    for number in (100, 500)
    for step in (0.0, 0.01, 0.142, 0.273, 0.405, 0.537, 0.668, 0.8)
)


@dataclass(frozen=True, eq=False)
class _RankedTable:
    """The rankings of a table and their units, which several methods share."""

    # One ranking per column.
    profile: Profile
    instances: Sequence[Label] | None
    _units: dict[tuple[Unit, bool], Units] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, table: ScoreTable) -> _RankedTable:
        """Rank the systems of a table on every column."""
        return cls(table.rankings(), table.instances)

    def units(self, unit: Unit, *, is_direct: bool = True) -> Units:
        """Return the independent units: direct comparisons only, or with imputation by policy."""
        key = unit, is_direct
        if key not in self._units:
            instances = self.instances if unit == "instance" else None
            self._units[key] = Units.of(
                self.profile, unit=unit, instances=instances, is_direct=is_direct
            )
        return self._units[key]

    def comparisons(self, unit: Unit) -> float:
        """Return the mean number of units that compare a pair."""
        return float(self.units(unit).moments.n.mean())


@dataclass(frozen=True, eq=False)
class _Judged:
    """The decisions of a method on all pairs; arrays of shape (n, n), row against column."""

    items: ItemSet
    # The estimated proportion; NaN without comparisons.
    estimate: Floats
    # Row is decided to be above column.
    above: Bools
    # The interval; None if the method decides without one.
    lower: Floats | None = None
    upper: Floats | None = None


@dataclass(frozen=True, kw_only=True)
class PairMethod(ABC):
    """A method that decides pairs of systems, with intervals or without.

    A new method is a frozen dataclass that implements `name` and `_judge`.
    """

    #: The independent unit, as for `PairwiseIntervals.from_data`.
    unit: Unit = "ranking"
    #: The treatment of ties, as for `PairwiseIntervals.from_data`.
    ties: ClassVar[Ties] = "half"

    def __post_init__(self) -> None:
        check_choice(self.unit, get_args(Unit), f"unit of {type(self).__name__}")

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in tables, different for all methods of a study."""

    @abstractmethod
    def _judge(self, ranked: _RankedTable, alpha: float, rng: Generator) -> _Judged:
        """Decide the pairs of a table."""

    def _named(self, parts: Sequence[str]) -> str:
        units = [] if self.unit == "ranking" else [f"by {self.unit}"]
        return ", ".join([*parts, *units])


@dataclass(frozen=True, kw_only=True)
class IntervalMethod(PairMethod):
    """Intervals of the package: a pair is decided if 1/2 is outside, or by Holm's procedure.

    Ties count half; the binomial methods exclude them.

    Parameters
    ----------
    method : str, default "hoeffding"
        As for `PairwiseIntervals.from_data`.
    simultaneous : {"bonferroni", "max-t"}, optional
        Cover all pairs at once.
    anytime : bool, default False
        Cover every number of units at once.
    unit : {"ranking", "instance", "task"}, default "ranking"
        The independent unit.
    holm : bool, default False
        Decide by Holm's procedure, without intervals. For "hoeffding" and the binomial methods,
        whose p-values are those of exact sign tests.

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
        """Whether the method counts wins and excludes ties."""
        return self.method in BINOMIAL

    @property
    def ties(self) -> Ties:  # type: ignore[override]
        """The treatment of ties."""
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

    def _judge(self, ranked: _RankedTable, alpha: float, rng: Generator) -> _Judged:
        intervals = intervals_of(ranked.units(self.unit), self._options(alpha, rng))
        items, estimate = intervals.items, intervals.estimate
        if self.holm:
            return _Judged(items, estimate, intervals.decisions("holm").above)
        lower = intervals.lower
        return _Judged(items, estimate, lower > 0.5, lower, intervals.upper)


@dataclass(frozen=True, kw_only=True)
class PrintedRadius(PairMethod):
    """A published radius around its published mean.

    The mean is that of imputed proportions over all rankings, and z is the number of direct
    comparisons of a pair. With missing scores it is a valid interval for neither. It is included
    for evaluation; use `IntervalMethod` for your own data.

    Parameters
    ----------
    radius : {"equation 4", "figure 4"}
        sqrt(log(1/alpha)/(2z)), or sqrt(log(4 n z^2/alpha)/(2z)) for n systems.
    unit : {"ranking", "instance", "task"}, default "ranking"
        The unit that z counts. The publication counts rankings, one per instance and metric.

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
        """The equation or figure of the publication."""
        return self._named([self.radius])

    def _judge(self, ranked: _RankedTable, alpha: float, rng: Generator) -> _Judged:
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
        return _Judged(imputed.items, estimate, low > 0.5, low, high)


# -- the study ------------------------------------------------------------------------------------

#: Methods for tables with one ranking per instance.
ONE_RANKING_EACH: tuple[PairMethod, ...] = (
    PrintedRadius(radius="figure 4"),
    PrintedRadius(radius="equation 4"),
    IntervalMethod(),
    IntervalMethod(method="clopper-pearson"),
    IntervalMethod(method="wilson"),
    IntervalMethod(simultaneous="bonferroni", anytime=True),
    IntervalMethod(simultaneous="bonferroni"),
    IntervalMethod(simultaneous="bonferroni", method="clopper-pearson"),
    IntervalMethod(holm=True),
    IntervalMethod(holm=True, method="clopper-pearson"),
)
#: Methods for tables with several dependent rankings per instance, by ranking and by instance.
SEVERAL_RANKINGS: tuple[PairMethod, ...] = tuple(
    method
    for unit in get_args(Unit)[:2]
    for method in (
        PrintedRadius(radius="equation 4", unit=unit),
        IntervalMethod(unit=unit),
        IntervalMethod(unit=unit, simultaneous="bonferroni"),
        IntervalMethod(unit=unit, holm=True),
    )
)


@dataclass(frozen=True)
class _JudgedCell(GapCell):
    """One table of the grid."""

    model: DataSource
    # The proportion of single scores removed.
    proportion: float = checked(check_number, low=0, high=1, open_high=True)
    removal: ScoreRemoval = checked(check_kind, **MECHANISM)
    repetition: int = 0

    def complete(self, seed: int) -> ScoreTable:
        """Return the scores before removal."""
        return cast("ScoreTable", self.model.sample(rng=self.generator(seed, "data")))

    def incomplete(self, table: ScoreTable, seed: int) -> ScoreTable:
        """Return the scores after removal."""
        rng = self.generator(seed, "missing")
        return self.removal.remove(table, self.proportion, whole_tasks=False, rng=rng)

    def judge(self, seed: int, ranked: _RankedTable, method: PairMethod, alpha: float) -> _Judged:
        """Return the decisions of a method on the table."""
        return method._judge(ranked, alpha, self.generator(seed, f"{method!r} {alpha!r}"))


@dataclass(frozen=True, kw_only=True)
class ConfidenceStudy(Study[_JudgedCell]):
    """Study of decided pairs of systems, wrong decisions, and coverage of intervals.

    From every table a proportion of the single scores is removed, and every method decides the
    pairs of systems with the remaining scores. If the true proportions are known, its decisions and
    intervals are compared with them.

    Parameters
    ----------
    data : DataSource, ScoreTable or a list of them, optional
        Sources of scores: `LatentModel` for drawn scores, an unchanged table, `ResampledData` for a
        table with resampled instances, so that the truth is known, or your own. By default figure
        4: 10 systems with steps 0, 0.01, 0.142, ..., 0.8, compared 100 and 500 times.
    methods : sequence of PairMethod, optional
        `IntervalMethod`, `PrintedRadius` or your own. By default the radii of figure 4 and equation
        4, Hoeffding's, Wilson's and Clopper and Pearson's intervals for each pair and for all, and
        Holm's procedure. If instances have several rankings, Hoeffding's for rankings and for
        instances.
    alphas : sequence of float, default (0.01, 0.1)
        Probabilities of error.
    proportions : sequence of float, default (0,)
        Proportions of the single scores removed, in [0, 1).
    removals : sequence of ScoreRemoval, default (RandomRemoval(),)
        Mechanisms of removal: `RandomRemoval`, `RemovalBySystem`, `RemovalByTask`,
        `RemovalByScore`, `RemovalByAge`, `RemovalOfBlocks` or your own.
    n_repetitions : int, default 100
        Tables for each combination.
    rng : int, numpy.random.Generator or None, optional
        A seed; by default, and from a generator, one is drawn and kept.

    Notes
    -----
    Rows: pairs: number of pairs; comparisons: mean number of units that compare a pair; width: mean
    width of the intervals, clipped to [0, 1]; decided: number of decided pairs; wrong: decided
    pairs whose true proportion is on the other side of 1/2, or equal to it; covered: intervals that
    contain the true proportion of the units that compare the two. Unknown values, and intervals of
    a method without any, are missing. error: the message of a method that could not judge the
    table.

    Statistics: decided, the mean share of pairs, with se_decided; any_wrong: share of the tables
    with a wrong decision; coverage: share of the intervals that contain the true proportion;
    covers_all: share of the tables in which all intervals do; mean width and comparisons; promised:
    1 - alpha.

    References
    ----------
    Himmi et al. (2023), "Towards more robust NLP system evaluation: handling missing scores in
    benchmarks", https://doi.org/10.48550/arXiv.2305.10284, sections 2.3, 3.3 and 4.4, figures 4,
    6 and 11.

    Examples
    --------
    >>> from rankagg import studies
    >>> study = studies.ConfidenceStudy(
    ...     data=studies.LatentModel(step=0.4, n_systems=10, n_tasks=1, n_instances=500),
    ...     methods=[studies.PrintedRadius(radius="figure 4"), studies.IntervalMethod(holm=True)],
    ...     alphas=[0.01],
    ...     n_repetitions=20,
    ...     rng=0,
    ... )
    >>> study.run().by_method()[["decided", "any_wrong"]].round(2).reset_index(drop=True)
       decided  any_wrong
    0     0.80        0.0
    1     0.94        0.0
    """

    _cell = _JudgedCell
    _fields: ClassVar = {
        "method": "str",
        "alpha": "float64",
        "pairs": "int64",
        **dict.fromkeys(("comparisons", "width"), "float64"),
        **dict.fromkeys(("decided", "wrong", "covered"), "Int64"),
        "error": "str",
    }
    _measures = Measures(
        statistics=(
            *("comparisons", "width", "decided", "se_decided", "any_wrong", "coverage"),
            "covers_all",
        ),
        points=("alpha",),
        printed=("width", "decided", "any_wrong", "coverage", "covers_all"),
        curves={
            "decided": Curve("share of pairs decided", "se_decided"),
            **{
                name: Curve(label, dotted=promised, dotted_is="what alpha promises")
                for name, label, promised in (
                    ("any_wrong", "share of tables\nwith a wrong decision", "alpha"),
                    ("coverage", "share of intervals\nthat hold the truth", "promised"),
                    ("covers_all", "share of tables where\nall intervals hold it", "promised"),
                )
            },
            "width": Curve("mean width of the intervals"),
        },
        usual_x=("step", "proportion"),
        noun="table",
        compared="method",
    )

    data: Any = FIGURE_4
    methods: Sequence[PairMethod] | None = None
    alphas: Sequence[float] = (0.01, 0.1)
    proportions: Sequence[float] = (0.0,)
    removals: Sequence[ScoreRemoval] = (RANDOM_REMOVAL,)
    n_repetitions: int = 100
    rng: RNGLike = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set_checked("alphas", check_number, low=0, high=1, open_low=True, open_high=True)
        tables = self._tables()
        for table, removal in product(tables, self.removals):
            removal.remove(table, max(self.proportions), whole_tasks=False, rng=0)
        if self.methods is None:
            # Whether instances have several rankings.
            shared = any(
                table.instances is not None and len(set(table.instances)) < table.n_units
                for table in tables
            )
            self._set("methods", SEVERAL_RANKINGS if shared else ONE_RANKING_EACH)
        self._set_checked("methods", check_kind, kind=PairMethod, example="`IntervalMethod()`")

    @property
    def _compared(self) -> tuple[PairMethod, ...]:
        return tuple(self.methods or ())

    def _measured(self, frame: pd.DataFrame) -> pd.DataFrame:
        def flag(column: str, condition: pd.Series[bool]) -> pd.Series[float]:
            return condition.astype(np.float64).where(frame[column].notna())

        pairs = frame["pairs"]
        return frame.assign(
            decided=frame["decided"].astype(np.float64) / pairs,
            any_wrong=flag("wrong", frame["wrong"].fillna(0) > 0),
            coverage=frame["covered"].astype(np.float64) / pairs,
            covers_all=flag("covered", frame["covered"].fillna(0) == pairs),
        )

    def _completed(self, table: pd.DataFrame) -> pd.DataFrame:
        return table.assign(promised=1 - table.index.get_level_values("alpha"))

    def _about(self, result: StudyResult) -> Iterable[str]:
        if any(self.proportions):
            how = "; ".join(removal.name for removal in self.removals)
            yield f"a proportion of single scores removed: {how}"
        yield "decided: mean share of pairs; any_wrong, covers_all: shares of tables"
        if result.to_frame()["wrong"].isna().all():
            yield "true proportions are not known"

    def judged(self, model: DataSource) -> tuple[Any, Any]:
        """Return the first table of one of the data, and the first method's decisions on it.

        Parameters
        ----------
        model : DataSource
            One of `data`.

        Returns
        -------
        tuple
        """
        cell = _JudgedCell(model, self.proportions[0], self.removals[0])
        ranked = _RankedTable.of(cell.incomplete(cell.complete(self._seed), self._seed))
        return ranked, cell.judge(self._seed, ranked, self._compared[0], self.alphas[0])

    def _prepared(self, deadline: object) -> _Truths:
        """Return the true proportions that methods estimate, if models know them."""
        proportions = {}
        for model in self.data:
            for unit, ties in {(method.unit, method.ties) for method in self._compared}:
                try:
                    frame = model.true_proportions(unit=unit, ties=ties)
                except RankaggError:
                    # Every method of that kind fails too, and its row has the message.
                    continue
                if frame is not None:
                    proportions[model.identity, unit, ties] = frame
        return proportions

    def _try(self, cell: _JudgedCell, prepared: _Truths) -> list[Row]:
        """Draw a table, remove scores, and decide its pairs with every method."""
        ranked = _RankedTable.of(cell.incomplete(cell.complete(self._seed), self._seed))
        labels = list(ranked.profile.items)
        known = {}
        for method in self._compared:
            true = prepared.get((cell.model.identity, method.unit, method.ties))
            if true is not None:
                known[method] = true.loc[labels, labels].to_numpy(np.float64)
        return [
            self._row(cell, ranked, method, alpha, known.get(method))
            for alpha in self.alphas
            for method in self._compared
        ]

    def _row(
        self,
        cell: _JudgedCell,
        ranked: _RankedTable,
        method: PairMethod,
        alpha: float,
        true: Floats | None,
    ) -> Row:
        """Compare the decisions of a method with the true proportions, if they are known."""
        upper = np.triu_indices(ranked.profile.n_items, k=1)
        row = dict.fromkeys(self._fields)
        row |= {"method": method.name, "alpha": alpha, "pairs": len(upper[0])}
        try:
            row["comparisons"] = ranked.comparisons(method.unit)
            judged = cell.judge(self._seed, ranked, method, alpha)
        except RankaggError as error:
            # The study continues and counts the failure.
            return {**row, "error": str(error)}
        row["decided"] = int(judged.above.sum())
        if true is not None:
            row["wrong"] = int((judged.above & (true <= 0.5 + ROUNDING)).sum())
        if judged.lower is None or judged.upper is None:
            return row
        row["width"] = float((judged.upper - judged.lower)[upper].mean())
        if true is not None:
            inside = (judged.lower <= true + ROUNDING) & (true <= judged.upper + ROUNDING)
            row["covered"] = int(inside[upper].sum())
        return row
