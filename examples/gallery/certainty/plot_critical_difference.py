"""
Which average ranks differ
==========================

Average ranks on one axis, the best at the left: a bar joins systems that the test does not tell
apart, and systems that no bar joins differ.
"""

import rankagg as ra
from rankagg import plotting

test = ra.inference.friedman(ra.datasets.load("superglue_human"))

with plotting.style("paper"):
    plotting.critical_difference_diagram(test)
