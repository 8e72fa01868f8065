"""
Which model predicts best
=========================

By how much models predict rankings that were left out worse than the best one: bars are two
standard errors, and a filled point may be as good as the best.
"""

import rankagg as ra
from rankagg import plotting

rankings = ra.Mallows("ABCDE", theta=0.5, distance="footrule").sample(150, rng=1)
comparison = ra.distributions.compare_models(rankings, rng=0)

with plotting.style("paper"):
    plotting.models_plot(comparison)
