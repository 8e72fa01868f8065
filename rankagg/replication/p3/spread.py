"""Table 5: sums, variances and standard deviations of three systems on SuperGLUE."""

from __future__ import annotations

from rankagg.core.rankings.partial import PartialRanking
from rankagg.replication.experiment import Bench, Experiment, Found, Sheet
from rankagg.replication.leaderboards import load_table
from rankagg.replication.p3.benchmarks import means
from rankagg.replication.reading import as_order, scores_of
from rankagg.replication.verdicts import Value

__all__ = ["EXPERIMENTS"]

TABLE = "Table 5"
SHOWN = ("Human", "DeBERTa", "T5 + Meena")
STATISTICS = {"sum": "sum", "variance": "variance", "standard deviation": "std"}


def run(bench: Bench) -> Found:
    """Describe the scores of the first three systems on ten columns."""
    table = load_table("superglue_human")
    table = table.drop(systems=[system for system in table.systems if system not in SHOWN])
    described = table.describe(by="system")
    frame = described[list(STATISTICS.values())].set_axis(list(STATISTICS), axis=1)
    for name, consensus in means(table).items():
        frame.insert(0, f"{name} mean", scores_of(consensus))
    values: dict[tuple[str, str], Value] = {
        (TABLE, f"{quantity}, {system}"): float(number)
        for quantity, column in frame.to_dict().items()
        for system, number in column.items()
    }
    for quantity in STATISTICS:
        ranking = PartialRanking.from_scores(
            frame[quantity].to_numpy(), higher_is_better=True, items=table.systems
        )
        values[TABLE, f"order by {quantity}, largest first"] = as_order(ranking)
    shown = frame.rename_axis("system").reset_index()
    sheet = Sheet("p3-table-5", "Statistics of ten columns.", shown)
    sentence = (
        "The sum of ten columns puts humans first, and so must their arithmetic mean. That it does "
        "not in print is because the print's is over eight."
    )
    return Found(values, sheets=(sheet,), sentences=(sentence,))


EXPERIMENTS = (Experiment("p3-table-5", "statistics of three systems on SuperGLUE", (TABLE,), run),)
