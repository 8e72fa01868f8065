"""
How often there are Condorcet cycles
====================================

The share of random profiles with a Condorcet cycle, by the number of voters: more candidates mean
more cycles, and crosses are the probabilities that are known exactly.
"""

import rankagg as ra
from rankagg import plotting

study = ra.studies.CycleStudy(
    data=ra.cultures.ImpartialCulture(),
    n_items=[3, 5],
    n_rankings=[5, 11, 25],
    n_repetitions=100,
    rng=0,
)

with plotting.style("paper"):
    plotting.study_plot(study.run())
