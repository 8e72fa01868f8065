"""Uncertainty: which of a benchmark's conclusions would another sample of tasks give again.

Humans and models on SuperGLUE, May 2021: ten tasks (Shavrina and Malykh 2021, Table 1).
"""

import rankagg as ra

table = ra.datasets.load("superglue_human")
exact = ra.Kemeny().aggregate(table)
print("exact:", " > ".join(exact.order))

print("\nHow far are tasks from it, and from each other?")
profile = table.rankings()
print(f"  a task contradicts it on   {ra.dispersion(profile, exact.ranking, average=True):.2f}"
      " of 15 pairs")  # fmt: skip
print(f"  two tasks differ on        {ra.inference.spread(profile, average=True):.2f}")

print("\nIf these ten tasks are a sample of tasks: pairs that are decided, all at once")
decided = ra.PairwiseIntervals.from_data(table).decisions()
print(f"  {len(decided.pairs)} of 15")
needed = ra.inference.comparisons_needed(margin=0.2, alpha=0.05, n_items=6)
print(f"  tasks that would decide all pairs that are 0.2 off 1/2: {needed}")

print("\nWho is first when tasks are drawn again? Shares of 500 resamples, not confidence")
for rule in (ra.Mean(), ra.Borda(), ra.Kemeny()):
    shares = ra.rank_shares(table, rule, n_resamples=500, rng=0)
    top = shares.to_frame().head(3)
    text = ", ".join(f"{item} {share:.2f}" for item, share in top["first_in_every"].items())
    print(f"  {rule.name:<7} {text}")
