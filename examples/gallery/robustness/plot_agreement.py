"""
How far two rules agree
=======================

The expected share of the first k systems that two rules have in common: near the dotted line they
agree hardly more than at random.
"""

import rankagg as ra
from rankagg import plotting

table = ra.datasets.load("superglue_human")
study = ra.studies.AgreementStudy(data=table, rules=[ra.Mean(), ra.Borda(), ra.Kemeny()], rng=0)

with plotting.style("paper"):
    plotting.study_plot(study.run())
