"""Rules and what they return: what is taken, what comes back, what is checked once for all."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from math import nan
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

import numpy as np
import pandas as pd

from rankagg._typing import (
    Directions,
    Floats,
    Generator,
    Integers,
    Integers64,
    Label,
    RNGLike,
    Tolerance,
    Unranked,
)
from rankagg._validation import as_generator
from rankagg.aggregation.deadline import Deadline, time_limit_of
from rankagg.aggregation.evidence import MOST_ITEMS, Evidence, Held, words_of
from rankagg.aggregation.outcome import Outcome, rank_by_scores
from rankagg.core import (
    Direction,
    Form,
    ItemSet,
    PairwiseMatrix,
    PartialRanking,
    Profile,
    Result,
    Words,
    amount,
    counted,
    shortened,
    stated,
)
from rankagg.core.comparisons import Comparisons
from rankagg.exceptions import (
    InformationLostError,
    InvalidInputError,
    NotProvedError,
    OutOfTimeError,
)

if TYPE_CHECKING:
    from rankagg.aggregation.kemeny.certificate import Certificate, TiedCertificate
    from rankagg.aggregation.kemeny.optima import Optima
    from rankagg.aggregation.kemeny.tied_optima import TiedOptima

Needs: TypeAlias = Literal["scores", "rankings", "votes"]
#: Names of axioms, each with the proof or its source, or with ballots.
Statements: TypeAlias = Mapping[str, str]
ReadsUnranked: TypeAlias = Literal["by policy", "last", "as observed"]


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


class Consensus(Result):
    """The ranking that a rule found, with its scores, its cost and, if exact, its proof.

    Made by `Aggregator.aggregate`; it has no plot. Equality looks at the ranking, the scores, the
    rule and the policy; `cost` and `runtime` are no part of it.

    Attributes
    ----------
    ranking : PartialRanking
        The consensus; a `Permutation` where it is complete and strict.
    scores : ndarray of float, shape (n,), or None
        What the rule ranked by, higher is better, NaN for an unranked item; None for rules
        without scores.
    rule : Aggregator
        The rule with its parameters.
    unranked : {"uniform", "ignore", "last"} or None
        The policy of the data for unranked items; None for comparisons and plain votes.
    certificate : Certificate, TiedCertificate or None
        The proof of an exact rule.
    notes : tuple of str
        What a reader should know: ties, cycles, pairs never compared, unranked items.
    interrupted : bool
        True where the user stopped the rule, and this is the best that was there.
    runtime : float
        Seconds that the rule took.
    """

    ranking: PartialRanking
    scores: Floats | None
    rule: Aggregator
    unranked: Unranked | None
    certificate: Certificate | TiedCertificate | None = field(compare=False)
    notes: tuple[str, ...] = field(compare=False)
    runtime: float = field(compare=False)
    interrupted: bool = field(default=False, compare=False)
    _optima: Optima | TiedOptima | None = field(compare=False)
    _evidence: Evidence = field(compare=False)

    _schema = "rankagg.consensus"
    _named_rows = False
    _formats: ClassVar[Mapping[str, Callable[[Any], str]]] = {"score": amount}
    _best: ClassVar[Mapping[str, Direction]] = {"score": "highest"}

    # -- the ranking --------------------------------------------------------------------------

    @property
    def items(self) -> ItemSet:
        """The ranked items."""
        return self.ranking.items

    @property
    def order(self) -> tuple[Label, ...]:
        """The labels, best first; raises `TiedRankingError` where some are tied."""
        return self.ranking.order

    @property
    def buckets(self) -> tuple[tuple[Label, ...], ...]:
        """The labels, best bucket first; labels within one bucket are tied."""
        return self.ranking.buckets

    @property
    def is_proved(self) -> bool | None:
        """Whether the ranking is proved optimal; None for rules that are not exact."""
        return None if self.certificate is None else self.certificate.status == "optimal"

    @property
    def optima(self) -> Optima | TiedOptima | None:
        """The set of all optima of an exact rule; None for other rules.

        None too where constraints count places: what optima choose in one block then depends on
        other blocks.

        Raises
        ------
        NotProvedError
            If the ranking is not proved optimal.
        """
        if self.certificate is not None and not self.is_proved:
            raise NotProvedError(
                "The optima are known only where one is proved; this ranking has a "
                f"{self.certificate.summary()}."
            )
        return self._optima

    # -- its cost -----------------------------------------------------------------------------

    @cached_property
    def pairwise(self) -> PairwiseMatrix:
        """The one-level votes that the cost is measured on."""
        return self._evidence.votes

    @property
    def _words(self) -> Words:
        """What sentences call what is in the data."""
        return words_of(self._evidence.data)

    @property
    def _is_fought(self) -> bool:
        """Whether it is of battles, where no items are unranked."""
        return isinstance(self._evidence.data, Comparisons)

    @property
    def tie_cost(self) -> float:
        """What a tied vote costs: the rule's own parameter, or 0."""
        return float(getattr(self.rule, "tie_cost", 0.0))

    @property
    def consensus_tie_cost(self) -> float | None:
        """What a vote costs that orders two items which the ranking ties.

        The price of the rule whose ties have one, or None: what breaking them at random costs.
        """
        return getattr(self.rule, "price_of_ties", None)

    @cached_property
    def cost(self) -> float:
        """The summed Kendall distance to the rankings, in votes; see `PairwiseMatrix.cost`.

        NaN of more than 5,000 items, whose votes are not counted for it.
        """
        return self.cost_of(self.ranking) if self._evidence.counts_pairs else nan

    def cost_of(self, ranking: PartialRanking, votes: PairwiseMatrix | None = None) -> float:
        """Return what another ranking costs at the same prices of ties.

        Parameters
        ----------
        ranking : PartialRanking
            A ranking of the same items.
        votes : PairwiseMatrix, optional
            What it is held against; by default `pairwise`.

        Returns
        -------
        float
            In votes.
        """
        return (votes or self.pairwise).cost(
            ranking, tie_cost=self.tie_cost, consensus_tie_cost=self.consensus_tie_cost
        )

    # -- how it looks -------------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """Return one row per item, best first.

        Returns
        -------
        pandas.DataFrame
            Columns rank (from 1, missing where unranked), item and, where the rule has them,
            score.
        """
        ranks = self.ranking.ranks
        order = np.lexsort((np.arange(len(ranks)), np.where(ranks >= 0, ranks, len(ranks))))
        numbers = [int(ranks[i]) + 1 if ranks[i] >= 0 else pd.NA for i in order]
        ranked = pd.array(numbers, dtype="Int64")
        columns: dict[str, Any] = {"rank": ranked, "item": self.items.at(order)}
        if self.scores is not None:
            columns["score"] = self.scores[order]
        return pd.DataFrame(columns)

    def _content(self) -> dict[str, Any]:
        return {
            "rule": repr(self.rule),
            "unranked_policy": self.unranked,
            "items": list(self.items),
            "ranks": [int(rank) + 1 if rank >= 0 else None for rank in self.ranking.ranks],
            **self._plain("buckets", "scores", "cost", "tie_cost", "consensus_tie_cost"),
            "certificate": None if self.certificate is None else self.certificate.to_dict(),
            **self._plain("notes", "runtime"),
        }

    def summary(self, *, rows: int | None = None) -> str:
        """Return the result as text: rule, policy, cost, proof, notes and the ranking.

        Parameters
        ----------
        rows : int or None, optional
            How many items to print at most; all by default.

        Returns
        -------
        str
        """
        return self._text(self._facts(), rows)

    def _facts(self) -> list[str]:
        counted_by = evidence_for(self.rule, self._evidence).unranked
        observed = self.rule.reads_unranked == "as observed"
        policy = "none: what is present counts" if observed else (counted_by or "none")
        price, vote = self.consensus_tie_cost, self._words.vote
        tied = "" if price is None else f", a {vote} on a tied pair {price:g}"
        cost = f"not counted for more than {MOST_ITEMS:,} items"
        if self._evidence.counts_pairs:
            is_other = observed or counted_by != self.unranked
            counted_as = self.unranked if is_other else None
            policy_told = f"unranked items: {counted_as}; " if counted_as else ""
            prices = f"({policy_told}a tied {vote} costs {self.tie_cost:g}{tied})"
            cost = f"{counted(amount(self.cost), vote)} contradicted {prices}"
        lines = [
            f"{self.rule.name} consensus of {counted(len(self.items), 'item')}",
            f"rule         {self.rule}",
            *([] if self._is_fought else [f"unranked     {policy}"]),
            f"cost         {cost}",
        ]
        if self.certificate is not None:
            lines.append(f"certificate  {self.certificate.summary()}")
        return [*lines, *(f"note         {note}" for note in self.notes), ""]

    def _printed(self, table: pd.DataFrame) -> str:
        names = [shortened(item) for item in table["item"]]
        width = max(map(len, names))
        ranks = table["rank"].astype(object).fillna("-")
        padded = table.assign(rank=ranks, item=[name.ljust(width) for name in names])
        return super()._printed(padded)

    def __repr__(self) -> str:
        return f"<Consensus by {self.rule.name}: {self.ranking.to_text()}>"


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
        counted = evidence_for(self, evidence)
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
        if ranking.items is not evidence.items:
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

    def _ranking_points(self, profile: Profile) -> Integers | None:
        """Return what each ranking gives every item, shape (m, n); None by default.

        For rules that rank by the weighted sums of these numbers, which are whole, up to one
        factor, and up to a number of each ranking that all items have in common.
        """
        return None

    @property
    def reads_unranked(self) -> ReadsUnranked:
        """How unranked items count.

        By the policy of the data; as "last" by every policy, as rules by rounds read ballots; or
        "as observed", where what is present counts.
        """
        return "by policy"

    #: The names for ``--rule``, each with the parameters that it stands for.
    command_names: ClassVar[Mapping[str, Mapping[str, Any]]] = {}

    @property
    def keeps(self) -> Statements:
        """The axioms that the rule is proved to keep, each with the proof or its source.

        A class states them for its parameters as they are by default, but for all ways of breaking
        ties; where they depend on parameters this is a property. A subclass, which may be another
        rule, inherits none.
        """
        return {}

    @property
    def breaks(self) -> Statements:
        """The axioms that the rule is proved to break, stated as `keeps`."""
        return {}

    @property
    def counterexamples(self) -> Statements:
        """Ballots that break an axiom, such as "2 ABC, 1 CBA", where small profiles do not."""
        return {}

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


def check_rule(value: object, parameter: str = "rule") -> Aggregator:
    """Return a rule, and refuse what is none, such as its class or a function."""
    if not isinstance(value, Aggregator):
        remedy = "A rule of your own is a subclass of `rankagg.Aggregator`."
        raise InvalidInputError(parameter, "a rule object such as Borda()", value, remedy)
    return value


def has_own(rule: Aggregator, hook: str) -> bool:
    """Say whether a hook fits how a rule works: a subclass may be another rule than its base."""
    ways = {"_aggregate", "_aggregate_within", hook}
    first = next(kind for kind in type(rule).__mro__ if ways & vars(kind).keys())
    return hook in vars(first)


def evidence_for(rule: Aggregator, evidence: Evidence) -> Evidence:
    """Return the evidence as a rule reads it: with absent items last, where it does that."""
    return evidence.with_unranked("last") if rule.reads_unranked == "last" else evidence


def votes_text(
    consensus: Consensus, number: float, what: str, form: Form = amount, noun: str | None = None
) -> str:
    """Return a number of votes on pairs as text, by the policy of a consensus."""
    noun = consensus._words.vote if noun is None else noun
    return stated(number, what, form, noun, policy=consensus.pairwise.unranked, weighted=True)
