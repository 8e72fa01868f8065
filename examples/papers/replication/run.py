"""All experiments, or some: run, judged row by row, and kept together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from os import PathLike
from pathlib import Path
from time import perf_counter

import matplotlib.pyplot as plt
import pandas as pd
from tqdm import tqdm

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from replication import p1, p2, p3  # noqa: F401 - their experiments are registered
from replication.experiment import (
    QUICK_REPETITIONS,
    REGISTERED,
    Bench,
    Experiment,
    ExperimentRun,
    Illustration,
    Sheet,
    counted,
)
from replication.leaderboards import Leaderboards
from replication.page import UNKNOWN, Cell, Section, Table, figure_of, render, table_of
from replication.published import PAPERS, VERDICTS, Published, Row, judge, published

#: All experiments, in the order of the papers.
EXPERIMENTS = tuple(sorted(REGISTERED, key=lambda one: one.paper))
# What a file of rows has of each.
ROW = ["paper", "item", "quantity", "printed", "definition", "authors", "here", "verdict", "reason"]


@dataclass(frozen=True)
class Replication:
    """The papers' quantities and what comes out here; made by `replicate`."""

    # One per published quantity.
    rows: tuple[Row, ...]
    # Every experiment, with its tables and figures, and the seconds it took.
    outcomes: tuple[ExperimentRun, ...]

    @property
    def is_reached(self) -> bool:
        """Whether everything that was computed came out as defined, or differs for a reason."""
        return not any(row.is_fault for row in self.rows)

    def to_frame(self) -> pd.DataFrame:
        """Return a row per quantity, all of it as text.

        Columns: paper, item, quantity, printed, definition (by the paper's words), authors (by
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
        return render("Three papers on ranking systems, run again", lead, sections)

    def save(self, folder: str | PathLike[str]) -> None:
        """Write the page, the rows, and all tables and figures.

        The folder is made where it is missing, and files of the same names are replaced.
        """
        tables, figures = Path(folder, "tables"), Path(folder, "figures")
        tables.mkdir(parents=True, exist_ok=True)
        figures.mkdir(exist_ok=True)
        for run in self.outcomes:
            for sheet in run.sheets:
                _save_sheet(tables, sheet)
            for picture in run.pictures:
                _save_picture(figures, picture)
        _write(Path(folder, "replication.csv"), _csv(self.to_frame()))
        _write(Path(folder, "index.html"), self.to_html())

    def summary(self) -> str:
        """Return how many rows have which verdict, the experiments, and every fault."""
        number = counted(len(self.rows), "published quantity")
        lines = [f"{number} in {counted(len(self.outcomes), 'experiment')}"]
        verdicts = Counter(row.verdict for row in self.rows)
        lines += [f"{verdict}: {times}" for verdict, times in verdicts.most_common()]
        for run in self.outcomes:
            done = f"{counted(len(run.rows), 'quantity')}, {run.seconds:.1f} s"
            lines.append(f"{run.experiment.name}, {run.experiment.title}: {done}")
        for row in self.rows:
            if row.is_fault:
                where = f"{row.paper}, {row.item}, {row.quantity}"
                lines.append(f"not reached: {where}: {row.here}, but {row.reason}")
        return "\n".join(lines)


def replicate(
    *names: str,
    data: str | PathLike[str] | None = None,
    output: str | PathLike[str] | None = None,
    quick: bool = False,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Replication:
    """Run the papers' experiments, and compare what comes out with what is printed.

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

    References
    ----------
    Colombo et al. (2022), https://doi.org/10.48550/arXiv.2202.03799; Himmi et al. (2023),
    https://doi.org/10.48550/arXiv.2305.10284; Shavrina and Malykh (2021).

    Examples
    --------
    >>> rows = replicate("p1-table-1", progress=False).to_frame()
    >>> row = rows.set_index("quantity").loc["order by majorities"]
    >>> row["printed"], row["definition"], row["here"], row["verdict"]
    ('B > A, C > B, A = C', 'A = B = C', 'A = B = C', 'differs as explained')
    """
    chosen = chosen_experiments(names)
    leaderboards = Leaderboards(data)
    journals = None if output is None else Path(output, "journals")
    if journals is not None:
        journals.mkdir(parents=True, exist_ok=True)
    bench = Bench(leaderboards, n_jobs, journals, quick, progress)
    runs = []
    bar = tqdm(chosen, unit="experiment", disable=None if progress is None else not progress)
    for experiment in bar:
        bar.set_description(experiment.name)
        start = perf_counter()
        run = experiment.run(bench)
        run.rows, run.seconds = tuple(_rows_of(run, bench)), perf_counter() - start
        runs.append(run)
    result = Replication(rows=tuple(row for run in runs for row in run.rows), outcomes=tuple(runs))
    if journals is not None:
        result.save(output)
        # There is no need to go on, and journals hold times, which differ from run to run.
        for experiment in EXPERIMENTS:
            for journal in journals.glob(f"{experiment.name}*.jsonl"):
                journal.unlink()
        if not any(journals.iterdir()):  # what else is in the folder is not ours
            journals.rmdir()
    return result


def chosen_experiments(names: Sequence[str]) -> list[Experiment]:
    """Return the experiments that papers and names stand for, in the order of the papers."""
    papers = [paper.lower() for paper in PAPERS]
    known = [*papers, *(experiment.name for experiment in EXPERIMENTS)]
    for name in names:
        if name not in known:
            allowed = "papers or experiments such as 'p1' or 'p1-table-7'"
            near = "".join(f"Did you mean {one!r}?" for one in get_close_matches(name, known, 1))
            raise InvalidInputError("names", allowed, name, near)
    wanted = set(names or papers)
    return [one for one in EXPERIMENTS if {one.name, one.paper.lower()} & wanted]


def _rows_of(run: ExperimentRun, bench: Bench) -> Iterator[Row]:
    left = dict(run.values)
    for entry in published(run.experiment.paper):
        if entry.item in run.experiment.items:
            key = entry.item, entry.quantity
            # Their run has numbers too that no row is about.
            theirs = run.as_run.get(key) if entry.authors else None
            why = _why_open(entry, bench)
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
            cells = [Cell(str(number), float(number)) for number in times]
            body.append([Cell(verdict), *cells, Cell(meaning)])
    columns = [("verdict", ""), *((paper, "number") for paper in papers), ("meaning", "long")]
    table = Table(columns, body, "Quantities by paper and verdict.")
    return Section("verdicts", "Verdicts", tables=[table])


def _section(run: ExperimentRun) -> Section:
    experiment = run.experiment
    items = ", ".join(experiment.items)
    section = Section(
        experiment.name,
        f"{experiment.paper}, {items}: {experiment.title}",
        finding=_verdicts(run.rows),
        sentences=run.sentences,
    )
    for picture in run.pictures:
        caption = f"{picture.caption} Files: figures/{picture.name}.svg and .pdf."
        section.figures.append(figure_of(picture.draw, picture.caption, caption))
    # The numbers, and the orders, which are long.
    orders = [row for row in run.rows if any(_value(text).key is None for text in _told_by(row))]
    numbers = [row for row in run.rows if row not in orders]
    if numbers:
        about = "Printed, by the paper's words, by its authors' program, and here."
        section.tables.append(_row_table(numbers, "number", about))
    if orders:
        section.tables.append(_row_table(orders, "long", "Orders and other texts, the same."))
    for sheet in run.sheets:
        caption = f"{sheet.caption} Files: tables/{sheet.name}.csv, .md and .tex."
        section.tables.append(table_of(sheet.frame, caption))
    return section


def _row_table(rows: Sequence[Row], look: str, caption: str) -> Table:
    # Most sections are about one item, which their heading names.
    has_items = len({row.item for row in rows}) > 1
    columns = [
        *([("item", "")] if has_items else []),
        ("quantity", "long"),
        *((name, look) for name in ("printed", "definition", "authors", "here")),
        ("verdict", ""),
        ("reason", "long"),
    ]
    body = []
    for row in rows:
        start = [Cell(row.item)] if has_items else []
        start.append(Cell(row.quantity))
        body.append([*start, *map(_value, _told_by(row)), Cell(row.verdict), _reason(row)])
    return Table(columns, body, caption, stacked=True)


def _told_by(row: Row) -> tuple[str, ...]:
    return row.printed, row.definition, row.authors, row.here


def _value(text: str) -> Cell:
    if not text:
        return Cell(UNKNOWN, float("inf"))
    try:
        number = float(text)
    except ValueError:
        return Cell(text)
    return Cell(text if len(text) < 9 else f"{number:.6g}", number)


def _reason(row: Row) -> Cell:
    known = row.errata
    if not known or row.reason != row.explanation:
        return Cell(row.reason)
    titles = "; ".join(erratum.title for erratum in known)
    return Cell(titles, link=f"#why-{known[0].name}")


def _explanations(rows: Iterable[Row]) -> Iterator[Section]:
    used = dict.fromkeys(erratum for row in rows for erratum in row.errata)
    told = [(f"why-{one.name}", f"{one.paper}: {one.title}", one.text) for one in used]
    if told:
        yield Section("why", "Why prints and definitions differ", explanations=told)


# What would differ between two runs.
UNDATED = {"svg": {"Date": None, "Creator": None}, "pdf": {"CreationDate": None}}


def _write(path: Path, text: str) -> None:
    """Write a text with the same bytes on every platform."""
    path.write_text(text, encoding="utf-8", newline="\n")


def _csv(frame: pd.DataFrame) -> str:
    return frame.to_csv(index=False, lineterminator="\n")


def _save_sheet(folder: Path, sheet: Sheet) -> None:
    frame = sheet.frame
    _write(folder / f"{sheet.name}.csv", _csv(frame))
    _write(folder / f"{sheet.name}.md", frame.to_markdown(index=False) + "\n")
    # What LaTeX reads as a command.
    caption = re.sub(r"([&%$#_{}])", r"\\\1", sheet.caption)
    options = {"na_rep": "--", "float_format": "%.4g", "escape": True}
    latex = frame.to_latex(index=False, caption=caption, label=f"tab:{sheet.name}", **options)
    _write(folder / f"{sheet.name}.tex", latex)


def _save_picture(folder: Path, picture: Illustration) -> None:
    with ra.plotting.style("paper"), plt.rc_context({"svg.hashsalt": picture.name}):
        figure = picture.draw().figure
        try:
            for kind, metadata in UNDATED.items():
                figure.savefig(folder / f"{picture.name}.{kind}", format=kind, metadata=metadata)
        finally:
            plt.close(figure)
