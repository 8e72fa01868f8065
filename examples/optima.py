"""Proved optima of PrefLib files, and how close five heuristics come to them.

    python examples/optima.py FOLDER [-o optima.csv] [--seconds 60]

reads every .soc, .soi, .toc and .toi file of a folder and writes one row for each of them.
"""

import argparse
import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import ClassVar

import numpy as np
import pandas as pd
from scipy.optimize import minimize
from scipy.special import expit

import rankagg as ra
from rankagg.aggregation import Aggregator, Needs, Outcome
from rankagg.exceptions import OutOfTimeError, TooLargeError

KINDS = ("*.soc", "*.soi", "*.toc", "*.toi")


@dataclass(frozen=True, kw_only=True)
class SoftCondorcet(Aggregator):
    """Ratings that lose the fewest votes softly: Soft Condorcet Optimization.

    Each vote for i over j costs the logistic function of (r_j - r_i) / temperature, so that large
    differences cost as Kendall's distance does; the least sum is found by L-BFGS from Borda points.

    References
    ----------
    Lanctot et al. (2025), https://arxiv.org/abs/2411.00119.
    """

    needs: ClassVar[Needs] = "votes"
    temperature: float = 1.0

    def _aggregate(self, evidence, rng):
        votes = evidence.votes.wins / evidence.votes.wins.max()

        def loss(ratings):
            lost = expit((ratings[None, :] - ratings[:, None]) / self.temperature)
            slope = votes * lost * (1 - lost) / self.temperature
            return (votes * lost).sum(), slope.sum(axis=0) - slope.sum(axis=1)

        points = votes.sum(axis=1) - votes.sum(axis=0)
        start = 2 * points / np.abs(points).max(initial=1e-9)
        return Outcome(scores=minimize(loss, start, jac=True, method="L-BFGS-B").x)


HEURISTICS = {
    "Borda": ra.Borda(),
    "Copeland": ra.Copeland(),
    "KwikSort": ra.KwikSort(),
    "InsertionSearch": ra.InsertionSearch(),
    "SoftCondorcet": SoftCondorcet(),
}


def optima_of(exact, seconds):
    """Return how many optima there are, and pairs that they order differently; None if unknown."""
    found = {"optima": None, "undecided pairs": None}
    if exact.is_proved:
        optima = exact.optima.within(seconds)
        with suppress(OutOfTimeError):
            found["undecided pairs"] = optima.n_undecided_pairs
            with suppress(TooLargeError):
                found["optima"] = optima.count()
    return found


def row_of(path, seconds):
    """Return what one file gives: its optimum with the proof, and the excess of heuristics."""
    profile = ra.read_preflib(path)
    evidence = profile.pairwise()
    start = process_time()
    exact = ra.Kemeny(time_limit=seconds).aggregate(evidence)
    spent = process_time() - start
    certificate = exact.certificate
    row = {
        "file": path.name,
        "items": profile.n_items,
        "voters": profile.n_rankings,
        "policy": profile.unranked,
        "cost": exact.cost,
        "bound": certificate.lower_bound,
        **optima_of(exact, seconds),
        "seconds": round(spent, 2),
        "certificate bytes": len(json.dumps(certificate.to_dict())),
    }
    for name, rule in HEURISTICS.items():
        ranking = rule.aggregate(evidence, rng=0).ranking
        # Ties are broken by the order of the items, so that all are strict.
        strict = ra.Permutation.from_order(label for bucket in ranking.buckets for label in bucket)
        excess = evidence.cost(strict.reindex(profile.items)) - exact.cost
        row[f"{name} %"] = round(100 * excess / exact.cost, 3) if exact.cost else 0.0
    return row


def main():
    """Write the table of a folder, and print the mean excess of each heuristic."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("-o", "--output", type=Path, help="a CSV file; by default it is printed")
    parser.add_argument("--seconds", type=float, default=60.0, help="the limit for one file")
    options = parser.parse_args()
    files = sorted(path for kind in KINDS for path in options.folder.glob(kind))
    if not files:
        parser.error(f"no {', '.join(KINDS)} in {options.folder}")
    rows = [row_of(path, options.seconds) for path in files]
    table = pd.DataFrame(rows).convert_dtypes()  # whole numbers without a point
    if options.output:
        table.to_csv(options.output, index=False)
    else:
        print(table.to_string(index=False))
    means = table[[f"{name} %" for name in HEURISTICS]].mean()
    print("mean excess over the optimum, %:", means.round(3).to_dict())


if __name__ == "__main__":
    main()
