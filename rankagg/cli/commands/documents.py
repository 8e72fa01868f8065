"""Commands that write files: a page about data, and sums of scores."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import rankagg as ra
from rankagg.cli import options as opt
from rankagg.cli.command import (
    DONE,
    GATE,
    INTERRUPTED,
    UNPROVED,
    Answer,
    command,
    first_rows,
    options_named,
    output,
    show_progress,
)
from rankagg.cli.data import DASH, anchor_of, data
from rankagg.cli.rules import election_rule, made, rules_to, time_limit, usually_limited
from rankagg.exceptions import InformationLostError, visible

if TYPE_CHECKING:
    from rankagg.aggregation import Deadline
    from rankagg.cli.data import Input


@command(
    data(
        *opt.grouped(
            "Page",
            opt.Option(
                "--before",
                metavar="FILE",
                help="Scores: an older table, read with the same options.",
            ),
        ),
        *opt.grouped(
            "Page of battles",
            opt.column("category", "Column of categories; rate the items in each."),
        ),
    ),
    rules_to("compare with the exact consensus"),
    opt.Option("-o", "--out", type=opt.FILE, default="report.html", help="File to write."),
    opt.choice(
        "--kind",
        ["scores", "battles", "election", "rankings", "lists", "votes"],
        "Kind of page; default: by the kind of data.",
    ),
    opt.Option(
        "--seats",
        type=opt.Whole(1, 10**6),
        help="Seats of an election, counted by STV; default: the number in FILE.",
    ),
    *opt.grouped(
        "Election",
        opt.choice(
            "--tie-breaking",
            ["order", "lot", "refuse"],
            "Break ties by the order of the items (default) or by lot (--seed), or refuse them.",
        ),
        opt.TIE_ORDER,
    ),
    *opt.grouped(
        "Page",
        opt.Option(
            "--title", help="Heading; default: that of a PrefLib file, or the name of the data."
        ),
        opt.several(
            "--about",
            "NAME=TEXT",
            "Line below the heading, such as date=, version=, licence= or link=.",
        ),
        opt.Option(
            "--items",
            metavar="TABLE",
            help="Table of the items: labels in the first column, then columns such as "
            "organization, licence and link.",
        ),
    ),
    *opt.grouped(
        "Page of battles",
        opt.Option("--anchor", metavar="ITEM=RATING", help="Fix the rating of an item."),
        opt.judges(),
    ),
    *opt.grouped(
        "Uncertainty",
        opt.choice(
            "--unit",
            ["ranking", "instance", "task"],
            "Independent units; default: instances if there are any, else rankings.",
        ),
        opt.alpha("Family-wise error rate of decided pairs"),
    ),
    time_limit("all computations", "write what was computed", usual=True),
    opt.several(
        "--gate",
        "CONDITION",
        "Exit with code 4 unless this holds: proved, unique, first-decided, first=ITEM, "
        "above=ITEM,ITEM or decided=ITEM,ITEM.",
        "gates",
    ),
    opt.seed("random rules and lots"),
)
def report(
    given: Input,
    *,
    names: Sequence[str],
    out: Path,
    kind: str | None,
    title: str | None,
    about: Sequence[str],
    anchor: str | None,
    items: str | None,
    deadline: Deadline,
    **options: Any,
) -> Answer:
    """Write one page with all results, a proof and plots.

    \b
        rankagg report june.csv --before may.csv -o report.html
        rankagg report election.soi --title "Council election" --kind election
        rankagg report scores.csv --gate proved --gate first=BERT

    The page is one HTML file that needs no network. If the exact consensus is not proved within
    --time-limit, or another part is not computed, the page says so and the exit code is 3. After
    Ctrl-C the page holds the results computed so far.

    Cast votes and ABIF are an election by default. Other ballots are lists if they leave items
    unlisted and there are no more ballots than items; otherwise they are a sample of rankings.

    Gates are for continuous integration. One sentence tells whether a gate holds. If one fails, or
    needs a result that was not computed, the page is written and the exit code is 4.
    """
    show_progress()
    deadline = usually_limited(deadline, given)
    facts: dict[str, Any] = {**opt.split("--about", about, "NAME=TEXT", last=False)}
    stated = {name: options.pop(name) for name in ("seats", "tie_breaking", "tie_order")}
    counts = _counts(given, kind, stated)
    called = {"rules": "--rule", "gates": "--gate", "about_items": "--items", "source": "--items"}
    called |= {"about['anchor']": "--anchor", "about['judges']": "--judges"}
    if anchor is not None:
        given.need(ra.Comparisons, "Ratings need comparisons")
        facts["anchor"] = anchor_of(anchor, given.evidence.items)
    if given.categories:
        facts["categories"] = given.categories
    if options.pop("judges"):
        facts["judges"] = True
    try:
        with options_named(called):
            page = ra.make_report(
                given.data if given.cast is None else given.cast,
                made(names) or None,
                kind=counts or kind or given.page or None,
                title=given.title if title is None else title,
                about={**facts, "cluster": given.cluster or "cluster"},
                about_items=None if items is None else _items_in(items, given),
                source=given.lines,
                tolerance=given.tolerance,
                time_limit=deadline.time_limit,
                before=given.before,
                **options,
            )
    except InformationLostError:
        if (unit := options["unit"]) not in (None, "ranking"):
            given.refuse_sums(f"--unit {unit}", ", or use --unit ranking")
        raise
    page.save(out)
    code = DONE if page.is_proved and page.is_complete else UNPROVED
    if not all(verdict.holds for verdict in page.gates):
        code = GATE
    return Answer(
        text=lambda rows: f"wrote: {out}",
        messages=map(str, page.gates),
        code=INTERRUPTED if page.interrupted else code,
    )


def _counts(given: Input, kind: str | None, options: dict[str, Any]) -> Any:
    """Return the counting rule of an election, if options state one."""
    stated = {name: value for name, value in options.items() if value is not None}
    if kind == "election" or "seats" in stated:
        given.need(ra.Profile, "Elections need ballots")
    if not stated:
        return None
    is_election = "election" in (kind, given.page) or "seats" in stated
    if not is_election or kind not in (None, "election"):
        option = "--" + next(iter(stated)).replace("_", "-")
        raise click.UsageError(f"{option} is for elections: give --kind election.")
    return election_rule(given, **stated)


def _items_in(path: str, given: Input) -> Any:
    """Return the table of --items, with a row for each item."""
    import pandas as pd

    from rankagg.core import raw_text
    from rankagg.io.tables.reading import read_table

    table = read_table(path)
    columns = {str(name): table.cells(name, "--items") for name in table.header}
    frame = pd.DataFrame(columns, dtype=object)
    frame = frame.where(frame != "", None)
    labels = {raw_text(label): label for label in given.evidence.items}
    first, *others = columns
    return frame[others].set_index(frame[first].map(lambda cell: labels.get(str(cell), cell)))


@command(
    click.Argument(["sources"], nargs=-1, required=True, type=click.Path()),
    opt.column("task", "Column of tasks; default: one task."),
    opt.column("instance", "Column of instances; a task may have each only once."),
    opt.column("system", "Long form: column of systems."),
    opt.column("score", "Long form: column of scores."),
    *opt.DIRECTIONS[:2],
    opt.Option(
        "--systems",
        metavar="A,B,C",
        help="Wide form: columns of systems; default: all other columns. Long form: all systems.",
    ),
    opt.choice(
        "--scattered",
        ["refuse", "sort"],
        "Long files whose rows of one instance are apart: refuse, or sort on disk with DuckDB.",
        default="refuse",
    ),
    opt.jobs(),
    output("tasks and systems"),
    opt.Option("--out", type=opt.FILE, help="Write the sums as JSON, for other commands."),
)
def scan(
    sources: tuple[str, ...],
    *,
    out: Path | None,
    lower: Sequence[str],
    lower_is_better: bool,
    systems: str | None,
    n_jobs: int,
    **columns: Any,
) -> Answer:
    """Sum up score files of any size in bounded memory.

    \b
        rankagg scan 'data/*.parquet' --task task --instance id --out sums.json
        rankagg scan long.csv --task task --instance id --system model --score value
        rankagg compare sums.json

    SOURCES are files, patterns and folders of Parquet, CSV and TSV. A wide file has a row for each
    task and instance, and a column for each system; a long one has a row for each score. Scores are
    not kept in memory. Most commands read the file of --out in place of scores; studies and fits
    of rankings do not.
    """
    import pandas as pd

    from rankagg.cli.notes import score_lines, size_of
    from rankagg.core import counted, shortened
    from rankagg.io.output_files import write_text

    if DASH in sources:
        raise click.UsageError(
            "scan may read files twice, which the standard input forbids: save it as a file."
        )
    if lower and columns["task"] is None:
        raise click.UsageError("--lower needs --task, the column of tasks.")
    if lower_is_better and lower:
        raise click.UsageError("--lower-is-better covers every task; leave --lower out.")
    columns["systems"] = systems and [name.strip() for name in systems.split(",")]
    with options_named({"higher_is_better": "--lower", "source": "SOURCES"}):
        scanned = ra.io.scan_scores(sources, higher_is_better=not lower_is_better, **columns)
        if lower:
            tasks = scanned.find_tasks()
            low = opt.labels_of("--lower", lower, tasks, "task")
            better = {task: task not in low for task in tasks}
            scanned = ra.io.scan_scores(sources, higher_is_better=better, **columns)
        summary = scanned.summarize(n_jobs=n_jobs)
    more = f" and {counted(len(sources) - 1, 'more source')}" if len(sources) > 1 else ""
    files = counted(len(scanned.files), "file")
    read = visible(f"read: {sources[0]}{more}, {files}: {size_of(summary)}")

    def text(rows: int | None) -> str:
        n, tallies = summary.n_systems, list(summary.tallies.values())
        units = [tally.n_units for tally in tallies]
        scores = [int(tally.observed.sum()) for tally in tallies]
        observed = sum(tally.observed for tally in tallies)
        tasks = {
            "task": [shortened(task) for task in summary.tasks],
            "better": ["higher" if up else "lower" for up in summary.higher_is_better.values()],
            "instances": units,
            "scores": scores,
            "missing": [n * m - there for m, there in zip(units, scores, strict=True)],
            "left_out": [tally.n_empty for tally in tallies],
        }
        systems = {
            "system": [shortened(system) for system in summary.systems],
            "scores": observed,
            "missing": summary.n_units - observed,
            "tasks": sum((tally.observed > 0).astype(int) for tally in tallies),
        }
        tables = ((pd.DataFrame(tasks), "task"), (pd.DataFrame(systems), "system"))
        parts = (f"\n{first_rows(frame, rows, noun, index=False)}" for frame, noun in tables)
        return "\n".join([f"fingerprint: {summary.fingerprint}", *parts])

    content = json.dumps(summary.to_dict(), ensure_ascii=False)
    return Answer(
        lines=[read, *score_lines(summary)],
        data=lambda: {**summary.to_dict(), "fingerprint": summary.fingerprint},
        text=text,
        files=[(out, lambda path: write_text(path, f"{content}\n"))],
    )
