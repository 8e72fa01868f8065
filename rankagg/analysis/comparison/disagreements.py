"""The pairs of items that two rankings order differently, with the votes on each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from rankagg._typing import Ranks
from rankagg.core.pairwise import PairwiseMatrix
from rankagg.core.rankings.partial import PartialRanking

if TYPE_CHECKING:
    from rankagg.inference.decisions import Decisions

__all__ = ["disagreeing_pairs"]


def disagreeing_pairs(
    first: PartialRanking,
    second: PartialRanking,
    votes: PairwiseMatrix,
    decisions: Decisions | None = None,
) -> pd.DataFrame:
    """Return the pairs of items that two rankings order differently, with the votes on each."""
    mine, theirs = _signs(first.ranks), _signs(second.ranks)
    picked = ((mine < 0) & (theirs >= 0)) | ((mine == 0) & (theirs < 0))
    both = (first.ranks >= 0) & (second.ranks >= 0)
    above, below = np.nonzero(picked & both[:, None] & both)
    labels, wins, ties = votes.items, votes.wins, votes.ties
    verdict = np.where(
        mine[above, below] == 0, "above", np.where(theirs[above, below] == 0, "tied", "reversed")
    )
    frame = pd.DataFrame(
        {
            "above": [labels[int(i)] for i in above],
            "below": [labels[int(j)] for j in below],
            "other": verdict,
            "votes_for": wins[above, below],
            "votes_against": wins[below, above],
            "ties": ties[above, below],
            "margin": wins[above, below] - wins[below, above],
        }
    )
    if decisions is not None:
        labels.require_same(decisions.items, "A comparison and the decisions on its pairs")
        sure = decisions.above
        frame["decided"] = np.where(
            sure[above, below], "as above", np.where(sure[below, above], "reversed", "no")
        )
    closeness = frame["margin"].abs().to_numpy()
    return frame.iloc[np.argsort(closeness, kind="stable")].reset_index(drop=True)


def _signs(ranks: Ranks) -> Ranks:
    """Return -1 where row is above column, +1 where below, 0 where tied."""
    signs: Ranks = np.sign(ranks[:, None] - ranks[None, :])
    return signs
