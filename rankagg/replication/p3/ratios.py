"""Table 6: scores as multiples of the humans', and the three means of these."""

from __future__ import annotations

import pandas as pd

from rankagg.core.scores.table import ScoreTable
from rankagg.replication.experiment import Bench, Experiment, Found, Sheet
from rankagg.replication.p3.benchmarks import HUMAN, benchmarks, borrowed, means
from rankagg.replication.reading import scores_of
from rankagg.replication.verdicts import Value

__all__ = ["EXPERIMENTS"]

TABLE = "Table 6"
SHOWN = {
    "SuperGLUE": ("DeBERTa", "T5 + Meena", "T5"),
    "GLUE": ("DeBERTa", "MacAlbert + DKM", "T5"),
}
SENTENCES = (
    "The means of GLUE's ratios are of eleven: the humans' score on AX is that on SuperGLUE's "
    "AX-b, which the table does not say.",
    "Humans are 1 by each mean. With the borrowed score the harmonic mean puts them before all "
    "models of GLUE, and the arithmetic mean behind them.",
)


def run(bench: Bench) -> Found:
    """Divide by the humans' scores, then average."""
    tables = {one.name: one.means_of for one in benchmarks() if one.name in SHOWN}
    values: dict[tuple[str, str], Value] = {}
    frames = []
    for name, shown in SHOWN.items():
        values |= _of_humans(name, tables[name])
        # A ratio to a missing score is none: Table 6 borrows the one that is missing.
        table = borrowed(tables[name]) if name == "GLUE" else tables[name]
        frame = _ratios(table).loc[[HUMAN, *shown]]
        values |= {
            (TABLE, f"{column}, {name}, {system}"): float(ratio)
            for column, ratios in frame.to_dict().items()
            for system, ratio in ratios.items()
            if system != HUMAN and column != "ratio on AX"
        }
        frame = frame.rename_axis("system").reset_index()
        frame.insert(0, "benchmark", name)
        frames.append(frame)
    sheets = tuple(
        Sheet(f"p3-table-6-{frame['benchmark'][0].lower()}", "Ratios to the humans' scores.", frame)
        for frame in frames
    )
    return Found(values, sheets=sheets, sentences=SENTENCES)


def _of_humans(name: str, table: ScoreTable) -> dict[tuple[str, str], Value]:
    at = table.systems.index(HUMAN)
    return {
        (TABLE, f"{mean} mean, {name}, {HUMAN}"): float(scores_of(consensus)[at])
        for mean, consensus in means(table).items()
    }


def _ratios(table: ScoreTable) -> pd.DataFrame:
    relative = table.relative_to(HUMAN)
    frame = relative.to_frame().add_prefix("ratio on ")
    for at, (name, consensus) in enumerate(means(relative).items()):
        frame.insert(at, f"{name} mean of ratios", scores_of(consensus))
    return frame


EXPERIMENTS = (Experiment("p3-table-6", "scores relative to humans", (TABLE,), run),)
