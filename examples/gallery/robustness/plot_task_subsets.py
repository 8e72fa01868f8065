"""
Rules on subsets of tasks
=========================

For every rule the correlation of its consensus on some of the tasks with its own on all: the higher
curve depends less on which tasks were chosen.
"""

import rankagg as ra
from rankagg import plotting

table = ra.datasets.load("superglue_human")
study = ra.studies.TaskSubsetStudy(data=table, n_repetitions=40, rng=0)

with plotting.style("paper"):
    plotting.study_plot(study.run())
