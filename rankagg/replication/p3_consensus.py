"""Beyond the paper: exact consensus, how sure places are, and what depends on the missing score."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from rankagg._typing import Unranked
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.means import GeometricMean, HarmonicMean, Mean
from rankagg.aggregation.positional import Borda
from rankagg.aggregation.result import Consensus
from rankagg.analysis.comparison.compare import compare
from rankagg.core.rankings.partial import PartialRanking
from rankagg.core.scores import ScoreTable
from rankagg.inference.ranks.rank_intervals import rank_intervals
from rankagg.replication.experiment import Bench, Experiment, Found, Picture, Sheet, as_order
from rankagg.replication.leaderboards import load_table
from rankagg.replication.p3_benchmarks import DIAGNOSTICS, GENERATION, HUMAN, MEANS, place
from rankagg.replication.published import Value, as_text

BEYOND = "Beyond: exact consensus"
INTERVALS = (
    "Simultaneous 95 % confidence intervals of ranks on SuperGLUE's ten columns, by exact "
    "sign-flip tests of Borda points. The paper has none."
)
RULES = (
    "GLUE's six systems on the same ten tasks by the rules of the paper and by rules on rankings. "
    "The Kemeny ranking is one of 18 optimal ones."
)
SENTENCES = (
    "Of the 18 optimal orders of GLUE's ten tasks some have humans second and some last, and no "
    "two of the six systems are decided to differ. On SuperGLUE humans are first in the only "
    "optimal order, even without the diagnostics, where the arithmetic mean has them third.",
    "On XTREME humans are first under every policy for their missing score, and if the task is "
    "dropped. What depends on it is the order of VECO and T-ULRv2 by Borda points. With four tasks "
    "no pair can be decided at 95 %.",
)


def run(bench: Bench) -> Found:
    """Solve every leaderboard exactly, list all optima, and bound ranks."""
    values: dict[tuple[str, str], Value] = {}
    rows = []
    for name, table in leaderboards().items():
        for quantity, value in _exact(table):
            values[BEYOND, f"{quantity}, {name}"] = value
            rows.append({"leaderboard": name, "quantity": quantity, "value": as_text(value)})
    policies = list(_policies(load_table("xtreme_human")))
    for row in policies:
        label = f"XTREME, missing score {row['missing score']}"
        values |= {
            (BEYOND, f"{quantity}, {label}"): value
            for quantity, value in row.items()
            if quantity != "missing score"
        }
    wide = pd.DataFrame(rows).pivot_table("value", "quantity", "leaderboard", "first", sort=False)
    superglue = rank_intervals(load_table("superglue_human"))
    return Found(
        values,
        sheets=(
            Sheet("p3-consensus", "Exact consensus and ranks.", wide.fillna("").reset_index()),
            Sheet("p3-xtreme-policies", "XTREME by policy.", pd.DataFrame(policies)),
            Sheet("p3-rank-intervals", "Ranks on each leaderboard.", _all_intervals()),
        ),
        pictures=(
            Picture("p3-rules", RULES, compare(load_table("glue_human"), rules()).plot),
            Picture("p3-rank-intervals", INTERVALS, superglue.plot),
        ),
        sentences=SENTENCES,
    )


def rules() -> list[Aggregator]:
    """Return the paper's means and two rules on rankings."""
    return [Mean(), GeometricMean(), HarmonicMean(), Borda(), Kemeny()]


def leaderboards() -> dict[str, ScoreTable]:
    """Return the paper's leaderboards, by their name and columns."""
    superglue, xglue = load_table("superglue_human"), load_table("xglue")
    return {
        "GLUE, ten tasks": load_table("glue_human"),
        "SuperGLUE, eight tasks": superglue.drop(tasks=DIAGNOSTICS),
        "SuperGLUE, ten columns": superglue,
        "XTREME, four groups": load_table("xtreme_human"),
        "XGLUE, nine tasks": xglue.drop(tasks=GENERATION),
    }


def _exact(table: ScoreTable) -> Iterator[tuple[str, Value]]:
    """Yield the exact consensus, how many there are, and the humans' places."""
    consensus = Kemeny().aggregate(table)
    assert consensus.certificate is not None
    consensus.certificate.verify(table.rankings().pairwise())
    yield "Kemeny cost", float(consensus.cost)
    yield "proof", consensus.certificate.status
    yield from _optima(consensus)
    if HUMAN in table.systems:
        for name, mean in MEANS.items():
            yield f"place of humans by the {name} mean", float(place(mean.aggregate(table)))
        yield "place of humans by Borda", float(place(Borda().aggregate(table)))


def _optima(consensus: Consensus) -> Iterator[tuple[str, Value]]:
    optima = consensus.optima
    assert optima is not None
    yield "optimal orders", float(optima.count())
    groups = PartialRanking.from_buckets(optima.blocks, items=consensus.items)
    # Where optima differ, what they order in several ways is joined by "=".
    yield "groups that all optimal orders keep", as_order(groups)
    if HUMAN in consensus.items:
        best, worst = optima.rank_ranges()
        at = consensus.items.index(HUMAN)
        yield "best place of humans in an optimal order", float(best[at])
        yield "worst place of humans in an optimal order", float(worst[at])


def _policies(table: ScoreTable) -> Iterator[dict[str, Value]]:
    """Yield what rules on rankings find under each policy for the humans' missing score."""
    dropped = table.drop(tasks=["Sentence Retrieval"])
    cases: dict[str, tuple[ScoreTable, Unranked]] = {
        "imputed uniformly": (table, "uniform"),
        "ignored": (table, "ignore"),
        "counted as last": (table, "last"),
        "avoided, the task dropped": (dropped, "uniform"),
    }
    for name, (scores, policy) in cases.items():
        borda = Borda(unranked=policy).aggregate(scores)
        kemeny = Kemeny(unranked=policy).aggregate(scores)
        yield {
            "missing score": name,
            "order by Borda": as_order(borda.ranking),
            "place of humans by Borda": float(place(borda)),
            "Kemeny cost": float(kemeny.cost),
            **dict(_optima(kemeny)),
        }


def _all_intervals() -> pd.DataFrame:
    frames = []
    for name, table in leaderboards().items():
        frame = rank_intervals(table).to_frame().reset_index()
        frame.insert(0, "leaderboard", name)
        frames.append(frame)
    return pd.concat(frames)


EXPERIMENTS = (Experiment("p3-consensus", "the four leaderboards", (BEYOND,), run),)
