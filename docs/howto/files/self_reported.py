"""Scores that systems report themselves."""

from dataclasses import dataclass

import numpy as np

import rankagg as ra


@dataclass(frozen=True, kw_only=True)
class SelfReported(ra.studies.ScoreRemoval):
    """Low scores of some systems go, and any of the others alike."""

    _kind = "self-reported"
    systems: tuple
    strength: float = 4.0

    def _log_odds(self, scores, rng):
        worse = scores.rank(ascending=False, pct=True).to_numpy()
        is_own = scores.index.isin(self.systems)[:, None]
        return np.where(is_own, self.strength * worse, 0.0)


def compare(table, systems):
    removals = [ra.studies.RandomRemoval(), SelfReported(systems=systems)]
    return ra.studies.MissingScoresStudy(
        data=table, removals=removals, proportions=[0.2, 0.4], n_repetitions=20, rng=0
    ).run()


if __name__ == "__main__":
    result = compare(ra.datasets.load("superglue_human"), ("T5", "Human"))
    print(result)
    result.plot().figure.savefig("self_reported.svg")
