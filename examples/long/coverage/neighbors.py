"""How often ranks by means are wrong where nobody declared which tasks depend on each other.

All five systems are equal by mean scores, so every decision is wrong. Prints what neighbors.txt
holds.

    python examples/long/coverage/neighbors.py > examples/long/coverage/neighbors.txt
"""

from __future__ import annotations

import argparse

import numpy as np
from cells import ALPHA, RESAMPLES, seed

import rankagg as ra

SYSTEMS, TASKS = 5, (8, 12, 25)


def independent(rng: np.random.Generator, tasks: int) -> np.ndarray:
    """Draw normal scores."""
    return rng.normal(size=(SYSTEMS, tasks))


def neighbors(rng: np.random.Generator, tasks: int) -> np.ndarray:
    """Let the scores of each system correlate by .6 with those in the task before."""
    scores = rng.normal(size=(SYSTEMS, tasks))
    for task in range(1, tasks):
        scores[:, task] = 0.6 * scores[:, task - 1] + 0.8 * scores[:, task]
    return scores


def blocks(rng: np.random.Generator, tasks: int) -> np.ndarray:
    """Give four tasks in a row the same strengths of the systems, and noise as large."""
    strengths = rng.normal(size=(SYSTEMS, tasks))[:, np.arange(tasks) // 4]
    return strengths + rng.normal(size=(SYSTEMS, tasks))


def accuracies(rng: np.random.Generator, tasks: int) -> np.ndarray:
    """Give all a mean accuracy of .9; the first two reach it by rare failures."""
    scores = rng.beta(90.0, 10.0, size=(SYSTEMS, tasks))
    scores[:2] = rng.beta(1.8, 0.2, size=(2, tasks))
    return scores


DRAWS = {
    "independent": independent,
    "neighbors correlate by .6": neighbors,
    "blocks of four": blocks,
    "skewed accuracies": accuracies,
}


def cell(name: str, tasks: int, repetitions: int) -> str:
    """Return per cent of tables wrong, and with a note on neighbors or on asymmetry."""
    rng = seed(name, tasks)
    found = []
    for _ in range(repetitions):
        table = ra.ScoreTable(DRAWS[name](rng, tasks), higher_is_better=True)
        ranks = ra.rank_intervals(table, of="mean", alpha=ALPHA, n_resamples=RESAMPLES, rng=rng)
        noted = [any(word in note for note in ranks.notes) for word in ("neighboring", "symmetric")]
        found.append([bool(ranks.decisions.pairs), *noted])
    return "{:.1f}, {:.1f}, {:.1f}".format(*100 * np.mean(found, axis=0))


def main(repetitions: int) -> None:
    """Print the table."""
    print(f"nominal 5 % wrong; {SYSTEMS} systems of equal means; {repetitions} tables a cell")
    print("% of the tables wrong, with a note on neighbors, with one on asymmetry")
    print()
    print(f"{'tasks':<30}" + "".join(f"{tasks:>20}" for tasks in TASKS))
    for name in DRAWS:
        print(f"{name:<30}" + "".join(f"{cell(name, t, repetitions):>20}" for t in TASKS))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=400, help="tables of a cell")
    main(parser.parse_args().repetitions)
