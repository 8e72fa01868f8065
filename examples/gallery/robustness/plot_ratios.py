"""
How near rules come to the optimum
==================================

Kemeny cost of every rule divided by that of the exact optimum on the same random votes: one is
optimal, and higher points pay more.
"""

import rankagg as ra
from rankagg import plotting

study = ra.studies.ApproximationStudy(
    rules=[ra.Borda(), ra.Copeland(), ra.RankedPairs()],
    data=[ra.cultures.MallowsCulture(phi=0.8), ra.cultures.MallowsCulture(phi=0.95)],
    n_items=[8],
    n_rankings=[9],
    n_repetitions=20,
    rng=0,
)

with plotting.style("paper"):
    plotting.study_plot(study.run())
