"""
A board: is the first system really the best?
=============================================

Humans and five models on the ten tasks of SuperGLUE, May 2021.
"""

import rankagg as ra
from rankagg import plotting

table = ra.datasets.load("superglue_human")
comparison = ra.compare(table)
print(comparison.to_frame()[["rule", "ranking", "cost"]].to_string(index=False))

# %%
# All rules agree on the first four. The mean and Borda put PAI Albert above NEZHA Plus, against six
# of ten tasks; the exact consensus contradicts three votes fewer.
print(comparison["Kemeny"].certificate.summary())

# %%
# Another draw of ten tasks could give other ranks. All bars together hold the true ranks at 95 %.
ranks = ra.rank_intervals(table)
with plotting.style("paper"):
    plotting.forest_plot(ranks)

# %%
# How few tasks decide the first place?
print(ra.analysis.removal_radius(table).summary())

# %%
# **Conclusion.** Humans are first in the exact consensus, and stay alone in first place unless four
# of ten tasks are removed. Ten tasks are too few to tell them apart from the next two models.
assert ranks.first == ("Human", "DeBERTa", "T5 + Meena")
