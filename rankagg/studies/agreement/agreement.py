"""How far rules agree: over all tasks, over all instances, and within each task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from rankagg._typing import Label, RNGLike, Tolerance
from rankagg._validation import as_generator, check_integer
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.means import Mean
from rankagg.aggregation.positional import Borda
from rankagg.aggregation.two_level import TwoLevel
from rankagg.analysis.comparison.compare import DEPTHS, compare
from rankagg.analysis.robustness.parts import Parts
from rankagg.core.scores import ScoreTable, as_tolerance
from rankagg.exceptions import Described, InvalidInputError
from rankagg.studies.agreement.agreement_result import AgreementResult, Compared, Scope
from rankagg.studies.cell_result import check_rules, check_table, several

__all__ = ["AgreementStudy"]


@dataclass(frozen=True, kw_only=True)
class AgreementStudy:
    """How far rules agree on the first, on the last and on all systems of one table.

    On a table of tasks the rules aggregate the tasks. On a table of instances they are held
    against each other thrice: on the averages of each task ("tasks"), on all instances at once
    ("instances"), and on the instances of each single task ("within"). Nothing is drawn, unless a
    rule does.

    Parameters
    ----------
    data : ScoreTable
        The scores, of tasks or of their instances.
    aggregators : sequence of Aggregator, optional
        At least two rules with one policy for unranked items; by default `Mean()` and `Borda()`,
        and `TwoLevel(Borda(), Borda())` where there are instances. A `TwoLevel` takes part on
        all instances only: elsewhere there is one level.
    depths : sequence of int, default (1, 3, 5, 10)
        For how many of the first and of the last systems the tables state the agreement.
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by no more are tied; see `ScoreTable.rankings`.

    Raises
    ------
    InvalidInputError
        If a parameter is out of its range, or there are fewer than two rules to compare.

    References
    ----------
    Colombo et al. (2022), "What are the best systems? New perspectives on NLP benchmarking",
    https://doi.org/10.48550/arXiv.2202.03799, table 2, figures 4, 10 and 11. Their ties at rank k
    are broken by the order of the file; here agreement is what random breaking gives on average.

    Examples
    --------
    >>> import rankagg as ra
    >>> table = ra.datasets.load("xtreme_human")
    >>> result = ra.studies.AgreementStudy(data=table, depths=[1, 3]).run()
    >>> result.to_frame()[["first", "second", "tau", "top1", "top3", "last1", "last3"]].round(3)
      first second    tau  top1   top3  last1  last3
    0  Mean  Borda  0.867   1.0  0.667    1.0  0.667
    """

    data: ScoreTable
    aggregators: Sequence[Aggregator] | None = None
    depths: Sequence[int] = DEPTHS
    tolerance: Tolerance = field(default=0.0, hash=False)

    def __post_init__(self) -> None:
        owner = "of AgreementStudy"
        check_table(self.data, "AgreementStudy")
        rules = _usual(self.data) if self.aggregators is None else self.aggregators
        object.__setattr__(self, "aggregators", several(rules, f"aggregators {owner}"))
        check_rules(self.rules)
        if len(self._one_level) < 2 and not (self.data.is_instance_level and len(self.rules) > 1):
            raise InvalidInputError(
                f"aggregators {owner}", "two or more rules with one level",
                Described(repr(list(self.rules))),
            )  # fmt: skip
        object.__setattr__(self, "depths", several(self.depths, f"depths {owner}"))
        for depth in self.depths:
            check_integer(depth, f"depths {owner}", low=1)
        object.__setattr__(self, "tolerance", as_tolerance(self.tolerance, self.data.tasks))

    @property
    def rules(self) -> tuple[Aggregator, ...]:
        """The rules, also where none were stated."""
        assert self.aggregators is not None, "set on creation"
        return tuple(self.aggregators)

    @property
    def _one_level(self) -> tuple[Aggregator, ...]:
        return tuple(rule for rule in self.rules if not isinstance(rule, TwoLevel))

    def run(self, *, rng: RNGLike = 0) -> AgreementResult:
        """Aggregate with every rule, and compare.

        Parameters
        ----------
        rng : int or numpy.random.Generator, default 0
            A seed or a generator for rules that draw random numbers.

        Returns
        -------
        AgreementResult

        Raises
        ------
        InvalidInputError
            If the rules have several policies for unranked items.
        """
        generator = as_generator(rng)
        found = []
        for scope, task, evidence, rules in self._parts():
            table, tolerance = evidence.data, evidence.tolerance
            compared = compare(table, rules, tolerance=tolerance, rng=generator)
            if any(consensus.interrupted for consensus in compared.consensuses):
                raise KeyboardInterrupt
            found.append(Compared(scope, task, compared))
        return AgreementResult(study=self, comparisons=tuple(found))

    def _parts(
        self,
    ) -> Iterator[tuple[Scope, Label | None, Evidence, tuple[Aggregator, ...]]]:
        """Iterate over what is compared: where, of which task, the scores, and the rules."""
        several_rules = len(self._one_level) > 1
        if several_rules:
            tasks = _averaged(self.data) if self.data.is_instance_level else self.data
            yield "tasks", None, Evidence(tasks, self.tolerance), self._one_level
        if not self.data.is_instance_level:
            return
        yield "instances", None, Evidence(self.data, self.tolerance), self.rules
        if several_rules:
            parts = Parts(data=self.data, tolerance=self.tolerance, over="tasks")
            for number, task in enumerate(self.data.tasks):
                yield "within", task, parts.part(np.array([number])), self._one_level


def _usual(table: ScoreTable) -> tuple[Aggregator, ...]:
    plain = (Mean(), Borda())
    return (*plain, TwoLevel(Borda(), Borda())) if table.is_instance_level else plain


def _averaged(table: ScoreTable) -> ScoreTable:
    """Return the averages of the instances of every task."""
    return ScoreTable(
        table.task_scores(),
        systems=table.systems,
        tasks=list(table.tasks),
        higher_is_better=table.higher_is_better,
        task_weights=table.task_weights,
    )
