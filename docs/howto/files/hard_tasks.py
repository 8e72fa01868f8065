"""Scores on hard tasks go missing first."""

from dataclasses import dataclass

from every_study import write

import rankagg as ra


@dataclass(frozen=True, kw_only=True)
class HardTasks(ra.studies.ScoreRemoval):
    """The lower the mean score of a task, the more readily its entries go."""

    _kind = "hard tasks first"
    strength: float = 3.0

    def _log_odds(self, scores, rng):
        return self.strength * scores.mean().rank(ascending=False, pct=True).to_numpy()


if __name__ == "__main__":
    write(ra.datasets.load("superglue_human"), removal=HardTasks())
