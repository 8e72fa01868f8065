"""
Which rule is stable
====================

How far apart each rule ranks two random halves of the tasks. A small distance is stable, which does
not make it true.
"""

import rankagg as ra
from rankagg import plotting

table = ra.datasets.load("xtreme_human")
rules = [ra.Borda(), ra.Copeland(), ra.Kemeny()]
found = ra.analysis.choose_rule(table, rules, n_splits=30, rng=0)

with plotting.style("paper"):
    plotting.rule_choice_plot(found)
