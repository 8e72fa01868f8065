"""Coverage: how often do intervals hold what they promise to hold.

Rankings are drawn from a law whose true proportions and places are known, intervals of level 95 %
are made, and it is counted how often they hold the truth. One argument: the number of repetitions,
2000 by default, which take a quarter of an hour; `coverage.txt` holds what that prints.
"""

import itertools
import sys

import numpy as np

import rankagg as ra

REPETITIONS = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
DELTA = 0.05
ITEMS = "ABCD"
PAIRS = np.triu_indices(4, k=1)

# The law: a permutation is exp(-0.6) times as likely for each pair that it turns round; A and B
# are then swapped in a third of all cases, so that one pair is closer.
RANKS = np.array(list(itertools.permutations(range(4))))
LAW = np.exp(-0.6 * (RANKS[:, PAIRS[0]] > RANKS[:, PAIRS[1]]).sum(axis=1))
LAW /= LAW.sum()
ABOVE = (RANKS[:, :, None] < RANKS[:, None, :]).astype(float)
TRUTH = np.tensordot(LAW, ABOVE, axes=1)
CLOSER = 2 / 3 * TRUTH + 1 / 3 * TRUTH[np.ix_([1, 0, 2, 3], [1, 0, 2, 3])]


def draw(rng: np.random.Generator, size: int) -> np.ndarray:
    """Draw places of complete rankings."""
    ranks = RANKS[rng.choice(len(RANKS), size, p=LAW)]
    swapped = rng.random(size) < 1 / 3
    ranks[swapped] = ranks[np.ix_(swapped, [1, 0, 2, 3])]
    return ranks


def profile(ranks: np.ndarray, **more: object) -> ra.Profile:
    """Make a profile of the four items."""
    return ra.Profile.from_ranks(ranks, items=ITEMS, **more)


def with_gaps(rng: np.random.Generator, size: int) -> np.ndarray:
    """Draw rankings that miss every item with probability 0.3."""
    ranks = draw(rng, size).astype(float)
    ranks[rng.random(ranks.shape) < 0.3] = np.nan
    return ranks


def holds(intervals: ra.PairwiseIntervals, truth: np.ndarray) -> np.ndarray:
    """Say of each pair whether its interval holds the truth."""
    inside = (intervals.lower <= truth + 1e-12) & (truth <= intervals.upper + 1e-12)
    return inside[PAIRS]


def report(title: str, hits: list) -> None:
    """Print the share of hits: for each pair alone the least, for all at once the only one."""
    shares = np.atleast_2d(np.array(hits, dtype=float).reshape(len(hits), -1)).mean(axis=0)
    print(f"  {title:<62} {100 * shares.min():6.1f}")


def repeat(once, seed: int = 0) -> list:
    """Do something for many independent samples."""
    return [once(rng) for rng in np.random.default_rng(seed).spawn(REPETITIONS)]


print(f"nominal {100 * (1 - DELTA):g} %, {REPETITIONS} repetitions: covered, in %")

print("\nThe proportion of each pair alone (the pair that is covered least)")
for method in ("hoeffding", "bernstein", "clopper-pearson", "wilson", "percentile", "bca"):
    for size in (20, 200):
        report(
            f"{method}, {size} rankings",
            repeat(
                lambda rng, method=method, size=size: holds(
                    ra.PairwiseIntervals.from_profile(
                        profile(draw(rng, size)), method=method, n_resamples=400, rng=rng
                    ),
                    CLOSER,
                )
            ),
        )
report(
    "hoeffding, one-sided, 100 rankings",
    repeat(
        lambda rng: holds(
            ra.PairwiseIntervals.from_profile(profile(draw(rng, 100)), alternative="greater"),
            CLOSER,
        )
    ),
)

print("\nThe proportions of all six pairs at once, 100 rankings")
for label, options in {
    "hoeffding, Bonferroni": {"method": "hoeffding", "simultaneous": "bonferroni"},
    "bernstein, Bonferroni": {"method": "bernstein", "simultaneous": "bonferroni"},
    "clopper-pearson, Bonferroni": {"method": "clopper-pearson", "simultaneous": "bonferroni"},
    "percentile, max-t": {"method": "percentile", "simultaneous": "max-t"},
}.items():
    report(
        label,
        repeat(
            lambda rng, options=options: holds(
                ra.PairwiseIntervals.from_profile(
                    profile(draw(rng, 100)), n_resamples=400, rng=rng, **options
                ),
                CLOSER,
            ).all()
        ),
    )


def at_all_times(rng: np.random.Generator) -> bool:
    """Look after 10, 20, ..., 100 rankings and ask whether every look was right."""
    ranks = draw(rng, 100)
    looks = (profile(ranks[:size]) for size in range(10, 101, 10))
    return all(
        holds(
            ra.PairwiseIntervals.from_profile(look, anytime=True, simultaneous="bonferroni"),
            CLOSER,
        ).all()
        for look in looks
    )


report("hoeffding, Bonferroni, anytime: ten looks", repeat(at_all_times))

print("\nWhat is independent: 40 instances, each ranked alike by 5 metrics")


