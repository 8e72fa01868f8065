"""
The majority graph
==================

An arrow from each winner to the loser, with the margin: a dashed arrow is a majority that the exact
consensus gives up, which happens only in a Condorcet cycle.
"""

import rankagg as ra
from rankagg import plotting

voters = ra.datasets.load("condorcet_1785")
graph = ra.TournamentGraph(voters)

with plotting.style("paper"):
    plotting.tournament_plot(graph, against=ra.Borda().aggregate(voters))
