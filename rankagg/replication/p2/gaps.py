"""Table 5, appendix C.1, and the two examples of the authors' program: tables with gaps."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from rankagg._typing import Floats
from rankagg.aggregation.means import Mean
from rankagg.aggregation.positional import Borda
from rankagg.aggregation.two_level import TwoLevel
from rankagg.core.scores import ScoreTable
from rankagg.distances import kendall_tau
from rankagg.replication.experiment import Bench, Experiment, Found, Sheet
from rankagg.replication.leaderboards import load_table
from rankagg.replication.p2.as_run import by_counts, counted_profile
from rankagg.replication.reading import as_order, scores_of
from rankagg.replication.verdicts import Value

__all__ = ["EXPERIMENTS"]

TABLE, APPENDIX = "Table 5", "Appendix C.1"
TASKS, INSTANCES = "Example: xtreme_missing", "Example: DIALOGUE_pc_missing"
Values = dict[tuple[str, str], Value]


def run(bench: Bench) -> Found:
    """Rank tables with gaps by sums of proportions, by sums of counts and by means."""
    gaps = load_table("xtreme_gaps")
    values = _of_table_5(gaps)
    for table in bench.tables("XTREME with gaps").values():
        values |= _of_xtreme(table)
    for table in bench.tables("dialogue with gaps").values():
        values |= _of_dialogue(table)
    frame = gaps.to_frame().rename_axis("system").reset_index()
    caption = "XTREME with 10 systems, 18 of 40 scores missing; higher is better."
    return Found(values, sheets=(Sheet("p2-table-5", caption, frame),))


def _of_table_5(table: ScoreTable) -> Values:
    rankings = table.rankings()
    mean = Mean().aggregate(table).ranking
    return {
        (TABLE, "systems"): float(table.n_systems),
        (TABLE, "missing scores"): float(table.n_missing),
        (TABLE, "proportion of missing scores"): table.n_missing / table.values.size,
        (APPENDIX, "order by one level"): as_order(Borda().aggregate(table).ranking),
        (APPENDIX, "order by the mean"): as_order(mean),
        (APPENDIX, "systems without a mean"): ", ".join(map(str, mean.unranked)),
        (APPENDIX, "order by sums of counts"): as_order(by_counts(rankings)),
        **_numbered(APPENDIX, "sum of ranks", table.systems, _sums(table)),
    }


def _of_xtreme(table: ScoreTable) -> Values:
    rankings = table.rankings()
    counted = counted_profile(rankings)
    total = counted.n_rankings * (table.n_systems - 1)
    by_count = Borda().aggregate(counted)
    without = table.drop(tasks=["Score"])
    rows = [f"row {row}" for row in range(table.n_systems)]
    return {
        **_numbered(TASKS, "sum of ranks", rows, _sums(table)),
        **_numbered(TASKS, "sum of ranks without Score", rows, _sums(without)),
        **_numbered(TASKS, "mean", rows, scores_of(Mean().aggregate(table))),
        **_numbered(TASKS, "sum of ranks by counts", rows, total - scores_of(by_count)),
        (TASKS, "tau of sums by counts and by proportions"): kendall_tau(
            by_count.ranking, Borda().aggregate(table).ranking
        ),
    }


def _of_dialogue(table: ScoreTable) -> Values:
    two = {
        absent: table.n_tasks * (table.n_systems - 1)
        - scores_of(TwoLevel(Borda(), Borda(), absent=absent).aggregate(table))
        for absent in ("ranked", "unranked")
    }
    ties = sum(not ranking.is_strict for ranking in table.rankings())
    return {
        (INSTANCES, "rankings"): float(table.n_units),
        (INSTANCES, "rankings with ties"): float(ties),
        **_numbered(INSTANCES, "sum of ranks, one level", table.systems, _sums(table)),
        **_numbered(INSTANCES, "sum of ranks, two levels", table.systems, two["ranked"]),
        **_numbered(
            INSTANCES, "sum of ranks, two levels, absent systems unranked", table.systems,
            two["unranked"],
        ),
    }  # fmt: skip


def _sums(table: ScoreTable) -> Floats:
    """Sum expected ranks from 0, as the columns of M do."""
    sums: Floats = table.n_units * (table.n_systems - 1) - scores_of(Borda().aggregate(table))
    return sums


def _numbered(item: str, what: str, names: Iterable[object], numbers: Floats) -> Values:
    pairs = zip(names, np.asarray(numbers).tolist(), strict=True)
    return {(item, f"{what}, {name}"): number for name, number in pairs}


EXPERIMENTS = (
    Experiment("p2-table-5", "tables with gaps", (TABLE, APPENDIX, TASKS, INSTANCES), run),
)
