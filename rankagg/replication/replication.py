"""All experiments, or some: run, judged row by row, and kept together."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import field
from functools import partial
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import Any, Literal, cast

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from tqdm import tqdm

from rankagg._validation import check_flag
from rankagg.aggregation import Deadline, time_limit_of
from rankagg.core import Result, counted, plain_rows
from rankagg.exceptions import InvalidInputError, OutOfTimeError, OutputError, nearest
from rankagg.io.output_files import guard_frame, write_file, write_text
from rankagg.plotting import style
from rankagg.replication import p1, p2, p3  # noqa: F401 - their experiments are registered
from rankagg.replication.experiment import (
    QUICK_REPETITIONS,
    REGISTERED,
    Bench,
    Experiment,
    ExperimentRun,
    Illustration,
    Sheet,
)
from rankagg.replication.leaderboards import Leaderboards
from rankagg.replication.published import PAPERS, VERDICTS, Published, Row, judge, published
from rankagg.report.figures import figure_of
from rankagg.report.sections import (
    UNKNOWN,
    PageCell,
    PageColumn,
    PageTable,
    Section,
    render_page,
    table_of,
)

#: All experiments, in the order of the papers.
EXPERIMENTS = tuple(sorted(REGISTERED, key=lambda one: one.paper))
# What a file of rows has of each.
ROW = ["paper", "item", "quantity", "printed", "definition", "authors", "here", "verdict", "reason"]
# Why what was not finished is not judged.
UNFINISHED = "not computed in time"


class Replication(Result):
    """The papers' quantities beside what comes out here.

    Made by `replicate`; it has no plot of its own, its figures are those of the experiments.

    Attributes
    ----------
    rows : tuple of Row
        One per published quantity.
    outcomes : tuple of ExperimentRun
        Every experiment, with its tables and figures, and the seconds it took.
    """

    _schema = "rankagg.replication"
    _row = "experiment"
    _number = "{:z.1f}"
    _named_rows = False

    rows: tuple[Row, ...]
    outcomes: tuple[ExperimentRun, ...] = field(compare=False)

    @property
    def is_reached(self) -> bool:
        """Whether everything that was computed came out as defined, or differs for a reason."""
        return not any(row.is_fault for row in self.rows)

    @property
    def is_complete(self) -> bool:
        """Whether every experiment was finished within the time limit."""
        return not any(row.reason == UNFINISHED for row in self.rows)

    def to_frame(self) -> pd.DataFrame:
        """Return a row per quantity, all of it as text.

        Returns
        -------
        pandas.DataFrame
            Columns paper, item, quantity, printed, definition (by the paper's words), authors (by
            their program), here, verdict and reason.
        """
        return pd.DataFrame([vars(row) for row in self.rows], columns=ROW, dtype=str)

    def to_html(self) -> str:
        """Return one page with all rows, figures and explanations."""
        lead = [
            f"{counted(len(self.rows), 'quantity')}: {_verdicts(self.rows)}.",
            "Definition is what the paper's words give, authors what their program gives on their "
            "file; both were computed by other programs than this package. Here is what came out.",
        ]
        runs = map(_section, self.outcomes)
        sections = [_verdict_table(self.rows), *runs, *_explanations(self.rows)]
        return render_page("Three papers on ranking systems, run again", sections, lead=lead)

    def save(self, folder: str | PathLike[str]) -> None:
        """Write the page, the rows, and all tables and figures.

        Parameters
        ----------
        folder : path
            Where to; it is made where it is missing. Files of the same names are replaced.

        Raises
        ------
        OutputError
            If something cannot be written.
        """
        there = folder_for(folder)
        tables, figures = folder_for(there / "tables"), folder_for(there / "figures")
        for run in self.outcomes:
            for sheet in run.sheets:
                _save_sheet(tables, sheet)
            for picture in run.pictures:
                _save_picture(figures, picture)
        write_text(there / "replication.csv", _csv(self.to_frame()))
        write_text(there / "index.html", self.to_html())

    def _facts(self) -> Iterable[str]:
        number = counted(len(self.rows), "published quantity")
        yield f"{number} in {counted(len(self.outcomes), 'experiment')}"
        for verdict, times in Counter(row.verdict for row in self.rows).most_common():
            yield f"{verdict}: {times}"

    def _table(self) -> pd.DataFrame:
        return pd.DataFrame(
            {
                "experiment": [outcome.experiment.name for outcome in self.outcomes],
                "title": [outcome.experiment.title for outcome in self.outcomes],
                "quantities": [len(outcome.rows) for outcome in self.outcomes],
                "seconds": [outcome.seconds for outcome in self.outcomes],
            }
        )

    def _below(self, rows: int | None = None) -> Iterable[str]:
        faults = [row for row in self.rows if row.is_fault]
        for row in faults[:rows]:
            where = f"{row.paper}, {row.item}, {row.quantity}"
            yield f"not reached: {where}: {row.here}, but {row.reason}"

    def _content(self) -> dict[str, Any]:
        return {"rows": plain_rows(self.to_frame())}


def replicate(
    *names: str,
    data: str | PathLike[str] | None = None,
    output: str | PathLike[str] | None = None,
    quick: bool = False,
    n_jobs: int | None = None,
    progress: bool | None = None,
    time_limit: float | None = None,
) -> Replication:
    """Run the papers' experiments, and hold what comes out beside what is printed.

    Parameters
    ----------
    *names : str
        Papers ("p1", "p2", "p3") or experiments ("p1-table-7"); all by default.
    data : path, optional
        A folder with what is not bundled, such as checkouts of both papers' repositories; tables
        are found by their content. Rows that need one which is not there are "not judged" and say
        which, and where it is published.
    output : path, optional
        The folder for the page, the rows, tables and figures. Until all is done studies keep
        journals in it, so that a run that was stopped goes on where it was.
    quick : bool, default False
        Run random experiments with 3 repetitions; their rows are "not judged" then.
    n_jobs : int, optional
        Workers of the studies; the results do not depend on it.
    progress : bool, optional
        Whether to show bars on the standard error; by default on a terminal only.
    time_limit : float, optional
        Seconds after which nothing further is begun. The rows of experiments that were not
        finished are "not judged", and journals stay in `output`.

    Returns
    -------
    Replication

    Raises
    ------
    InvalidInputError
        If a name is unknown, or there is no such folder of data.
    OutputError
        If something cannot be written.

    References
    ----------
    Colombo et al. (2022), https://doi.org/10.48550/arXiv.2202.03799; Himmi et al. (2023),
    https://doi.org/10.48550/arXiv.2305.10284; Shavrina and Malykh (2021).

    Examples
    --------
    >>> import rankagg as ra
    >>> rows = ra.replication.replicate("p1-table-1", progress=False).to_frame()
    >>> row = rows.set_index("quantity").loc["order by majorities"]
    >>> row["printed"], row["definition"], row["here"], row["verdict"]
    ('B > A, C > B, A = C', 'A = B = C', 'A = B = C', 'differs as explained')
    """
    chosen = chosen_experiments(names)
    leaderboards = Leaderboards(data)
    folder = None if output is None else folder_for(output)
    journals = None if folder is None else folder_for(folder / "journals")
    deadline = Deadline.after(time_limit_of(time_limit))
    bench = Bench(leaderboards, n_jobs, journals, check_flag(quick, "quick"), progress, deadline)
    hidden = None if progress is None else not check_flag(progress, "progress")
    runs = []
    bar = tqdm(chosen, unit="experiment", disable=hidden)
    for experiment in bar:
        bar.set_description(experiment.name)
        start, late = perf_counter(), ""
        try:
            deadline.seconds_left()
            run = experiment.run(bench)
        except OutOfTimeError:
            run, late = ExperimentRun(experiment), UNFINISHED
        run.rows, run.seconds = tuple(_rows_of(run, bench, late)), perf_counter() - start
        runs.append(run)
    result = Replication(rows=tuple(row for run in runs for row in run.rows), outcomes=tuple(runs))
    if folder is not None:
        result.save(folder)
    if journals is not None and result.is_complete:
        # There is no need to go on, and journals hold times, which differ from run to run.
        for experiment in EXPERIMENTS:
            for journal in journals.glob(f"{experiment.name}*.jsonl"):
                journal.unlink()
        with suppress(OSError):  # what else is in the folder is not ours
            journals.rmdir()
    return result


def chosen_experiments(names: Sequence[str]) -> list[Experiment]:
    """Return the experiments that papers and names stand for, in the order of the papers."""
    papers = [paper.lower() for paper in PAPERS]
    known = [*papers, *(experiment.name for experiment in EXPERIMENTS)]
    for name in names:
        if name not in known:
            allowed = "papers or experiments such as 'p1' or 'p1-table-7'"
            raise InvalidInputError("names", allowed, name, nearest(name, known))
    wanted = set(names or papers)
    return [one for one in EXPERIMENTS if {one.name, one.paper.lower()} & wanted]


def _rows_of(run: ExperimentRun, bench: Bench, late: str) -> Iterator[Row]:
    left = dict(run.values)
    for entry in published(run.experiment.paper):
        if entry.item in run.experiment.items:
            key = entry.item, entry.quantity
            # Their run has numbers too that no row is about.
            theirs = run.as_run.get(key) if entry.authors else None
            why = _why_open(entry, bench) or late
            yield judge(entry, left.pop(key, None), theirs, open_because=why)
    if left:
        raise LookupError(f"{run.experiment.name} found what has no row: {sorted(left)[:5]}")


def _why_open(entry: Published, bench: Bench) -> str:
    absent = [why for name in entry.needs if (why := bench.leaderboards.why_not(name))]
    if absent:
        return "; ".join(dict.fromkeys(absent))
    if entry.repetitions and bench.quick:
        return f"{QUICK_REPETITIONS} of {entry.repetitions} repetitions"
    return ""


def _verdicts(rows: Iterable[Row]) -> str:
    numbers = Counter(row.verdict for row in rows)
    return ", ".join(f"{numbers[verdict]} {verdict}" for verdict in VERDICTS if numbers[verdict])


def _verdict_table(rows: Sequence[Row]) -> Section:
    numbers = Counter((row.paper, row.verdict) for row in rows)
    papers = list(dict.fromkeys(row.paper for row in rows))
    there = {row.verdict for row in rows}
    body = []
    for verdict, meaning in VERDICTS.items():
        if verdict in there:
            times = [numbers[paper, verdict] for paper in papers]
            cells = [PageCell(str(number), float(number)) for number in times]
            body.append((PageCell(verdict), *cells, PageCell(meaning)))
    columns = PageColumn("verdict", ""), *map(PageColumn, papers), PageColumn("meaning", "long")
    table = PageTable(columns, tuple(body), "Quantities by paper and verdict.")
    return Section("verdicts", "Verdicts").table(table)


def _section(run: ExperimentRun) -> Section:
    experiment = run.experiment
    items = ", ".join(experiment.items)
    section = Section(experiment.name, f"{experiment.paper}, {items}: {experiment.title}")
    section.told(_verdicts(run.rows))
    if len(run.sentences) == 1:
        section.text(*run.sentences)
    else:
        section.items(run.sentences)
    for picture in run.pictures:
        caption = f"{picture.caption} Files: figures/{picture.name}.svg and .pdf."
        section.add("figure", figure_of(picture.draw, picture.caption, caption))
    # The numbers, and the orders, which are long.
    orders = [row for row in run.rows if any(_value(text).key is None for text in _told_by(row))]
    numbers = [row for row in run.rows if row not in orders]
    if numbers:
        about = "Printed, by the paper's words, by its authors' program, and here."
        section.table(_row_table(numbers, "number", about))
    if orders:
        section.table(_row_table(orders, "long", "Orders and other texts, the same."))
    for sheet in run.sheets:
        kinds = sheet.frame.select_dtypes("number").columns
        words = [str(name) for name in sheet.frame.columns if name not in kinds]
        caption = f"{sheet.caption} Files: tables/{sheet.name}.csv, .md and .tex."
        formats = {str(name): ".5g" for name in kinds}
        # The page shows some rows; the file has all.
        section.table(table_of(sheet.frame, caption, formats=formats, text=words, limit=40))
    return section


def _row_table(rows: Sequence[Row], look: Literal["number", "long"], caption: str) -> PageTable:
    # Most sections are about one item, which their heading names.
    items = int(len({row.item for row in rows}) > 1)
    columns = (
        *(PageColumn("item", ""),) * items,
        PageColumn("quantity", "long"),
        *(PageColumn(name, look) for name in ("printed", "definition", "authors", "here")),
        PageColumn("verdict", ""),
        PageColumn("reason", "long"),
    )
    body = []
    for row in rows:
        start = *(PageCell(row.item),) * items, PageCell(row.quantity)
        body.append((*start, *map(_value, _told_by(row)), PageCell(row.verdict), _reason(row)))
    return PageTable(columns, tuple(body), caption, stacked=True)


def _told_by(row: Row) -> tuple[str, ...]:
    return row.printed, row.definition, row.authors, row.here


def _value(text: str) -> PageCell:
    if not text:
        return PageCell(UNKNOWN, float("inf"))
    try:
        number = float(text)
    except ValueError:
        return PageCell(text)
    return PageCell(text if len(text) < 9 else f"{number:.6g}", number)


def _reason(row: Row) -> PageCell:
    known = row.errata
    if not known or row.reason != row.explanation:
        return PageCell(row.reason)
    titles = "; ".join(erratum.title for erratum in known)
    return PageCell(titles, link=f"#why-{known[0].name}")


def _explanations(rows: Iterable[Row]) -> Iterator[Section]:
    section = Section("why", "Why prints and definitions differ")
    used = dict.fromkeys(erratum for row in rows for erratum in row.errata)
    for erratum in used:
        anchor = f"why-{erratum.name}", f"{erratum.paper}: {erratum.title}"
        section.add("anchor", anchor).text(erratum.text)
    if used:
        yield section


# What would differ between two runs.
UNDATED = {"svg": {"Date": None, "Creator": None}, "pdf": {"CreationDate": None}}


def folder_for(target: str | PathLike[str]) -> Path:
    """Make a folder where it is missing, and return it."""
    folder = Path(target)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"The folder {folder} cannot be made: {error.strerror or error}. Give another path."
        ) from error
    return folder


def _csv(frame: pd.DataFrame) -> str:
    return guard_frame(frame).to_csv(index=False, lineterminator="\n")


def _save_sheet(folder: Path, sheet: Sheet) -> None:
    frame = sheet.frame
    write_text(folder / f"{sheet.name}.csv", _csv(frame))
    write_text(folder / f"{sheet.name}.md", frame.to_markdown(index=False) + "\n")
    # What LaTeX reads as a command.
    caption = re.sub(r"([&%$#_{}])", r"\\\1", sheet.caption)
    options: dict[str, Any] = {"na_rep": "--", "float_format": "%.4g", "escape": True}
    latex = frame.to_latex(index=False, caption=caption, label=f"tab:{sheet.name}", **options)
    write_text(folder / f"{sheet.name}.tex", latex)


def _save_picture(folder: Path, picture: Illustration) -> None:
    with style("paper"), plt.ioff(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        with mpl.rc_context({"svg.hashsalt": picture.name}):
            figure = cast(Figure, picture.draw().figure)
            try:
                for kind, metadata in UNDATED.items():
                    draw = partial(figure.savefig, format=kind, metadata=metadata)
                    write_file(folder / f"{picture.name}.{kind}", draw)
            finally:
                plt.close(figure)
