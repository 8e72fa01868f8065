"""`rankagg report`: one page about a data set, to hand on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from rankagg.aggregation.evidence import Evidence
from rankagg.cli.exit_codes import DONE, GATE, INTERRUPTED, UNPROVED
from rankagg.cli.options.aggregators import made, methods_option
from rankagg.cli.options.exact import show_progress
from rankagg.cli.options.inputs import AnyInput, any_input_options
from rankagg.cli.options.names import SECONDS, OneOf, alpha_option, seed_option
from rankagg.cli.options.output import FILE
from rankagg.cli.options.wording import options_named
from rankagg.core.items import counted
from rankagg.exceptions import InformationLostError
from rankagg.inference.units import Unit
from rankagg.report.page import make_report

__all__ = ["command"]


# With more items than these a proof, or the other optima, may take hours: so many seconds, unless
# others are asked for.
MANY, LIMIT = 200, 60.0

NAMED = {"unit": "--unit", "aggregators": "--method", "gates": "--gate"}


@click.command("report")
@any_input_options
@methods_option("hold against the exact consensus")
@click.option(
    "-o",
    "--out",
    type=FILE,
    default="report.html",
    show_default=True,
    help="The file to write.",
)
@click.option("--title", help="The heading; default: the name of the file or data set.")
@click.option(
    "--unit",
    type=OneOf(["ranking", "instance", "task"]),
    help="What is independent, for the uncertainty; default: instances where there are some, "
    "else rankings.",
)
@alpha_option("Family-wise error rate of the decided pairs")
@click.option(
    "--time-limit",
    type=SECONDS,
    metavar="SECONDS",
    help=f"For everything that is computed; what was not computed in time is said on the page. "
    f"Default: {LIMIT:g} where there are more than {MANY} items, else none.",
)
@click.option("--one", is_flag=True, help="Do not look at the other optima.")
@click.option(
    "--gate",
    "gates",
    multiple=True,
    metavar="CONDITION",
    help="Exit with code 4 where this is not so: proved, unique, first-decided, first=ITEM, "
    "above=ITEM,ITEM or decided=ITEM,ITEM. May be repeated.",
)
@seed_option("randomized methods")
def command(
    given: AnyInput,
    *,
    methods: tuple[str, ...],
    out: Path,
    title: str | None,
    unit: Unit | None,
    alpha: float,
    time_limit: float | None,
    one: bool,
    gates: tuple[str, ...],
    seed: int,
) -> int:
    """Write one page with everything: consensus, proof, other methods, uncertainty, gaps, plots.

    The page is one HTML file that asks nothing of the network. The exit code is 3 where the exact
    consensus is not proved within --time-limit, or something else not computed; the page is
    written all the same, and says so. Ctrl-C too leaves the page with what there is.

    Gates are for continuous integration: each is judged in one sentence, and where one fails, or
    what it asks was not computed, the exit code is 4. The page is written all the same.

    \b
        rankagg report scores.csv -o report.html
        rankagg report election.soi --title "Council election" --unranked last
        rankagg report sums.json
        rankagg report --dataset glue_human
        rankagg report scores.csv --gate proved --gate first=BERT
    """
    show_progress()
    if time_limit is None and (n := len(Evidence.of(given.data, given.tolerance).items)) > MANY:
        time_limit = LIMIT
        click.echo(
            f"note: {counted(n, 'item', ',')}, so {LIMIT:g} seconds at most; --time-limit SECONDS "
            "sets another limit.",
            err=True,
        )
    with _unit_told(given, unit), options_named(NAMED):
        page = make_report(
            given.data,
            made(methods, given.unranked) or None,
            title=given.name if title is None else title,
            source=given.lines,
            unranked=given.unranked,
            tolerance=given.tolerance,
            unit=unit,
            alpha=alpha,
            time_limit=time_limit,
            optima=not one,
            gates=gates,
            rng=seed,
        )
    page.save(out)
    click.echo("\n".join([*given.lines, f"wrote: {out}"]))
    for verdict in page.gates:
        click.echo(verdict, err=True)
    if page.interrupted:
        return INTERRUPTED
    if not all(verdict.holds for verdict in page.gates):
        return GATE
    return DONE if page.is_proved and page.is_complete else UNPROVED


@contextmanager
def _unit_told(given: AnyInput, unit: Unit | None) -> Iterator[None]:
    """Say it in words of this command where sums do not tell what the unit needs."""
    try:
        yield
    except InformationLostError:
        if unit in (None, "ranking"):
            raise
        raise click.UsageError(
            f"--unit {unit} needs the scores themselves, and {given.name} holds what they add up "
            "to: give the file of the scores, or take --unit ranking."
        ) from None
