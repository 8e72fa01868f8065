"""The third paper: benchmarks with humans by three means, and what is exact about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from textwrap import fill

import numpy as np
import pandas as pd

import rankagg as ra
from rankagg.analysis import RuleComparison
from replication.experiment import (
    Bench,
    ExperimentRun,
    as_order,
    beside,
    experiment,
    frame_of,
    proved,
    rank_in,
    scores_of_items,
)
from replication.leaderboards import load_table
from replication.published import as_text

HUMAN = "Human"
MEANS: Mapping[str, ra.Aggregator] = {
    "arithmetic": ra.Mean(),
    "geometric": ra.GeometricMean(),
    "harmonic": ra.HarmonicMean(),
}
DIAGNOSTICS = ("AX-b", "AX-g")
GENERATION = ("OG", "NTG")


@dataclass(frozen=True)
class Benchmark:
    """A leaderboard of the paper."""

    # The name of the benchmark, and the table with its scores.
    name: str
    item: str
    # The columns that the printed geometric and harmonic means are of. Where a score is missing
    # they are over the others.
    means_of: ra.ScoreTable
    # The columns, weighted, that the leaderboard's own average is of.
    average_of: ra.ScoreTable
    # Columns that all systems have scores on, by what they are.
    fixed: Mapping[str, ra.ScoreTable]
    # What the printed rows are told apart by, where a table has two parts.
    part: tuple[str, ...] = ()

    @property
    def has_humans(self) -> bool:
        """Whether humans are among the systems."""
        return HUMAN in self.means_of.systems


def benchmarks() -> dict[str, Benchmark]:
    """Return GLUE, SuperGLUE, XTREME, and XGLUE's understanding and generation tasks."""
    eleven, ten = by_task("GLUE"), by_task("SuperGLUE")
    without = eleven.drop(tasks=["AX"])
    eight = ten.drop(tasks=DIAGNOSTICS)
    xtreme, xglue = load_table("xtreme_human"), load_table("xglue")
    # How many of XTREME's nine tasks each group of them has.
    sizes: Mapping[str, float] = {
        "Sentence-pair Classification": 2,
        "Structured Prediction": 2,
        "Question Answering": 3,
        "Sentence Retrieval": 2,
    }
    nine = xglue.drop(tasks=GENERATION)
    two = xglue.drop(tasks=nine.tasks.labels, systems=["FILTER"])
    glue = {
        "the same ten tasks": without,
        "the ten tasks and AX, humans' from SuperGLUE": borrowed(eleven),
    }
    nine_tasks = without.group_tasks({"MNLI": ("MNLI-m", "MNLI-mm")})
    superglue = {"the same eight tasks": eight, "the eight tasks and two diagnostics": ten}
    groups = {"the same three groups of tasks": xtreme.drop(tasks=["Sentence Retrieval"])}
    return {
        "GLUE": Benchmark("GLUE", "Table 1", eleven, nine_tasks, glue),
        "SuperGLUE": Benchmark("SuperGLUE", "Table 2", ten, eight, superglue),
        "XTREME": Benchmark("XTREME", "Table 3", xtreme, xtreme.with_task_weights(sizes), groups),
        "XGLUE": Benchmark("XGLUE", "Table 4", nine, nine, {}),
        "generation": Benchmark("XGLUE", "Table 4", two, two, {}, ("generation",)),
    }


def metrics(name: str) -> tuple[ra.ScoreTable, Mapping[str, Sequence[str]]]:
    """Return a benchmark's table of single metrics, and which of them make a task."""
    pairs: Mapping[str, tuple[str, str]] = {
        **dict.fromkeys(("MRPC", "QQP", "CB", "MultiRC", "ReCoRD"), ("F1", "accuracy")),
        "STS-B": ("Pearson", "Spearman"),
    }
    table = load_table(f"{name.lower()}_metrics")
    names = {task: [f"{task} {metric}" for metric in two] for task, two in pairs.items()}
    return table, {task: two for task, two in names.items() if two[0] in table.tasks}


def by_task(name: str) -> ra.ScoreTable:
    """Return a benchmark's table of tasks, metrics averaged."""
    table, groups = metrics(name)
    return table.group_tasks(groups)


