"""
A lecture: Condorcet's cycle
============================

Sixty voters of Condorcet (1785) and three candidates. Every candidate loses to another.
"""

import rankagg as ra
from rankagg import plotting

voters = ra.datasets.load("condorcet_1785")
graph = ra.TournamentGraph(voters)
print(graph.summary())

# %%
# A ranking must contradict one of the three majorities. The exact consensus gives up the weakest:
# the dashed arrow.
exact = ra.Kemeny().aggregate(voters)
print(exact.summary())
with plotting.style("paper"):
    plotting.tournament_plot(graph, against=exact)

# %%
# The proof is the cycle itself: each ranking contradicts at least one of its three majorities.
print("proof verified:", exact.certificate.verify(voters.pairwise()))

# %%
# Rules settle the cycle in their own way:
print(ra.compare(voters).to_frame()[["rule", "ranking", "cost"]].to_string(index=False))

# %%
# **Conclusion.** Majorities can be cyclic although no voter is. Then no ranking follows them all.
# B > C > A contradicts 76 votes; the proof shows that no ranking contradicts fewer.
assert exact.cost == 76
assert not graph.is_acyclic
