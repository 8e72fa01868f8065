"""
What if scores were missing
===========================

Scores are removed at random, and each rule is compared with its own ranking of the full table: the
curve that falls later bears more gaps.
"""

import rankagg as ra
from rankagg import plotting

table = ra.datasets.load("superglue_human")
study = ra.studies.MissingScoresStudy(
    data=ra.studies.ObservedData(label="SuperGLUE", data=table),
    rules=[ra.Mean(), ra.Borda()],
    proportions=[0, 0.1, 0.2, 0.3, 0.4],
    n_repetitions=30,
    rng=0,
)

with plotting.style("paper"):
    plotting.study_plot(study.run())
