"""How many comparisons decide the first of 20, by whom one compares: 200 leagues each.

Log worths are the expected normal order statistics, in a random order; a league is looked at after
every 20 comparisons (200 where they are not chosen), and ends when one item alone may be first, at
95 % over all looks together.
Then leagues of equal items, of 1,000 comparisons, for how often a given one is ever left out of
those that may be first. Prints what is in next_pairs.txt; takes about ten minutes on one core.

    python examples/long/next_pairs.py
"""

from itertools import combinations

import numpy as np
from scipy.special import expit
from scipy.stats import norm

import rankagg as ra

N, TIMES, MOST = 20, 200, 40_000
WORTHS = norm.ppf((np.arange(N, 0, -1) - 0.375) / (N + 0.25))
PAIRS = np.array(list(combinations(range(N), 2)))


def by_next_pairs(fit, made, step, rng):
    """Return positions of the pairs that tell most of who is first."""
    frame = ra.inference.next_pairs(fit, step, k=1)
    return frame[["first", "second"]].to_numpy()


def at_random(fit, made, step, rng):
    """Return pairs drawn from all."""
    return PAIRS[rng.integers(0, len(PAIRS), step)]


def round_robin(fit, made, step, rng):
    """Return those pairs that met least, in the order of rounds."""
    return PAIRS[np.arange(made, made + step) * 7 % len(PAIRS)]


def looks(choose, worths, step, rng):
    """Go through the looks at a league: how many comparisons were made, and the fit."""
    wins = np.zeros((N, N))
    fit, made = None, 0
    while True:
        # A round robin comes first.
        pairs = (choose if made >= len(PAIRS) else round_robin)(fit, made, step, rng)
        for first, second in pairs:
            won = rng.random() < expit(worths[first] - worths[second])
            wins[(first, second) if won else (second, first)] += 1
        made += len(pairs)
        fit = ra.BradleyTerry.fit(ra.PairwiseMatrix.from_wins(wins, items=range(N)), ridge=0.25)
        yield made, fit


def league(choose, seed):
    """Return how many comparisons a league took, and whether it ended with the wrong first."""
    rng = np.random.default_rng([1, seed])
    worths = rng.permutation(WORTHS)
    step = 20 if choose is by_next_pairs else 200
    for made, fit in looks(choose, worths, step, rng):
        first = ra.inference.worth_rank_intervals(fit, anytime=True).first
        if len(first) == 1 or made >= MOST:
            break
    return made, len(first) == 1 and first[0] != int(np.argmax(worths))


def ever_wrong(choose, seed):
    """Return whether the first of equal items was ever left out, by tests of both kinds."""
    rng = np.random.default_rng([2, seed])
    wrong = np.zeros(2, dtype=bool)
    for made, fit in looks(choose, np.zeros(N), 20, rng):
        for at, anytime in enumerate((True, False)):
            wrong[at] |= 0 not in ra.inference.worth_rank_intervals(fit, anytime=anytime).first
        if made >= 1000:
            break
    return wrong


if __name__ == "__main__":
    print("comparisons that decide the first of 20: median, nine in ten; wrong firsts")
    for choose in (by_next_pairs, round_robin, at_random):
        made, wrong = np.array([league(choose, seed) for seed in range(TIMES)]).T
        ends = f"{np.median(made):8.0f} {np.quantile(made, 0.9):8.0f} {wrong.mean():6.1%}"
        print(f"{choose.__name__:14}{ends}", flush=True)
    print("one of 20 equal items ever left out in 50 looks: anytime, Wald tests")
    for choose in (by_next_pairs, round_robin):
        shares = np.mean([ever_wrong(choose, seed) for seed in range(TIMES)], axis=0)
        print(f"{choose.__name__:14}{shares[0]:8.1%} {shares[1]:8.1%}", flush=True)
