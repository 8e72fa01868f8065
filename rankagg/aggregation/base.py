"""Base classes of rules, and the checks and results that all rules share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from time import perf_counter
from typing import Any, ClassVar, Literal

import numpy as np

from rankagg._typing import (
    Directions,
    Floats,
    Generator,
    Integers,
    Integers64,
    Ranks,
    RNGLike,
    Tolerance,
)
from rankagg._validation import as_generator
from rankagg.aggregation.deadline import NEVER, Deadline, deadline_of
from rankagg.aggregation.evidence import Evidence, Held
from rankagg.aggregation.outcome import Consensus, Outcome
from rankagg.core import (
    UNRANKED,
    Form,
    ItemSet,
    PartialRanking,
    Permutation,
    Profile,
    amount,
    as_ranking,
    listed,
    places,
    quantity,
    rounding_error,
)
from rankagg.exceptions import InformationLostError, InvalidInputError, OutOfTimeError

Needs = Literal["scores", "rankings", "votes"]
#: Names of axioms, each with its proof, source or ballots.
Statements = Mapping[str, str]
ReadsUnranked = Literal["by policy", "last", "as observed"]


@dataclass(frozen=True)
class Guarantee:
    """How far a rule's Kendall cost can be from the optimum, on complete strict rankings.

    Attributes
    ----------
    factor : float
        The cost is at most this multiple of the optimum.
    in_expectation : bool
        Whether the bound holds only for the mean over the rule's random numbers.
    """

    factor: float
    in_expectation: bool = False

    def __str__(self) -> str:
        return f"{self.factor:g} in expectation" if self.in_expectation else f"{self.factor:g}"


@dataclass(frozen=True, kw_only=True)
class Aggregator(ABC):
    """A rule that turns data into one ranking; it holds parameters, never data.

    A new rule is a frozen dataclass with keyword-only parameters that defines `needs` and
    implements `_aggregate`; this class does the rest.
    """

    @property
    @abstractmethod
    def needs(self) -> Needs:
        """The least detailed data that suffice: "scores", "rankings" or "votes".

        More detailed data are converted; less detailed data raise `InformationLostError`.
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
            The data. More detailed data than needed are converted: scores are ranked unit by
            unit, rankings are counted. With an `Evidence`, several rules share that work.
            Orders of labels, best first, are a list or a mapping from order to count.
        higher_is_better : bool, mapping or Series from task to bool, optional
            The direction of scores in a DataFrame; other data do not allow it.
        tolerance : float, mapping or Series from task to float, default 0
            Scores that differ by at most this much are tied; see `ScoreTable.rankings`.
        rng : int, numpy.random.Generator or None, optional
            A seed or a generator for rules that draw random numbers; others ignore it.
        deadline : Deadline, optional
            When rules that search for a proof stop, in addition to their own time limit.

        Raises
        ------
        InformationLostError
            If the rule needs more than `data` holds.
        """
        evidence = Evidence.of(data, tolerance, higher_is_better)
        generator = as_generator(rng)
        counted = evidence.read_by(self)
        start = perf_counter()
        # The time limit includes counting.
        ends = (deadline or NEVER).sooner(getattr(self, "time_limit", None))
        try:
            outcome = self._aggregate_within(counted, generator, ends)
        except InformationLostError as error:
            if not str(error).startswith("needs"):
                raise  # the message already names an inner rule
            raise InformationLostError(f"{self._plain_name} {error}") from None
        except OutOfTimeError:
            raise OutOfTimeError(
                f"{self._plain_name} was not computed in time: the time limit has passed."
            ) from None
        runtime = perf_counter() - start
        ranking, notes = outcome.ranking, outcome.notes
        if ranking is None:
            assert outcome.scores is not None, "a hook returns scores or a ranking"
            ranking, ties = rank_by_scores(outcome.scores, evidence.items)
            notes = (*notes, *ties)
        if counted is not evidence and evidence.has_gaps:
            notes = (*notes, "items that a ballot leaves out count as below all that it lists")
        elif self.reads_unranked == "last" and counted.has_imputed_votes:
            policy = f"the votes were counted by the policy {counted.unranked!r}"
            notes = (*notes, f"{policy}; of rankings this rule counts absent items last")
        gaps = counted.gaps(by_policy=self.reads_unranked != "as observed")
        # A model that the rule fits may have given the same notes.
        if ranking.items is not evidence.items:
            what = f"The data and the ranking of {self._plain_name}"
            evidence.items.require_same(ranking.items, what)
        return Consensus(
            ranking=ranking,
            scores=outcome.scores,
            rule=self,
            unranked=evidence.unranked,
            certificate=outcome.certificate,
            _optima=outcome.optima,
            _winners=outcome.winners,
            notes=tuple(dict.fromkeys((*notes, *gaps))),
            interrupted=outcome.interrupted,
            runtime=runtime,
            evidence=evidence,
        )

    @abstractmethod
    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        """Compute the outcome; the evidence is already checked."""

    @property
    def _plain_name(self) -> str:
        """The name without parameters, for messages."""
        return self.name.partition("(")[0]

    def _aggregate_within(self, evidence: Evidence, rng: Generator, deadline: Deadline) -> Outcome:
        """Compute the outcome by the deadline; rules that can stop early override this."""
        return self._aggregate(evidence, rng)

    def _scores_by_group(self, profile: Profile, groups: Integers64) -> Floats | None:
        """Return the scores in every group of rankings; see `scores_by_group`."""
        return None

    def _ranking_points(self, profile: Profile) -> Integers | None:
        """Return the points of every item in each ranking; see `ranking_points`."""
        return None

    def _has(self, hook: str) -> bool:
        """Return whether a hook is defined with `_aggregate` or below it, so that both agree."""
        ways = {"_aggregate", "_aggregate_within", hook}
        return hook in vars(next(kind for kind in type(self).__mro__ if ways & vars(kind).keys()))

    @property
    def reads_unranked(self) -> ReadsUnranked:
        """How unranked items count.

        "by policy": by the policy of the data. "last": below all ranked items under every policy,
        as in rules that count ballots in rounds. "as observed": only present items count.
        """
        return "by policy"

    #: The names for ``--rule``, each with its parameters.
    command_names: ClassVar[Mapping[str, Mapping[str, Any]]] = {}

    @property
    def keeps(self) -> Statements:
        """The axioms that the rule is proved to keep, each with the proof or its source.

        A class states them for its default parameters, but for all ways of breaking ties; if they
        depend on parameters this is a property. Subclasses inherit none, as they may be other
        rules.
        """
        return {}

    @property
    def breaks(self) -> Statements:
        """The axioms that the rule is proved to break, stated as `keeps`."""
        return {}

    @property
    def counterexamples(self) -> Statements:
        """Ballots that break an axiom, such as "2 ABC, 1 CBA", if small profiles do not."""
        return {}

    @property
    def searches(self) -> bool:
        """Whether the rule may search for long, and stops at a deadline."""
        return type(self)._aggregate_within is not Aggregator._aggregate_within

    @property
    def is_strict(self) -> bool:
        """Whether the consensus never ties items; False unless a rule says so."""
        return False

    @property
    def guarantee(self) -> Guarantee | None:
        """The proved bound on the ratio to the exact optimum; None if the rule states none."""
        return None

    @property
    def name(self) -> str:
        """The class name with the parameters that differ from their defaults."""
        changed = self._parameters(lambda rule: rule.name)
        return f"{type(self).__name__}({changed})" if changed else type(self).__name__

    def _parameters(self, rule_text: Callable[[Aggregator], str]) -> str:
        """Return the parameters that differ from their defaults, formatting rules by a function."""
        values = {f.name: (getattr(self, f.name), f.default) for f in fields(self) if f.compare}
        return ", ".join(
            f"{name}={rule_text(value) if isinstance(value, Aggregator) else repr(value)}"
            for name, (value, usual) in values.items()
            if value != usual
        )

    def __str__(self) -> str:
        """Return the constructor call, without defaults."""
        return f"{type(self).__name__}({self._parameters(str)})"


@dataclass(frozen=True, kw_only=True)
class SearchingRule(Aggregator):
    """A rule that may search for long and stops at a deadline; implements `_aggregate_within`."""

    def __post_init__(self) -> None:
        deadline_of(getattr(self, "time_limit", None), f" of {type(self).__name__}")

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        return self._aggregate_within(evidence, rng, Deadline())


def check_rule(value: object, parameter: str = "rule") -> Aggregator:
    """Return a rule; refuse anything else, such as its class or a function."""
    if not isinstance(value, Aggregator):
        remedy = "A rule of your own is a subclass of `rankagg.Aggregator`."
        raise InvalidInputError(parameter, "a rule object such as Borda()", value, remedy)
    return value


def scores_by_group(rule: Aggregator, profile: Profile, groups: Integers64) -> Floats | None:
    """Return the scores in every group of rankings, as if each group were the data.

    `groups` numbers the group of each ranking, ascending from 0. None if the rule has no faster
    way than one group after the other.
    """
    return rule._scores_by_group(profile, groups) if rule._has("_scores_by_group") else None


def ranking_points(rule: Aggregator, profile: Profile) -> Integers | None:
    """Return the integer points of items in each ranking; None if the rule adds no points.

    The rule ranks by their weighted sums, up to a common factor and a constant per ranking.
    """
    return rule._ranking_points(profile) if rule._has("_ranking_points") else None


def votes_text(
    consensus: Consensus, number: float, what: str, form: Form = amount, noun: str | None = None
) -> str:
    """Return a number of pairwise votes as text, with the policy of a consensus."""
    noun = consensus.evidence.words.vote if noun is None else noun
    return quantity(number, what, form, noun, policy=consensus.pairwise.unranked, weighted=True)


def ranks_by_scores(scores: Floats, errors: Floats | None = None) -> Ranks:
    """Return ranks by scores, one ranking per row; see `rank_by_scores`."""
    if errors is None:
        largest = np.fmax.reduce(np.abs(scores), axis=1, initial=0.0, keepdims=True)
        return places.competition_ranks(-scores, 2.0 * rounding_error(largest))
    return places.competition_ranks(-scores, errors=errors)


def rank_by_scores(
    scores: Floats, items: ItemSet, errors: Floats | None = None
) -> tuple[PartialRanking, tuple[str, ...]]:
    """Rank items by scores, higher is better; NaN is unranked.

    Scores that are equal up to rounding are tied.

    Parameters
    ----------
    scores : ndarray of float, shape (n,)
        One score per item.
    items : ItemSet
        The items.
    errors : ndarray of float, shape (n,), optional
        Bound on the rounding error of each score; by default 2**-48 of the largest score.

    Returns
    -------
    ranking : PartialRanking
        The ranking.
    notes : tuple of str
        Scores that are tied although not equal to the last digit, and unranked items.
    """
    ranks = ranks_by_scores(scores[None, :], None if errors is None else errors[None, :])[0]
    ranking = as_ranking(ranks, items)
    if isinstance(ranking, Permutation):
        return ranking, ()
    distinct = places.competition_ranks(-scores[None, :])[0]
    notes = []
    for place in np.unique(ranks[ranks != distinct]):
        names = " = ".join(str(items[int(i)]) for i in np.flatnonzero(ranks == place))
        notes.append(f"scores equal up to rounding are tied: {names}")
    if (ranks == UNRANKED).any():
        notes.append(f"without any score, so unranked: {listed(ranking.unranked)}")
    return ranking, tuple(notes)
