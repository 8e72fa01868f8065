"""Tasks of the second paper: drawn scores, missing tasks, and what is said of what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from functools import partial
from typing import Final, get_args

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from matplotlib.axes import Axes

from rankagg._typing import Bools, Unranked
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.means import Mean
from rankagg.aggregation.positional import Borda
from rankagg.aggregation.result import Consensus
from rankagg.aggregation.two_level import TwoLevel
from rankagg.analysis.missing import missing_report
from rankagg.analysis.robustness.sensitivity import sensitivity
from rankagg.core.items import counted
from rankagg.core.scores import ScoreTable
from rankagg.inference.ranks.rank_intervals import rank_intervals
from rankagg.inference.ranks.rank_results import RankIntervals
from rankagg.replication.experiment import Bench, Experiment, Found, Picture, Sheet, Values
from rankagg.replication.leaderboards import load_table
from rankagg.replication.p2_as_run import LEVELS as RUN_LEVELS
from rankagg.replication.p2_as_run import MEDIUM, REPETITIONS, AsRun, as_shipped, run_again
from rankagg.replication.panels import beside
from rankagg.replication.published import Value, as_text
from rankagg.studies.missing_scores import MissingScoresResult, MissingScoresStudy
from rankagg.studies.sources import LatentModel, Observed

DRAWN_NAME, DRAWN_FIGURE = "p2-figure-3", "Figure 3"
RULES: Final = {
    "mean": Mean(),
    "one level": Borda(unranked="uniform"),
    "two levels": TwoLevel(Borda(unranked="uniform"), Borda(unranked="uniform")),
}
STEP = 0.1
FACTORS = (1.0, 3.0, 10.0, 30.0)
DRAWN_LEVELS = (0.0, 0.2, 0.4, 0.6, 0.8)
DRAWN_SHOWN = (0.0, 0.4)


def run_drawn(bench: Bench) -> Found:
    """Draw scores of 20 systems, tasks and instances, scale a task, and remove scores."""
    study = MissingScoresStudy(
        models=[LatentModel(step=STEP)],
        aggregators=tuple(RULES.values()),
        proportions=DRAWN_LEVELS,
        scales=FACTORS,
        n_repetitions=bench.repetitions(100),
    )
    result = bench.run(DRAWN_NAME, study)
    table = result.by_method()["mean_tau"].droplevel("model")
    values: dict[tuple[str, str], Value] = {
        (DRAWN_FIGURE, f"tau, {rule}, factor {factor:g}, {share:.0%} removed"): float(
            table[factor, share, method]
        )
        for factor in FACTORS
        for share in DRAWN_SHOWN
        for rule, method in zip(RULES, study.methods, strict=True)
    }
    frame = table.unstack("proportion").reset_index()
    frame.columns = [str(name) for name in frame.columns]
    caption = (
        f"Tau with the ranking of the full and unscaled data, step {STEP:g}, while scores are "
        "removed and those of one task are multiplied by a positive factor, as the text says. The "
        "paper's figure has no numbers, and its run also reversed that task."
    )
    return Found(
        values,
        sheets=(Sheet(DRAWN_NAME, "Mean tau by factor, rule and proportion removed.", frame),),
        pictures=(Picture(DRAWN_NAME, caption, partial(draw_drawn, result)),),
        sentences=tuple(result.summary().splitlines()[-len(FACTORS) :]),
    )


def draw_drawn(result: MissingScoresResult) -> Axes:
    """Draw a panel for each factor."""
    return beside([partial(result.plot, scale=factor) for factor in FACTORS])


DRAWN_EXPERIMENTS = (
    Experiment(
        DRAWN_NAME, "missing scores and a task on another scale", (DRAWN_FIGURE,), run_drawn
    ),
)


TASK_NAME = "p2-figure-2"
TASK_FIGURE, TAUS, TOPS = "Figure 2", "Table 1", "Table 2"
ITEMS = (TASK_FIGURE, TAUS, TOPS)
#: How many systems the run took of each leaderboard, from the first on.
FIRST: Final = {"GLUE": 14, "SuperGLUE": 10, "XTREME": 10, "GEM": 5}
#: What rows call a run again, by whether the leaderboard's own average is a task, and the sums.
FORMS: Final = {
    (True, "proportions"): ", run again by proportions",
    (True, "counts"): ", run again by counts",
    (False, "proportions"): ", run again without Score",
}
#: The files of rankings that the authors' run left behind.
SHIPPED: Final = {"GLUE": "glue", "SuperGLUE": "superglue", "XTREME": "xtrem", "GEM": "gem"}
RANKINGS = "authors/p2/task_level_correlations/{}_filtered.json"
TASK_LEVELS = tuple(level / 20 for level in range(20))
MEAN, ONE_LEVEL = "Mean", "Borda, uniform"
AGAIN = (
    "The run of the paper again: tau of one level and the mean with its standard deviation, the "
    "share with the same last and third last system, and tau of each rule with the full data."
)


def run_task(bench: Bench) -> Found:
    """Run the experiment as it is described, and hold the authors' run beside it."""
    again = _run_again(bench)
    values: Values = {
        (TASK_FIGURE, "levels of the run that are medium, as printed"): _between(*reversed(MEDIUM)),
        (TASK_FIGURE, "levels of the run that are medium, the other way round"): _between(*MEDIUM),
    }
    for label, found in again.items():
        values |= _rows(label, found)
    shipped = {
        name: as_shipped(content)
        for name, file in SHIPPED.items()
        if (content := bench.leaderboards.content_of(RANKINGS.format(file))) is not None
    }
    as_run: Values = {}
    for name, found in shipped.items():
        as_run |= _rows(name, found)
        as_run[TASK_FIGURE, f"one level ahead of the mean, {name}"] = _ahead(
            found.one_level - found.mean
        )
    # Of GEM with all its metrics there is only the authors' run.
    values |= {key: value for key, value in as_run.items() if key[1].endswith(", GEM")}
    tables = bench.tables("GLUE", "SuperGLUE", "XTREME", "GEM BLEU")
    if not tables:
        return Found(values, as_run)
    study = MissingScoresStudy(
        models=[Observed(label=name, data=table) for name, table in tables.items()],
        proportions=TASK_LEVELS,
        n_repetitions=bench.repetitions(100),
    )
    result = bench.run(TASK_NAME, study)
    caption = (
        "Tau with the ranking of the full data while scores are removed, all systems. The paper "
        "shows the first 14 systems of GLUE, 10 of SuperGLUE and XTREME and 5 of GEM, removes each "
        "score with a probability, and goes on to 1, where nothing is left to rank. GEM is that of "
        "its BLEU scores here, which have gaps from the start."
    )
    return Found(
        values | _all_systems(result),
        as_run,
        sheets=(
            Sheet("p2-tables-1-2", AGAIN, _frame({**shipped, **again})),
            Sheet("p2-table-1-all-systems", "One level and the mean, all systems.", _pairs(result)),
        ),
        pictures=(Picture(TASK_NAME, caption, partial(draw_task, result)),),
        sentences=tuple(result.summary().splitlines()[-len(tables) :]),
    )


