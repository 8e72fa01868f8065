"""A grid of tables and proportions: which pairs of systems are decided, and how surely."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from rankagg._validation import check_alpha, check_integer, check_number
from rankagg.core.items import counted
from rankagg.core.scores import ScoreTable
from rankagg.exceptions import Described, InvalidInputError
from rankagg.studies.cell_result import several
from rankagg.studies.confidence.confidence_result import ConfidenceResult
from rankagg.studies.confidence.judged_cells import JudgedCell, Judging, truths_of
from rankagg.studies.confidence.pair_methods import IntervalMethod, PairMethod, PrintedRadius
from rankagg.studies.journal import MISSING, NUMBER, TEXT, Kinds, Layout
from rankagg.studies.scores.score_models import LatentModel, ScoreModel, n_removed
from rankagg.studies.study import Rows, Study

__all__ = ["ConfidenceStudy"]

COUNT: Kinds = (int,)
#: What a row holds, and the kinds of its values.
FIELDS: dict[str, Kinds] = {
    "method": TEXT,
    "alpha": NUMBER,
    "pairs": COUNT,
    "comparisons": NUMBER + MISSING,
    "width": NUMBER + MISSING,
    "decided": COUNT + MISSING,
    "wrong": COUNT + MISSING,
    "covered": COUNT + MISSING,
    "covered_imputed": COUNT + MISSING,
    "error": TEXT + MISSING,
}
#: The grid of figure 4, and equal systems.
STEPS = (0.0, 0.01, 0.142, 0.273, 0.405, 0.537, 0.668, 0.8)
FIGURE_4 = tuple(
    LatentModel(step=step, n_systems=10, n_tasks=1, n_instances=number)
    for number in (100, 500)
    for step in STEPS
)
PRINTED = (PrintedRadius(radius="figure 4"), PrintedRadius(radius="equation 4"))
SIMULTANEOUS = (
    IntervalMethod(simultaneous="bonferroni", anytime=True),
    IntervalMethod(simultaneous="bonferroni"),
    IntervalMethod(simultaneous="bonferroni", method="clopper-pearson"),
)
#: For tables with one ranking for each instance.
METHODS: tuple[PairMethod, ...] = (
    *PRINTED,
    IntervalMethod(),
    IntervalMethod(method="clopper-pearson"),
    IntervalMethod(method="wilson"),
    *SIMULTANEOUS,
    IntervalMethod(holm=True),
    IntervalMethod(holm=True, method="clopper-pearson"),
)
#: For tables with several, which are not independent; and what taking them for it does.
BY_INSTANCE: tuple[PairMethod, ...] = (
    PrintedRadius(radius="equation 4"),
    IntervalMethod(),
    IntervalMethod(simultaneous="bonferroni"),
    IntervalMethod(holm=True),
    PrintedRadius(radius="equation 4", unit="instance"),
    IntervalMethod(unit="instance"),
    IntervalMethod(unit="instance", simultaneous="bonferroni"),
    IntervalMethod(unit="instance", holm=True),
)


@dataclass(frozen=True, kw_only=True)
class ConfidenceStudy(Study[JudgedCell, ConfidenceResult]):
    """How many pairs of systems are decided, how many wrongly, and how often intervals cover.

    From every table a proportion of the single scores is removed at random, and every method
    decides the pairs of systems on what is left. Where the true proportions are known its
    decisions and its intervals are held against them. The random numbers of a table depend on the
    seed and on its cell of the grid alone.

    Parameters
    ----------
    models : sequence of ScoreModel, optional
        Where scores come from: `LatentModel` for scores that are drawn, `TableModel` for a table as
        it is, `ResampledTableModel` for one whose instances are drawn anew, so that the truth
        is known, or your own. By default figure 4: 10 systems with steps 0, 0.01, 0.142, ..., 0.8,
        compared 100 and 500 times.
    methods : sequence of PairMethod, optional
        `IntervalMethod`, `PrintedRadius` or your own. By default the radii of figure 4 and equation
        4, Hoeffding's, Wilson's and Clopper and Pearson's intervals for each pair and for all, and
        Holm's procedure; where an instance has several rankings, Hoeffding's for rankings and
        for instances.
    alphas : sequence of float, default (0.01, 0.1)
        Probabilities of error.
    proportions : sequence of float, default (0,)
        Proportions of the single scores that are removed, in [0, 1).
    n_repetitions : int, default 100
        Tables for each combination.
    seed : int, default 0
        Of all random numbers.

    Raises
    ------
    InvalidInputError
        If a parameter is out of its range, two models or two methods are alike, or a proportion
        leaves no score.

    References
    ----------
    Himmi et al. (2023), "Towards more robust NLP system evaluation: handling missing scores in
    benchmarks", https://doi.org/10.48550/arXiv.2305.10284, sections 2.3, 3.3 and 4.4, figures 4,
    6 and 11.

    Examples
    --------
    >>> from rankagg import studies
    >>> study = studies.ConfidenceStudy(
    ...     models=[studies.LatentModel(step=0.4, n_systems=10, n_tasks=1, n_instances=500)],
    ...     methods=[studies.PrintedRadius(radius="figure 4"), studies.IntervalMethod(holm=True)],
    ...     alphas=[0.01],
    ...     n_repetitions=20,
    ... )
    >>> study.run().by_method()[["decided", "any_wrong"]].round(2).reset_index(drop=True)
       decided  any_wrong
    0     0.80        0.0
    1     0.94        0.0
    """

    models: Sequence[ScoreModel] = FIGURE_4
    methods: Sequence[PairMethod] | None = None
    alphas: Sequence[float] = (0.01, 0.1)
    proportions: Sequence[float] = (0.0,)
    n_repetitions: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        owner = "of ConfidenceStudy"
        object.__setattr__(self, "models", several(self.models, f"models {owner}"))
        check_integer(self.n_repetitions, f"n_repetitions {owner}", low=1)
        for name in ("alphas", "proportions"):
            values = several(getattr(self, name), f"{name} {owner}")
            numbers = [
                check_number(v, f"{name} {owner}", low=0, high=1, open_high=True) for v in values
            ]
            object.__setattr__(self, name, several(numbers, f"{name} {owner}"))
        for alpha in self.alphas:
            check_alpha(alpha)
        tables = self._tables(owner)
        if self.methods is None:
            shared = any(_shares_instances(table) for table in tables)
            object.__setattr__(self, "methods", BY_INSTANCE if shared else METHODS)
        object.__setattr__(self, "methods", several(self.methods, f"methods {owner}"))
        for method in self.ways:
            if not isinstance(method, PairMethod):
                raise InvalidInputError(
                    f"methods {owner}", "objects such as IntervalMethod()", method
                )

    def _tables(self, owner: str) -> list[ScoreTable]:
        """Return a table of each model, which is large enough."""
        tables = []
        for model in self.models:
            if not isinstance(model, ScoreModel):
                raise InvalidInputError(
                    f"models {owner}", "objects such as LatentModel(step=0.1)", model,
                    "A table of your own goes into a TableModel.",
                )  # fmt: skip
            table = model.draw(rng=0)
            if table.n_systems < 2:
                raise InvalidInputError(f"models {owner}", "two or more systems", model)
            total = int((~table.missing).sum())
            for share in self.proportions:
                if n_removed(total, share) == total:
                    raise InvalidInputError(
                        f"proportions {owner}",
                        f"proportions that leave something of {counted(total, 'score')}",
                        Described(f"{share:g} for {model.name}"),
                    )
            tables.append(table)
        return tables

    @property
    def ways(self) -> tuple[PairMethod, ...]:
        """The methods, also where none were stated."""
        assert self.methods is not None, "set on creation"
        return tuple(self.methods)

    def cells(self) -> Iterator[JudgedCell]:
        """Iterate over the tables of the grid, in the order of the results."""
        for model, share, number in product(
            self.models, self.proportions, range(self.n_repetitions)
        ):
            yield JudgedCell(model, float(share), number)

    def _trial(self) -> Judging:
        models = tuple(self.models)
        return Judging(self.ways, tuple(self.alphas), self.seed, truths_of(models, self.ways))

    def _layout(self) -> Layout:
        return Layout(
            schema="rankagg.confidence_study",
            trial={
                "methods": [repr(method) for method in self.ways],
                "alphas": list(self.alphas),
                "seed": self.seed,
            },
            cell=(TEXT, NUMBER, (int,)),
            fields=FIELDS,
            label="method",
            labels=tuple(method.name for _ in self.alphas for method in self.ways),
        )

    def _result(self, rows: Rows[JudgedCell]) -> ConfidenceResult:
        return ConfidenceResult(study=self, _rows=rows)


def _shares_instances(table: ScoreTable) -> bool:
    """Say whether an instance has several rankings."""
    return table.instances is not None and len(set(table.instances)) < table.n_units
