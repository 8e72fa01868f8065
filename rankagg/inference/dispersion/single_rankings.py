"""What must be known of single rankings beside the votes, to take each off from itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankagg._typing import Floats, Unranked
from rankagg.core.profiles.profile import Profile
from rankagg.core.rankings import places
from rankagg.core.rankings.places import UNLISTED, UNRANKED
from rankagg.core.sums.summary import ScoreSummary
from rankagg.core.votes.pairwise import PairwiseMatrix
from rankagg.inference.summed_units import shares_of

__all__ = ["SingleRankings", "over_pairs"]


@dataclass(frozen=True, eq=False)
class SingleRankings:
    """Sums over single rankings.

    Attributes
    ----------
    is_complete : bool
        True where every ranking ranks all items.
    counts, weights : ndarray of float, shape (k,)
        How many rankings have which weight.
    self_distance : float
        Sum of w^2 P(i before j) P(j before i) over rankings and pairs of items whose order the
        ranking leaves open; 0 but under "uniform".
    judged : ndarray of float, shape (n, n), or None
        Sum of w^2 over the rankings that compare row and column, under "last" where rankings are
        incomplete.
    """

    is_complete: bool
    counts: Floats
    weights: Floats
    self_distance: float
    judged: Floats | None

    @classmethod
    def of(cls, data: Profile | ScoreSummary, unranked: Unranked) -> SingleRankings:
        """Return the sums over rankings, or over those that sums of scores tell of.

        Parameters
        ----------
        data : Profile or ScoreSummary
            The data.
        unranked : {"uniform", "ignore", "last"}
            The policy for unranked items.

        Returns
        -------
        SingleRankings
        """
        if isinstance(data, ScoreSummary):
            return _of_sums(data, unranked)
        return _of_rankings(data, unranked)

    @property
    def weight_of_pairs(self) -> float:
        """The weight of the ordered pairs of different rankings, (sum w)^2 - sum w^2.

        A sum of products, small weights first: a difference of squares would cancel.
        """
        order = np.argsort(self.weights, kind="stable")
        counts, weights = self.counts[order], self.weights[order]
        mass = counts * weights
        lighter = np.concatenate([[0.0], np.cumsum(mass)[:-1]])
        return float(2.0 * mass @ lighter + (counts * (counts - 1.0)) @ weights**2)

    def weight_of_judgments(self, votes: PairwiseMatrix) -> float:
        """Return the weight of all pairs of different rankings and items that both judge.

        Parameters
        ----------
        votes : PairwiseMatrix
            The votes under the policy.

        Returns
        -------
        float
        """
        n = votes.n_items
        if votes.unranked == "uniform" or self.is_complete:
            return n * (n - 1) / 2 * self.weight_of_pairs
        judged = votes.wins + votes.wins.T + votes.ties
        itself = votes.squared_weights if self.judged is None else self.judged
        # What is left of a single ranking is rounding, of squares and of the votes.
        pairs = judged**2 - itself
        least = judged * (1e-13 * judged + 3.0 * votes.rounding)
        return over_pairs(np.where(pairs > least, pairs, 0.0))


def over_pairs(values: Floats) -> float:
    """Return the sum over all pairs of items, each once.

    Parameters
    ----------
    values : ndarray of float, shape (n, n)
        The upper triangle counts.

    Returns
    -------
    float
    """
    return float(np.triu(values, k=1).sum())


def _of_rankings(profile: Profile, unranked: Unranked) -> SingleRankings:
    itself, judged = 0.0, None
    if not profile.is_complete and unranked != "ignore":
        squares = (profile.counts * profile.weights**2)[:, None]
        gone = (profile.ranks == UNRANKED).astype(np.float64)
        off = (profile.ranks == UNLISTED).astype(np.float64)
        if unranked == "uniform":
            itself = over_pairs(_open_pairs(profile, squares, gone, off))
        else:
            # Two items that are both off a ranking's list are not compared by it.
            judged = squares.sum() - (squares * (gone + off)).T @ (gone + off)
    return SingleRankings(
        profile.is_complete, profile.counts.astype(np.float64), profile.weights, itself, judged
    )


def _open_pairs(profile: Profile, squares: Floats, gone: Floats, off: Floats) -> Floats:
    """Return the self-distance of each pair: one item unranked, both, or both unlisted."""
    n_ranked = (profile.ranks != UNRANKED).sum(axis=1, keepdims=True)
    share = (places.mid_ranks(profile.ranks) + 1.0) / (n_ranked + 1.0)
    uncertain = np.where(gone > 0, 0.0, share * (1.0 - share))
    one = (squares * uncertain).T @ gone
    both = (squares * gone).T @ gone + (squares * off).T @ off
    return one + one.T + both / 4.0


def _of_sums(summary: ScoreSummary, unranked: Unranked) -> SingleRankings:
    tallies, weights = list(summary.tallies.values()), summary.weight_vector
    is_complete = not any(len(tally.sizes) for tally in tallies)
    itself, judged = 0.0, np.zeros((summary.n_systems, summary.n_systems))
    for tally, square in zip(tallies, (weights**2).tolist(), strict=True):
        judged += square * (tally.n_units - tally.neither)
        if unranked == "uniform" and len(tally.sizes):
            share, squared = shares_of(tally)
            one = share - squared
            itself += square * over_pairs(one + one.T + tally.neither / 4.0)
    return SingleRankings(
        is_complete,
        np.array([tally.n_units for tally in tallies], dtype=np.float64),
        weights,
        itself,
        judged if unranked == "last" and not is_complete else None,
    )
