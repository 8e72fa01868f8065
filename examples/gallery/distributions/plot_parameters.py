"""
All parameters of any fit
=========================

Estimates with confidence intervals in the order in which the fit has them, whatever the
distribution: a bar that crosses zero does not tell the sign.
"""

import rankagg as ra
from rankagg import plotting

model = ra.PlackettLuce([1.0, 0.5, 0.0, -0.5], items=["cod", "hake", "ling", "tusk"])
fit = ra.PlackettLuce.fit(model.sample(120, rng=0))

with plotting.style("paper"):
    plotting.parameters_plot(fit)
