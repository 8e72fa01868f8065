"""A rule that ranks some data and refuses others, for what studies say of failures."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankagg.aggregation import Aggregator, Needs, Outcome
from rankagg.exceptions import NotIdentifiedError

REFUSED = {
    "gaps": lambda scores: scores.n_missing,
    "no gaps": lambda scores: not scores.n_missing,
    "a high first score": lambda scores: scores.values[0, 0] > 0.5,
    "few tasks": lambda scores: scores.n_tasks < 3,
    "nothing": lambda scores: False,
}


@dataclass(frozen=True, kw_only=True)
class Stubborn(Aggregator):
    """Ties all or ranks by position, and ranks nothing where it meets what it refuses."""

    needs: ClassVar[Needs] = "scores"
    refused: str = "gaps"
    ties: bool = False

    @property
    def name(self):
        return "Stubborn"

    def _aggregate(self, evidence, rng):
        if REFUSED[self.refused](evidence.scores):
            raise NotIdentifiedError(self.refused)
        places = np.arange(len(evidence.items), dtype=float)
        return Outcome(scores=0 * places if self.ties else places)
