"""`rankagg fit`: estimate a distribution over rankings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pandas as pd

from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.evidence import PairData
from rankagg.cli.exit_codes import DONE, UNPROVED
from rankagg.cli.options.exact import show_progress, time_limit_option
from rankagg.cli.options.inputs import AnyInput, any_input_options
from rankagg.cli.options.names import Number, OneOf, alpha_option, labels_of
from rankagg.cli.options.output import echo_json, json_option, plot_option, save_plot
from rankagg.cli.options.told import pairs_only
from rankagg.cli.options.wording import options_named
from rankagg.core.comparisons import Comparisons
from rankagg.core.pairwise import PairwiseMatrix
from rankagg.core.results import plain_rows
from rankagg.core.score_summary import ScoreSummary
from rankagg.distributions.bradley_terry.contests import TIES, Ties
from rankagg.distributions.bradley_terry.fit import ERRORS, Errors, fit_bradley_terry
from rankagg.distributions.bradley_terry.result import BradleyTerryFit
from rankagg.distributions.fit_result import FitResult
from rankagg.distributions.mallows.fit import MallowsFit
from rankagg.distributions.mallows.generalized import GeneralizedMallows
from rankagg.distributions.mallows.mallows import Mallows
from rankagg.distributions.plackett_luce.bradley_terry import BradleyTerry
from rankagg.distributions.plackett_luce.plackett_luce import PlackettLuce
from rankagg.exceptions import visible
from rankagg.inference.units import rankings_of

__all__ = ["MODELS", "command"]

MODELS: dict[str, Callable[..., FitResult]] = {
    "plackett-luce": PlackettLuce.fit,
    "bradley-terry": BradleyTerry.fit,
    "mallows": Mallows.fit,
    "generalized-mallows": GeneralizedMallows.fit,
}
NAMES = {
    "pseudo_rankings": "--pseudo-rankings",
    "ridge": "--ridge",
    "ties": "--ties",
    "side": "--advantage",
    "errors": "--errors-by",
}
WORTHS = ("plackett-luce", "bradley-terry")


@click.command("fit")
@any_input_options
@click.option(
    "--model",
    type=OneOf(list(MODELS)),
    default="plackett-luce",
    show_default=True,
    help="The distribution.",
)
@click.option(
    "--pseudo-rankings",
    type=Number(0, 1e9),
    help="Worths: every item wins and loses so often against a ghost item; default 0.",
)
@click.option("--ridge", type=Number(0, 1e9), help="Worths: a penalty on their squares; default 0.")
@click.option("--reference", metavar="ITEM", help="Worths: show them less that of ITEM.")
@click.option(
    "--ties",
    type=OneOf(TIES),
    help="Comparisons: what a tie is, half a win for each (the default), or an outcome of its own.",
)
@click.option(
    "--advantage", is_flag=True, help="Comparisons: estimate the advantage of the first side."
)
@click.option(
    "--errors-by",
    "errors_by",
    type=OneOf(ERRORS),
    help="Comparisons: errors by the model, by single comparisons, or by --cluster; default: auto.",
)
@click.option("--elo", is_flag=True, help="Comparisons: show ratings on the scale of Elo too.")
@time_limit_option("the center of Mallows models")
@alpha_option("Error of the intervals")
@json_option
@plot_option("the fit")
def command(
    given: AnyInput,
    *,
    model: str,
    pseudo_rankings: float | None,
    ridge: float | None,
    reference: str | None,
    ties: Ties | None,
    advantage: bool,
    errors_by: Errors | None,
    elo: bool,
    deadline: Deadline,
    alpha: float,
    as_json: bool,
    plot: Path | None,
) -> int:
    """Fit a distribution over rankings by maximum likelihood.

    \b
        rankagg fit election.soc --model mallows
        rankagg fit scores.csv --model plackett-luce --reference baseline
        rankagg fit --dataset tennessee --pseudo-rankings 0.5
        rankagg fit battles.csv --format comparisons --first a --second b --outcome winner
        --cluster judge --model bradley-terry --ties davidson --advantage --elo

    Comparisons are fitted one by one, unless --pseudo-rankings or --ridge ask for a fit of what
    they add up to.
    """
    options: dict[str, Any] = {"pseudo_rankings": pseudo_rankings, "ridge": ridge}
    options = {name: value for name, value in options.items() if value is not None}
    if model not in WORTHS and (options or reference is not None):
        raise click.UsageError(f"--model {model} has no worths: leave out the options for them.")
    if deadline != Deadline():
        if model in WORTHS:
            raise click.UsageError("--time-limit is for --model mallows and generalized-mallows.")
        options["time_limit"] = deadline.time_limit
    battles: dict[str, Any] = {"ties": ties, "side": advantage, "errors": errors_by}
    battles = {name: value for name, value in battles.items() if value}
    singly = model == "bradley-terry" and isinstance(given.data, Comparisons) and not options
    if (battles or elo) and not singly:
        raise click.UsageError(
            "--ties, --advantage, --errors-by and --elo are for --model bradley-terry with "
            "--format comparisons, without --pseudo-rankings and --ridge."
        )
    show_progress()
    data = _data_for(model, given, singly=singly)
    shown: dict[str, Any] = {"alpha": alpha}
    if reference is not None:
        items = data.systems if isinstance(data, ScoreSummary) else data.items
        (shown["reference"],) = labels_of("--reference", [reference], items, "item")
    with options_named(NAMES):
        fit = (
            fit_bradley_terry(data, covariates=tuple(data.covariates), **battles)
            if singly
            else MODELS[model](data, **options)
        )
    save_plot(fit.plot, plot)
    center = fit.consensus if isinstance(fit, MallowsFit) else None
    code = DONE if center is None or center.is_proved else UNPROVED
    ratings = pd.DataFrame()
    if elo and isinstance(fit, BradleyTerryFit):
        ratings = fit.elo(reference=shown.get("reference"), alpha=alpha)
    if as_json:
        rated = {"elo": plain_rows(ratings.reset_index())} if len(ratings) else {}
        fitted = {"distribution": fit.distribution.to_dict(), **rated}
        echo_json({**fit.to_dict(alpha), **fitted, "input": list(given.lines)})
        return code
    click.echo("\n".join(given.lines))
    click.echo(fit.summary(rows=None, **shown))
    if len(ratings):
        click.echo(visible(ratings.round(1).to_string(na_rep="-")))
    return code


def _data_for(model: str, given: AnyInput, *, singly: bool) -> Any:
    """Return what a model is fitted to: comparisons `singly`, or what the data come down to."""
    data = given.data
    if isinstance(data, Comparisons | PairwiseMatrix | ScoreSummary) and model == "bradley-terry":
        return data.pairwise() if isinstance(data, Comparisons) and not singly else data
    if isinstance(data, PairData):
        raise click.UsageError(f"--model {model} needs rankings; {pairs_only(data)} not hold them.")
    if isinstance(data, ScoreSummary):
        raise click.UsageError(
            f"{given.name} holds what scores add up to, and --model {model} needs the scores "
            "themselves: give the file of these, or take --model bradley-terry."
        )
    return rankings_of(data, given.tolerance, None)[0]
