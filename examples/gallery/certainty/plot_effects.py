"""
Who is better than a baseline
=============================

How far each system is from one that was chosen beforehand, with intervals: a filled point is
decided by the tests, an open one is undecided.
"""

import rankagg as ra
from rankagg import plotting

table = ra.datasets.load("superglue_human")
tests = ra.inference.paired_tests(table, "T5")

with plotting.style("paper"):
    plotting.effects_plot(tests)
