"""
Ranks on one more task
======================

Which ranks each system may take on a task that is drawn as these were, at a level of 80 % for each.
"""

import rankagg as ra
from rankagg import plotting

table = ra.datasets.load("superglue_human")
found = ra.inference.new_task_ranks(table, alpha=0.2)

with plotting.style("paper"):
    plotting.new_task_plot(found)
