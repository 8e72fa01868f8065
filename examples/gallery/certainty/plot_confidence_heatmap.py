"""
Decided pairs of one simulated table
====================================

The proportions that one method estimates from the first table of a study, with a dot on every pair
that it decides: neighbors stay undecided longest.
"""

import rankagg as ra
from rankagg import plotting

study = ra.studies.ConfidenceStudy(
    data=[ra.studies.LatentModel(step=0.3, n_systems=8, n_tasks=1, n_instances=100)],
    methods=[ra.studies.IntervalMethod(method="clopper-pearson", holm=True)],
    alphas=[0.1],
    proportions=[0.2],
    n_repetitions=1,
    rng=0,
)

with plotting.style("paper"):
    plotting.confidence_heatmap(study.run())
