"""
One task on another scale
=========================

Distance to the true order against the factor of one task: rules on rankings do not see it, and the
mean follows the loud task.
"""

import rankagg as ra
from rankagg import plotting

study = ra.studies.ScalingStudy(
    steps=[0.05], factors=[1, 2, 5, 10], n_tasks=8, n_systems=6, n_instances=5, n_repetitions=5
)

with plotting.style("paper"):
    plotting.scaling_plot(study.run())
