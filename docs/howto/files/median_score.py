"""The rule of the median score, compared with the mean."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from every_study import write

import rankagg as ra
from rankagg.aggregation import Aggregator, Needs, Outcome


@dataclass(frozen=True, kw_only=True)
class MedianScore(Aggregator):
    """The median of the scores of a system; one without a score stays unranked."""

    needs: ClassVar[Needs] = "scores"

    def _aggregate(self, evidence, rng):
        scores = evidence.scores.task_scores(signed=True)
        known = ~np.isnan(scores).all(axis=1)
        medians = np.full(len(scores), np.nan)
        medians[known] = np.nanmedian(scores[known], axis=1)
        return Outcome(scores=medians)


if __name__ == "__main__":
    write(ra.datasets.load("superglue_human"), ra.Mean(), MedianScore())
