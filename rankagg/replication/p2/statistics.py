"""Figures 1, 7, 8 and 9, section 4.1 and appendix B: how large the data are."""

from __future__ import annotations

import pandas as pd

from rankagg.core.scores import ScoreTable
from rankagg.replication.experiment import Bench, Experiment, Found, Sheet
from rankagg.replication.p2.instance_level import DATA_SETS, metrics_of
from rankagg.replication.verdicts import Value

__all__ = ["EXPERIMENTS"]

SYSTEMS, SENTENCES, PER_SYSTEM, SIZE = "Figure 7", "Figure 8", "Figure 9", "Section 4.1"
LEADERBOARDS, EFFORT = "Appendix B.1", "Computing time"
ITEMS = ("Figure 1", SIZE, LEADERBOARDS, SYSTEMS, SENTENCES, PER_SYSTEM, EFFORT)


def run(bench: Bench) -> Found:
    """Count systems, sentences and scores of what is here."""
    values: dict[tuple[str, str], Value] = {}
    for name, table in bench.tables("GLUE", "SuperGLUE", "XTREME", "GEM of 22").items():
        values[LEADERBOARDS, f"systems, {name.split()[0]}"] = float(table.n_systems)
    for table in bench.tables("dialogue with gaps").values():
        # Variants of a metric have its name and one of their own.
        kinds = {str(task).lower().split("_")[0] for task in table.tasks}
        values[SIZE, "kinds of metrics, dialogue"] = float(len(kinds))
        values[SIZE, "metrics with their variants, dialogue"] = float(table.n_tasks)
    sizes = {name: _size(table) for name, table in bench.tables(*DATA_SETS).items()}
    for name, size in sizes.items():
        values |= {
            (SYSTEMS, f"systems, {name}"): size["systems"],
            (SENTENCES, f"sentences, {name}"): size["sentences"],
            (PER_SYSTEM, f"sentences per system, {name}"): size["sentences per system"],
        }
    if len(sizes) < len(DATA_SETS):
        return Found(values)
    systems = [size["systems"] for size in sizes.values()]
    values |= {
        (SYSTEMS, "fewest systems of a data set"): min(systems),
        (SYSTEMS, "most systems of a data set"): max(systems),
        (SIZE, "scores of instances that are here"): sum(size["scores"] for size in sizes.values()),
    }
    frame = pd.DataFrame(sizes).T.rename_axis("data set").reset_index()
    caption = "Sizes of the data sets that are here; scores of automatic metrics."
    return Found(values, sheets=(Sheet("p2-sizes", caption, frame),))


def _size(table: ScoreTable) -> dict[str, float]:
    metrics = metrics_of(table)
    instances = metrics.n_units // metrics.n_tasks
    return {
        "systems": float(metrics.n_systems),
        "sentences": float(metrics.n_systems * instances),
        "sentences per system": float(instances),
        "metrics": float(metrics.n_tasks),
        "scores": float(metrics.values.size - metrics.n_missing),
    }


EXPERIMENTS = (Experiment("p2-figure-7", "how large the data are", ITEMS, run),)
