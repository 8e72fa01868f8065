"""`rankagg missing`: what is missing, and how sensitive conclusions are to it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click
from click.core import ParameterSource

from rankagg._typing import Unranked
from rankagg.aggregation.deadline import Deadline
from rankagg.aggregation.evidence import PairData
from rankagg.analysis.missing import MissingReport, missing_report
from rankagg.analysis.robustness.sensitivity import sensitivity
from rankagg.cli.exit_codes import DONE, UNPROVED
from rankagg.cli.options.aggregators import METHODS, WITHOUT_POLICY, make
from rankagg.cli.options.exact import limited, time_limit_option
from rankagg.cli.options.inputs import AnyInput, any_input_options
from rankagg.cli.options.names import OneOf, Whole, seed_option
from rankagg.cli.options.output import echo_json, json_option, plot_option, rows_options, save_plot
from rankagg.cli.options.told import pairs_only
from rankagg.core.score_summary import ScoreSummary

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankagg.core.profile import Profile
    from rankagg.core.scores import ScoreTable

__all__ = ["command"]

NO_COMPLETIONS = "completions are left out: sums of scores do not hold the rankings to complete"


@click.command("missing")
@any_input_options
@click.option(
    "--method",
    type=OneOf([name for name in METHODS if name not in WITHOUT_POLICY]),
    default="borda",
    show_default=True,
    help="The method whose sensitivity to what is missing is shown: one with a policy for unranked "
    "items.",
)
@click.option(
    "--samples",
    type=Whole(1, 10**6),
    default=200,
    show_default=True,
    help="Completions of the data to rank.",
)
@time_limit_option("each policy, and all completions")
@seed_option("the completions")
@rows_options("items and pairs")
@json_option
@plot_option("a map of what is missing")
def command(
    given: AnyInput,
    *,
    method: str,
    samples: int,
    deadline: Deadline,
    seed: int,
    rows: int | None,
    as_json: bool,
    plot: Path | None,
) -> int:
    """Say who lacks what, who was never compared, and what flips between assumptions.

    \b
        rankagg missing scores.csv
        rankagg missing sums.json
        rankagg missing scores.csv --method kemeny --samples 50 --json
    """
    if isinstance(given.data, PairData):
        raise click.UsageError(
            f"Needs rankings or scores; {pairs_only(given.data)} not say what is missing."
        )
    is_summed = isinstance(given.data, ScoreSummary)
    if is_summed:
        _refuse_completions(given)
    report = missing_report(given.data)
    parts: dict[str, Any] = {"missing": report}
    if report.n_missing:
        (rule,) = limited([make(method, given.unranked)], deadline)
        policies = sorted(get_args(Unranked), key=lambda policy: policy != given.unranked)
        parts["sensitivity"] = sensitivity(
            given.data, rule, policies=policies, n_samples=samples, tolerance=given.tolerance,
            rng=seed,
        )  # fmt: skip
    in_time = "sensitivity" not in parts or not parts["sensitivity"].n_unsettled
    mapped = report if isinstance(given.data, ScoreSummary) else given.data
    save_plot(lambda: _map(mapped), plot)
    if as_json:
        told = {name: part.to_dict() for name, part in parts.items()}
        schema = {"schema": "rankagg.missing_data", "version": 1}
        echo_json({**schema, **told, "input": list(given.lines)})
        return DONE if in_time else UNPROVED
    click.echo("\n".join(given.lines))
    texts = [part.summary(rows=rows) for part in parts.values()]
    if is_summed and report.n_missing:
        texts.append(NO_COMPLETIONS)
    click.echo("\n\n".join(texts))
    return DONE if in_time else UNPROVED


def _refuse_completions(given: AnyInput) -> None:
    context = click.get_current_context()
    for name in ("samples", "seed"):
        if context.get_parameter_source(name) is not ParameterSource.DEFAULT:
            raise click.UsageError(
                f"--{name} is for completions of rankings, and {given.name} holds what scores add "
                "up to: give the file of the scores."
            )


def _map(data: ScoreTable | Profile | MissingReport) -> Axes:
    from rankagg.plotting.missing_cells import missingness_map  # noqa: PLC0415

    return missingness_map(data)
