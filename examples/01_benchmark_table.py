"""A benchmark table: what the usual mean hides.

Three systems, six tasks on very different scales, lower is better (Colombo et al. 2022, Table 1).
"""

import rankagg as ra

table = ra.datasets.load("toy_tasks")
comparison = ra.compare(table)

print("What was scored")
print(table.describe("task")[["count", "mean", "std"]].round(3).rename_axis(None).to_string())

print("\nThree rules, one data set")
print(comparison.ranks().rename_axis(None).to_string())

print("\nThe mean follows the task with the largest numbers:")
for pair in comparison.disagreements("Kemeny", "Mean").itertuples():
    tasks = f"on {pair.votes_for:g} of 6 tasks"
    print(f"  {pair.above} beats {pair.below} {tasks}, and the mean reverses them")

exact = comparison["Kemeny"]
print(f"\n{exact.certificate.summary()}")
print("consensus:", " > ".join(exact.order))
