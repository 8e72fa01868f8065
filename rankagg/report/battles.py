"""Battles of two items each: ratings, and where other rules order otherwise."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, cast

import numpy as np
import pandas as pd

from rankagg._typing import Floats, Generator, Label
from rankagg.aggregation import FOUGHT, Aggregator, Evidence, Needs, Outcome
from rankagg.core import (
    PartialRanking,
    Words,
    as_ranking,
    joined,
    listing,
    named,
    percent,
    said,
    stated,
)
from rankagg.core.comparisons import Comparisons
from rankagg.distributions import BradleyTerryFit
from rankagg.distributions.bradley_terry.bradley_terry import BradleyTerry
from rankagg.distributions.bradley_terry.fit import UNKNOWN
from rankagg.exceptions import NotIdentifiedError
from rankagg.inference import RankIntervals, rank_sets
from rankagg.inference.ranks.comparison_ranks import comparison_rank_intervals, kind_for
from rankagg.inference.ranks.rank_sets import FEWEST
from rankagg.report.findings import Findings, Kind, QuietColumn
from rankagg.report.sections import PageTable, Section, fact, number, table_of

# Neighbors that win rates order otherwise and that are named.
NEIGHBORS = 5
# Wins and losses that every item gets more where some never lost, or never won.
PRIOR = 0.5


@dataclass(frozen=True, kw_only=True)
class _Rating(Aggregator):
    """Rank by the worths of a Bradley-Terry model that was fitted before.

    References
    ----------
    Bradley and Terry (1952), https://doi.org/10.2307/2334029.
    """

    needs: ClassVar[Needs] = "votes"
    fit: BradleyTerryFit = field(repr=False, compare=False)
    ties: str
    side: bool
    covariates: tuple[str, ...]
    # What must be known of the ratings.
    note: str = field(default="", repr=False)

    @property
    def name(self) -> str:
        """Its name without what it was fitted with."""
        return "Rating"

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        worths = self.fit.log_worths
        ranking = PartialRanking.from_scores(
            worths, higher_is_better=True, tolerance=1e-9, items=evidence.items
        )
        elo = self.fit.elo()["elo"].reindex(list(evidence.items)).to_numpy()
        notes = (self.note,) if self.note else ()
        known = as_ranking(ranking.ranks, evidence.items)
        return Outcome(scores=elo, ranking=known, notes=notes)

    def interval(self, first: Label, second: Label) -> Floats:
        """Return the 95 % interval of a difference of ratings, in points of Elo."""
        ends = self.fit.compare(first, second)[["lower", "upper"]].to_numpy(np.float64)
        return cast(Floats, ends * 400 / np.log(10))


@dataclass(frozen=True)
class BattlesKind(Kind):
    """Battles, each with its outcome."""

    data: Comparisons
    name: ClassVar[str] = "battles"
    holds: ClassVar[Any] = Comparisons
    words: ClassVar[Words] = FOUGHT
    whole: ClassVar[str] = "complete round"
    against: ClassVar[str] = "ratings weigh wins by who was beaten"

    def word_of(self, unit: str) -> str:
        """Return what comparisons and their clusters are called."""
        return {"comparison": "battle", "cluster": self.told.cluster}.get(unit, unit)

    # -- what is computed -----------------------------------------------------------------------

    @cached_property
    def fitted(self) -> BradleyTerryFit | str:
        """The ratings, with the effects of sides and covariates; or why there are none."""
        data, prior = self.data, PRIOR if self.unbeaten else 0.0
        try:
            return BradleyTerry.fit(
                data,
                side=data.sides is not None,
                covariates=data.covariates,
                pseudo_rankings=prior,
            )
        except NotIdentifiedError as error:
            # What to do about it is for those who fit, not for readers.
            told = str(error).partition(". ")[0].rstrip(".")
            return f"{told[:1].lower()}{told[1:]}"

    @cached_property
    def unbeaten(self) -> str:
        """Which items never lost, or never won, against the others; empty where there are none.

        Where no chain of battles joins all items, half a win says nothing, and it is empty too.
        """
        known = self.data.connectivity()
        if len(known.parts) > 1 or len(known.groups) < 2:
            return ""
        largest = max(known.groups, key=len)
        others = [item for group in known.groups if group is not largest for item in group]
        return said("{} never lost or never won against the others, or tied", listing(others, 3))

    @property
    def prior(self) -> str:
        """What ratings take for granted where there are such items."""
        told = "{}: ratings take half a win and half a loss more for every item."
        return said(told, self.unbeaten) if self.unbeaten else ""

    def leader(self) -> Aggregator | None:
        """Return ratings, where there are some."""
        fit = self.fitted
        if isinstance(fit, str):
            return None
        side, names = fit.has_side, tuple(self.data.covariates)
        return _Rating(fit=fit, ties=fit.ties, side=side, covariates=names, note=self.prior)

    @property
    def leads(self) -> str:
        """What ranks."""
        return "rating"

    def ranks(self, *, alpha: float, **_: Any) -> RankIntervals | None:
        """Return intervals by ratings, where there are so many battles that they hold."""
        fit = self.fitted
        if (
            isinstance(fit, str)
            or (fit.n_units or len(self.data)) < FEWEST
            or not np.isfinite(fit.covariance).all()
        ):
            return comparison_rank_intervals(self.data, of=kind_for(self.data), alpha=alpha, rng=0)
        found = rank_sets(fit, alpha=alpha, rng=0)
        # The scale of log worths is not that of the page, which says itself what the prior is.
        notes = [note for note in found.notes[1:] if not note.startswith("With")]
        return replace(found, notes=tuple(notes))

    # -- the first screen -----------------------------------------------------------------------

    def result(self, findings: Findings) -> str:
        """Say who has the highest rating."""
        if findings.is_exact:
            return super().result(findings)
        leaders = findings.lead.buckets[0]
        have = "has" if len(leaders) == 1 else "share"
        return said("{} {} the highest rating", listing(leaders, 3), have)

    def certainty(self, findings: Findings) -> str:
        """Say what the battles decide, and on how many pairs the exact consensus differs."""
        told = super().certainty(findings)
        if findings.is_exact:
            return told
        rules = findings.comparison
        pairs = rules.disagreements(rules.rules[0], findings.exact.rule.name)
        many = stated(len(pairs), "pairs ordered differently", ",", "pair")
        other = said("The order that contradicts the fewest battles differs on {}.", many)
        return joined([*filter(None, [self.prior]), told, other])

    def numbers(self, findings: Findings) -> list[tuple[str, str]]:
        """Return battles, clusters by their name, and the share of ties."""
        data = self.data
        told = [number(len(data), "battle", "comparisons")]
        if data.clusters is not None:
            told.append(number(data.n_clusters, self.told.cluster, "clusters"))
        ties = stated(data.n_ties / len(data), "share of ties", percent, of=len(data))
        return [*told, (ties, "ties")]

    def columns(self, findings: Findings) -> tuple[QuietColumn, ...]:
        """Return ratings with their errors, and win rates."""
        (won,) = super().columns(findings)
        rates = QuietColumn("Win rate", won.texts)
        if isinstance(self.fitted, str):
            return (rates,)
        elo = self._elo(findings)
        told = zip(elo["elo"], elo["upper"] - elo["elo"], strict=True)
        ratings = [
            f"{one:,.0f}" + (f" \N{PLUS-MINUS SIGN} {error:,.0f}" if np.isfinite(error) else "")
            for one, error in told
        ]
        return QuietColumn("Rating", ratings), rates

    def caption(self, findings: Findings) -> list[str]:
        """Say what ratings and win rates are."""
        rate = "Win rate: over all opponents alike, a tie half a win."
        told = (
            "Rating: Bradley-Terry, in points of Elo around 1,500, 400 of which mean odds of ten "
            "to one, with {} intervals for each alone."
        )
        return [rate] if isinstance(self.fitted, str) else [said(told, findings.level), rate]

    def _elo(self, findings: Findings) -> pd.DataFrame:
        assert not isinstance(self.fitted, str), "asked for where there are ratings"
        return self.fitted.elo(alpha=findings.alpha).reindex(list(self.data.items))

    # -- chapters -------------------------------------------------------------------------------

    def shape(self, findings: Findings) -> list[tuple[str, object]]:
        """Return battles, ties and clusters."""
        facts = [fact("Battles", len(self.data), "comparisons"), fact("Ties", self.data.n_ties)]
        if self.data.clusters is not None:
            facts.append(fact(self._clusters, self.data.n_clusters, "clusters"))
        return facts

    @property
    def _clusters(self) -> str:
        return f"{self.told.cluster.capitalize()}s"

    def caveat(self, findings: Findings) -> str:
        """Say what battles have in common."""
        if self.data.clusters is None:
            return (
                "Battles that have a judge or a prompt in common are not: where their column is "
                "named as clusters, that is taken into account."
            )
        return f"{self._clusters} that resemble each other would make the true uncertainty larger."

    def opening(self, findings: Findings) -> list[Section]:
        """Return ratings, and the effects beside them."""
        fit, section = self.fitted, Section("ratings", "Ratings", is_open=True)
        if isinstance(fit, str):
            section.told("none").unknown(
                f"There are no ratings: {fit}. The page has the order that "
                "contradicts the fewest battles instead."
            )
            return [section]
        if self.prior:
            section.text(self.prior)
        by = f" by {self.told.cluster}" if fit.n_units else ""
        errors = {"model": "are by the model", "robust": "are robust", "cluster": f"are robust{by}"}
        unknown = [note for note in fit.notes if note.startswith(UNKNOWN)]
        how = unknown[0] if unknown else f"Errors {errors[fit.cov_type]}."
        section.text(
            "A Bradley-Terry model of who beats whom gives every item a rating, which weighs wins "
            f"by who was beaten. A tie counts as half a win for each. {how}"
        ).table(self._ratings(findings))
        self._tell_win_rates(section, findings)
        effects = fit.effects(findings.alpha)
        if len(effects):
            frame = effects[["estimate", "lower", "upper", "factor"]].reset_index(names="effect")
            table = table_of(
                frame,
                "Effects on the log odds of the first side",
                headings={"effect": "Effect"},
                meanings={"factor": "what the odds are multiplied with"},
                formats=dict.fromkeys(("estimate", "lower", "upper", "factor"), ".3f"),
                text=["effect"],
            )
            section.text("Ratings are adjusted for these effects.").table(table)
        return [section]

    def _tell_win_rates(self, section: Section, findings: Findings) -> None:
        """Say of which neighbors the lower one wins more often, and why it is lower."""
        items = self.data.items.at(findings.order)
        won = findings.won[findings.order]
        turned = np.flatnonzero(won[1:] > won[:-1] + 1e-12).tolist()
        if turned:
            pairs = [
                f"{named(items[k + 1])} wins more often than {named(items[k])}" for k in turned
            ]
            section.text(
                "Win rates order some neighbors otherwise: they count every opponent alike, "
                "however strong, and however often met:"
            ).items(pairs, NEIGHBORS)

    def _ratings(self, findings: Findings) -> PageTable:
        order, votes = findings.order, findings.comparison.votes
        elo = self._elo(findings).iloc[order]
        frame = findings.rows()
        frame[["elo", "lower", "upper"]] = elo[["elo", "lower", "upper"]].to_numpy()
        frame["battles"] = self.data.counts.sum(axis=1)[order]
        frame["wins"] = votes.wins.sum(axis=1)[order]
        frame["ties"] = votes.ties.sum(axis=1)[order]
        frame["win rate"] = findings.won[order]
        return table_of(
            frame,
            "Ratings, the highest first; win rates are means over opponents, not battles",
            headings={"elo": "rating"},
            meanings=dict.fromkeys(("lower", "upper"), f"ends of the {findings.level} interval"),
            formats={**dict.fromkeys(("elo", "lower", "upper"), ",.0f"), "win rate": ".1%"},
            text=["Item"],
        )
