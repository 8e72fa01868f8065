"""`rankagg intervals`: how sure one may be of every pair and every place."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, get_args

import click

from rankagg.cli.inputs import Input, input_options
from rankagg.cli.numbers import DELTA, SEED, Number, Whole
from rankagg.cli.output import echo_json, json_option, rows_options
from rankagg.cli.plots import plot_option, save_plot
from rankagg.core.pairwise import PairwiseMatrix
from rankagg.inference.intervals import PairwiseIntervals
from rankagg.inference.methods import RESAMPLING, Method
from rankagg.inference.ranks import METHODS, Of, RankIntervals, rank_intervals
from rankagg.inference.units import Estimand, Unit, rankings_of

__all__ = ["command"]


@click.command("intervals")
@input_options
@click.option(
    "--method",
    type=click.Choice(get_args(Method)),
    default="hoeffding",
    show_default=True,
    help="hoeffding and bernstein always hold; wilson and clopper-pearson are for comparisons "
    "without ties and weights; percentile and bca resample, and hold for many units.",
)
@click.option("--delta", type=DELTA, default=0.05, show_default=True, help="Probability of error.")
@click.option(
    "--simultaneous",
    type=click.Choice(["none", "bonferroni", "max-t"]),
    default="none",
    show_default=True,
    help="Whether intervals hold for each pair alone or for all at once. Decisions and places "
    "always hold at once.",
)
@click.option(
    "--estimand",
    type=click.Choice(get_args(Estimand)),
    default="direct",
    show_default=True,
    help="direct: the chance to be above where both were observed. imputed: the share of "
    "compatible permutations, over all units.",
)
@click.option(
    "--unit",
    type=click.Choice(get_args(Unit)),
    default="ranking",
    show_default=True,
    help="What is independent: rankings of one instance or task are averaged first.",
)
@click.option(
    "--fixed-tasks", is_flag=True, help="The tasks are those of interest, and not a sample."
)
@click.option(
    "--exclude-ties", is_flag=True, help="Leave ties out, for wilson and clopper-pearson."
)
@click.option(
    "--places",
    type=click.Choice(get_args(Of)),
    default="pairwise",
    show_default=True,
    help="What the places are by: majorities, Borda points, or mean scores.",
)
@click.option(
    "--score-range",
    type=(Number(), Number()),
    metavar="LOW HIGH",
    help="The least and the largest possible score, for places by mean scores.",
)
@click.option(
    "--resamples", type=Whole(1, 10**6), default=2000, show_default=True, help="For resampling."
)
@click.option("--seed", type=SEED, default=0, show_default=True, help="For resampling.")
@rows_options("pairs and items")
@json_option
@plot_option("the intervals of places, or of pairs where there are none of places,")
def command(
    given: Input,
    *,
    places: Of,
    score_range: tuple[float, float] | None,
    rows: int | None,
    as_json: bool,
    plot: Path | None,
    **options: Any,
) -> int:
    """Say how sure one may be of each pair, and of each place.

    For each two items the proportion in which one is above the other, with an interval; the pairs
    that are decided, all of them together with one probability of error; and the places that
    these decisions leave every item.

    \b
        rankagg intervals scores.csv --method bernstein
        rankagg intervals instances.csv --instance k --unit instance --places borda
        rankagg intervals --dataset condorcet_1785 --method clopper-pearson
    """
    if isinstance(given.data, PairwiseMatrix):
        raise click.UsageError("Intervals need rankings or scores; a matrix does not hold them.")
    profile, instances = rankings_of(given.data, given.tolerance, None)
    shared: dict[str, Any] = {
        name: options[name] for name in ("method", "delta", "unit", "fixed_tasks")
    }
    intervals = PairwiseIntervals.from_profile(
        profile,
        simultaneous=None if options["simultaneous"] == "none" else options["simultaneous"],
        estimand=options["estimand"],
        ties="exclude" if options["exclude_ties"] else "half",
        instances=instances,
        n_resamples=options["resamples"],
        rng=options["seed"],
        **shared,
    )
    parts: dict[str, Any] = {"intervals": intervals}
    if intervals.estimand == "direct":
        how: Literal["holm", "intervals"] = (
            "intervals" if options["simultaneous"] == "max-t" else "holm"
        )
        parts["decisions"] = intervals.decisions(how)
        parts["places"] = RankIntervals.from_intervals(intervals, how)
    if places != "pairwise":
        method = "max-t" if options["method"] in RESAMPLING else options["method"]
        if method not in METHODS[places]:
            raise click.UsageError(
                f"--method {method} is not for places by {places}; take one of "
                f"{', '.join(METHODS[places][:-1])}, percentile."
            )
        shared["method"] = method
        parts["places"] = rank_intervals(
            given.data,
            of=places,
            unranked=given.unranked,
            score_range=score_range,
            tolerance=given.tolerance,
            n_resamples=options["resamples"],
            rng=options["seed"],
            **shared,
        )
    save_plot(parts.get("places", intervals).plot, plot)
    if as_json:
        echo_json(
            {**{name: part.to_dict() for name, part in parts.items()}, "input": list(given.lines)}
        )
        return 0
    click.echo("\n".join(given.lines))
    texts = [
        part.summary() if name == "decisions" else part.summary(rows=rows)
        for name, part in parts.items()
    ]
    click.echo("\n\n".join(texts))
    return 0
