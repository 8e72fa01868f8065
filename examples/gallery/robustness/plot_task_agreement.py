"""
Which tasks carry the ranking
=============================

Kendall's tau of every two tasks, and in the first column of each with the ranking by all others:
tasks at the top carry the ranking, those at the bottom measure something else.
"""

import rankagg as ra
from rankagg import plotting

table = ra.datasets.load("superglue_human")
agreement = ra.analysis.task_agreement(table)

with plotting.style("paper"):
    plotting.task_agreement_plot(agreement)
