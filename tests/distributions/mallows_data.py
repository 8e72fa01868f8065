"""Rankings that Mallows distributions are fitted to in tests."""

import numpy as np

import rankagg as ra
from rankagg.core.places import UNLISTED, competition_ranks

VOTES = ra.Profile.from_orders(["ABCD", "BACD", "ACDB", "DABC", "ABDC"], counts=[4, 2, 3, 1, 1])


def profile_of(rows, items, **options):
    return ra.Profile([ra.PartialRanking(row, items) for row in rows], **options)


def random_votes(seed):
    """Return complete strict rankings with counts and weights."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(2, 5)), int(rng.integers(2, 8))
    law = ra.Mallows(range(n), float(rng.choice([0.0, 0.5, 1.5])))
    rows = [*law.sample(m, rng=rng), law.center, law.center.reverse()]
    return ra.Profile(
        rows, counts=rng.integers(1, 5, m + 2), weights=rng.choice([0.5, 1.0, 2.0], m + 2)
    )


def random_incomplete(seed, kind):
    """Return rankings with gaps, with ties or cut off, and two whole ones that disagree."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(3, 5)), int(rng.integers(3, 9))
    rows = ra.Mallows(range(n), float(rng.uniform(0.2, 1.5))).sample(m, rng=rng).ranks.astype(float)
    if kind == "gaps":
        rows[rng.random(rows.shape) < 0.3] = np.nan
        ranks = competition_ranks(rows)
    elif kind == "ties":
        ranks = competition_ranks(np.floor(rows * rng.uniform(0.4, 1.0, (m, 1))))
    else:
        lengths = rng.integers(1, n + 1, size=(m, 1))
        ranks = np.where(rows < lengths, rows, UNLISTED).astype(np.int32)
    return profile_of([*ranks, np.arange(n), [1, 0, *range(2, n)]], range(n))


def pd_equal(first, second):
    np.testing.assert_allclose(first.to_numpy(), second.to_numpy(), rtol=1e-8)


KINDS = ("gaps", "ties", "cut off")


# The climb of the last one leaves its start.
CASES = [*((seed, kind) for kind in KINDS for seed in range(2)), (4, "ties")]
