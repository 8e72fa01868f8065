"""`rankagg replicate`: the papers' experiments, run again and judged."""

from __future__ import annotations

from pathlib import Path

import click

from rankagg.aggregation.deadline import Deadline
from rankagg.cli.exit_codes import DONE, FAILED, UNPROVED
from rankagg.cli.options.exact import BEGUN, time_limit_option
from rankagg.cli.options.names import jobs_option
from rankagg.cli.options.output import FOLDER, echo_result, json_option
from rankagg.cli.options.wording import options_named
from rankagg.replication.registry import EXPERIMENTS
from rankagg.replication.replicate import replicate

__all__ = ["command"]


@click.command("replicate")
@click.argument("names", nargs=-1, metavar="[p1 p2 p3 | NAME ...]")
@click.option("--quick", is_flag=True, help="Few repetitions; what is random is not judged.")
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="The folder of the leaderboards that are not bundled.",
)
@jobs_option()
@time_limit_option("the whole command", BEGUN)
@click.option(
    "-o",
    "--out",
    type=FOLDER,
    metavar="DIR",
    help="Write the page, the rows, tables and figures here; a run that was stopped goes on from "
    "what is here.",
)
@click.option("--list", "listing", is_flag=True, help="List the experiments and run none.")
@json_option
def command(
    names: tuple[str, ...],
    *,
    quick: bool,
    data: Path | None,
    jobs: int,
    deadline: Deadline,
    out: Path | None,
    listing: bool,
    as_json: bool,
) -> int:
    """Run the experiments of three papers and hold what comes out beside what is printed.

    Every published quantity gets a row: where it is printed, what is printed, what the paper's
    words and its authors' program give, what comes out here, a verdict, and the reason. Without
    names everything runs. Tables that are not bundled come from --data; without them their rows
    are not judged, and say so. The exit code is 1 where something did not come out as its
    reference has it.

    \b
        rankagg replicate --quick -o replication
        rankagg replicate p1 --data leaderboards --jobs 2 -o replication
        rankagg replicate p1-table-1 --json
    """
    if listing:
        width = max(len(experiment.name) for experiment in EXPERIMENTS)
        for experiment in EXPERIMENTS:
            click.echo(f"{experiment.name:{width}}  {experiment.title}")
        return DONE
    with options_named({"data": "--data", "names": "NAME", "journal": "--out"}):
        result = replicate(
            *names, data=data, output=out, quick=quick, n_jobs=jobs, time_limit=deadline.time_limit
        )
    echo_result(result, None, as_json=as_json, rows=None)
    if out is not None:
        click.echo(f"wrote: {out / 'index.html'}", err=as_json)
    if not result.is_reached:
        return FAILED
    return DONE if result.is_complete else UNPROVED
