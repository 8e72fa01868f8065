"""
Which pairs are decided
=======================

The estimated proportion in which row is above column, with a dot where the order of the two is
decided at an error rate for all pairs together.
"""

import rankagg as ra
from rankagg import plotting

rankings = ra.Mallows("ABCDEF", theta=0.5).sample(60, rng=1)
intervals = ra.PairwiseIntervals.from_data(rankings)

with plotting.style("paper"):
    plotting.intervals_heatmap(intervals)
