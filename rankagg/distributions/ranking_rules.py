"""Rules that rank by a fitted distribution; each rule imports its fit when it runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankagg._typing import Floats, Generator, Label
from rankagg._validation import check_number
from rankagg.aggregation import Aggregator, Deadline, Evidence, Needs, Outcome, ReadsUnranked
from rankagg.core import UNRANKED, PartialRanking, Profile, as_ranking
from rankagg.core.graphs import connected_parts


@dataclass(frozen=True, kw_only=True)
class PlackettLuceRanking(Aggregator):
    """Rank by the worths of a fitted Plackett-Luce distribution, ties included.

    Unranked items are no alternatives in a ranking, so there is no policy for them. An item that
    no ranking observes is unranked in the consensus. Log worths that differ by at most 1e-7 are
    tied. Unlike in the fit, a ranking of weight 2 is the same as two rankings.

    Parameters
    ----------
    pseudo_rankings : float, default 0.5
        Number of wins and of losses of every item against a ghost item, which make worths finite
        for all data. A ridge of 0.001 does so for the weights of ties. 0 is plain maximum
        likelihood, which may have no maximum.

    References
    ----------
    Plackett (1975), https://doi.org/10.2307/2346567; Turner et al. (2020),
    https://doi.org/10.1007/s00180-020-00959-3.

    Examples
    --------
    >>> from rankagg import Profile
    >>> from rankagg.distributions import PlackettLuceRanking
    >>> PlackettLuceRanking().aggregate(Profile.from_orders(["ABC", "ACB", "BAC"]))
    <Consensus by PlackettLuceRanking: A > B > C>
    """

    needs: ClassVar[Needs] = "rankings"
    reads_unranked: ClassVar[ReadsUnranked] = "as observed"
    command_names: ClassVar = {"plackett-luce": {}}
    pseudo_rankings: float = 0.5

    def __post_init__(self) -> None:
        check_number(self.pseudo_rankings, "pseudo_rankings of PlackettLuceRanking", low=0)

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        from rankagg.distributions.maximum import Penalties  # noqa: PLC0415
        from rankagg.distributions.plackett_luce.likelihood import (  # noqa: PLC0415
            maximize_choices,
        )

        profile = evidence.profile
        labels = _seen_labels(profile)
        scores = np.full(profile.n_items, np.nan)
        scores[profile.items.indices(labels)] = 0.0
        if len(labels) > 1:
            ridge = 1e-3 if self.pseudo_rankings else 0.0
            penalties = Penalties(pseudo_rankings=self.pseudo_rankings, tie_ridge=ridge)
            best = maximize_choices(profile.restrict(labels), penalties, 1e-9)
            scores[profile.items.indices(labels)] = best.parameters[: len(labels)]
        ranking = PartialRanking.from_scores(
            scores, higher_is_better=True, tolerance=1e-7, items=profile.items
        )
        return Outcome(scores=scores, ranking=as_ranking(ranking.ranks, profile.items))


@dataclass(frozen=True, kw_only=True)
class MallowsRanking(Aggregator):
    """Rank by the center of a fitted Mallows distribution.

    For complete strict rankings it is the exact Kemeny consensus. For partial and tied ones it
    maximizes the likelihood of their compatible permutations, and can differ from Kemeny. There is
    no policy for unranked items.

    References
    ----------
    Mallows (1957), https://doi.org/10.1093/biomet/44.1-2.114.

    Examples
    --------
    >>> from rankagg import Profile
    >>> from rankagg.distributions import MallowsRanking
    >>> MallowsRanking().aggregate(Profile.from_orders(["ABC", "ACB", "BAC"]))
    <Consensus by MallowsRanking: A > B > C>
    """

    needs: ClassVar[Needs] = "rankings"
    reads_unranked: ClassVar[ReadsUnranked] = "as observed"
    command_names: ClassVar = {"mallows": {}}

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        return self._aggregate_within(evidence, rng, Deadline())

    def _aggregate_within(self, evidence: Evidence, rng: Generator, deadline: Deadline) -> Outcome:
        from rankagg.distributions.mallows.center import MallowsData  # noqa: PLC0415

        profile = evidence.profile
        labels = _seen_labels(profile)
        if not labels:
            return Outcome(scores=np.full(profile.n_items, np.nan))
        result = MallowsData.of(profile.restrict(labels), deadline).search_center()
        ranking: PartialRanking = result.center
        if result.center.n_items < profile.n_items:
            ranking = result.center.reindex(profile.items)
        consensus = result.consensus
        certificate = consensus.certificate if consensus and not consensus.is_proved else None
        return Outcome(ranking=ranking, certificate=certificate, notes=result.notes)


def _seen_labels(profile: Profile) -> list[Label]:
    """Return the items that some ranking observes."""
    return list(profile.items.where((profile.ranks != UNRANKED).any(axis=0)))


@dataclass(frozen=True, kw_only=True)
class RankCentrality(Aggregator):
    """Rank by the stationary distribution of a random walk from losers to winners.

    The scores are the logs of the stationary probabilities. For comparisons that follow a
    Bradley-Terry model they are log worths. In each connected component the scores sum to 0.
    Scores that differ by at most 1e-7 are tied.

    Parameters
    ----------
    pseudo_wins : float, default 0.5
        Above 0. Added to the wins, by weight, of both items of each compared pair.

    References
    ----------
    Negahban, Oh and Shah (2017), https://doi.org/10.1287/opre.2016.1534.

    Examples
    --------
    >>> from rankagg import Profile, RankCentrality
    >>> RankCentrality().aggregate(Profile.from_orders(["ABC", "ACB", "BAC"]))
    <Consensus by RankCentrality: A > B > C>
    """

    needs: ClassVar[Needs] = "votes"
    command_names: ClassVar = {"rank-centrality": {}}
    pseudo_wins: float = 0.5

    def __post_init__(self) -> None:
        check_number(self.pseudo_wins, "pseudo_wins of RankCentrality", low=0, open_low=True)

    def _aggregate(self, evidence: Evidence, rng: Generator) -> Outcome:
        votes = evidence.votes
        wins = votes.wins + votes.ties / 2.0
        met = wins + wins.T > 0
        wins = np.where(met, wins + self.pseudo_wins, 0.0)
        shares = np.divide(wins, wins + wins.T, out=np.zeros_like(wins), where=met)
        scores, part = np.zeros(votes.n_items), connected_parts(met)
        for label in np.unique(part):
            own = np.flatnonzero(part == label)
            scores[own] = _spectral_worths(shares[np.ix_(own, own)])
        ranking = PartialRanking.from_scores(
            scores, higher_is_better=True, tolerance=1e-7, items=votes.items
        )
        return Outcome(scores=scores, ranking=as_ranking(ranking.ranks, votes.items))


def _stationary_shares(rates: Floats) -> Floats:
    """Return stationary times relative to the first state; rates from row to column.

    The chain must be irreducible. States are eliminated one by one without subtractions, so that
    small times keep their precision: Grassmann, Taksar and Heyman (1985),
    https://doi.org/10.1287/opre.33.5.1107.
    """
    table = rates.copy()
    shares = np.ones(len(rates))
    for k in range(len(rates) - 1, 0, -1):
        table[:k, k] /= table[k, :k].sum()
        table[:k, :k] += np.outer(table[:k, k], table[k, :k])
    for k in range(1, len(rates)):
        shares[k] = shares[:k] @ table[:k, k]
    return shares


def _spectral_worths(shares_won: Floats) -> Floats:
    """Return log worths with sum 0 from the shares of wins of rows over columns."""
    logs = np.log(_stationary_shares(shares_won.T))
    logs -= logs.mean()
    return logs
