"""
All orders of four items
========================

Every order with its Kemeny cost, and a line where a swap of neighbors leads from one to the other:
the thick frame costs least, and the triangle marks what the rule returns.
"""

import rankagg as ra
from rankagg import plotting

ballots = ra.datasets.load("tennessee")
steps = ra.teaching.show_steps(ra.Kemeny(), ballots)

with plotting.style("paper"):
    plotting.permutohedron_plot(steps)
