"""
A study: how far are quick rules from the exact consensus?
==========================================================

Votes are drawn from Mallows models, each optimum is proved, and rules are measured against it.
"""

import rankagg as ra
from rankagg import plotting

study = ra.studies.ApproximationStudy(
    rules=[ra.Borda(), ra.Copeland(), ra.InsertionSearch()],
    data=[ra.cultures.MallowsCulture(phi=0.8), ra.cultures.MallowsCulture(phi=0.95)],
    n_items=[10],
    n_rankings=[9],
    n_repetitions=50,
    rng=0,
)
result = study.run()
print(result.summary())

# %%
# Each point is the cost of a rule divided by the least cost of the same votes.
with plotting.style("paper"):
    plotting.study_plot(result)

# %%
# **Conclusion.** On these votes Borda and Copeland cost 2 to 3 % more than the optimum on average,
# and at most 9 %. Insertion search finds 98 of 100 optima, and costs at most 0.8 % more.
frame = result.to_frame()
insertion = frame[frame.method == "InsertionSearch"]
assert frame.proved.all()
assert frame.ratio.max() < 1.09
assert insertion.hit.sum() == 98
assert insertion.ratio.max() < 1.008
