"""Commands that write what is handed on: a page about data, and what scores add up to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import rankagg as ra
from rankagg.cli.exit_codes import DONE, GATE, INTERRUPTED, UNPROVED
from rankagg.cli.options.command import FILE, Answer, command, output, rows_told
from rankagg.cli.options.data_options import DIRECTIONS, Typed
from rankagg.cli.options.exact import show_progress, time_limit, usually_limited
from rankagg.cli.options.given import data
from rankagg.cli.options.rules import made, rules_to
from rankagg.cli.options.scans import SCAN_OPTIONS, summed
from rankagg.cli.options.typed import (
    Option,
    Whole,
    alpha,
    choice,
    flag,
    grouped,
    seed,
    several,
    split,
)
from rankagg.cli.options.wording import options_named
from rankagg.exceptions import InformationLostError, InvalidInputError

if TYPE_CHECKING:
    from rankagg.aggregation import Deadline
    from rankagg.cli.options.inputs import Input


@command(
    data(),
    rules_to("compare with the exact consensus"),
    Option("-o", "--out", type=FILE, default="report.html", help="The file to write."),
    choice(
        "--kind",
        ["scores", "battles", "election", "rankings", "lists", "votes"],
        "What the page is made for; default: by what the data are.",
    ),
    Option("--seats", type=Whole(1, 10**6), help="An election of so many seats, counted by STV."),
    Option(
        "--title",
        group="Page",
        help="The heading; default: that of a PrefLib file, or the name of the data.",
    ),
    several(
        "--about",
        "NAME=TEXT",
        "What stands below the heading, such as date=, version=, licence= and link=.",
        group="Page",
    ),
    Option(
        "--items",
        group="Page",
        metavar="TABLE",
        help="A table of the items: labels in the first column, then others such as "
        "organization, licence and link.",
    ),
    choice(
        "--unit",
        ["ranking", "instance", "task"],
        "What is independent; default: instances where there are some, else rankings.",
        group="Uncertainty",
    ),
    *grouped("Uncertainty", alpha("Family-wise error rate of the decided pairs")),
    time_limit("everything that is computed", usual=True),
    flag("--one", help="Do not look at the other optima."),
    several(
        "--gate",
        "CONDITION",
        "Exit with code 4 where this is not so: proved, unique, first-decided, first=ITEM, "
        "above=ITEM,ITEM or decided=ITEM,ITEM.",
        "gates",
    ),
    seed("For rules that draw."),
)
def report(
    given: Input,
    *,
    names: Sequence[str],
    out: Path,
    kind: str | None,
    seats: int | None,
    title: str | None,
    about: Sequence[str],
    items: str | None,
    deadline: Deadline,
    one: bool,
    **options: Any,
) -> Answer:
    """Write one page with all results, a proof and plots.

    \b
        rankagg report scores.csv -o report.html
        rankagg report election.soi --title "Council election" --kind election
        rankagg report scores.csv --gate proved --gate first=BERT

    The page is one HTML file that asks nothing of the network. The exit code is 3 where the exact
    consensus is not proved within --time-limit, or something else not computed; the page is
    written all the same, and says so. Ctrl-C too leaves the page with what there is.

    --kind is by default an election for cast votes and ABIF; other ballots are lists where they
    leave items unlisted and are no more than the items, else rankings, a sample.

    Gates are for continuous integration: each is judged in one sentence, and where one fails, or
    what it asks was not computed, the exit code is 4. The page is written all the same.
    """
    show_progress()
    deadline = usually_limited(deadline, given)
    facts = split("--about", about, "NAME=TEXT", last=False)
    meant = {"rules": "--rule", "gates": "--gate", "about_items": "--items"}
    with _unit_told(given, options["unit"]), options_named({**meant, "source": "--items"}):
        page = ra.make_report(
            given.data,
            made(names) or None,
            kind=kind or given.page or None if seats is None else ra.STV(seats),
            title=given.title if title is None else title,
            about={**facts, "cluster": given.cluster or "cluster"},
            about_items=None if items is None else _items_in(items, given),
            source=given.lines,
            tolerance=given.tolerance,
            time_limit=deadline.time_limit,
            optima=not one,
            **options,
        )
    page.save(out)
    code = DONE if page.is_proved and page.is_complete else UNPROVED
    if not all(verdict.holds for verdict in page.gates):
        code = GATE
    return Answer(
        text=lambda rows: f"wrote: {out}",
        beside=map(str, page.gates),
        code=INTERRUPTED if page.interrupted else code,
    )


def _items_in(path: str, given: Input) -> Any:
    """Return a table with a row for each item."""
    import pandas as pd

    from rankagg.core import listed, raw_text
    from rankagg.io.tables.reading import read_table

    table = read_table(path)
    frame = pd.DataFrame(
        {name: [str(cell or "") for cell in table.cells(name, "--items")] for name in table.header}
    )
    frame = frame.where(frame != "", None)
    labels = {raw_text(label): label for label in given.evidence.items}
    first, *others = map(str, frame.columns)
    if frame[first].duplicated().any():
        allowed = "a table with one row for each item, whose name is in its first column"
        raise InvalidInputError("--items", allowed, path)
    if unknown := [text for text in frame[first] if text not in labels]:
        raise click.UsageError(f"--items {path} has what is not in the data: {listed(unknown)}.")
    return frame[others].set_index(frame[first].map(labels))


@contextmanager
def _unit_told(given: Input, unit: str | None) -> Iterator[None]:
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


@command(
    click.Argument(["sources"], nargs=-1, required=True, type=click.Path()),
    Option("--task", metavar="COLUMN", help="Column of tasks; default: all rows are of one."),
    Option(
        "--instance", metavar="COLUMN", help="Column of instances; none of a task may occur twice."
    ),
    Option("--system", metavar="COLUMN", help="Long form: column of systems."),
    Option("--score", metavar="COLUMN", help="Long form: column of scores."),
    *DIRECTIONS,
    several("--weight", "TASK=NUMBER", "Weight of a task; default 1."),
    *SCAN_OPTIONS,
    Option(
        "--groups",
        "n_groups",
        group="Files",
        metavar="NUMBER",
        type=Whole(2, 10**6),
        help="Also add up instances in so many groups, by their labels, for a bootstrap; 200 "
        "are enough. Needs --instance.",
    ),
    output("tasks and systems"),
    Option("--out", type=FILE, help="Write the sums as JSON, which other commands read."),
)
def scan(sources: tuple[str, ...], *, out: Path | None, **values: Any) -> Answer:
    """Add up score files of any size in one pass.

    \b
        rankagg scan 'data/*.parquet' --task task --instance id --out sums.json
        rankagg scan long.csv --task task --instance id --system model --score value
        rankagg compare sums.json

    SOURCES are files, patterns and folders of Parquet, CSV and TSV. A wide file has a
    row for each task and instance, and a column for each system; a long one has a row for each
    score. No scores are held. What --out writes goes where scores go, as far as sums tell; only
    studies and fits of whole rankings need the scores.
    """
    import pandas as pd

    from rankagg.core import shortened
    from rankagg.io.json_files import write_summary

    summary, lines = summed(sources, Typed(**values))

    n, tallies = summary.n_systems, list(summary.tallies.values())
    units = [tally.n_units for tally in tallies]
    scores = [int(tally.observed.sum()) for tally in tallies]
    tasks = {
        "task": [shortened(task) for task in summary.tasks],
        "better": ["higher" if up else "lower" for up in summary.higher_is_better.values()],
        "instances": units,
        "scores": scores,
        "missing": [n * m - there for m, there in zip(units, scores, strict=True)],
        "left_out": [tally.n_empty for tally in tallies],
    }
    observed = sum(tally.observed for tally in tallies)
    systems = {
        "system": [shortened(system) for system in summary.systems],
        "scores": observed,
        "missing": summary.n_units - observed,
        "tasks": sum((tally.observed > 0).astype(int) for tally in tallies),
    }

    def told(rows: int | None) -> str:
        tables = ((pd.DataFrame(tasks), "task"), (pd.DataFrame(systems), "system"))
        shown = (f"\n{rows_told(frame, rows, noun, index=False)}" for frame, noun in tables)
        return "\n".join([f"fingerprint: {summary.fingerprint}", *shown])

    return Answer(
        lines=lines,
        data=lambda: {**summary.to_dict(), "fingerprint": summary.fingerprint},
        text=told,
        files=[(out, lambda path: write_summary(summary, path))],
    )