def borrowed(glue: ra.ScoreTable) -> ra.ScoreTable:
    """Return GLUE's table with the humans' score on SuperGLUE's AX-b as theirs on AX."""
    other = load_table("superglue_human")
    values = np.array(glue.values)
    at = glue.systems.index(HUMAN), glue.tasks.index("AX")
    values[at] = other.values[other.systems.index(HUMAN), other.tasks.index("AX-b")]
    return ra.ScoreTable(
        values, systems=glue.systems, tasks=glue.tasks.labels, higher_is_better=True
    )


def by_means(table: ra.ScoreTable) -> dict[str, ra.Consensus]:
    """Return the consensus by each of the three means."""
    return {name: rule.aggregate(table) for name, rule in MEANS.items()}


def _with_scores(table: ra.ScoreTable, columns: Mapping[str, ra.Consensus]) -> pd.DataFrame:
    """Return a table with the scores of consensuses before its own."""
    scores = {name: scores_of_items(consensus) for name, consensus in columns.items()}
    frame = pd.concat([pd.DataFrame(scores), table.to_frame()], axis=1)
    return frame.rename_axis("system").reset_index()


# -- Tables 1 to 4, 7 and 8 -----------------------------------------------------------------------


def _three_means(_: Bench, found: ExperimentRun, *, sentence: str) -> None:
    """Take the three means over the columns that the printed means are over."""
    (item,) = found.experiment.items
    frames = []
    for benchmark in (one for one in benchmarks().values() if one.item == item):
        part = benchmark.part
        ranked = by_means(benchmark.means_of)
        for name, consensus in ranked.items():
            found.each(item, f"{name} mean", scores_of_items(consensus), *part)
            if len(consensus.items) > 1:
                order = {f"order by the {name} mean": as_order(consensus.ranking)}
                found.add(item, order, *part)
        average = ra.Mean().aggregate(benchmark.average_of)
        places = {system: rank_in(average, system) for system in average.items}
        found.each(item, "leaderboard average", scores_of_items(average), *part)
        found.each(item, "place on the leaderboard", places, *part)
        if benchmark.name == "GLUE":
            found.add(item, {"order on the leaderboard": as_order(average.ranking)})
        if benchmark.name == "XTREME":
            # What stands for a missing score in print.
            assert benchmark.means_of.to_frame().isna()["Sentence Retrieval"][HUMAN]
            found.add(item, {"Sentence Retrieval": "not scored"}, HUMAN)
        columns = {f"{name} mean": consensus for name, consensus in ranked.items()}
        columns["leaderboard average"] = average
        frames.append(_with_scores(benchmark.means_of, columns))
    caption = f"{item}: means over the columns shown, and the leaderboard's own average."
    found.add_sheet(found.experiment.name, caption, pd.concat(frames))
    found.sentences.append(sentence)


for number, (benchmark, sentence) in enumerate(
    {
        "GLUE": "The printed geometric and harmonic means have the column AX for models, which the "
        "table leaves out, and not for humans; the arithmetic ones are of nine other columns.",
        "SuperGLUE": "The printed geometric and harmonic means are over ten columns, the "
        "arithmetic ones over eight, without the diagnostics.",
        "XTREME": "The printed geometric and harmonic means are of three groups of tasks for "
        "humans and of four for models. The arithmetic ones are of nine tasks for models, and "
        "below their harmonic means, which no mean of the same numbers is.",
        "XGLUE": "The three means are over the same columns, in print too. The geometric mean of "
        "the generation tasks is misprinted.",
    }.items(),
    start=1,
):
    experiment(f"p3-table-{number}", f"{benchmark} by three means", f"Table {number}")(
        partial(_three_means, sentence=sentence)
    )


