"""
An election: three rules, three winners
=======================================

One hundred voters choose the capital of Tennessee; each prefers the nearest city.
"""

import rankagg as ra
from rankagg import plotting

voters = ra.datasets.load("tennessee")
rules = [ra.Plurality(), ra.InstantRunoff(), ra.Borda(), ra.Kemeny()]
comparison = ra.compare(voters, rules)
print(comparison.to_frame()[["rule", "ranking"]].to_string(index=False))

# %%
# Plurality elects Memphis with 42 first choices. Instant runoff elects Knoxville:
print(ra.InstantRunoff().count(voters).summary())

# %%
# Nashville was eliminated in the second round, although it beats every other city one to one.
graph = ra.TournamentGraph(voters)
print("Condorcet winner:", graph.condorcet_winner)
with plotting.style("paper"):
    plotting.tournament_plot(graph)

# %%
# **Conclusion.** A majority prefers Nashville to each other city, so Nashville is the Condorcet
# winner. Borda and Kemeny elect it. Plurality and instant runoff use only first remaining choices.
assert graph.condorcet_winner == "Nashville"
winners = [comparison[rule.name].order[0] for rule in rules]
assert winners == ["Memphis", "Knoxville", "Nashville", "Nashville"]
