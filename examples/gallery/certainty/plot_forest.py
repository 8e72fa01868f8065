"""
Between which ranks
===================

The point is the rank in the data, the bar holds the ranks that the decided pairs leave. Systems
whose bars do not overlap are decided; others may be, as ``ranks.decisions`` says. A filled point
may be the best.
"""

import rankagg as ra
from rankagg import plotting

table = ra.datasets.load("superglue_human")
ranks = ra.rank_intervals(table, of="borda", rng=0)

with plotting.style("paper"):
    plotting.forest_plot(ranks)