@experiment("p3-table-5", "statistics of three systems on SuperGLUE", "Table 5")
def spread_of_scores(_: Bench, found: ExperimentRun) -> None:
    """Describe the scores of the first three systems on ten columns."""
    table = load_table("superglue_human")
    shown = ("Human", "DeBERTa", "T5 + Meena")
    table = table.drop(systems=[system for system in table.systems if system not in shown])
    statistics = {"sum": "sum", "variance": "variance", "std": "standard deviation"}
    frame = table.describe(by="system")[list(statistics)].rename(columns=statistics)
    for quantity in statistics.values():
        ranking = ra.PartialRanking.from_scores(
            frame[quantity].to_numpy(), higher_is_better=True, items=table.systems
        )
        found.add("Table 5", {f"order by {quantity}, largest first": as_order(ranking)})
    for name, consensus in by_means(table).items():
        frame.insert(0, f"{name} mean", scores_of_items(consensus).to_numpy())
    for label, column in frame.items():
        found.each("Table 5", str(label), column)
    described = frame.rename_axis("system").reset_index()
    found.add_sheet("p3-table-5", "Statistics of ten columns.", described)
    found.sentences.append(
        "The sum of ten columns puts humans first, and so must their mean: the print's is of eight."
    )


@experiment("p3-table-6", "scores relative to humans", "Table 6")
def ratios_to_humans(_: Bench, found: ExperimentRun) -> None:
    """Divide by the humans' scores, then average."""
    printed = {
        "SuperGLUE": ["DeBERTa", "T5 + Meena", "T5"],
        "GLUE": ["DeBERTa", "MacAlbert + DKM", "T5"],
    }
    for name, shown in printed.items():
        table = benchmarks()[name].means_of
        for mean, consensus in by_means(table).items():
            humans = {f"{mean} mean": scores_of_items(consensus)[HUMAN]}
            found.add("Table 6", humans, name, HUMAN)
        if name == "GLUE":
            _add_ratios(found, name, _ratios(borrowed(table), shown), as_run=True)
            # A ratio to a missing score is none.
            table = table.drop(tasks=["AX"])
        frame = _ratios(table, [HUMAN, *shown])
        _add_ratios(found, name, frame.drop(index=HUMAN))
        frame = frame.rename_axis("system").reset_index()
        frame.insert(0, "benchmark", name)
        found.add_sheet(f"p3-table-6-{name.lower()}", "Ratios to the humans' scores.", frame)
    found.sentences += [
        "The printed means of GLUE's ratios are of eleven, with the humans' score on SuperGLUE's "
        "AX-b as theirs on AX; here they are of the ten that the table shows.",
        "With the borrowed score the harmonic mean puts humans before all models of GLUE, and the "
        "arithmetic mean behind them; without it they are behind by each.",
    ]


def _add_ratios(
    found: ExperimentRun, name: str, frame: pd.DataFrame, *, as_run: bool = False
) -> None:
    for system, ratios in frame.T.items():
        found.add("Table 6", ratios, name, str(system), as_run=as_run)


def _ratios(table: ra.ScoreTable, systems: list[str]) -> pd.DataFrame:
    relative = table.relative_to(HUMAN)
    means = {
        f"{name} mean of ratios": scores_of_items(consensus)
        for name, consensus in by_means(relative).items()
    }
    frame = pd.concat([pd.DataFrame(means), relative.to_frame().add_prefix("ratio on ")], axis=1)
    return frame.loc[systems]


def _single_metrics(_: Bench, found: ExperimentRun, *, name: str) -> None:
    """Average metrics into tasks, tasks into means, and hold both against Tables 1 and 2."""
    (item,) = found.experiment.items
    benchmark = benchmarks()[name]
    single, groups = metrics(name)
    table = benchmark.means_of
    averaged = table.to_frame()
    for task in groups:
        found.each(item, f"mean of the metrics of {task}", averaged[task])
    ranked = {
        "geometric mean": ra.GeometricMean().aggregate(table),
        "arithmetic mean": ra.Mean().aggregate(table),
        "leaderboard average": ra.Mean().aggregate(benchmark.average_of),
    }
    for quantity, consensus in ranked.items():
        found.each(item, quantity, scores_of_items(consensus))
    # The tasks on which averaged metrics are not the scores of Tables 1 and 2.
    printed = load_table(f"{name.lower()}_human").to_frame()
    others = ((averaged[printed.columns] - printed).abs() > 1e-9).any().sum()
    found.add(item, {f"tasks whose column in {benchmark.item} is another": others})
    found.add_sheet(found.experiment.name, f"{name} by metrics.", frame_of(single))


for number, name in ((7, "GLUE"), (8, "SuperGLUE")):
    experiment(f"p3-table-{number}", f"{name} by single metrics", f"Table {number}")(
        partial(_single_metrics, name=name)
    )


