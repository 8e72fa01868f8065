"""Bounds and proofs of the exact engine on hard inputs: python -m tests.benchmarks.engine [NAMES]

One thread; run it before and after a change. A first table has for each family of rows the share of
the gap that it closes, between the bound of 3-cycles and the best value that is known: that of the
literature, or of the run itself. A second has value, bound, cases, linear programs and CPU seconds
of a solve, whose certificate is verified twice, as `lolib` does.

Names are files of LOLIB in the optional data (see `kemeny_table`), and draws: "u10 3" is ten
uniform orders of 100 items with seed 3, "m 0" ten Mallows orders of 200 items (phi = .98), "pl 0"
25 orders of 200 items whose worths are standard normal (Plackett-Luce).
"""

from __future__ import annotations

import os

# Before numpy is imported, which reads it once.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import csv
import json
from collections.abc import Callable
from time import process_time
from unittest.mock import patch

import click
import numpy as np

import rankagg as ra
from rankagg import check_certificate
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.kemeny.parts import majority_components
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.proof_nodes import Derived
from rankagg.aggregation.kemeny.pulp_programs import relaxation_of
from rankagg.aggregation.kemeny.relaxation import HighsRelaxation, Relaxation
from rankagg.aggregation.kemeny.separation import (
    violated_cycles,
    violated_fences,
    violated_ladders,
    violated_walks,
)
from rankagg.exceptions import OutOfTimeError
from rankagg.io.json_files import votes_to_dict
from tests.benchmarks.kemeny_table import DATA, mallows_orders, uniform_orders

FILES = ("N-p40-04", "N-p40-20", "N-p50-15", "N-EX2", "N-EX5", "N-pal43")
DRAWS = (*(f"u10 {seed}" for seed in range(8)), "u51 0", "u51 1", "u51 2", "m 0", "m 1", "m 2")
NAMES = (*FILES, *DRAWS, "pl 0")
ROWS, SOLVES_BETWEEN_DROPS = 400, 5

Family = Callable[[np.ndarray, int, Deadline], list[Derived]]
FAMILIES: dict[str, tuple[Family, ...]] = {
    "ladders": (violated_ladders,),
    "fences": (violated_fences,),
    "walks": (violated_walks,),
    "all": (violated_ladders, violated_walks, violated_fences),
}


def votes_of(name: str) -> ra.PairwiseMatrix:
    if " " not in name:
        return ra.read_matrix(DATA / "lolib" / name)
    kind, seed = name.split()
    if kind == "m":
        orders = mallows_orders(200, 10, 0.98, int(seed))
    elif kind == "pl":
        rng = np.random.default_rng(int(seed))
        worths = rng.normal(size=200)
        orders = [np.argsort(-(worths + rng.gumbel(size=200))).tolist() for _ in range(25)]
    else:
        orders = uniform_orders(100, int(kind[1:]), int(seed))
    return ra.Profile.from_orders(orders).pairwise("ignore")


def known_costs() -> dict[str, float]:
    path = DATA / "lolib" / "optima.csv"
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    names = [row for row in rows if (DATA / "lolib" / row["instance"]).exists()]
    return {row["instance"]: float(row["best_known"]) for row in names}


# -- the first relaxation ---------------------------------------------------------------------


def close_cycles(relaxation: Relaxation, margins: np.ndarray, deadline: Deadline) -> np.ndarray:
    """Add violated cycles until there are none, and return the point."""
    values = [-np.inf]
    while True:
        point = relaxation.solve(deadline)
        cycles = violated_cycles(point.before, margins, deadline)
        if not len(cycles):
            return point.before
        if point.value > values[-1] + 1e-6 and len(values) % SOLVES_BETWEEN_DROPS == 0:
            relaxation.drop_slack_rows()
        values.append(point.value)
        relaxation.add_cycles(cycles)


