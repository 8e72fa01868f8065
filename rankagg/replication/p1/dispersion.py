"""Appendix C and section 3.2: Table 7, the spread of the tasks, its bounds, and its sampling."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pandas as pd

from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.means import Mean
from rankagg.aggregation.positional import Borda
from rankagg.core.items import ItemSet
from rankagg.core.rankings.partial import PartialRanking, Permutation
from rankagg.core.scores.table import ScoreTable
from rankagg.distances.kendall import kendall_distance
from rankagg.inference.dispersion.measures import dispersion, spread
from rankagg.inference.dispersion.report import DispersionReport, dispersion_report
from rankagg.inference.dispersion.sampling import EmpiricalBernsteinStopping, HoeffdingEstimator
from rankagg.inference.dispersion.u_statistics import mean_distance
from rankagg.replication.experiment import Bench, Experiment, Found, Sheet
from rankagg.replication.p1.boards import as_read, as_read_and_filed, in_file_order
from rankagg.replication.reading import number_at
from rankagg.replication.verdicts import Value

__all__ = ["EXPERIMENTS"]

RULES = (Borda(), Mean(), Kemeny())
#: The paper's claim about Borda, as a factor.
FACTOR = 5
#: The precision and the error probability of the estimates.
EPSILON, ALPHA = 0.05, 0.05


def _all_tied(items: ItemSet) -> PartialRanking:
    """Return a ranking that costs what a random one costs on average."""
    return PartialRanking(np.zeros(len(items), dtype=np.int64), items)


def table_7(bench: Bench) -> Found:
    """Measure how far Borda, the mean, a random ranking and the exact optimum are from tasks."""
    values: dict[tuple[str, str], Value] = {}
    frames = []
    for name, table in as_read_and_filed(bench).items():
        report = dispersion_report(table, RULES)
        rows = report.to_frame().set_index("method")
        random = _all_tied(table.systems)
        strict = Permutation(np.arange(table.n_systems), table.systems)
        found: dict[str, Value] = {
            "random ranking": kendall_distance(random, strict, p=0.5),
            "random ranking, ties of tasks cost nothing": dispersion(table, random, average=True),
            "least total of all rankings": number_at(rows, "Kemeny", "total"),
            "least of all rankings, a task": number_at(rows, "Kemeny", "average"),
            "the least total is proved": _yes(report.exact is not None and report.exact.is_proved),
        }
        for rule, said in (("Borda", "Borda"), ("Mean", "mean")):
            found[said] = number_at(rows, rule, "discordant")
            found[f"{said}, cost"] = number_at(rows, rule, "average")
        if name == "GLUE":
            parted = in_file_order(Mean().aggregate(table).ranking)
            found["mean, its tie in the order of the file"] = dispersion(
                table, parted, average=True, discordant=True
            )
        values |= {("Table 7", f"{what}, {name}"): value for what, value in found.items()}
        frames.append(report.to_frame().assign(leaderboard=name).set_index("leaderboard"))
    if not frames:
        return Found(values)
    caption = (
        "Distances to the tasks, each pair of systems once: total and average cost (half for a "
        "pair that the consensus ties), its share of all judgments, strictly discordant pairs on "
        "average, and the ratio to the least total. XTREME: the columns as the authors read them."
    )
    return Found(values, sheets=(Sheet("p1-table-7", caption, pd.concat(frames).reset_index()),))


def _yes(fact: bool | None) -> str:
    return "yes" if fact else "no"


def approximation(bench: Bench) -> Found:
    """Divide the cost of Borda by the least cost."""
    values: dict[tuple[str, str], Value] = {}
    for name, table in as_read_and_filed(bench).items():
        rows = dispersion_report(table, RULES).to_frame().set_index("method")
        ratio = number_at(rows, "Borda", "ratio")
        within = _yes(ratio <= FACTOR)
        values["Section 3.2", f"Borda costs at most 5 times the least, {name}"] = within
        values["Section 3.2", f"cost of Borda over the least, {name}"] = ratio
    return Found(values)


def spread_of_tasks(bench: Bench) -> Found:
    """Sum the distances of all pairs of tasks, and hold the optimum against their mean."""
    values: dict[tuple[str, str], Value] = {}
    sentences = []
    for name, table in as_read(bench).items():
        report = dispersion_report(table, RULES)
        values |= {
            ("Equation (3)", f"sum over ordered pairs of tasks, {name}"): spread(table),
            ("Equation (3)", f"the same pair by pair, {name}"): _double_sum(table),
            ("Equation (3)", f"mean distance of two tasks, {name}"): report.average_spread,
            ("Remark 2", f"least mean distance over that of two tasks, {name}"): _share(report),
            ("Remark 2", f"it is from 1/2 to 1, {name}"): _yes(0.5 <= _share(report) <= 1),
            ("Remark 2", f"the least total is at least, {name}"): report.spread_bounds[0],
        }
    if "SuperGLUE" in bench.leaderboards:
        found = _sampled(bench.leaderboards["SuperGLUE"])
        values |= {("Equation (3)", quantity): value for quantity, value in found.items()}
        sentences.append(
            "The spread follows from one pass over the tasks. Sampling looks at more pairs of "
            "tasks than there are; it is for functions of rankings that have no such sum."
        )
    return Found(values, sentences=tuple(sentences))


def _share(report: DispersionReport) -> float:
    assert report.exact is not None
    return report.exact.cost / report.total_weight / report.average_spread


def _double_sum(table: ScoreTable) -> float:
    return float(sum(kendall_distance(*pair) for pair in permutations(table.rankings(), 2)))


def _sampled(table: ScoreTable) -> dict[str, Value]:
    """Return two estimates of the mean distance, and how many pairs they look at."""
    profile = table.rankings()
    exact = spread(profile, average=True)
    fixed = HoeffdingEstimator(epsilon=EPSILON * exact, alpha=ALPHA)
    stopping = EmpiricalBernsteinStopping(epsilon=EPSILON, alpha=ALPHA)
    stopped = stopping.estimate(profile, rng=0)
    return {
        "mean distance by Hoeffding's bound within 5 %, SuperGLUE": fixed.estimate(
            profile, rng=0
        ).value,
        "pairs that Hoeffding's bound takes, SuperGLUE": float(
            fixed.n_samples(mean_distance(profile.n_items))
        ),
        "mean distance by Bernstein stopping within 5 %, SuperGLUE": stopped.value,
        "pairs that Bernstein stopping takes, SuperGLUE": float(stopped.n_samples),
        "pairs of tasks that there are, SuperGLUE": profile.n_rankings
        * (profile.n_rankings - 1)
        / 2,
    }


EXPERIMENTS = (
    Experiment("p1-section-3.2", "Borda as an approximation", ("Section 3.2",), approximation),
    Experiment("p1-table-7", "dispersion of the consensuses", ("Table 7",), table_7),
    Experiment(
        "p1-equation-3", "spread of the tasks, its bounds and its sampling",
        ("Equation (3)", "Remark 2"), spread_of_tasks,
    ),
)  # fmt: skip
