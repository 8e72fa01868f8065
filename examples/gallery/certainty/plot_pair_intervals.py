"""
How often one is above the other
================================

How often each system is above another one, with intervals, neighbors first. A filled point has half
outside its interval.
"""

import rankagg as ra
from rankagg import plotting

table = ra.datasets.load("superglue_human")
intervals = ra.PairwiseIntervals.from_data(table)

with plotting.style("paper"):
    plotting.pair_intervals_plot(intervals)
