"""Pages of battles: ratings, win rates, categories and judges."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from rankagg._typing import Floats, Generator
from rankagg.aggregation import FOUGHT, Aggregator, Evidence, Needs, Outcome
from rankagg.analysis import removal_radius
from rankagg.core import (
    PartialRanking,
    Words,
    as_ranking,
    capital,
    joined,
    listing,
    named,
    percent,
    quantity,
    sentence,
)
from rankagg.core.comparisons import Comparisons
from rankagg.distributions import BradleyTerryFit
from rankagg.distributions.bradley_terry.bradley_terry import BradleyTerry
from rankagg.distributions.bradley_terry.newcomers import without_newcomers
from rankagg.distributions.maximum import UNKNOWN
from rankagg.exceptions import InvalidInputError, NotIdentifiedError
from rankagg.inference import RankIntervals, rank_sets
from rankagg.inference.ranks.comparison_ranks import comparison_rank_intervals, kind_for
from rankagg.inference.ranks.rank_sets import FEWEST
from rankagg.report.findings import Findings, Kind, QuietColumn
from rankagg.report.sections import PageTable, Section, fact, number, page_table

# Most neighbors named in the opposite order by win rates.
NEIGHBORS = 5
# Wins and losses added to every item if some never lost or never won.
PRIOR = 0.5
# Of reliabilities of judges, where some would be infinite.
_RIDGE = 0.1


@dataclass(frozen=True, kw_only=True)
class _Rating(Aggregator):
    """Rank by the worths of a fitted Bradley-Terry model.

    References
    ----------
    Bradley and Terry (1952), https://doi.org/10.2307/2334029.
    """

    needs: ClassVar[Needs] = "votes"
    fit: BradleyTerryFit = field(compare=False)
    # The call that returns these ratings.
    call: str
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Name without parameters."""
        return "Adjusted rating" if len(self.fit.effects()) else "Rating"

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        ranking = PartialRanking.from_scores(
            self.fit.log_worths, higher_is_better=True, tolerance=1e-9, items=evidence.items
        )
        elo = self.fit.elo()["elo"].reindex(list(evidence.items)).to_numpy()
        order = as_ranking(ranking.ranks, evidence.items)
        return Outcome(scores=elo, ranking=order, notes=self.notes)

    def __repr__(self) -> str:
        return self.call


