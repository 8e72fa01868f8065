"""
How many tasks would separate neighbors
=======================================

A line goes from the tasks available to the tasks needed to confirm the observed difference. A long
line means that no benchmark of this size decides the order of the two.
"""

import rankagg as ra
from rankagg import plotting

table = ra.datasets.load("superglue_human")
found = ra.inference.separation(table)

with plotting.style("paper"):
    plotting.separation_plot(found)
