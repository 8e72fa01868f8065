"""
Whether a model fits
====================

Shares of items at ranks and of pairs beside those that the fit expects: points beyond the band are
what the model does not explain.
"""

import rankagg as ra
from rankagg import plotting

rankings = ra.Mallows("ABCDE", theta=0.5, distance="footrule").sample(150, rng=1)
fit = ra.PlackettLuce.fit(rankings)

with plotting.style("paper"):
    plotting.goodness_plot(ra.distributions.goodness_of_fit(fit, rankings, n_resamples=99, rng=0))