@dataclass(frozen=True)
class BattlesKind(Kind):
    """Battles of two items each."""

    data: Comparisons
    name: ClassVar[str] = "battles"
    holds: ClassVar[Any] = Comparisons
    words: ClassVar[Words] = FOUGHT
    complete_unit: ClassVar[str] = "complete round"
    # Items without a rating, and the number of their battles; both are left out.
    newcomers: pd.DataFrame = field(default_factory=pd.DataFrame, compare=False)
    n_left: int = 0

    def unit_word(self, unit: str) -> str:
        """Return the name of comparisons and of their clusters."""
        return {"comparison": "battle", "cluster": self.about.cluster}.get(unit, unit)

    # -- computation ----------------------------------------------------------------------------

    def ranked(self) -> BattlesKind:
        """Return the same with the battles between items that can be rated."""
        rated, newcomers = without_newcomers(self.data)
        rated.items.indices(self.about.anchor, parameter="about['anchor']")
        return replace(self, data=rated, newcomers=newcomers, n_left=len(self.data) - len(rated))

    @cached_property
    def fitted(self) -> BradleyTerryFit | str:
        """Ratings with the effects of sides and covariates, or the reason for their absence."""
        return _fit(self.data, PRIOR if self.prior else 0.0)

    @property
    def _adjusted_for(self) -> list[str]:
        """Effects that ratings are adjusted for."""
        return ["the side"] * (self.data.sides is not None) + list(self.data.covariates)

    @property
    def _is_weighted(self) -> bool:
        return self.data.weights is not None

    def duels(self, findings: Findings) -> tuple[str, Floats, Floats]:
        """Return wins and ties by weight, and the noun of what they count."""
        word, wins, ties = super().duels(findings)
        return f"{'weighted ' * self._is_weighted}{word}", wins, ties

    @cached_property
    def _has_equal_opponents(self) -> bool:
        """Whether every two items met equally often."""
        met = self.data.counts[~np.eye(self.data.n_items, dtype=bool)]
        return not self._is_weighted and bool((met == met[0]).all())

    def why_above(self, upper: int, lower: int) -> str:
        """Explain a rating above that of an item that won more of their battles."""
        if self._adjusted_for and self._unadjusted[upper] < self._unadjusted[lower]:
            return sentence("ratings are adjusted for {}", joined(self._adjusted_for, " and "))
        if self._has_equal_opponents:
            return "ratings count wins against all others"
        return "ratings account for the strength of opponents"

    @cached_property
    def _unadjusted(self) -> Floats:
        """Log worths without side and covariates."""
        prior = PRIOR if self.prior else 0.0
        return BradleyTerry.fit(self.data, pseudo_rankings=prior, cov_type="model").log_worths

    @cached_property
    def prior(self) -> str:
        """Sentence on items that never lost or never won, which need a prior; empty without any.

        It is also empty if battles do not connect all items, which half a win cannot change.
        """
        connected = self.data.connectivity()
        if len(connected.parts) > 1 or len(connected.groups) < 2:
            return ""
        largest = max(connected.groups, key=len)
        others = [item for group in connected.groups if group is not largest for item in group]
        return sentence(
            "{} never lost or never won against the others, or tied: ratings add half a win and "
            "half a loss to every item.",
            listing(others, 3),
        )

    def leader(self) -> Aggregator | None:
        """Return the rule of the ratings, if there are any."""
        fit = self.fitted
        if isinstance(fit, str):
            return None
        options = [
            *["side=True"] * fit.has_side,
            *[f"covariates={list(self.data.covariates)}"] * bool(self.data.covariates),
            *[f"pseudo_rankings={PRIOR}"] * bool(self.prior),
        ]
        anchor = f"anchor={dict(self.about.anchor)}" * bool(self.about.anchor)
        call = f"BradleyTerry.fit({', '.join(['battles', *options])}).elo({anchor})"
        return _Rating(fit=fit, call=call, notes=(self.prior,) * bool(self.prior))

    @property
    def leader_name(self) -> str:
        """Name of the ratings."""
        return "adjusted rating" if self._adjusted_for else "rating"

    def ranks(self, *, alpha: float, **_: Any) -> RankIntervals | None:
        """Return intervals by ratings, or with few battles by majorities."""
        fit = self.fitted
        if (
            isinstance(fit, str)
            or (fit.n_units or len(self.data)) < FEWEST
            or not np.isfinite(fit.covariance).all()
        ):
            return comparison_rank_intervals(self.data, of=kind_for(self.data), alpha=alpha, rng=0)
        ranks = rank_sets(fit, alpha=alpha, rng=0)
        # The page has its own scale, and its own sentence on the prior.
        notes = [note.replace("comparisons", "battles") for note in ranks.notes[1:]]
        notes = [note for note in notes if not note.startswith("With")]
        decisions, basis = ranks.decisions, ranks.decisions.basis
        if self._is_weighted and basis is not None and basis.word == "comparison":
            decisions = replace(decisions, basis=replace(basis, word="effective battle"))
        return replace(ranks, notes=tuple(notes), decisions=decisions)

    # -- the first screen -----------------------------------------------------------------------

    def result(self, findings: Findings) -> str:
        """State who has the highest rating."""
        if findings.is_exact:
            return super().result(findings)
        leaders = findings.lead.buckets[0]
        have = "has" if len(leaders) == 1 else "share"
        return sentence("{} {} the highest {}", listing(leaders, 3), have, self.leader_name)

    def certainty(self, findings: Findings) -> str:
        """State what the battles decide, and on how many pairs the exact consensus differs."""
        decided, rules = super().certainty(findings), findings.comparison
        if len(self.newcomers):
            names = listing(list(self.newcomers.index), 3)
            have = "has" if len(self.newcomers) == 1 else "have"
            decided = joined([sentence("{} {} no rating yet (see below).", names, have), decided])
        if findings.is_exact:
            return decided
        pairs = rules.disagreements(rules.rules[0], findings.exact.rule.name)
        many = quantity(len(pairs), "pairs ordered differently", ",", "pair")
        exact = f"The order {_which(findings)}"
        other = (
            sentence("{} differs on {}.", exact, many) if len(pairs) else f"{exact} is the same."
        )
        return joined([*filter(None, [self.prior]), decided, other])

    def numbers(self, findings: Findings) -> list[tuple[str, str]]:
        """Return the numbers of battles and clusters, and the share of ties."""
        data = self.data
        numbers = [number(len(data), "battle", "comparisons")]
        if data.clusters is not None:
            numbers.append(number(data.n_clusters, self.about.cluster, "clusters"))
        ties = quantity(data.n_ties / len(data), "share of ties", percent, of=len(data))
        return [*numbers, (ties, "ties")]

    def columns(self, findings: Findings) -> tuple[QuietColumn, ...]:
        """Return ratings with their errors, and win rates."""
        (won,) = super().columns(findings)
        rates = QuietColumn("Win rate", won.texts)
        if isinstance(self.fitted, str):
            return (rates,)
        return QuietColumn(self.leader_name.capitalize(), _with_errors(self._elo(findings))), rates

    def caption(self, findings: Findings) -> list[str]:
        """Return a sentence on ratings and one on win rates."""
        rate = "Win rate: mean over opponents, a tie half a win."
        rate += " Battles count by their weights." * self._is_weighted
        if isinstance(self.fitted, str):
            return [rate]
        scale, relative = "a mean of 1,500", ""
        for item, rating in self.about.anchor.items():
            stated_rating = quantity(rating, "rating of the anchor", ",g")
            scale = sentence("{} at {}", named(item), stated_rating)
            relative = f", relative to {named(item)}"
        ratings = sentence(
            "{}: Bradley-Terry on the Elo scale with {}; 400 points mean odds of ten to one. "
            "Errors: {} intervals of single items{}.",
            self.leader_name.capitalize(),
            scale,
            findings.level,
            relative,
        )
        return [ratings, rate]

    def _elo(self, findings: Findings) -> pd.DataFrame:
        assert not isinstance(self.fitted, str), "only called if there are ratings"
        elo = self.fitted.elo(anchor=self.about.anchor, alpha=findings.alpha)
        return elo.reindex(list(self.data.items))

    # -- chapters -------------------------------------------------------------------------------

    def shape(self, findings: Findings) -> list[tuple[str, object]]:
        """Return the numbers of battles, ties and clusters."""
        facts = [fact("Battles", len(self.data), "comparisons"), fact("Ties", self.data.n_ties)]
        if self.n_left:
            facts.append(fact("Battles left out, of items without a rating", self.n_left))
        if self.data.clusters is not None:
            facts.append(fact(self._clusters, self.data.n_clusters, "clusters"))
        return facts

    @property
    def _clusters(self) -> str:
        return f"{self.about.cluster.capitalize()}s"

    def caveat(self, findings: Findings) -> str:
        """Name a dependence that would make the uncertainty larger."""
        if self.data.clusters is None:
            return "Battles with the same judge or prompt are not: name its column as the cluster."
        return f"{self._clusters} that resemble each other would make the true uncertainty larger."

    def opening(self, findings: Findings) -> list[Section]:
        """Return the chapters on ratings, newcomers, categories and judges."""
        return [
            self._rated(findings),
            self._without_rating(),
            self._by_category(findings),
            self._by_judge(findings),
        ]

    def _rated(self, findings: Findings) -> Section:
        """Return ratings and effects."""
        fit, section = self.fitted, Section("ratings", "Ratings", is_open=True)
        if isinstance(fit, str):
            order = f"The page has the order {_which(findings)}."
            return section.headline("none").unknown(f"There are no ratings: {fit}. {order}")
        if self.prior:
            section.text(self.prior)
        by = f" by {self.about.cluster}" if fit.n_units else ""
        errors = {"model": "are by the model", "robust": "are robust", "cluster": f"are robust{by}"}
        unknown = [note for note in fit.notes if note.startswith(UNKNOWN)]
        how = unknown[0] if unknown else f"Errors {errors[fit.cov_type]}."
        adjusted = f". They are adjusted for {joined(self._adjusted_for, ' and ')}"
        section.text(
            "Ratings are by a Bradley-Terry model, which accounts for the strength of opponents"
            f"{adjusted * bool(self._adjusted_for)}. A tie is half a win for each. {how}"
        ).table(self._ratings(findings))
        if not self._adjusted_for and not self.prior:
            few = replace(removal_radius(self.data), noun="battles")
            section.text(sentence("{}.", capital(few.headline())))
        self._add_win_rates(section, findings)
        effects = fit.effects(findings.alpha)
        if len(effects):
            table = page_table(
                effects[["estimate", "lower", "upper", "factor"]].reset_index(names="effect"),
                "Effects on the log odds of the first side",
                headings={"effect": "Effect"},
                meanings={"factor": "odds ratio"},
                formats=dict.fromkeys(("estimate", "lower", "upper", "factor"), ".3f"),
                text=["effect"],
            )
            section.text("Ratings are adjusted for these effects.").table(table)
        return section

    def _without_rating(self) -> Section:
        """Return the items without a rating, with the reason."""
        section = Section("newcomers", "Not rated yet", is_open=True)
        if not len(self.newcomers):
            return section
        section.headline(number(len(self.newcomers), "item", "items without a rating")[0])
        text = "Their battles are left out everywhere else, so other ratings do not change."
        caption = "Items without a rating, and their battles with rated items"
        frame = self.newcomers.rename_axis("Item").reset_index()
        return section.text(text).table(page_table(frame, caption, text=["Item", "reason"]))

    def _by_category(self, findings: Findings) -> Section:
        """Return the ratings of each category, by its own battles."""
        section = Section("categories", "Ratings by category", is_open=True)
        frame, lines, cells = findings.rows(), list[str](), dict[str, Any]()
        items = [self.data.items[i] for i in findings.order]
        for name, battles in self.about.categories.items():
            fit, outcome = self._fit_category(battles)
            many = quantity(len(battles), "battles of a category", ",", "battle")
            lines.append(sentence("{}: {}, {}", name, many, outcome))
            if fit is not None:
                elo = fit.elo(anchor=self.about.anchor, alpha=findings.alpha).reindex(items)
                column = f"category {name}"
                frame[column] = elo["elo"].rank(ascending=False).to_numpy()
                cells[column] = {"text": _with_errors(elo)}
        section.items(lines)
        if not cells:
            return section
        caption = "Ratings by category; a chosen category sorts the rows"
        names = {column: column.removeprefix("category ") for column in cells}
        table = page_table(
            frame, caption, headings=names, text=["Item"], cells=cells, categories=names
        )
        # A chosen category sorts the rows by its places.
        columns = [c._replace(look="number places") if c.category else c for c in table.columns]
        return section.table(table._replace(columns=tuple(columns)))

    def _fit_category(self, battles: Comparisons) -> tuple[BradleyTerryFit | None, str]:
        """Return the ratings of a category with the number of battles, or the reason for none."""
        items = [item for item in self.data.items if item in battles.items]
        indices = battles.items.indices(items)
        inside = np.isin(battles.first, indices) & np.isin(battles.second, indices)
        if inside.sum() < FEWEST:
            return None, sentence(
                "too few for ratings (below {})", quantity(FEWEST, "fewest battles")
            )
        rated, _ = without_newcomers(battles.restrict(items))
        fit = _fit(rated)
        if lacks := [item for item in self.about.anchor if item not in rated.items]:
            fit = sentence("{} has too few of them", listing(lacks))
        if isinstance(fit, str):
            return None, f"no ratings: {fit}"
        n_rated = quantity(rated.n_items, "rated items of a category", ",", "item")
        if not (n_left := len(battles) - len(rated)):
            return fit, sentence("{} rated", n_rated)
        left = quantity(n_left, "battles left out of a category", ",", "battle")
        return fit, sentence("{} rated, {} with others left out", n_rated, left)

    def _by_judge(self, findings: Findings) -> Section:
        """Return the reliabilities of judges, if requested."""
        section = Section("judges", f"Reliability of {self.about.cluster}s", is_open=True)
        if not self.about.judges:
            return section
        scale = "the mean of their squares is 1"
        try:
            fit = BradleyTerry.fit(self.data, judges=True)
        except InvalidInputError as error:
            return section.unknown(str(error))
        except NotIdentifiedError:
            # A judge who agrees, or disagrees, with the ranking in every battle.
            scale = f"a ridge of {_RIDGE:g} shrinks them to 1, as some would be infinite"
            try:
                fit = BradleyTerry.fit(self.data, judges=True, ridge=_RIDGE)
            except NotIdentifiedError as error:
                return section.unknown(str(error))
        frame = fit.reliabilities(findings.alpha)[["estimate", "lower", "upper"]]
        contrary = listing(list(frame.index[frame["estimate"] < 0]) or ["none"])
        section.text(
            f"A second Bradley-Terry model{', not adjusted,' * bool(self._adjusted_for)} "
            "multiplies the log odds of a battle by the reliability of its "
            f"{self.about.cluster}; {scale}. Negative reliabilities, which "
            f"contradict the others: {contrary}. The ratings above count every "
            f"{self.about.cluster} alike."
        )
        battles = np.bincount(
            np.asarray(self.data.clusters), minlength=len(self.data.cluster_labels)
        )
        frame.insert(0, "battles", battles[battles > 0])
        frame = frame.sort_values("estimate", ascending=False).reset_index(names="name")
        table = page_table(
            frame,
            "Reliabilities, the highest first; intervals take battles as independent",
            headings={"name": self.about.cluster.capitalize(), "estimate": "reliability"},
            meanings=dict.fromkeys(("lower", "upper"), f"ends of the {findings.level} interval"),
            formats=dict.fromkeys(("estimate", "lower", "upper"), ".2f"),
            text=["name"],
        )
        return section.table(table)

    def _add_win_rates(self, section: Section, findings: Findings) -> None:
        """Name neighbors in the opposite order by win rates, with the reason."""
        items = self.data.items.at(findings.order)
        won = findings.won[findings.order]
        turned = np.flatnonzero(won[1:] > won[:-1] + 1e-12).tolist()
        if not turned:
            return
        pairs = [f"{named(items[k + 1])} wins more often than {named(items[k])}" for k in turned]
        why = []
        if not (self._adjusted_for and self._has_equal_opponents):
            why = ["count every opponent alike, however strong or often met"]
        if self._adjusted_for:
            why += [sentence("are not adjusted for {}", joined(self._adjusted_for, " and "))]
        section.text(
            sentence("Win rates order some neighbors differently: they {}:", joined(why, ", and "))
        ).items(pairs, NEIGHBORS)

    def _ratings(self, findings: Findings) -> PageTable:
        order, votes = findings.order, findings.comparison.votes
        elo = self._elo(findings).iloc[order]
        frame = findings.rows()
        frame[["elo", "lower", "upper"]] = elo[["elo", "lower", "upper"]].to_numpy()
        frame["battles"] = votes.comparisons.sum(axis=1)[order]
        frame["wins"] = votes.wins.sum(axis=1)[order]
        frame["ties"] = votes.ties.sum(axis=1)[order]
        frame["win rate"] = findings.won[order]
        meanings = dict.fromkeys(("lower", "upper"), f"ends of the {findings.level} interval")
        weighted = ["battles", "wins", "ties", "win rate"] * self._is_weighted
        return page_table(
            frame,
            "Ratings, the highest first; win rates are means over opponents, not battles",
            headings={"elo": self.leader_name},
            meanings=meanings | dict.fromkeys(weighted, "by weight"),
            formats={**dict.fromkeys(("elo", "lower", "upper"), ",.0f"), "win rate": ".1%"},
            text=["Item"],
        )


def _fit(data: Comparisons, prior: float = 0.0) -> BradleyTerryFit | str:
    """Return ratings with the effects of sides and covariates, or the reason for none."""
    side = data.sides is not None
    try:
        return BradleyTerry.fit(data, side=side, covariates=data.covariates, pseudo_rankings=prior)
    except NotIdentifiedError as error:
        # The remedy is for callers, not for readers.
        reason = str(error).partition(". ")[0].rstrip(".")
        return f"{reason[:1].lower()}{reason[1:]}"


def _which(findings: Findings) -> str:
    """Complete "the order", as far as the exact consensus is proved."""
    if findings.is_proved:
        return "that contradicts the fewest battles"
    return "that was found (not proved to contradict the fewest battles)"


def _with_errors(elo: pd.DataFrame) -> list[str]:
    """Return ratings with their errors as text; a dash without a rating."""
    texts = []
    for rating, error in zip(elo["elo"], elo["upper"] - elo["elo"], strict=True):
        margin = f" \N{PLUS-MINUS SIGN} {error:,.0f}" if np.isfinite(error) else ""
        texts.append("\N{EN DASH}" if np.isnan(rating) else f"{rating:,.0f}{margin}")
    return texts
