"""Table 1: four rules on three systems and six tasks, where lower is better."""

from __future__ import annotations

from rankagg.aggregation.condorcet import PairwiseMajority
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.means import Mean
from rankagg.aggregation.positional import Borda
from rankagg.replication.experiment import Bench, Experiment, Found, Sheet
from rankagg.replication.leaderboards import load_table
from rankagg.replication.reading import as_order, scores_of
from rankagg.replication.verdicts import Value

__all__ = ["EXPERIMENTS"]

TABLE = "Table 1"
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
    frame = toy.to_frame().rename_axis("system").reset_index()
    return Found(values, sheets=(Sheet("p1-table-1", "Scores; lower is better.", frame),))


EXPERIMENTS = (Experiment("p1-table-1", "where pairwise rankings are paradoxical", (TABLE,), run),)
