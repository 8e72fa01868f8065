"""Distributions of scores whose true order is known, for counting how often intervals are right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

import rankagg as ra

Draw = Callable[[np.random.Generator, tuple[int, int, int]], np.ndarray]


@dataclass(frozen=True)
class Distribution:
    """What scores are drawn from.

    Attributes
    ----------
    name : str
        For the tables.
    systems : int
        How many there are.
    draw : callable
        From a generator and (repetitions, units, systems) to scores of that shape; higher is
        better, NaN where missing.
    level : sequence of float
        True strengths: the larger the better, equal where two systems are tied in the population.
    level_of : mapping from estimand to sequence of float
        The strengths by "mean", "borda" or "pairwise", where they differ from `level`.
    per_unit : int
        Columns that belong to one independent unit.
    unit : {"ranking", "instance", "task"}
        What is independent: each column, or those of an instance or task together.
    is_weighted : bool
        Whether units differ in weight: 1, 2, 3, 4, 5 and so on.
    has_ties : bool
        Whether two systems may have the same score.
    is_complete : bool
        Whether every score is there.
    """

    name: str
    systems: int
    draw: Draw
    level: tuple[float, ...]
    level_of: dict[str, tuple[float, ...]] = field(default_factory=dict)
    per_unit: int = 1
    unit: str = "ranking"
    is_weighted: bool = False
    has_ties: bool = False
    is_complete: bool = True

    def truth(self, of: str) -> np.ndarray:
        """Return which row is truly above which column."""
        level = np.array(self.level_of.get(of, self.level))
        return level[:, None] > level[None, :]

    def tables(self, rng: np.random.Generator, repetitions: int, units: int) -> list[ra.ScoreTable]:
        """Draw independent tables of so many independent units."""
        drawn = self.draw(rng, (repetitions, units * self.per_unit, self.systems))
        columns = units * self.per_unit
        more: dict[str, object] = {}
        if self.unit == "instance":
            more["tasks"] = [c % self.per_unit for c in range(columns)]
            more["instances"] = [c // self.per_unit for c in range(columns)]
        if self.unit == "task":
            more["tasks"] = [c // self.per_unit for c in range(columns)]
            more["instances"] = [c % self.per_unit for c in range(columns)]
        if self.is_weighted:
            more["task_weights"] = {c: 1.0 + c % 5 for c in range(columns)}
        return [
            ra.ScoreTable(scores.T, systems=range(self.systems), higher_is_better=True, **more)
            for scores in drawn
        ]


def normal(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """Draw independent standard normal scores."""
    return rng.normal(size=shape)


def shifted(level: tuple[float, ...], draw: Draw = normal) -> Draw:
    """Add the level of each system."""
    return lambda rng, shape: np.array(level) + draw(rng, shape)


def coarse(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """Draw scores of few values: two systems tie in 38 % of the units."""
    return np.rint(rng.normal(size=shape))


def clones(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """Draw systems 1 and 2, 3 and 4, ... with a correlation of 0.999."""
    own = rng.normal(size=shape)
    common = np.repeat(own[..., ::2], 2, axis=-1)
    return np.sqrt(0.999) * common + np.sqrt(0.001) * rng.normal(size=shape)


def uneven(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """Draw systems of variances from .2 to 3."""
    return np.sqrt(np.linspace(0.2, 3.0, shape[-1])) * rng.normal(size=shape)


def heavy(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """Draw from Student's t with three degrees of freedom."""
    return rng.standard_t(3, size=shape)


def skewed(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """Draw systems 1, 3, 5, ... from a shifted exponential, the others from a normal."""
    scores = rng.normal(size=shape)
    scores[..., ::2] = rng.exponential(size=scores[..., ::2].shape) - 1.0
    return scores


def scaled(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """Draw normal scores and stretch each unit by a log-normal factor."""
    return rng.normal(size=shape) * np.exp(rng.normal(size=(*shape[:2], 1)))


def binary(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """Draw right or wrong answers, 70 % of them right."""
    return (rng.random(shape) < 0.7).astype(float)


def within_tasks(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """Draw tasks of five instances, each task with its own strengths of the systems."""
    repetitions, columns, systems = shape
    task = rng.normal(size=(repetitions, columns // 5, systems))
    return np.repeat(task, 5, axis=1) + rng.normal(size=shape)


def metrics(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """Draw instances that four metrics score nearly alike."""
    repetitions, columns, systems = shape
    instance = rng.normal(size=(repetitions, columns // 4, systems))
    return np.repeat(instance, 4, axis=1) + 0.3 * rng.normal(size=shape)


def gaps(rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
    """Draw normal scores and drop three in ten; a unit keeps one at least."""
    scores = rng.normal(size=shape)
    dropped = rng.random(shape) < 0.3
    kept = rng.integers(shape[-1], size=(*shape[:2], 1))
    dropped[dropped.all(axis=-1)] &= np.arange(shape[-1]) != kept[dropped.all(axis=-1)]
    scores[dropped] = np.nan
    return scores


def spaced(systems: int) -> tuple[float, ...]:
    """Return levels evenly over three standard deviations, the first system best."""
    return tuple(np.linspace(3.0, 0.0, systems))


LEVEL = (0.0,) * 6
# One system in such a pair is above the other in 98 % of the units: 2.0537 is that normal quantile.
SURE = (2.0537 * np.sqrt(2.0),) * 3 + (0.0,) * 3
SKEW = (0.0, 1.0) * 3  # a shifted exponential score is below zero in 63 % of the units

DISTRIBUTIONS = (
    Distribution("equal", 6, normal, LEVEL),
    Distribution("equal", 13, normal, (0.0,) * 13),
    Distribution("spaced", 6, shifted(spaced(6)), spaced(6)),
    Distribution("spaced", 13, shifted(spaced(13)), spaced(13)),
    Distribution("many ties", 6, coarse, LEVEL, has_ties=True),
    Distribution("pairs at 98 %", 6, shifted(SURE), SURE),
    Distribution("clones", 6, clones, LEVEL),
    Distribution("variances .2 to 3", 6, uneven, LEVEL),
    Distribution("t, 3 degrees", 6, heavy, LEVEL),
    Distribution("half skewed", 6, skewed, LEVEL, {"borda": SKEW, "pairwise": SKEW}),
    Distribution("task scales", 6, scaled, LEVEL),
    Distribution("right or wrong", 6, binary, LEVEL, has_ties=True),
    Distribution("unequal weights", 6, normal, LEVEL, is_weighted=True),
    Distribution("30 % missing", 6, gaps, LEVEL, is_complete=False),
    Distribution("four metrics", 6, metrics, LEVEL, per_unit=4, unit="instance"),
    Distribution("tasks of five", 6, within_tasks, LEVEL, per_unit=5, unit="task"),
)
