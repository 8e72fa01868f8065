"""
Tasks that lie, shout or repeat
===============================

How far a rule's ranking of a leaderboard moves as tasks are corrupted: the curve that stays low
longest is the most robust rule. Rules on rankings do not see the scale of a task.
"""

import rankagg as ra
from rankagg import plotting

study = ra.studies.CorruptionStudy(
    data=ra.datasets.load("superglue_human"),
    corruptions=[
        ra.studies.ReversedScores(),
        ra.studies.RescaledScores(factor=100),
        ra.studies.CopiedScores(),
    ],
    rules=[ra.Mean(), ra.Borda()],
    n_repetitions=20,
    rng=0,
)

with plotting.style("paper"):
    plotting.study_plot(study.run())
