"""
Tasks that report the reverse
=============================

Distance to the true order against the number of corrupted tasks: the curve that stays low longest
is the most robust rule, and above the dashed line a rule has broken down.
"""

import rankagg as ra
from rankagg import plotting

study = ra.studies.ManipulationStudy(
    steps=[0.1, 0.3],
    n_corrupted=[0, 2, 4, 6, 8],
    n_tasks=8,
    n_systems=6,
    n_instances=5,
    n_repetitions=10,
)

with plotting.style("paper"):
    plotting.manipulation_plot(study.run())