def _between(low: float, high: float) -> float:
    return float(sum(low <= level <= high for level in RUN_LEVELS))


def _ahead(lead: float) -> str:
    return "more than .10" if lead > 0.1 else f"{lead:.2f}"


def draw_task(result: MissingScoresResult) -> Axes:
    """Draw a panel for each leaderboard."""
    names = [model.name for model in result.study.models]
    return beside([partial(result.plot, model=name) for name in names])


def _run_again(bench: Bench) -> dict[str, AsRun]:
    """Run it again with the leaderboard's own average as a task, by both sums, and without."""
    tables = {
        (name, with_score): table
        for name in FIRST
        for with_score in (True, False)
        if (with_score or name != "GEM") and (table := _first(bench, name, with_score)) is not None
    }
    found = Parallel(n_jobs=bench.n_jobs)(
        delayed(run_again)(
            table,
            bench.repetitions(REPETITIONS),
            sums=[sums for score, sums in FORMS if score == with_score],
        )
        for (_, with_score), table in tables.items()
    )
    return {
        f"{name}{FORMS[with_score, sums]}": one
        for (name, with_score), by_sums in zip(tables, found, strict=True)
        for sums, one in by_sums.items()
    }


def _first(bench: Bench, name: str, with_score: bool) -> ScoreTable | None:
    """Return the systems that the run took, with the leaderboard's own average as a task or not."""
    needed = [name] if not with_score else _with_score(name)
    tables = bench.tables(*needed)
    if len(tables) < len(needed):
        return None
    values = np.hstack([tables[part].values for part in needed])
    table = tables[needed[0]]
    return ScoreTable(
        values[: FIRST[name]],
        systems=table.systems.labels[: FIRST[name]],
        tasks=[task for part in needed for task in tables[part].tasks],
        higher_is_better=True,
    )


