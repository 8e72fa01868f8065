"""`rankagg intervals`: how certain every pair and every rank is."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import click

from rankagg._typing import Label
from rankagg.cli.options.exact import time_limit_option
from rankagg.cli.options.inputs import AnyInput, any_input_options
from rankagg.cli.options.names import Number, OneOf, Whole, alpha_option, seed_option
from rankagg.cli.options.output import (
    as_option,
    echo_json,
    echo_pasted,
    json_option,
    plot_option,
    rows_options,
    save_plot,
)
from rankagg.cli.options.wording import options_named
from rankagg.core.comparisons import Comparisons
from rankagg.core.items import counted, listed
from rankagg.core.pairwise import PairwiseMatrix
from rankagg.core.profile import Profile
from rankagg.core.score_summary import ScoreSummary
from rankagg.core.scores import ScoreTable
from rankagg.exceptions import visible
from rankagg.inference.intervals.methods import BINOMIAL, Method
from rankagg.inference.intervals.pairwise import PairwiseIntervals
from rankagg.inference.ranks.rank_intervals import METHODS, RESAMPLES, RankMethod, rank_intervals
from rankagg.inference.ranks.rank_results import Of, RankIntervals
from rankagg.inference.units import Estimand, Redrawn

__all__ = ["command"]

Ranked = Profile | ScoreTable | ScoreSummary | Comparisons

OPTIONS = {
    "alpha": "--alpha",
    "unit": "--unit",
    "fixed_tasks": "--fixed-tasks",
    "ties": "--ties",
    "n_resamples": "--resamples",
    "score_range": "--score-range",
    "of": "--ranks",
    "method": "--method",
    "k": "--top",
}


@click.command("intervals")
@any_input_options
@click.option(
    "--ranks",
    type=OneOf(get_args(Of)),
    default="borda",
    show_default=True,
    help="What ranks are by: mean Borda points, majorities (pairwise), or mean scores.",
)
@click.option(
    "--method",
    type=OneOf(list(dict.fromkeys([*get_args(RankMethod), *get_args(Method)]))),
    help="How pairs are decided. By default sign-flips, which turn whole units round; for ranks "
    "by majorities sign-test, which counts wins. hoeffding and bernstein hold for all independent "
    "units, and need many; max-t is a bootstrap for hundreds of units.",
)
@alpha_option()
@click.option(
    "--top", type=Whole(1, 10**6), metavar="K", help="Also say who may be among the first K."
)
@click.option(
    "--marginal",
    is_flag=True,
    help="Ranks of each item alone, for one that was chosen before looking, and not of all at "
    "once.",
)
@click.option(
    "--unit",
    type=OneOf([*get_args(Redrawn), "comparison", "cluster"]),
    default="ranking",
    show_default=True,
    help="What is independent: rankings of one instance or task are averaged first. hierarchical "
    "draws tasks and then instances of each, with --pairs percentile. Of comparisons clusters, by "
    "default where there are any, or comparisons.",
)
@click.option(
    "--fixed-tasks", is_flag=True, help="The tasks are those of interest, and not a sample."
)
@click.option(
    "--ties",
    type=OneOf(["half", "exclude"]),
    help="For --ranks pairwise, and for --pairs wilson and clopper-pearson: a tie counts half for "
    "each, or not at all, as exact tests and intervals for proportions need.",
)
@click.option(
    "--score-range",
    type=(Number(), Number()),
    metavar="LOW HIGH",
    help="The least and the largest possible score, for ranks by mean scores.",
)
@click.option(
    "--pairs",
    type=OneOf(get_args(Method)),
    default="hoeffding",
    show_default=True,
    help="Intervals for the proportion in which one item is above another. hoeffding and "
    "bernstein always hold; normal is for many units of equal weight, and is bernstein where they "
    "are too few; wilson and clopper-pearson are for comparisons without ties and weights; "
    "percentile and bca resample, and hold for many units.",
)
@click.option(
    "--simultaneous",
    type=OneOf(["none", "bonferroni", "max-t"]),
    default="none",
    show_default=True,
    help="Whether intervals for proportions hold for each pair alone or for all at once; max-t "
    "needs --pairs percentile.",
)
@click.option(
    "--estimand",
    type=OneOf(get_args(Estimand)),
    default="direct",
    show_default=True,
    help="Proportions. direct: the chance to be above where both were observed. imputed: the "
    "share of compatible permutations, over all units.",
)
@click.option(
    "--resamples",
    type=Whole(1, 10**6),
    help="Resamples (default 2000), or sign vectors (default 10,000).",
)
@time_limit_option("sign flips of hundreds of items")
@seed_option()
@rows_options("pairs and items")
@json_option
@as_option
@plot_option("the intervals of ranks")
def command(
    given: AnyInput,
    *,
    rows: int | None,
    as_json: bool,
    pasted: str | None,
    plot: Path | None,
    **options: Any,
) -> int:
    """Say how certain each rank and each pair is.

    First which pairs are decided, all together with one probability of error; the ranks that
    this leaves every item; and who may be first. Then for each two items the proportion in which
    one is above the other, with an interval.

    \b
        rankagg intervals scores.csv
        rankagg intervals scores.csv --ranks pairwise --top 3
        rankagg intervals instances.csv --instance k --unit instance
        rankagg intervals sums.json --pairs normal
        rankagg intervals --dataset condorcet_1785 --ranks pairwise --pairs clopper-pearson
    """
    if isinstance(given.data, PairwiseMatrix):
        raise click.UsageError(
            "Intervals need rankings, scores or comparisons; a matrix does not hold them."
        )
    ranks = _ranks(given.data, given, options)
    first = _first(ranks, options["top"])
    intervals = None
    if not isinstance(given.data, Comparisons):
        intervals = _proportions(given.data, given.tolerance, options)
    save_plot(ranks.plot, plot)
    if pasted is not None:
        echo_pasted(ranks, pasted, given.lines, as_json=as_json, rows=rows)
        return 0
    if as_json:
        told: dict[str, Any] = {
            "schema": "rankagg.uncertainty",
            "version": 2,
            "ranks": ranks.to_dict(),
            "decisions": ranks.decisions.to_dict(),
            "intervals": None if intervals is None else intervals.to_dict(),
            "input": list(given.lines),
        }
        if first is not None:
            told["top"] = {"k": options["top"], "items": list(first)}
        echo_json(told)
        return 0
    lines = [*given.lines, "", ranks.summary(rows=rows)]
    if first is not None:
        lines.append(f"may be among the first {options['top']}: {listed(first)}")
    if options["marginal"]:
        lines += ["", _alone(ranks, rows)]
    # What the decisions assume stands above already.
    decided = [
        line
        for line in ranks.decisions.summary().splitlines()
        if not line.startswith(("assumed", "too few"))
    ]
    proportions = [] if intervals is None else ["", intervals.summary(rows=rows)]
    click.echo("\n".join([*lines, "", *decided, *proportions]))
    return 0


def _ranks(data: Ranked, given: AnyInput, options: dict[str, Any]) -> RankIntervals:
    by: Of = options["ranks"]
    method, ties = options["method"], options["ties"]
    if method is not None and method not in METHODS[by]:
        others = [kind for kind in METHODS if method in METHODS[kind]]
        remedy = (
            f"--ranks {others[0]} takes it"
            if others
            else f"for proportions of pairs say --pairs {method}"
        )
        raise click.UsageError(
            f"--method {method} does not decide ranks by {by}; take one of "
            f"{', '.join(METHODS[by])}, or {remedy}."
        )
    if ties and by != "pairwise" and options["pairs"] not in BINOMIAL:
        raise click.UsageError(
            "--ties is for --ranks pairwise, and for --pairs wilson and clopper-pearson; "
            f"{'points' if by == 'borda' else 'scores'} of tied items are equal."
        )
    with options_named(OPTIONS):
        return rank_intervals(
            data,
            of=by,
            method=method,
            alpha=options["alpha"],
            unit=options["unit"],
            fixed_tasks=options["fixed_tasks"],
            unranked=given.unranked,
            ties=ties if by == "pairwise" else None,
            score_range=options["score_range"],
            tolerance=given.tolerance,
            n_resamples=options["resamples"],
            time_limit=options["deadline"].time_limit,
            rng=options["seed"],
        )


def _first(ranks: RankIntervals, k: int | None) -> tuple[Label, ...] | None:
    if k is None:
        return None
    with options_named(OPTIONS):
        return ranks.top(k)


def _alone(ranks: RankIntervals, rows: int | None) -> str:
    frame = ranks.to_frame(simultaneous=False)
    shown = frame if rows is None else frame.head(rows)
    level = f"{100 * (1 - ranks.decisions.alpha):g} %"
    lines = [f"ranks of each item alone; {level} for one item chosen before looking"]
    lines += visible(shown.to_string()).splitlines()
    if len(frame) > len(shown):
        lines.append(f"... and {counted(len(frame) - len(shown), 'more item')}")
    return "\n".join(lines)


def _proportions(
    data: Profile | ScoreTable | ScoreSummary, tolerance: float, options: dict[str, Any]
) -> PairwiseIntervals:
    exclude = options["ties"] == "exclude" and options["pairs"] in BINOMIAL
    with options_named({**OPTIONS, "method": "--pairs", "simultaneous": "--simultaneous"}):
        return PairwiseIntervals.from_data(
            data,
            tolerance=tolerance,
            method=options["pairs"],
            alpha=options["alpha"],
            simultaneous=None if options["simultaneous"] == "none" else options["simultaneous"],
            estimand=options["estimand"],
            unit=options["unit"],
            fixed_tasks=options["fixed_tasks"],
            ties="exclude" if exclude else "half",
            n_resamples=options["resamples"] or RESAMPLES,
            rng=options["seed"],
        )
