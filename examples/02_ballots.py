"""Ballots: a Condorcet winner that Borda misses, and a cycle that no rule can wish away."""

import rankagg as ra

ballots = ra.Profile.from_orders(["ABC", "BCA"], counts=[3, 2])
votes = ballots.pairwise()
print(f"A beats B by {votes.wins[0, 1]:g} to {votes.wins[1, 0]:g} votes")
for rule in (ra.Borda(), ra.Copeland(), ra.Kemeny()):
    consensus = rule.aggregate(ballots)
    print(f"  {rule.name:<9} {' > '.join(consensus.order)}   contradicts {consensus.cost:g} votes")

cycle = ra.datasets.load("condorcet_1785")
print(f"\n{ra.datasets.info('condorcet_1785').note}")
majority = ra.PairwiseMajority().aggregate(cycle)
print(majority.notes[0])

exact = ra.Kemeny().aggregate(cycle)
print("Kemeny:", " > ".join(exact.order))
print(exact.certificate.summary())
print("checked without a solver:", exact.certificate.verify(cycle.pairwise()))
