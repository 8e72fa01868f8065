"""A grid of tables, proportions and scales: how far rankings move when scores go missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from rankagg._validation import check_flag, check_integer, check_number
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.means import Mean
from rankagg.aggregation.positional import Borda
from rankagg.core.items import counted
from rankagg.exceptions import Described, InvalidInputError
from rankagg.studies.cell_result import check_rules, several, with_policy
from rankagg.studies.journal import FLAG, MISSING, NUMBER, TEXT, Kinds, Layout
from rankagg.studies.missing_scores.missing_scores_result import MissingScoresResult
from rankagg.studies.missing_scores.removal_cells import (
    PAIR_MEASURES,
    AfterRemoval,
    RemovalCell,
    label_of,
    pair_field,
)
from rankagg.studies.scores.score_models import ScoreModel, entries_of, n_removed
from rankagg.studies.study import Rows, Study

__all__ = ["MissingScoresStudy"]

COUNT: Kinds = (int,)
#: What a row holds, and the kinds of its values.
FIELDS: dict[str, Kinds] = {
    "method": TEXT,
    **dict.fromkeys(PAIR_MEASURES, NUMBER + MISSING),
    "tau_ranked": NUMBER + MISSING,
    "tau_true": NUMBER + MISSING,
    "unranked": COUNT + MISSING,
    "lost_systems": COUNT,
    "lost_tasks": COUNT,
    "proved": FLAG + MISSING,
    "error": TEXT + MISSING,
}
METHODS = (Mean(), Borda(unranked="uniform"))
PROPORTIONS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
UNSCALED = (1.0,)


@dataclass(frozen=True, kw_only=True)
class MissingScoresStudy(Study[RemovalCell, MissingScoresResult]):
    """How near rankings of incomplete scores come to those of the full data.

    From every table a proportion of the scores is removed at random, many times, and every method
    ranks what is left. Its ranking is held against what the same method makes of the full data,
    against the true ranking where there is one, and against the other methods. The random numbers
    of a table depend on the seed and on its cell of the grid alone: a study gives the same figures
    whatever the number of workers, and a cell stays what it is when the grid grows.

    Parameters
    ----------
    models : sequence of ScoreModel
        Where complete scores come from: `TableModel` for a leaderboard, `LatentModel` for scores
        that are drawn, or your own.
    aggregators : sequence of Aggregator, default (Mean(), Borda())
        The methods. The same rule may take part with several policies for missing scores.
    proportions : sequence of float, default (0, 0.1, ..., 0.9)
        Proportions of the entries that are removed, rounded to whole entries, in [0, 1). Entries
        that are missing from the start do not count.
    scales : sequence of float, default (1,)
        Positive factors for the scores of one task, drawn anew for every table. The ranking of
        the full data is that of the scores before.
    whole_tasks : bool, default True
        An entry is all that a system scored on a task, as in the papers; else it is a single
        score. Without instances both are the same.
    n_repetitions : int, default 100
        Tables for each combination.
    seed : int, default 0
        Of all random numbers.

    Raises
    ------
    InvalidInputError
        If a parameter is out of its range, two models or two methods are alike, or a proportion
        leaves no score.

    Notes
    -----
    The correlation is tau-b over all systems. Where a method leaves systems unranked, as means do
    with those that lost all their scores, its ranking stands for all compatible permutations, and
    the mean order of every pair is correlated; `tau_ranked` is over what it ranks.

    References
    ----------
    Himmi et al. (2023), "Towards more robust NLP system evaluation: handling missing scores in
    benchmarks": sections 3.2, 4.2 and 4.3.

    Examples
    --------
    >>> import rankagg as ra
    >>> leaderboard = ra.studies.TableModel(
    ...     label="SuperGLUE", table=ra.datasets.load("superglue_human")
    ... )
    >>> study = ra.studies.MissingScoresStudy(
    ...     models=[leaderboard], proportions=[0, 0.2, 0.4], n_repetitions=50
    ... )
    >>> result = study.run()
    """

    models: Sequence[ScoreModel]
    aggregators: Sequence[Aggregator] = METHODS
    proportions: Sequence[float] = PROPORTIONS
    scales: Sequence[float] = UNSCALED
    whole_tasks: bool = True
    n_repetitions: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        owner = "of MissingScoresStudy"
        for name in ("models", "proportions", "scales"):
            object.__setattr__(self, name, several(getattr(self, name), f"{name} {owner}"))
        check_integer(self.n_repetitions, f"n_repetitions {owner}", low=1)
        super().__post_init__()
        check_flag(self.whole_tasks, f"whole_tasks {owner}")
        shares = [
            check_number(share, f"proportions {owner}", low=0, high=1, open_high=True)
            for share in self.proportions
        ]
        factors = [
            check_number(factor, f"scales {owner}", low=0, open_low=True) for factor in self.scales
        ]
        object.__setattr__(self, "proportions", several(shares, f"proportions {owner}"))
        object.__setattr__(self, "scales", several(factors, f"scales {owner}"))
        self._check_methods(owner)
        self._check_models(owner)

    def _check_methods(self, owner: str) -> None:
        rules: object = self.aggregators
        if isinstance(rules, str) or not isinstance(rules, Iterable):
            allowed = "a list of one or more different values"
            raise InvalidInputError(f"aggregators {owner}", allowed, rules)
        object.__setattr__(self, "aggregators", tuple(rules))
        check_rules(self.aggregators)
        # The same rule with two policies is two methods.
        several(self.methods, f"aggregators {owner}")

    def _check_models(self, owner: str) -> None:
        for model in self.models:
            if not isinstance(model, ScoreModel):
                raise InvalidInputError(
                    f"models {owner}", "objects such as LatentModel(step=0.1)", model,
                    "A table of your own goes into a TableModel.",
                )  # fmt: skip
            table = model.draw(rng=0)
            total = int(entries_of(table, whole_tasks=self.whole_tasks).sum())
            for share in self.proportions:
                if n_removed(total, share) == total:
                    raise InvalidInputError(
                        f"proportions {owner}",
                        f"proportions that leave something of {counted(total, 'entry')}",
                        Described(f"{share:g} for {model.name}"),
                    )

    @property
    def methods(self) -> tuple[str, ...]:
        """What the methods are called: the rule, and its policy for missing scores."""
        return tuple(label_of(rule) for rule in self.aggregators)

    def cells(self) -> Iterator[RemovalCell]:
        """Iterate over the tables of the grid, in the order of the results."""
        grid = product(self.models, self.scales, self.proportions, range(self.n_repetitions))
        for model, scale, proportion, repetition in grid:
            yield RemovalCell(model, float(scale), float(proportion), repetition)

    def _trial(self) -> AfterRemoval:
        trial = AfterRemoval(tuple(self.aggregators), self.whole_tasks, self.seed, {})
        full = {
            model.identity: trial.rank(model.draw(), RemovalCell(model, 1.0, 0.0, -1), "full data")
            for model in self.models
            if model.is_fixed
        }
        return AfterRemoval(tuple(self.aggregators), self.whole_tasks, self.seed, full)

    def _layout(self) -> Layout:
        trial = {
            "rules": [repr(with_policy(rule, "uniform")) for rule in self.aggregators],
            "whole_tasks": self.whole_tasks,
            "seed": self.seed,
        }
        pairs = [pair_field(measure, other) for other in self.methods for measure in PAIR_MEASURES]
        return Layout(
            schema="rankagg.missing_scores_study",
            trial=trial,
            cell=(TEXT, NUMBER, NUMBER, (int,)),
            fields={**FIELDS, **dict.fromkeys(pairs, NUMBER + MISSING)},
            label="method",
            labels=self.methods,
        )

    def _result(self, rows: Rows[RemovalCell]) -> MissingScoresResult:
        return MissingScoresResult(study=self, _rows=rows)
