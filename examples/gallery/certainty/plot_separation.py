"""
How many tasks would tell neighbors apart
=========================================

From the tasks at hand to those that the difference seen would need: a long line says that the order
of the two is open and will remain so for any benchmark of this size.
"""

import rankagg as ra
from rankagg import plotting

table = ra.datasets.load("superglue_human")
found = ra.inference.separation(table)

with plotting.style("paper"):
    plotting.separation_plot(found)