def by_metrics(rng: np.random.Generator, unit: str, method: str) -> np.ndarray:
    """Make intervals of rankings that come in copies."""
    copies = np.repeat(draw(rng, 40), 5, axis=0)
    return holds(
        ra.PairwiseIntervals.from_profile(
            profile(copies), unit=unit, method=method, instances=[k // 5 for k in range(200)]
        ),
        CLOSER,
    )


report('hoeffding, unit="instance"', repeat(lambda rng: by_metrics(rng, "instance", "hoeffding")))
report('bernstein, unit="instance"', repeat(lambda rng: by_metrics(rng, "instance", "bernstein")))
report(
    'clopper-pearson, unit="ranking": wrong, for comparison',
    repeat(lambda rng: by_metrics(rng, "ranking", "clopper-pearson")),
)

print("\nFixed tasks of 10, 30 and 80 instances with weights 3, 2, 1; task 2 is reversed")


def on_tasks(rng: np.random.Generator, method: str) -> np.ndarray:
    """Make intervals for the weighted mean over three tasks."""
    parts = [draw(rng, 10), 3 - draw(rng, 30), draw(rng, 80)]
    sizes, weights = [10, 30, 80], [3.0, 2.0, 1.0]
    data = profile(
        np.concatenate(parts), groups=np.repeat(["x", "y", "z"], sizes).tolist(),
        weights=np.repeat(weights, sizes),
    )  # fmt: skip
    intervals = ra.PairwiseIntervals.from_profile(
        data, fixed_tasks=True, method=method, n_resamples=400, rng=rng
    )
    return holds(intervals, (4 * CLOSER + 2 * CLOSER.T) / 6)


for method in ("hoeffding", "percentile"):
    report(f"{method}, fixed_tasks=True", repeat(lambda rng, method=method: on_tasks(rng, method)))

print("\nMissing items (30 %), 100 rankings")
# The imputed estimand: what rankings with gaps say on average, over gaps and rankings.
MASKS = list(itertools.product([False, True], repeat=4))
ORDERS = [*LAW * 2 / 3, *LAW / 3]
PLACES = [*RANKS, *(ranks[[1, 0, 2, 3]] for ranks in RANKS)]
IMPUTED = sum(
    chance
    * 0.3 ** sum(mask)
    * 0.7 ** (4 - sum(mask))
    * ra.PartialRanking.from_ranks(
        np.where(mask, np.nan, ranks), items=ITEMS
    ).pairwise_probabilities()
    for chance, ranks in zip(ORDERS, PLACES, strict=True)
    for mask in MASKS
)
for estimand, truth in (("direct", CLOSER), ("imputed", IMPUTED)):
    report(
        f'hoeffding, estimand="{estimand}"',
        repeat(
            lambda rng, estimand=estimand, truth=truth: holds(
                ra.PairwiseIntervals.from_profile(profile(with_gaps(rng, 100)), estimand=estimand),
                truth,
            )
        ),
    )

print("\nThe places of all four items at once")
# A and B differ little, then C, then D: the order is the same by majorities and by points.
PLACE = {"A": 1, "B": 2, "C": 3, "D": 4}


def places_hold(intervals: ra.RankIntervals) -> bool:
    """Say whether every item's place is within its bounds."""
    frame = intervals.to_frame()
    return all(frame.loc[item, "best"] <= PLACE[item] <= frame.loc[item, "worst"] for item in ITEMS)


for of, method in (
    ("pairwise", "hoeffding"),
    ("pairwise", "clopper-pearson"),
    ("pairwise", "max-t"),
    ("borda", "hoeffding"),
    ("borda", "bernstein"),
    ("borda", "max-t"),
):
    for size in (30, 300):
        report(
            f'of="{of}", {method}, {size} rankings',
            repeat(
                lambda rng, of=of, method=method, size=size: places_hold(
                    ra.rank_intervals(
                        profile(draw(rng, size)), of=of, method=method, n_resamples=400, rng=rng
                    )
                )
            ),
        )


def by_means(rng: np.random.Generator, options: dict) -> bool:
    """Rank four systems by means of noisy bounded scores on 60 instances."""
    level = np.array([0.62, 0.60, 0.5, 0.3])[:, None]
    scores = np.clip(level + rng.normal(0, 0.15, (4, 60)) + rng.normal(0, 0.1, 60), 0, 1)
    table = ra.ScoreTable(
        scores, systems=ITEMS, tasks=["x"] * 60, instances=range(60), higher_is_better=True
    )
    return places_hold(ra.rank_intervals(table, of="mean", n_resamples=400, rng=rng, **options))


report('of="mean", hoeffding', repeat(lambda rng: by_means(rng, {"score_range": (0, 1)})))
report('of="mean", max-t', repeat(lambda rng: by_means(rng, {"method": "max-t"})))

print("\nThe mean distance of two of 100 rankings, from a sample of pairs")
DATA = profile(draw(np.random.default_rng(1), 100))
EXACT = ra.spread(DATA, average=True)
estimator = ra.HoeffdingEstimator(epsilon=0.2, delta=DELTA)
stopping = ra.EmpiricalBernsteinStopping(epsilon=0.1, delta=DELTA)
report(
    "HoeffdingEstimator, within 0.2",
    repeat(lambda rng: abs(estimator.estimate(DATA, rng=rng).value - EXACT) <= 0.2),
)
report(
    "EmpiricalBernsteinStopping, within 10 %",
    repeat(lambda rng: abs(stopping.estimate(DATA, rng=rng).value / EXACT - 1) <= 0.1),
)