def root_bounds(problem: Problem, families: tuple[Family, ...], seconds: float) -> list[float]:
    """Return the bound of 3-cycles, and that with the families after so many CPU seconds."""
    relaxation, margins = relaxation_of(problem), problem.margins.astype(np.float64)
    before = close_cycles(relaxation, margins, Deadline())
    start, bounds = process_time(), []
    deadline = Deadline.after(60 * seconds)
    while True:
        bounds.append(float((margins * before)[np.triu_indices(problem.n, 1)].sum()))
        if process_time() - start > seconds:
            break
        rows = [row for family in families for row in family(before, ROWS, deadline)]
        if not rows:
            break
        relaxation.derive(rows)
        try:
            before = close_cycles(relaxation, margins, deadline)
        except OutOfTimeError:
            break
    constant = float(np.triu(problem.costs.T, 1).sum())
    return [(bound + constant) / problem.denominator for bound in (bounds[0], bounds[-1])]


def root(name: str, votes: ra.PairwiseMatrix, cost: float, seconds: float) -> None:
    """Print what the families close, of the largest part: where a cost is above its floor."""
    problem = Problem.from_pairwise(votes)
    part = problem.restrict(max(majority_components(problem), key=len))
    above = cost - problem.in_votes(problem.floor)
    cells = []
    for families in FAMILIES.values():
        first, last = root_bounds(part, families, seconds)
        gap = part.in_votes(part.floor) + above - first
        cells.append(f"{100 * (last - first) / gap:7.1f}" if gap > 1e-6 else "      -")
    click.echo(f"{name:<10}{part.n:>5}{first:>14.2f}{gap:>10.2f}  {'  '.join(cells)}")


# -- whole solves -----------------------------------------------------------------------------


def solve(name: str, votes: ra.PairwiseMatrix, limit: float) -> float:
    """Print a solve; return its cost."""
    n_solves = 0
    solve_once = HighsRelaxation.solve

    def counted(relaxation: HighsRelaxation, deadline: Deadline) -> object:
        nonlocal n_solves
        n_solves += 1
        return solve_once(relaxation, deadline)

    start = process_time()
    with patch.object(HighsRelaxation, "solve", counted):
        rule = ra.Kemeny(unranked="ignore", time_limit=limit)
        certificate = rule.aggregate(votes).certificate
    seconds = process_time() - start
    assert certificate is not None, "the rule is exact"
    assert certificate.verify(votes)
    text = json.dumps(certificate.to_dict())
    check_certificate.check(json.loads(text), votes_to_dict(votes), check_certificate.UNLIMITED)
    click.echo(
        f"{name:<10}{votes.n_items:>5}{certificate.lower_bound:>14.12g}{certificate.cost:>14.12g}"
        f"{100 * certificate.relative_gap:>9.4f}{certificate.n_cases:>7}{certificate.n_rows:>7}"
        f"{n_solves:>6}{seconds:>9.2f}  twice"
    )
    return float(certificate.cost)


@click.command(help="Print bounds and proofs of the exact engine on hard inputs.")
@click.argument("names", nargs=-1)
@click.option("--time-limit", type=float, default=60.0, show_default=True, help="Of a solve.")
@click.option("--seconds", type=float, default=7.0, show_default=True, help="CPU, of a family.")
@click.option("--root/--no-root", "with_root", default=True, help="Print the first table, too.")
def main(*, names: tuple[str, ...], time_limit: float, seconds: float, with_root: bool) -> None:
    best = known_costs()
    chosen = [name for name in names or NAMES if " " in name or name in best]
    votes = {name: votes_of(name) for name in chosen}
    click.echo("instance  items         bound          cost    gap %  cases   rows   LPs    CPU s")
    cost = {name: solve(name, votes[name], time_limit) for name in chosen}
    if not with_root:
        return
    families = "  ".join(f"{name:>7}" for name in FAMILIES)
    click.echo(f"\ninstance  items       3-cycles       gap  {families}  (per cent closed)")
    for name in chosen:
        known = votes[name].wins.sum() - best[name] if name in best else cost[name]
        root(name, votes[name], float(known), seconds)


if __name__ == "__main__":
    main()
