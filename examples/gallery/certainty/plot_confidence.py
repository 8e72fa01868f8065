"""
What intervals decide
=====================

The share of pairs that methods decide against how far systems are apart: of equal systems, at the
left, every decision is wrong, and a steeper curve needs less data.
"""

import rankagg as ra
from rankagg import plotting

study = ra.studies.ConfidenceStudy(
    data=[ra.studies.LatentModel(step=step, n_systems=6, n_tasks=1) for step in (0, 0.2, 0.4, 0.8)],
    methods=[
        ra.studies.IntervalMethod(),
        ra.studies.IntervalMethod(method="clopper-pearson", holm=True),
    ],
    alphas=[0.1],
    proportions=[0],
    n_repetitions=20,
    rng=0,
)

with plotting.style("paper"):
    plotting.study_plot(study.run())