# -- the same columns for all ---------------------------------------------------------------------


@experiment("p3-section-4", "columns held fixed under three means", "Sections 1 and 4", "Section 4")
def fixed_columns(_: Bench, found: ExperimentRun) -> None:
    """Rank by three means over the columns in print, and over the same columns for all."""
    rows, plots, below = [], {}, {}
    for benchmark in (one for one in benchmarks().values() if one.has_humans):
        name = benchmark.name
        for columns, ranked in _by_columns(benchmark):
            compared = RuleComparison(consensuses=tuple(ranked.values()), unranked="uniform")
            plots[fill(f"{name}, {columns}", 40)] = compared.plot
            for mean, consensus in ranked.items():
                rank = rank_in(consensus, HUMAN)
                place = {"place of humans": rank}
                found.add("Section 4", place, name, f"{mean} mean", columns)
                scores = scores_of_items(consensus)
                rows.append(
                    {
                        "benchmark": name,
                        "columns": columns,
                        "mean": mean,
                        "place of humans": rank,
                        "humans": scores[HUMAN],
                        "best model": scores.drop(HUMAN).max(),
                        "order": as_order(consensus.ranking),
                    }
                )
                if columns == "as in print" and mean != "arithmetic":
                    for system in CLOSEST.get(name, ()):
                        less = 100 * (1 - scores[system] / scores[HUMAN])
                        below[f"{mean} mean, {name}, {system}"] = less
            for one, other in combinations(ranked, 2):
                # How many pairs of systems two means order differently.
                moved = ra.kendall_distance(ranked[one].ranking, ranked[other].ranking)
                said = f"pairs on which the {one} and the {other} mean differ"
                found.add("Section 4", {said: moved}, name, columns)
    found.each("Sections 1 and 4", "per cent below humans", below)
    worse = f"{min(below.values()):.1f} to {max(below.values()):.1f} %"
    found.add("Sections 1 and 4", {"the best models are worse than humans by": worse})
    told = "extrapolated" if benchmarks()["XGLUE"].has_humans else "not provided"
    found.add("Sections 1 and 4", {"scores of humans": told}, "XGLUE")
    found.add_sheet("p3-columns", "Orders by mean and columns.", pd.DataFrame(rows))
    caption = (
        "Places among the systems in print by the three means, of which the arithmetic one in "
        "print is over other columns than the two others. The paper has tables only."
    )
    found.add_picture("p3-columns", caption, partial(beside, plots))
    found.sentences += [
        "Which columns are included moves humans to the first place, not the kind of mean: over "
        "GLUE's ten tasks they are last by each of the three, over SuperGLUE's eight third, third "
        "and fourth, and over its ten columns first by each.",
        "The kind of mean has an effect where a column is far from the others: with a score on AX "
        "borrowed from SuperGLUE humans are last by the arithmetic mean and first by the harmonic.",
    ]


#: Systems that the introduction calls 1.5 to 2 % worse than humans, by benchmark.
CLOSEST = {"GLUE": ("DeBERTa", "MacAlbert + DKM"), "SuperGLUE": ("DeBERTa", "T5 + Meena")}


def _by_columns(benchmark: Benchmark) -> Iterator[tuple[str, dict[str, ra.Consensus]]]:
    """Yield columns, and the three means over them."""
    printed = by_means(benchmark.means_of)
    yield "as in print", printed | {"arithmetic": ra.Mean().aggregate(benchmark.average_of)}
    if benchmark.means_of.n_missing:
        yield "the columns of the printed geometric mean", printed
    for columns, table in benchmark.fixed.items():
        yield columns, by_means(table)


# -- beyond the paper -----------------------------------------------------------------------------


