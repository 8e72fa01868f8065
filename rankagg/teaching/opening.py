"""What most rules begin with (rankings, votes, majorities), and what their steps come to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np

from rankagg._typing import Floats, Ranks
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.result import Consensus
from rankagg.core.arithmetic import exact
from rankagg.core.items import ItemSet, counted
from rankagg.core.pairwise import PairwiseMatrix
from rankagg.core.profile import Profile
from rankagg.core.rankings.partial import PartialRanking, as_ranking
from rankagg.core.rankings.places import UNRANKED
from rankagg.exceptions import VerificationError
from rankagg.teaching.steps import Step, number, told


def distinct_rankings(profile: Profile) -> tuple[Ranks, list[Fraction]]:
    """Return each ranking once, as ranks, and its weight, the heaviest first."""
    ranks, which = np.unique(profile.ranks, axis=0, return_inverse=True)
    votes, denominator = exact.as_votes(profile.counts, profile.weights)
    weights = [Fraction(0)] * len(ranks)
    for row, vote in zip(which.ravel().tolist(), votes.tolist(), strict=True):
        weights[row] += Fraction(vote, denominator)
    order = sorted(range(len(ranks)), key=lambda row: -weights[row])
    return ranks[order], [weights[row] for row in order]


def margins_of(votes: PairwiseMatrix) -> list[list[Fraction]]:
    """Return the votes of row above column less those of the reverse, without rounding."""
    wins = votes.scaled_wins.tolist()
    pairs = range(votes.n_items)
    return [[Fraction(wins[i][j] - wins[j][i], votes.denominator) for j in pairs] for i in pairs]


def by_number(numbers: Sequence[Fraction | int | None], items: ItemSet) -> PartialRanking:
    """Rank items by exact numbers, higher is better; None is unranked."""
    places = [
        UNRANKED if mine is None else sum(other is not None and other > mine for other in numbers)
        for mine in numbers
    ]
    return as_ranking(np.array(places, dtype=np.int32), items)


def rankings_step(evidence: Evidence) -> tuple[Step, ...]:
    """Return the rankings as a step; none where the data do not hold them."""
    if not evidence.has_rankings:
        return ()
    profile = evidence.profile
    ranks, weights = distinct_rankings(profile)
    text = ["Every task ranks the systems by their scores."] if evidence.has_scores else []
    rows = [
        (number(weight), as_ranking(row, profile.items)._arrows())
        for row, weight in zip(ranks, weights, strict=True)
    ]
    whole = counted(told(sum(weights, Fraction(0))), "ranking")
    text.append(f"{whole} of {counted(profile.n_items, 'item')}, equal ones together.")
    return (Step("The rankings", tuple(text), ("count", "ranking"), tuple(rows)),)


def votes_step(votes: PairwiseMatrix) -> Step:
    """Return the pairwise votes as a step."""
    text = ["A row holds how many rankings put its item above the item of the column."]
    if votes.unranked is not None and not votes.is_decided:
        text.append(f"What they leave open counts by the policy {votes.unranked!r}.")
    rows = [
        (str(item), *("" if i == j else number(votes.wins[i, j]) for j in range(votes.n_items)))
        for i, item in enumerate(votes.items)
    ]
    return Step("The votes on pairs", tuple(text), ("above", *votes.items), tuple(rows))


def majority_step(votes: PairwiseMatrix) -> Step:
    """Return who beats whom by how much as a step."""
    rows = []
    for i, j in combinations(range(votes.n_items), 2):
        if votes.wins[i, j] < votes.wins[j, i]:
            i, j = j, i  # noqa: PLW2901
        margin = number(votes.margins[i, j])
        verdict = f"{votes.items[i]} beats {votes.items[j]}" if margin else "a draw"
        if votes.comparisons[i, j] == 0:
            verdict = "never compared"
        pair = f"{votes.items[i]}, {votes.items[j]}"
        won, lost = number(votes.wins[i, j]), number(votes.wins[j, i])
        rows.append((pair, won, lost, margin, verdict))
    return Step(
        "The majorities",
        ("Of each two items, the one with more votes beats the other; the margin is by how many.",),
        ("pair", "for", "against", "margin", "verdict"),
        tuple(rows),
    )


def full_opening(consensus: Consensus) -> tuple[Step, ...]:
    """Return the rankings where there are some, the votes and the majorities."""
    votes = consensus.pairwise
    return (*rankings_step(consensus._evidence), votes_step(votes), majority_step(votes))


def scored(heading: str, sentence: str, items: Iterable[object], scores: Floats) -> Step:
    """Return scores as a step, the best first."""
    names = list(items)
    order = np.argsort(-scores, kind="stable")
    rows = [(str(names[i]), "none" if np.isnan(scores[i]) else number(scores[i])) for i in order]
    return Step(heading, (sentence,), ("item", "score"), tuple(rows))


@dataclass(frozen=True)
class Worked:
    """The steps of a rule on some data, and what they come to."""

    steps: tuple[Step, ...]
    # Shape (n,). The scores that the steps come to.
    scores: Floats | None = None
    # The ranking that they come to; None where scores say it.
    ranking: PartialRanking | None = None
    # The least cost that they come to.
    cost: float | None = None

    def check(self, consensus: Consensus) -> None:
        """Raise `VerificationError` where the steps come to something else than the rule."""
        agrees = [self.ranking is None or self.ranking == consensus.ranking]
        if self.scores is not None:
            own = consensus.scores
            agrees.append(
                own is not None
                and np.allclose(self.scores, own, rtol=1e-9, atol=1e-9, equal_nan=True)
            )
        if self.cost is not None:
            agrees.append(bool(np.isclose(self.cost, consensus.cost, rtol=1e-9, atol=1e-9)))
        if not all(agrees):
            raise VerificationError(
                f"The steps of {consensus.aggregator.name} come to something else than the rule; "
                "please report the data."
            )
