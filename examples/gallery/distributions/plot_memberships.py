"""
Two opinions among the voters
=============================

The weights of a mixture's components, and what part of them is of voters who surely belong there.
"""

import rankagg as ra
from rankagg import plotting

two = ra.Mixture([ra.Mallows("ABCDE", 1.2), ra.Mallows("EBDCA", 0.8)], [0.65, 0.35])
fit = ra.Mixture.fit(two.sample(400, rng=0), 2, rng=0)

with plotting.style("paper"):
    plotting.memberships_plot(fit)
