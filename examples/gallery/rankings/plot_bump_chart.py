"""
Where methods differ
====================

A line for each system, a column for each method: gray lines keep their order, colored ones cross,
and where they cross the methods disagree.
"""

import rankagg as ra
from rankagg import plotting

comparison = ra.compare(ra.datasets.load("superglue_human"))

with plotting.style("paper"):
    plotting.bump_chart(comparison)
