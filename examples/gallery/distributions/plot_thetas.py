"""
Agreement place by place
========================

Theta by the rank that is filled: a falling curve says that voters agree on the first places and
hardly on the last.
"""

import rankagg as ra
from rankagg import plotting

model = ra.distributions.GeneralizedMallows("ABCDEF", thetas=[2.0, 1.5, 1.0, 0.5, 0.2])
fit = ra.distributions.GeneralizedMallows.fit(model.sample(200, rng=0))

with plotting.style("paper"):
    plotting.thetas_plot(fit)
