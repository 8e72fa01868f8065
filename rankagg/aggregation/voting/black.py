"""Black: the Condorcet winner, else Borda."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from rankagg._typing import Unranked
from rankagg.aggregation.base import Aggregator, Needs, Outcome
from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.positional import Borda

__all__ = ["Black"]


@dataclass(frozen=True, kw_only=True)
class Black(Aggregator):
    """Black's rule: a Condorcet winner first, all others by Borda points.

    Parameters
    ----------
    unranked : {"uniform", "ignore", "last"}, optional
        The policy for unranked items; by default that of the matrix where the data are one, and
        "uniform" otherwise.

    Notes
    -----
    Scores are those of `Borda`; that of a Condorcet winner with no more points than another item is
    raised to one more than the most (a millionth more, of millions), and the result says so.

    References
    ----------
    Black (1958), The Theory of Committees and Elections,
    https://doi.org/10.1007/978-94-009-4225-7 (reprint).

    Examples
    --------
    >>> from rankagg import Black, Profile
    >>> consensus = Black().aggregate(Profile.from_orders(["ABC", "BCA"], counts=[3, 2]))
    >>> consensus.order, consensus.notes
    (('A', 'B', 'C'), ('the Condorcet winner A stands first; it has 6 points, the most are 7',))
    """

    needs: ClassVar[Needs] = "votes"
    unranked: Unranked | None = None

    def _aggregate(self, evidence: Evidence, rng: np.random.Generator) -> Outcome:
        outcome = Borda(unranked=self.unranked)._aggregate(evidence, rng)
        assert outcome.scores is not None, "points are scores"
        wins = evidence.votes(self._stated_policy).scaled_wins
        winner = np.flatnonzero((wins > wins.T).sum(axis=1) == len(wins) - 1)
        points, most = outcome.scores.copy(), outcome.scores.max()
        if not len(winner):
            return replace(outcome, notes=("no Condorcet winner: by Borda points",))
        room = abs(most) / 2**20  # which no tie of scores bridges
        if (points + room >= points[winner]).sum() == 1:
            return outcome
        name, own = evidence.items[int(winner[0])], points[winner[0]]
        points[winner] = most + max(1.0, room)
        note = f"the Condorcet winner {name} stands first; it has {own:g} points, the most are"
        return Outcome(scores=points, notes=(f"{note} {most:g}",))
