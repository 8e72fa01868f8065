"""Table 1: four rules on three systems and six tasks, where lower is better."""

from __future__ import annotations

import numpy as np

from rankagg._typing import Floats
from rankagg.aggregation.condorcet import PairwiseMajority
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.means import Mean
from rankagg.aggregation.positional import Borda
from rankagg.replication.experiment import Bench, Experiment, Found, Sheet
from rankagg.replication.leaderboards import load_table
from rankagg.replication.reading import as_order, scores_of
from rankagg.replication.verdicts import Value

__all__ = ["EXPERIMENTS"]

TABLE, PAIRED = "Table 1", "Section 2"
#: Figures without a quantity.
SHOWN = ("Figure 1", "Figure 2")
PAIRS = (("B", "A"), ("C", "B"), ("A", "C"))


def run(bench: Bench) -> Found:
    """Rank the bundled table by the mean, majorities, Borda and the exact Kemeny rule."""
    toy = load_table("toy_tasks")
    n_tasks, n_systems = toy.n_tasks, toy.n_systems
    mean, borda, kemeny = (rule.aggregate(toy) for rule in (Mean(), Borda(), Kemeny()))
    votes = toy.rankings().pairwise()
    values: dict[tuple[str, str], Value] = {}
    # Where lower is better, means are negated; Borda points count the systems that are worse, the
    # paper's ranks from 1.
    sums_of_scores = -n_tasks * scores_of(mean)
    sums_of_ranks = n_tasks * n_systems - scores_of(borda)
    for at, system in enumerate(toy.systems):
        values[TABLE, f"sum of scores, {system}"] = float(sums_of_scores[at])
        values[TABLE, f"sum of ranks, {system}"] = float(sums_of_ranks[at])
    for better, worse in PAIRS:
        pair = toy.systems.index(better), toy.systems.index(worse)
        values[TABLE, f"tasks with {better} before {worse}"] = float(votes.wins[pair])
    values |= {
        (TABLE, "order by the mean"): as_order(mean.ranking),
        (TABLE, "order by majorities"): as_order(PairwiseMajority().aggregate(toy).ranking),
        (TABLE, "order by Borda"): as_order(borda.ranking),
        (TABLE, "order by Kemeny"): as_order(kemeny.ranking),
        (TABLE, "Kemeny cost"): float(kemeny.cost),
    }
    scores = dict(zip(toy.systems, toy.values, strict=True))
    for first, second in PAIRS:
        one, other = _lambda(scores[first], scores[second])
        said = first if one > other else second if other > one else "neither"
        values[PAIRED, f"better of {first} and {second} by lambda, as its formula has it"] = said
    for name, number in zip("AB", _lambda(np.ones(n_tasks), np.ones(n_tasks)), strict=True):
        values[PAIRED, f"lambda of {name}, two systems with equal scores on six tasks"] = number
    frame = toy.to_frame().rename_axis("system").reset_index()
    return Found(values, sheets=(Sheet("p1-table-1", "Scores; lower is better.", frame),))


def _lambda(one: Floats, other: Floats) -> tuple[float, float]:
    """Return both lambdas of section 2: a score that is as high counts for the first system."""
    first = float((one >= other).sum())
    return first, len(one) - first


EXPERIMENTS = (
    Experiment(
        "p1-table-1", "where pairwise rankings are paradoxical", (*SHOWN, PAIRED, TABLE), run
    ),
)
