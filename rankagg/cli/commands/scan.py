"""`rankagg scan`: what any number of scores add up to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankagg.cli.options.names import Whole
from rankagg.cli.options.output import FILE, echo_json, json_option, rows_options
from rankagg.cli.options.scans import add_options, run_options, summed
from rankagg.core.grouped_tally import MOST_GROUPS
from rankagg.core.items import counted, shortened
from rankagg.core.score_summary import ScoreSummary
from rankagg.exceptions import visible
from rankagg.io.json_files import write_summary

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["command"]

COLUMNS = [
    click.option("--task", metavar="COLUMN", help="Column of tasks; default: all rows are of one."),
    click.option(
        "--instance", metavar="COLUMN", help="Column of instances; none of a task may occur twice."
    ),
    click.option("--system", metavar="COLUMN", help="Long form: column of systems."),
    click.option("--score", metavar="COLUMN", help="Long form: column of scores."),
    click.option("--lower-is-better", is_flag=True, help="Lower is better on every task."),
    click.option(
        "--lower",
        multiple=True,
        metavar="TASK",
        help="Lower is better on TASK, and higher on the others; may be repeated. The column of "
        "tasks is read first.",
    ),
    click.option(
        "--weight",
        multiple=True,
        metavar="TASK=NUMBER",
        help="Weight of a task; default 1; may be repeated.",
    ),
]


GROUPS = click.option(
    "--groups",
    type=Whole(2, MOST_GROUPS),
    metavar="NUMBER",
    help="Also add up instances in so many groups, by their labels, which a bootstrap can draw; "
    "200 are enough. Needs --instance.",
)


def _refused(_: click.Context, option: click.Parameter, value: Any) -> None:
    if value:
        raise click.UsageError(
            f"A scan does not take {option.opts[0]}: it reads numbers with a point before "
            "decimals and the usual words for missing ones. `rankagg rank` and others take it for "
            "files that fit in memory; else rewrite the column first."
        )


# Other commands take these; a scan says why it does not.
ELSEWHERE = [
    click.option(
        name, is_flag=name == "--percent", hidden=True, expose_value=False, callback=_refused
    )
    for name in ("--decimal", "--percent", "--na", "--errors")
]


def _options(command: Any) -> Any:
    return add_options(command, [*COLUMNS, *run_options(), GROUPS, *ELSEWHERE])


@click.command("scan")
@click.argument("sources", nargs=-1, required=True, type=click.Path())
@_options
@rows_options("tasks and systems")
@json_option
@click.option(
    "--out", type=FILE, metavar="FILE", help="Write the sums as JSON, which other commands read."
)
def command(
    sources: tuple[str, ...],
    *,
    rows: int | None,
    as_json: bool,
    out: Path | None,
    **values: Any,
) -> None:
    """Add up score files of any size in one pass, and tell what is in them.

    SOURCES are files, patterns and folders of Parquet, CSV, TSV and JSON Lines. A wide file has a
    row for each task and instance, and a column for each system; a long one has a row for each
    score. No scores are held. What --out writes goes where scores go, as far as sums tell; only
    experiment and fits of whole rankings need the scores.

    \b
        rankagg scan 'data/*.parquet' --task task --instance id --out sums.json
        rankagg scan long.csv --task task --instance id --system model --score value
        rankagg compare sums.json
    """
    summary, lines = summed(sources, values, "SOURCES")
    if out is not None:
        write_summary(summary, out)
    if as_json:
        echo_json({**summary.to_dict(), "fingerprint": summary.fingerprint, "input": list(lines)})
        return
    click.echo("\n".join([*lines, f"fingerprint: {summary.fingerprint}"]))
    for frame, noun in ((_tasks(summary), "task"), (_systems(summary), "system")):
        shown = frame if rows is None else frame.head(rows)
        click.echo(f"\n{visible(shown.to_string(index=False))}")
        if len(shown) < len(frame):
            click.echo(f"... and {counted(len(frame) - len(shown), f'more {noun}')}")


def _tasks(summary: ScoreSummary) -> pd.DataFrame:
    import pandas as pd  # noqa: PLC0415 - only to print

    n = summary.n_systems
    scores = [int(tally.observed.sum()) for tally in summary.tallies.values()]
    units = [tally.n_units for tally in summary.tallies.values()]
    return pd.DataFrame(
        {
            "task": [shortened(task) for task in summary.tasks],
            "better": ["higher" if up else "lower" for up in summary.higher_is_better.values()],
            "instances": units,
            "scores": scores,
            "missing": [n * m - there for m, there in zip(units, scores, strict=True)],
            "left_out": [tally.n_empty for tally in summary.tallies.values()],
        }
    )


def _systems(summary: ScoreSummary) -> pd.DataFrame:
    import pandas as pd  # noqa: PLC0415 - only to print

    scores = sum(tally.observed for tally in summary.tallies.values())
    return pd.DataFrame(
        {
            "system": [shortened(system) for system in summary.systems],
            "scores": scores,
            "missing": summary.n_units - scores,
            "tasks": [
                sum(bool(tally.observed[at]) for tally in summary.tallies.values())
                for at in range(summary.n_systems)
            ],
        }
    )
