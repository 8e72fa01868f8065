"""Distributions: what a model says that a consensus does not, and how to check it.

Sixty voters of Condorcet (1785) with a Condorcet cycle.
"""

import numpy as np

import rankagg as ra

voters = ra.datasets.load("condorcet_1785")
mallows, worths = ra.Mallows.fit(voters), ra.PlackettLuce.fit(voters)
print(f"Mallows        center {' > '.join(mallows.distribution.center.order)}, "
      f"theta {mallows.distribution.theta:.3f}, AIC {mallows.aic:.1f}")  # fmt: skip
print(f"Plackett-Luce  {' > '.join(worths.distribution.mode.order)}, AIC {worths.aic:.1f}")
print("  the center is the Kemeny consensus:", ra.Kemeny().aggregate(voters).order)
print("  a Plackett-Luce distribution has no majority cycle; these voters have one")

print("\nChance of first place under each model, and the share of voters")
first = (voters.ranks == 0).T @ voters.counts / voters.n_rankings
for k, item in enumerate(voters.items):
    chances = [fit.distribution.rank_probabilities()[k, 0] for fit in (mallows, worths)]
    print(f"  {item}  {chances[0]:.3f}  {chances[1]:.3f}  {first[k]:.3f}")

print("\nIs there any common opinion? A simulated test that the center is nothing but chance")
test = mallows.test_uniform(rng=0)
print(f"  distance {test.statistic:.2f}, by chance {test.expected:.2f}, p = {test.p_value}")

print("\nA simulated benchmark: 20 systems whose skills are 0.1 apart, as Colombo et al. (2022)")
skill = 0.1 * np.arange(20)
table = ra.distributions.LatentScores(skill).sample(n_tasks=20, n_instances=20, rng=0)
truth = ra.distributions.LatentScores(skill).ranking_distribution().mode
spoiled = ra.studies.AdversarialScores(step=10).corrupt(table, [0, 1, 2], truth, rng=1)
two_level = ra.TwoLevel(ra.Borda(), ra.Borda())
for name, data in (("clean", table), ("3 tasks reversed, on a larger scale", spoiled)):
    taus = [
        ra.kendall_tau(rule.aggregate(data).ranking, truth)
        for rule in (ra.Mean(), ra.Borda(), two_level, ra.distributions.PlackettLuceRanking())
    ]
    print(f"  {name:<36} tau of mean {taus[0]:.2f}, Borda {taus[1]:.2f}, "
          f"two-level {taus[2]:.2f}, Plackett-Luce {taus[3]:.2f}")  # fmt: skip
