"""
A fit draws itself
==================

The plot that suits the fitted distribution, here log worths of a Bradley-Terry model of races: bars
far apart belong to drivers who differ, and the line at zero is the average.
"""

import rankagg as ra
from rankagg import plotting

races = ra.Mallows(["Ada", "Ben", "Cy", "Dee", "Eve"], theta=0.6).sample(80, rng=3)
fit = ra.BradleyTerry.fit(races)

with plotting.style("paper"):
    plotting.fit_plot(fit)
