"""
A consensus on fewer tasks
==========================

How near consensuses of random subsets of tasks come to that of all: a band near one with few tasks
shows that most subsets give the same result.
"""

import rankagg as ra
from rankagg import plotting

table = ra.datasets.load("superglue_human")
found = ra.stability(table, ra.Borda(), n_samples=40, rng=0)

with plotting.style("paper"):
    plotting.robustness_plot(found)
