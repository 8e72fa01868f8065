"""
How Mallows's model fits
========================

Kendall distances of the rankings to the fitted center beside those that the model expects: bars
above the line are rankings that one center does not explain.
"""

import rankagg as ra
from rankagg import plotting

rankings = ra.Mallows("ABCDEF", theta=0.7).sample(200, rng=0)
fit = ra.Mallows.fit(rankings)

with plotting.style("paper"):
    plotting.distances_plot(fit)