def _with_score(name: str) -> list[str]:
    parts = {"XTREME": ["XTREME Score", "XTREME"], "GEM": ["GEM"]}
    return parts.get(name, [f"{name} with Score"])


def _rows(label: str, found: AsRun) -> Values:
    return {
        (TAUS, f"tau of one level and the mean, {label}"): found.tau,
        (TAUS, f"standard deviation of tau, {label}"): found.spread,
        (TOPS, f"top 1, {label}"): found.last,
        (TOPS, f"top 3, {label}"): found.third_last,
        (TASK_FIGURE, f"tau with the full data, one level, {label}"): found.one_level,
        (TASK_FIGURE, f"tau with the full data, mean, {label}"): found.mean,
    }


def _all_systems(result: MissingScoresResult) -> Values:
    values: Values = {}
    pairs = result.by_pair(pooled=True).reset_index()
    for row in pairs.to_dict("records"):
        name = row["model"]
        values |= {
            (TAUS, f"tau of one level and the mean, {name}"): row["mean_tau"],
            (TAUS, f"standard deviation of tau, {name}"): row["sd_tau"],
            (TOPS, f"top 1, {name}"): row["mean_top1"],
            (TOPS, f"top 1, {name}, that differ, as the text says"): 1 - row["mean_top1"],
            (TOPS, f"top 3, {name}"): row["mean_same_top3"],
        }
    frame = result.to_frame()
    medium = frame[frame["proportion"].between(*MEDIUM)]
    means = medium.groupby(["model", "method"])["tau"].mean()
    nothing = frame[frame["proportion"] == 0].groupby("model")["tau"].min()
    for model in result.study.models:
        lead = float(means[model.name, ONE_LEVEL] - means[model.name, MEAN])
        values[TASK_FIGURE, f"one level ahead of the mean, {model.name}"] = _ahead(lead)
        for rule, method in (("one level", ONE_LEVEL), ("mean", MEAN)):
            quantity = f"tau with the full data, {rule}, {model.name}"
            values[TASK_FIGURE, quantity] = float(means[model.name, method])
        values[TASK_FIGURE, f"tau with the full data, nothing removed, {model.name}"] = float(
            nothing[model.name]
        )
    return values


def _frame(again: Mapping[str, AsRun]) -> pd.DataFrame:
    return pd.DataFrame([{"table": label, **asdict(found)} for label, found in again.items()])


def _pairs(result: MissingScoresResult) -> pd.DataFrame:
    frame = result.by_pair(pooled=True).reset_index()
    return frame.drop(columns=["scale", "method", "other"]).rename(columns={"model": "table"})


TASK_EXPERIMENTS = (Experiment(TASK_NAME, "scores of tasks go missing", ITEMS, run_task),)


POLICY_NAME, BEYOND = "p2-policies", "Beyond: policies"
POLICIES: Final[tuple[Unranked, ...]] = get_args(Unranked)
TABLES = ("XTREME with gaps", "GEM BLEU", "dialogue with gaps")
#: Where something can be decided: the others have too few tasks.
POLICY_SHOWN = ("GEM BLEU", "dialogue with gaps")
INTERVALS = (
    "Simultaneous 95 % confidence intervals of ranks by Borda points, two systems compared where "
    "both have scores. The paper bounds single pairs only, and takes metrics of one instance for "
    "independent."
)


def run_policy(bench: Bench) -> Found:
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
        sheets=(
            Sheet(POLICY_NAME, "Exact consensus by policy, and what is decided.", wide.fillna("")),
        ),
        pictures=tuple(
            Picture(f"{POLICY_NAME}-{name.split()[0].lower()}", INTERVALS, ranks[name].plot)
            for name in POLICY_SHOWN
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


POLICY_EXPERIMENTS = (
    Experiment(POLICY_NAME, "what depends on the policy for missing scores", (BEYOND,), run_policy),
)
