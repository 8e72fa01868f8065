"""
What is missing
===============

Systems in rows and tasks in columns, dark where there is no score: blocks say that gaps have a
reason, and systems without a common column cannot be compared.
"""

import rankagg as ra
from rankagg import plotting

table = ra.datasets.load("xtreme_gaps")

with plotting.style("paper"):
    plotting.missingness_map(table)
