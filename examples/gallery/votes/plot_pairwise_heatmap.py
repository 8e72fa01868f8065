"""
Who beats whom, and how often
=============================

The share of votes with row above column, in the order of the consensus: above the diagonal all is
blue where majorities agree with it, and a frame marks a majority that it gives up.
"""

import rankagg as ra
from rankagg import plotting

rankings = ra.Mallows("ABCDEF", theta=0.2).sample(11, rng=26)

with plotting.style("paper"):
    plotting.pairwise_heatmap(rankings.pairwise())
