"""Table 6: scores as multiples of the humans', and the three means of these."""

from __future__ import annotations

import pandas as pd

from rankagg.core.scores import ScoreTable
from rankagg.replication.experiment import Bench, Experiment, Found, Sheet, Values
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
    "The printed means of GLUE's ratios are of eleven: the humans' score on AX is that on "
    "SuperGLUE's AX-b, which the table does not say. Here they are of the ten that it shows.",
    "Humans are 1 by each mean. With the borrowed score the harmonic mean puts them before all "
    "models of GLUE, and the arithmetic mean behind them; without it they are behind by each.",
)


def run(bench: Bench) -> Found:
    """Divide by the humans' scores, then average."""
    tables = {one.name: one.means_of for one in benchmarks() if one.name in SHOWN}
    values: Values = {}
    as_run: Values = {}
    frames = []
    for name, shown in SHOWN.items():
        table = tables[name]
        values |= _of_humans(name, table)
        if name == "GLUE":
            as_run |= _named(name, _ratios(borrowed(table)).loc[[*shown]])
            # A ratio to a missing score is none.
            table = table.drop(tasks=["AX"])
        frame = _ratios(table).loc[[HUMAN, *shown]]
        values |= _named(name, frame.drop(index=HUMAN))
        frame = frame.rename_axis("system").reset_index()
        frame.insert(0, "benchmark", name)
        frames.append(frame)
    sheets = tuple(
        Sheet(f"p3-table-6-{frame['benchmark'][0].lower()}", "Ratios to the humans' scores.", frame)
        for frame in frames
    )
    return Found(values, as_run, sheets, sentences=SENTENCES)


def _named(name: str, frame: pd.DataFrame) -> Values:
    return {
        (TABLE, f"{column}, {name}, {system}"): float(ratio)
        for column, ratios in frame.to_dict().items()
        for system, ratio in ratios.items()
    }


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
