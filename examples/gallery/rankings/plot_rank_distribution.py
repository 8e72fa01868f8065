"""
How often each rank is reached
==============================

The share of resamples of tasks in which each system takes each rank: a row with one dark cell is
sure of its rank, a pale wide one is not.
"""

import rankagg as ra
from rankagg import plotting

table = ra.datasets.load("superglue_human")
shares = ra.rank_shares(table, n_resamples=500, rng=0)

with plotting.style("paper"):
    plotting.rank_distribution_plot(shares)
