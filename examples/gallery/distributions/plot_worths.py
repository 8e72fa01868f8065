"""
Worths of Plackett and Luce
===========================

Log worths with confidence intervals, the best item on top: a difference of one is odds of 2.7 that
the one is chosen before the other.
"""

import rankagg as ra
from rankagg import plotting

table = ra.datasets.load("superglue_human")
fit = ra.PlackettLuce.fit(table.rankings(), pseudo_rankings=0.5)

with plotting.style("paper"):
    plotting.worths_plot(fit)
