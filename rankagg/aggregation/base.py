"""The contract of every rule: what it takes, what it returns, and what is checked once for all."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from rankagg._typing import Directions, Floats, Generator, Integers64, Ranks, RNGLike, Tolerance
from rankagg._validation import as_generator
from rankagg.aggregation.deadline import Deadline, time_limit_of
from rankagg.aggregation.evidence import Evidence, Held
from rankagg.aggregation.result import Consensus, rank_by_scores
from rankagg.core import ItemSet, PartialRanking, Profile, as_ranking, listed
from rankagg.exceptions import InformationLostError, InvalidInputError, OutOfTimeError

if TYPE_CHECKING:
    from rankagg.aggregation.kemeny.certificate import Certificate, TiedCertificate
    from rankagg.aggregation.kemeny.optima import Optima
    from rankagg.aggregation.kemeny.tied_optima import TiedOptima

Needs: TypeAlias = Literal["scores", "rankings", "votes"]
ReadsUnranked: TypeAlias = Literal["by policy", "last", "as observed"]


@dataclass(frozen=True)
class Outcome:
    """What a rule's hook returns: scores to rank by, or a ranking, or both.

    Attributes
    ----------
    scores : ndarray of float, shape (n,), or None
        Higher is better; NaN leaves an item unranked.
    ranking : PartialRanking or None
        The consensus; None lets the base class rank by the scores.
    certificate : Certificate, TiedCertificate or None
        The proof of an exact rule.
    optima : Optima, TiedOptima or None
        The set of all optima of an exact rule.
    notes : tuple of str
        What a reader should know.
    interrupted : bool
        True where the user stopped the rule and got what was there.
    """

    scores: Floats | None = None
    ranking: PartialRanking | None = None
    certificate: Certificate | TiedCertificate | None = None
    optima: Optima | TiedOptima | None = None
    notes: tuple[str, ...] = ()
    interrupted: bool = False


def proved_outcome(
    certificate: Any,
    solved: Any,
    effort: Any,
    optima: Any = None,
    *,
    noun: str = "ranking",
) -> Outcome:
    """Return what an exact rule returns, and why its proof is not complete where it is not.

    Cost and bound were computed in integers from the order and the proofs; here the certificate is
    read as a checker reads it, so that its proofs are trees over disjoint parts.
    """
    type(certificate).from_dict(certificate.to_dict())
    is_open, notes = certificate.status != "optimal", solved.notes
    if is_open:
        best = f"the best {noun} so far, not proved optimal"
        why = f"stopped by `on_progress`: {best}" if solved.is_stopped else effort.unproved
        notes = (f"interrupted: {best}" if solved.interrupted else why, *notes)
    return Outcome(
        ranking=certificate.ranking,
        certificate=certificate,
        optima=optima,
        notes=notes,
        interrupted=solved.interrupted and is_open,
    )


@dataclass(frozen=True)
class Guarantee:
    """How far a rule's Kendall cost can be from the optimum, on complete strict rankings.

    Attributes
    ----------
    factor : float
        The cost is at most so many times the least possible one.
    in_expectation : bool
        Whether that is said of the mean over the rule's random numbers only.
    """

    factor: float
    in_expectation: bool = False

    def __str__(self) -> str:
        return f"{self.factor:g} in expectation" if self.in_expectation else f"{self.factor:g}"


@dataclass(frozen=True, kw_only=True)
class Aggregator(ABC):
    """A rule that turns data into one ranking; holds parameters, never data.

    A new rule is a frozen dataclass with keyword-only parameters that names what it `needs` and
    implements `_aggregate`; everything else is done here.

    """

    @property
    @abstractmethod
    def needs(self) -> Needs:
        """The least that the rule can work with: "scores", "rankings" or "votes".

        Richer data are taken down the chain; poorer data raise `InformationLostError`.
        """

    def aggregate(
        self,
        data: Held | Evidence,
        *,
        higher_is_better: Directions | None = None,
        tolerance: Tolerance = 0.0,
        rng: RNGLike = None,
        deadline: Deadline | None = None,
    ) -> Consensus:
        """Rank the items of `data`.

        Parameters
        ----------
        data : ScoreTable, ScoreSummary, Profile, PairwiseMatrix, Comparisons or Evidence
            The data; richer data than needed are taken down the chain (scores are ranked unit by
            unit, rankings are counted). An `Evidence` of them lets several rules share that work.
            Orders of labels, best first, are taken as a list or as a mapping from order to count.
        higher_is_better : bool, mapping or Series from task to bool, optional
            The direction of scores in a DataFrame; it goes with nothing else.
        tolerance : float, mapping or Series from task to float, default 0
            Scores that differ by no more are tied; see `ScoreTable.rankings`.
        rng : int, numpy.random.Generator or None, optional
            A seed or a generator for rules that draw random numbers; others ignore it.
        deadline : Deadline, optional
            When rules that search for a proof return what they have, beside their own limit.

        Returns
        -------
        Consensus

        Raises
        ------
        InformationLostError
            If the rule needs more than `data` holds.
        """
        evidence = Evidence.of(data, tolerance, higher_is_better)
        generator = as_generator(rng)
        counted = self._read(evidence)
        start = perf_counter()
        # Counting takes time too.
        ends = (deadline or Deadline()).sooner(getattr(self, "time_limit", None))
        try:
            outcome = self._aggregate_within(counted, generator, ends)
        except InformationLostError as error:
            if not str(error).startswith("needs"):
                raise  # an inner rule has put its name to it
            raise InformationLostError(f"{self.name} {error}") from None
        except OutOfTimeError:
            raise OutOfTimeError(
                f"{self.name} was not computed in time: the time limit has passed."
            ) from None
        runtime = perf_counter() - start
        ranking, notes = outcome.ranking, outcome.notes
        if ranking is None:
            assert outcome.scores is not None, "a hook returns scores or a ranking"
            ranking, ties = rank_by_scores(outcome.scores, evidence.items)
            notes = (*notes, *ties)
        # A fit that the rule rests on may have said it.
        if counted is not evidence and evidence.has_gaps:
            notes = (*notes, "items that a ballot leaves out count as below all that it lists")
        elif self.reads_unranked == "last" and counted.has_imputed_votes:
            told = f"the votes were counted by the policy {counted.unranked!r}"
            notes = (*notes, f"{told}; of rankings this rule counts absent items last")
        gaps = counted.gaps(by_policy=self.reads_unranked != "as observed")
        notes = tuple(dict.fromkeys((*notes, *gaps)))
        evidence.items.require_same(ranking.items, f"The data and the ranking of {self.name}")
        return Consensus(
            ranking=ranking,
            scores=outcome.scores,
            rule=self,
            unranked=evidence.unranked,
            certificate=outcome.certificate,
            _optima=outcome.optima,
            notes=notes,
            interrupted=outcome.interrupted,
            runtime=runtime,
            _evidence=evidence,
        )

    def _read(self, evidence: Evidence) -> Evidence:
        """Return the evidence as the rule reads it."""
        return evidence.with_unranked("last") if self.reads_unranked == "last" else evidence

    @abstractmethod
    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        """Do the work; the evidence is clean."""

    def _aggregate_within(self, evidence: Evidence, rng: Generator, deadline: Deadline) -> Outcome:
        """Do the work; a rule that can stop early overrides this, and ends at the deadline."""
        return self._aggregate(evidence, rng)

    def _scores_by_group(self, profile: Profile, groups: Integers64) -> Floats | None:
        """Score the items in every group of rankings at once, shape (g, n); None by default.

        The same scores as those of each group by itself, for rules that have them faster together.
        `groups` numbers the group of every ranking from 0, ascending.
        """
        return None

    @property
    def reads_unranked(self) -> ReadsUnranked:
        """How unranked items count.

        By the policy of the data; as "last" by every policy, as rules by rounds read ballots; or
        "as observed", where what is present counts.
        """
        return "by policy"

    @property
    def searches(self) -> bool:
        """Whether it may search long, and ends at a deadline."""
        return type(self)._aggregate_within is not Aggregator._aggregate_within

    @property
    def is_strict(self) -> bool:
        """Whether the consensus never ties items; False unless a rule says so."""
        return False

    @property
    def guarantee(self) -> Guarantee | None:
        """The proved bound on the ratio to the exact optimum; None where the rule states none."""
        return None

    @property
    def name(self) -> str:
        """The class name with the parameters that differ from their defaults."""
        changed = [f"{name}={value!r}" for name, value in self._changed().items()]
        return f"{type(self).__name__}({', '.join(changed)})" if changed else type(self).__name__

    def _changed(self) -> dict[str, Any]:
        """Return the parameters that are not what they are by default."""
        values = {f.name: (getattr(self, f.name), f.default) for f in fields(self) if f.compare}
        return {name: value for name, (value, usual) in values.items() if value != usual}

    def __str__(self) -> str:
        """Return the call that makes the rule, without what is so by default."""
        changed = [
            f"{name}={value if isinstance(value, Aggregator) else repr(value)}"
            for name, value in self._changed().items()
        ]
        return f"{type(self).__name__}({', '.join(changed)})"


@dataclass(frozen=True, kw_only=True)
class SearchingRule(Aggregator):
    """A rule that may search long, and ends at a deadline: it implements `_aggregate_within`."""

    def __post_init__(self) -> None:
        time_limit_of(getattr(self, "time_limit", None), f" of {type(self).__name__}")

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        return self._aggregate_within(evidence, rng, Deadline())


def by_points(points: Sequence[Fraction], items: ItemSet, notes: tuple[str, ...] = ()) -> Outcome:
    """Rank items by points, higher is better; only equal points tie."""
    scores = np.array([float(number) for number in points])
    ranks = by_places([-number for number in points])
    return Outcome(scores=scores, ranking=as_ranking(ranks, items), notes=notes)


def by_places(values: Sequence[Fraction] | Sequence[int]) -> Ranks:
    """Return the ranks that exact numbers give, smaller is better."""
    ordered = sorted(values)
    return np.array([bisect_left(ordered, value) for value in values], dtype=np.int32)


def by_best(best: Sequence[int], items: ItemSet, ways: str) -> Outcome:
    """Rank items by the best place that each has in some outcome, and name who wins in some."""
    winners = [item for item, place in enumerate(best) if place == 0]
    notes = (f"each wins by some {ways}: {listed(items.at(winners))}",) if len(winners) > 1 else ()
    return Outcome(ranking=as_ranking(by_places(best), items), notes=notes)


def too_many(limit: int) -> InvalidInputError:
    """Return the error of a list of all outcomes that would be longer than `limit`."""
    return InvalidInputError(
        "limit", "at least the number of outcomes, which is larger", limit,
        "Raise it, or take tie_breaking='parallel' for the best rank of each.",
    )  # fmt: skip


def check_rule(value: object, parameter: str = "rule") -> Aggregator:
    """Return a rule, and refuse what is none, such as its class or a function."""
    if not isinstance(value, Aggregator):
        remedy = "A rule of your own is a subclass of `rankagg.aggregation.base.Aggregator`."
        raise InvalidInputError(parameter, "a rule object such as Borda()", value, remedy)
    return value
