"""What the steps of a rule come to, to be held against the rule's own result."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankagg._typing import Floats
from rankagg.aggregation.result import Consensus
from rankagg.core.rankings.partial import PartialRanking
from rankagg.exceptions import VerificationError
from rankagg.teaching.step import Step

__all__ = ["Worked"]


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
