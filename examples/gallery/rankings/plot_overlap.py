"""
The same first k
================

How many of the exact consensus's first k each method has among its own: a curve that dips at the
left disagrees where it matters most, and the dotted line is a ranking drawn at random.
"""

import rankagg as ra
from rankagg import plotting

systems = [f"system {number}" for number in range(12)]
tasks = ra.Mallows(systems, theta=0.15).sample(9, rng=4)
comparison = ra.compare(tasks, rules=[ra.Plurality(), ra.Borda(), ra.Kemeny()])

with plotting.style("paper"):
    plotting.overlap_plot(comparison)
