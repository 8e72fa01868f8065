"""How often intervals for proportions, and estimates of a mean distance, are right.

Rankings of four items are drawn from a distribution whose true proportions are known; each row says
of one kind of interval how often it held the truth.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from cells import ALPHA, RESAMPLES, seed

import rankagg as ra

ITEMS = "ABCD"
PAIRS = np.triu_indices(4, k=1)

# The distribution: a permutation is exp(-0.6) times as likely for each pair that it turns round; A
# and B are then swapped in a third of all cases, so that one pair is closer.
RANKS = np.array(list(itertools.permutations(range(4))))
CHANCE = np.exp(-0.6 * (RANKS[:, PAIRS[0]] > RANKS[:, PAIRS[1]]).sum(axis=1))
CHANCE /= CHANCE.sum()
SWAP = [1, 0, 2, 3]
CHANCES = np.concatenate([CHANCE * 2 / 3, CHANCE / 3])
PLACES = np.concatenate([RANKS, RANKS[:, SWAP]])
TRUTH = np.tensordot(CHANCES, (PLACES[:, :, None] < PLACES[:, None, :]).astype(float), axes=1)


def draw(rng: np.random.Generator, size: int) -> np.ndarray:
    """Draw places of complete rankings."""
    return PLACES[rng.choice(len(PLACES), size, p=CHANCES)]


def profile(ranks: np.ndarray, **more: object) -> ra.Profile:
    """Make a profile of the four items."""
    return ra.Profile.from_ranks(ranks, items=ITEMS, **more)


def holds(
    data: ra.Profile, truth: np.ndarray, rng: np.random.Generator, **options: object
) -> np.ndarray:
    """Say of each pair whether its interval holds the truth."""
    intervals = ra.PairwiseIntervals.from_data(
        data, alpha=ALPHA, n_resamples=RESAMPLES, rng=rng, **options
    )
    inside = (intervals.lower <= truth + 1e-12) & (truth <= intervals.upper + 1e-12)
    return inside[PAIRS]


def plain(rng: np.random.Generator, size: int, **options: object) -> np.ndarray:
    """Make intervals of so many rankings."""
    return holds(profile(draw(rng, size)), TRUTH, rng, **options)


def at_all_times(rng: np.random.Generator, size: int, **options: object) -> bool:
    """Look after every tenth ranking and ask whether every look was right."""
    ranks = draw(rng, size)
    looks = (ranks[:seen] for seen in range(10, size + 1, 10))
    return all(holds(profile(look), TRUTH, rng, **options).all() for look in looks)


def by_metrics(rng: np.random.Generator, size: int, **options: object) -> np.ndarray:
    """Make intervals of instances that five metrics rank alike."""
    groups = [k // 5 for k in range(5 * size)]
    return holds(
        profile(np.repeat(draw(rng, size), 5, axis=0), groups=groups), TRUTH, rng, **options
    )


def on_tasks(rng: np.random.Generator, size: int, **options: object) -> np.ndarray:
    """Make intervals for the mean over three tasks of weights 3, 2, 1; the second is reversed."""
    sizes, weights = [size // 12, size // 4, size - size // 12 - size // 4], [3.0, 2.0, 1.0]
    parts = [draw(rng, sizes[0]), 3 - draw(rng, sizes[1]), draw(rng, sizes[2])]
    data = profile(
        np.concatenate(parts), groups=np.repeat(["x", "y", "z"], sizes).tolist(),
        weights=np.repeat(weights, sizes),
    )  # fmt: skip
    return holds(data, (4 * TRUTH + 2 * TRUTH.T) / 6, rng, fixed_tasks=True, **options)


def with_gaps(rng: np.random.Generator, size: int, **options: object) -> np.ndarray:
    """Make intervals of rankings that miss every item with probability 0.3."""
    ranks = draw(rng, size).astype(float)
    ranks[rng.random(ranks.shape) < 0.3] = np.nan
    return holds(profile(ranks), TRUTH, rng, **options)


DATA = profile(draw(np.random.default_rng(1), 100))
EXACT = ra.inference.spread(DATA, average=True)


def distance(rng: np.random.Generator, size: int, **options: object) -> bool:
    """Estimate the mean distance of two of 100 rankings from a sample of pairs."""
    found = ra.inference.HoeffdingEstimator(epsilon=0.2, alpha=ALPHA).estimate(DATA, rng=rng).value
    return bool(abs(found - EXACT) <= 0.2)


@dataclass(frozen=True)
class Cell:
    """One kind of statement, and how often it is right.

    Attributes
    ----------
    text : str
        For the tables.
    units : int
        Independent observations.
    once : callable
        Draws data and says what is right: one answer, or one for each pair.
    options : dict
        Of `PairwiseIntervals`.
    """

    text: str
    units: int
    once: Callable[..., np.ndarray | bool]
    options: dict[str, object]

    KEYS: ClassVar = ("interval", "units")

    def key(self) -> tuple[object, ...]:
        """Return what names the cell."""
        return self.text, self.units

    def row(self, repetitions: int) -> dict[str, object]:
        """Return the share that is right, of the pair that is right least often."""
        rng = seed(self.text, self.units)
        hits = np.array([self.once(rng, self.units, **self.options) for _ in range(repetitions)])
        return {
            "interval": self.text, "units": self.units, "repetitions": repetitions,
            "covered": hits.reshape(repetitions, -1).mean(axis=0).min(),
        }  # fmt: skip


def together(rng: np.random.Generator, size: int, **options: object) -> bool:
    """Ask whether the intervals of all pairs hold."""
    return bool(plain(rng, size, **options).all())


AT_ONCE = {"simultaneous": "bonferroni"}
BOOTSTRAP = {"method": "percentile", "simultaneous": "max-t"}
WRONG_UNIT = "five metrics, clopper-pearson of rankings (wrong unit)"
CELLS = (
    Cell("all pairs, hoeffding, Bonferroni", 100, together, AT_ONCE),
    Cell(
        "all pairs, clopper-pearson, Bonferroni", 100, together,
        {"method": "clopper-pearson", **AT_ONCE},
    ),
    *(
        Cell("all pairs, percentile, max-t", units, together, BOOTSTRAP)
        for units in (20, 50, 100, 200, 500)
    ),
    Cell("hoeffding, one-sided", 100, plain, {"alternative": "greater"}),
    Cell(
        "all pairs, hoeffding, ten looks, anytime", 100, at_all_times, {"anytime": True, **AT_ONCE}
    ),
    Cell("five metrics, hoeffding of instances", 40, by_metrics, {"unit": "task"}),
    Cell(WRONG_UNIT, 40, by_metrics, {"method": "clopper-pearson"}),
    Cell("fixed tasks, hoeffding", 120, on_tasks, {}),
    Cell("30 % missing, hoeffding, direct", 100, with_gaps, {}),
    Cell("mean distance within 0.2, Hoeffding", 100, distance, {"method": "hoeffding"}),
)  # fmt: skip