@experiment("p3-consensus", "the four leaderboards", "Beyond: exact consensus")
def exact_consensus(_: Bench, found: ExperimentRun) -> None:
    """Solve every leaderboard exactly, list all optima, and bound ranks."""
    item = "Beyond: exact consensus"
    columns, intervals = {}, {}
    for name, table in leaderboards().items():
        consensus, optima = proved(table)
        assert consensus.certificate is not None
        values = {
            "Kemeny cost": consensus.cost,
            "proof": consensus.certificate.status,
            **_optima(consensus, optima),
        }
        if HUMAN in table.systems:
            for mean, rule in MEANS.items():
                place = rank_in(rule.aggregate(table), HUMAN)
                values[f"place of humans by the {mean} mean"] = place
            values["place of humans by Borda"] = rank_in(ra.Borda().aggregate(table), HUMAN)
        plain = found.add(item, values, name)
        columns[name] = {quantity: as_text(value) for quantity, value in plain.items()}
        intervals[name] = ra.rank_intervals(table, rng=0)
    policies = []
    for name, (table, policy) in _policies(load_table("xtreme_human")).items():
        borda = ra.Borda().aggregate(table.with_unranked(policy))
        kemeny, optima = proved(table, policy)
        values = {
            "order by Borda": as_order(borda.ranking),
            "place of humans by Borda": rank_in(borda, HUMAN),
            "Kemeny cost": kemeny.cost,
            **_optima(kemeny, optima),
        }
        plain = found.add(item, values, f"XTREME, missing score {name}")
        policies.append({"missing score": name, **plain})
    wide = pd.DataFrame(columns).fillna("").rename_axis("quantity").reset_index()
    bounds = pd.concat(
        {name: ranks.to_frame()[["rank", "best", "worst"]] for name, ranks in intervals.items()},
        names=["leaderboard"],
    )
    found.add_sheet("p3-consensus", "Exact consensus and ranks.", wide)
    found.add_sheet("p3-xtreme-policies", "XTREME by policy.", pd.DataFrame(policies))
    found.add_sheet("p3-rank-intervals", "Ranks on each leaderboard.", bounds.reset_index())
    rules = [*MEANS.values(), ra.Borda(), ra.Kemeny()]
    about = (
        "GLUE's six systems on the same ten tasks by means and by rules on rankings. The Kemeny "
        "ranking is one of 18 optimal ones."
    )
    caption = (
        "Simultaneous 95 % confidence intervals of ranks on SuperGLUE's ten columns, by exact "
        "sign-flip tests of Borda points. The paper has none."
    )
    found.add_picture("p3-rules", about, ra.compare(load_table("glue_human"), rules).plot)
    found.add_picture("p3-rank-intervals", caption, intervals["SuperGLUE, ten columns"].plot)
    found.sentences += [
        "Of the 18 optimal orders of GLUE's ten tasks some have humans second and some last. On "
        "SuperGLUE humans are first in the only optimal order, even without the diagnostics, where "
        "the arithmetic mean has them third.",
        "On XTREME humans are first under every policy for their missing score; the order of VECO "
        "and T-ULRv2 by Borda points depends on it. With four tasks no pair is decided at 95 %.",
    ]


def leaderboards() -> dict[str, ra.ScoreTable]:
    """Return the paper's leaderboards, by their name and columns."""
    superglue, xglue = load_table("superglue_human"), load_table("xglue")
    return {
        "GLUE, ten tasks": load_table("glue_human"),
        "SuperGLUE, eight tasks": superglue.drop(tasks=DIAGNOSTICS),
        "SuperGLUE, ten columns": superglue,
        "XTREME, four groups": load_table("xtreme_human"),
        "XGLUE, nine tasks": xglue.drop(tasks=GENERATION),
    }


def _policies(table: ra.ScoreTable) -> dict[str, tuple[ra.ScoreTable, str]]:
    """Return what the humans' missing score may become, and the policy for it."""
    return {
        "imputed uniformly": (table, "uniform"),
        "ignored": (table, "ignore"),
        "counted as last": (table, "last"),
        "avoided, the task dropped": (table.drop(tasks=["Sentence Retrieval"]), "uniform"),
    }


def _optima(consensus: ra.Consensus, optima: ra.Optima) -> dict[str, object]:
    """Return how many optima there are, what they have in common, and the humans' places."""
    groups = ra.PartialRanking.from_buckets(optima.blocks, items=consensus.items)
    # Where optima differ, what they order in several ways is joined by "=".
    found = {
        "optimal orders": optima.count(),
        "groups that all optimal orders keep": as_order(groups),
    }
    if HUMAN in consensus.items:
        best, worst = optima.rank_ranges()
        at = consensus.items.index(HUMAN)
        found["best place of humans in an optimal order"] = best[at]
        found["worst place of humans in an optimal order"] = worst[at]
    return found
