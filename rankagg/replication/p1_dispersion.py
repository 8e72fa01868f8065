"""Appendix C and section 3.2: distances to tasks, their spread, and the exact consensus."""

from __future__ import annotations

from functools import partial
from itertools import permutations

import numpy as np
import pandas as pd

from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.kemeny.optima import Optima
from rankagg.aggregation.means import Mean
from rankagg.aggregation.positional import Borda
from rankagg.core.items import ItemSet, counted
from rankagg.core.rankings.partial import PartialRanking, Permutation
from rankagg.core.scores import ScoreTable
from rankagg.distances.kendall import kendall_distance
from rankagg.inference.dispersion import DispersionReport, dispersion, dispersion_report, spread
from rankagg.inference.ranks.rank_intervals import rank_intervals
from rankagg.inference.ranks.rank_results import RankIntervals
from rankagg.inference.sampling import EmpiricalBernsteinStopping, HoeffdingEstimator, mean_distance
from rankagg.replication.experiment import (
    Bench,
    Experiment,
    Found,
    Picture,
    Sheet,
    Values,
    number_at,
)
from rankagg.replication.p1_as_run import as_read, distances
from rankagg.replication.p1_boards import BOARDS, in_file_order
from rankagg.replication.published import Value

RULES = (Borda(), Mean(), Kemeny())
#: The paper's claim about Borda, as a factor.
FACTOR = 5
#: The precision and the error probability of the estimates.
EPSILON, ALPHA = 0.05, 0.05
BEYOND = "Beyond: exact consensus"
#: Seconds for counting optima.
PATIENCE = 30.0
#: Of so many systems at most the optima are counted.
FEW = 30


def _all_tied(items: ItemSet) -> PartialRanking:
    """Return a ranking that costs what a random one costs on average."""
    return PartialRanking(np.zeros(len(items), dtype=np.int64), items)


def table_7(bench: Bench) -> Found:
    """Measure how far Borda, the mean, a random ranking and the exact optimum are from tasks."""
    values: Values = {}
    frames = []
    for name, table in bench.tables(*BOARDS).items():
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
        "average, and the ratio to the least total."
    )
    as_run: Values = {
        ("Table 7", f"{rule}, {board}"): distance
        for board, (_, read) in as_read(bench).items()
        for rule, distance in distances(read).items()
    }
    return Found(values, as_run, (Sheet("p1-table-7", caption, pd.concat(frames).reset_index()),))


def _yes(fact: bool | None) -> str:
    return "yes" if fact else "no"


def approximation(bench: Bench) -> Found:
    """Divide the cost of Borda by the least cost."""
    values: Values = {}
    for name, table in bench.tables(*BOARDS).items():
        rows = dispersion_report(table, RULES).to_frame().set_index("method")
        ratio = number_at(rows, "Borda", "ratio")
        within = _yes(ratio <= FACTOR)
        values["Section 3.2", f"Borda costs at most 5 times the least, {name}"] = within
        values["Section 3.2", f"cost of Borda over the least, {name}"] = ratio
    return Found(values)


def spread_of_tasks(bench: Bench) -> Found:
    """Sum the distances of all pairs of tasks, and hold the optimum against their mean."""
    values: Values = {}
    sentences = []
    for name, table in bench.tables(*BOARDS).items():
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
        "pairs of tasks that there are, SuperGLUE": profile.n_rankings
        * (profile.n_rankings - 1)
        / 2,
    }


def optima_and_ranks(bench: Bench) -> Found:
    """Solve each leaderboard, count its optima, and bound the ranks of its systems."""
    values: Values = {}
    sheets, sentences, intervals = [], [], {}
    for board, table in bench.tables(*BOARDS).items():
        intervals[board] = rank_intervals(table, alpha=ALPHA)
        found, frame = _solved(table, intervals[board])
        values |= {(BEYOND, f"{quantity}, {board}"): value for quantity, value in found.items()}
        caption = (
            f"{board}: the ranks of every system by Borda, in the exact optima, and the bounds of "
            "its rank that hold for all systems at once with probability 95 %, if the tasks are "
            "independent."
        )
        sentences.append(_sentence(board, found, intervals[board]))
        sheets.append(Sheet(f"p1-exact-{board.lower()}", caption, frame))
    return Found(values, {}, tuple(sheets), _pictures(intervals), tuple(sentences))


def _solved(table: ScoreTable, ranks: RankIntervals) -> tuple[dict[str, Value], pd.DataFrame]:
    exact, borda = Kemeny().aggregate(table), Borda().aggregate(table)
    assert isinstance(exact.optima, Optima), "it is strict, and no time limit was given"
    optima = exact.optima.within(PATIENCE)
    best, worst = optima.rank_ranges()
    found: dict[str, Value] = {
        "least cost": float(exact.cost),
        "it is proved": _yes(exact.is_proved),
        "cost of Borda over the least": borda.cost / exact.cost,
        "pairs of systems": float(table.n_systems * (table.n_systems - 1) / 2),
    }
    if table.n_systems <= FEW:
        found |= {
            "it is the only optimum": _yes(optima.is_unique),
            "optima": float(optima.count()),
            "pairs on which optima differ": float(optima.n_undecided_pairs),
            "systems first in an optimum": float((best == 1).sum()),
        }
    bounds = ranks.to_frame().loc[list(table.systems)]
    frame = pd.DataFrame({
        "system": [str(system) for system in table.systems],
        "rank by Borda": bounds["rank"].to_numpy(),
        "best rank in an optimum": best, "worst rank in an optimum": worst,
        "lower bound": bounds["best"].to_numpy(), "upper bound": bounds["worst"].to_numpy(),
    })  # fmt: skip
    return found, frame.sort_values("rank by Borda", kind="stable")


def _sentence(board: str, found: dict[str, Value], ranks: RankIntervals) -> str:
    optima = found.get("optima")
    decided, n_pairs = len(ranks.decisions.pairs), int(float(found["pairs of systems"]))
    number = "" if optima is None else f" by {counted(int(float(optima)), 'ranking', ',')}"
    return (
        f"{board}: the least cost is {found['least cost']:g}{number}; that of Borda "
        f"is greater by the factor {found['cost of Borda over the least']:.3f}. Of "
        f"{counted(n_pairs, 'pair')} of systems {decided} are decided at 5 %."
    )


def _pictures(intervals: dict[str, RankIntervals]) -> tuple[Picture, ...]:
    if "SuperGLUE" not in intervals:
        return ()
    caption = "SuperGLUE: bounds of all ranks by Borda points, at once, at 5 %; beyond the paper."
    return (Picture("p1-exact-superglue", caption, partial(intervals["SuperGLUE"].plot)),)


EXPERIMENTS = (
    Experiment("p1-section-3.2", "Borda as an approximation", ("Section 3.2",), approximation),
    Experiment("p1-table-7", "dispersion of the consensuses", ("Table 7",), table_7),
    Experiment(
        "p1-equation-3", "spread of the tasks, its bounds and its sampling",
        ("Equation (3)", "Remark 2"), spread_of_tasks,
    ),
    Experiment("p1-exact", "optima, and ranks that are decided", (BEYOND,), optima_and_ranks),
)  # fmt: skip
