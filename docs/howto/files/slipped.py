"""How far rankings of a leaderboard move when scores slip by some rows."""

from dataclasses import dataclass

import numpy as np

import rankagg as ra


@dataclass(frozen=True, kw_only=True)
class Slipped(ra.studies.Corruption):
    """Every score stands so many rows too low, and the last ones on top."""

    n_rows: int = 1

    def _corrupted(self, tasks, heights, rng):
        return [np.roll(task, self.n_rows, axis=0) for task in tasks]


leaderboard = ra.datasets.load("superglue_human")
study = ra.studies.CorruptionStudy(
    data=ra.studies.ObservedData(label="SuperGLUE", data=leaderboard),
    corruptions=[Slipped(), Slipped(n_rows=3, after=ra.studies.NoisyScores(proportion=0.1))],
    n_repetitions=20,
    rng=0,
)
result = study.run()
print(result.to_markdown(decimals=2))
result.plot(x="n_corrupted").figure.savefig("slipped.svg")
