"""Beyond the paper: what depends on the policy for missing scores, on its tables with gaps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, get_args

import pandas as pd

from rankagg._typing import Bools, Unranked
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.result import Consensus
from rankagg.analysis.missing import missing_report
from rankagg.analysis.robustness.sensitivity import sensitivity
from rankagg.core.items import counted
from rankagg.core.scores import ScoreTable
from rankagg.inference.ranks.rank_intervals import rank_intervals
from rankagg.inference.ranks.rank_results import RankIntervals
from rankagg.replication.experiment import Bench, Experiment, Found, Picture, Sheet
from rankagg.replication.leaderboards import load_table
from rankagg.replication.verdicts import Value, as_text

__all__ = ["EXPERIMENTS"]

NAME, BEYOND = "p2-policies", "Beyond: policies"
POLICIES: Final[tuple[Unranked, ...]] = get_args(Unranked)
TABLES = ("XTREME with gaps", "GEM BLEU", "dialogue with gaps")
#: Where something can be decided: the others have too few tasks.
SHOWN = ("GEM BLEU", "dialogue with gaps")
INTERVALS = (
    "Simultaneous 95 % confidence intervals of ranks by Borda points, two systems compared where "
    "both have scores. The paper bounds single pairs only, and takes metrics of one instance for "
    "independent."
)


def run(bench: Bench) -> Found:
    """Solve every table exactly under each policy, and bound ranks."""
    tables = {"Table 5": load_table("xtreme_gaps"), **bench.tables(*TABLES)}
    if (xtreme := tables.get("XTREME with gaps")) is not None:
        tables["XTREME with gaps, without Score"] = xtreme.drop(tasks=["Score"])
    values: dict[tuple[str, str], Value] = {}
    ranks: dict[str, RankIntervals] = {}
    rows, sentences = [], []
    for name, table in tables.items():
        exact = {policy: _exact(table, policy) for policy in POLICIES}
        ranks[name] = _ranks(table)
        found = dict(_facts(table, exact))
        values |= {(BEYOND, f"{quantity}, {name}"): value for quantity, value in found.items()}
        rows += [(name, quantity, as_text(value)) for quantity, value in found.items()]
        sentences.append(f"{name}: {_said(exact)}")
    frame = pd.DataFrame(rows, columns=["table", "quantity", "value"])
    wide = frame.pivot_table("value", "quantity", "table", "first", sort=False).reset_index()
    return Found(
        values,
        sheets=(Sheet(NAME, "Exact consensus by policy, and what is decided.", wide.fillna("")),),
        pictures=tuple(
            Picture(f"{NAME}-{name.split()[0].lower()}", INTERVALS, ranks[name].plot)
            for name in SHOWN
            if name in ranks
        ),
        sentences=tuple(sentences),
    )


def _exact(table: ScoreTable, policy: Unranked) -> Consensus:
    """Return the exact consensus, and check its proof."""
    consensus = Kemeny(unranked=policy).aggregate(table)
    assert consensus.certificate is not None
    assert consensus.certificate.verify(table.rankings().pairwise(policy))
    return consensus


def _facts(table: ScoreTable, exact: dict[Unranked, Consensus]) -> Iterator[tuple[str, Value]]:
    assert exact["uniform"].optima is not None
    uniform_relation = exact["uniform"].optima.relation()
    for policy, consensus in exact.items():
        assert consensus.certificate is not None
        assert consensus.optima is not None
        yield f"Kemeny cost, {policy}", float(consensus.cost)
        yield f"proof, {policy}", consensus.certificate.status
        best, worst = consensus.optima.rank_ranges()
        yield f"only optimum, {policy}", "yes" if consensus.optima.is_unique else "no"
        yield f"first in an optimal order, {policy}", _named(consensus, best == 1)
        yield (
            f"among the first three of every optimal order, {policy}",
            _named(consensus, worst <= 3),
        )
        if policy != "uniform":
            yield (
                f"pairs in another order than uniform, whatever the optimum, {policy}",
                float((consensus.optima.relation() & uniform_relation.T).sum()),
            )
    report = missing_report(table)
    yield "pairs never compared", float(len(report.never_compared))
    yield "groups that no comparison connects", float(len(report.groups))
    pairs = sensitivity(table, n_samples=1, rng=0).to_frame(everything=True)
    differ = (pairs[list(POLICIES)].nunique(axis=1) > 1).sum()
    yield "pairs that depend on the policy, Borda", float(differ)


def _ranks(table: ScoreTable) -> RankIntervals:
    """Bound ranks; several metrics of an instance are no independent units."""
    return rank_intervals(table, unit="instance" if table.is_instance_level else "ranking")


def _named(consensus: Consensus, chosen: Bools) -> str:
    return ", ".join(map(str, consensus.items.where(chosen))) or "none"


def _said(exact: dict[Unranked, Consensus]) -> str:
    """Say which systems may be first, by policy."""
    parts = []
    for policy, consensus in exact.items():
        assert consensus.optima is not None
        first = consensus.optima.rank_ranges()[0] == 1
        told = (
            _named(consensus, first)
            if first.sum() < 3
            else f"any of {counted(int(first.sum()), 'system')}"
        )
        parts.append(f"{policy}: {told}")
    return "first in an exact consensus are, " + "; ".join(parts) + "."


EXPERIMENTS = (Experiment(NAME, "what depends on the policy for missing scores", (BEYOND,), run),)
