"""Missing scores: what each policy assumes, and what the mean makes of the gaps.

Ten systems on four tasks, 18 of 40 scores missing (Himmi et al. 2023, Table 5).
"""

import rankagg as ra

table = ra.datasets.load("xtreme_gaps")
print(table.describe("task")[["count", "missing"]].rename_axis(None).to_string())

print("\nOne task seen as a partial ranking: M7 is scored on one task only")
retrieval = table.rankings()[3]
print(f"  {retrieval!r}")
print(f"  compatible permutations: {retrieval.n_compatible_permutations:,}")
before = retrieval.pairwise_probabilities()
m5, m0 = table.systems.index("M5"), table.systems.index("M0")
print(f"  P(M5 before M0) = {before[m5, m0]:.3f}, M5 having no score there")

print("\nRanks under three policies, and by the mean of what is there")
ranked = {
    policy: ra.Borda().aggregate(table.with_unranked(policy))
    for policy in ("uniform", "ignore", "last")
}
ranked["mean"] = ra.Mean().aggregate(table)
for name, consensus in ranked.items():
    best = " > ".join(" = ".join(bucket) for bucket in consensus.buckets[:4])
    print(f"  {name:<8} {best} ...")

exact = ra.Kemeny().aggregate(table)
print("\nexact, uniform:", " > ".join(exact.order))
