"""The page and the files: what is printed and what comes out, with figures and explanations."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Literal, cast

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from rankagg import _pandas as pd
from rankagg.core.items import counted
from rankagg.exceptions import OutputError
from rankagg.io.output_files import guard_frame, write_file, write_text
from rankagg.plotting.theme import style
from rankagg.replication.experiment import ExperimentRun, Illustration, Sheet
from rankagg.replication.published import (
    AS_RUN,
    BEYOND,
    EXPLAINED,
    MISSED,
    NO_VERDICT,
    NOT_JUDGED,
    REACHED,
    Row,
    errata,
)
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

VERDICTS = {
    REACHED: "by the paper's words it is as printed, or as they determine where nothing is printed",
    AS_RUN: "the print comes out the way the authors' program ran, and not by the paper's words",
    EXPLAINED: "here it is as the paper's words have it, the print is not, and the reason is given",
    BEYOND: "the paper has no such number; it is held against an independent program",
    NO_VERDICT: "nothing to hold it against, or not computed here, and the reason is given",
    NOT_JUDGED: "data are not there, or repetitions too few",
    MISSED: "a fault of this side",
}


def page_of(runs: Sequence[ExperimentRun]) -> str:
    """Return the page as HTML."""
    rows = [row for run in runs for row in run.rows]
    lead = [
        f"{counted(len(rows), 'quantity')}: {_verdicts(rows)}.",
        "Definition is what the paper's words give and nothing else, authors what their program "
        "gives on their file with its quirks; both were computed by other programs than this "
        "package. Here is what came out.",
    ]
    sections = [_verdict_table(rows), *map(_section, runs), *_explanations(rows)]
    return render_page("Three papers on ranking systems, run again", sections, lead=lead)


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
    orders = [row for row in run.rows if any(map(_is_long, _told_by(row)))]
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


def _is_long(value: str) -> bool:
    return bool(value) and _value(value).key is None


def _value(text: str) -> PageCell:
    if not text:
        return PageCell(UNKNOWN, float("inf"))
    try:
        number = float(text)
    except ValueError:
        return PageCell(text)
    return PageCell(text if len(text) < 9 else f"{number:.6g}", number)


def _reason(row: Row) -> PageCell:
    known = [errata()[name] for name in row.errata]
    if not known or row.reason != " ".join(erratum.text for erratum in known):
        return PageCell(row.reason)
    titles = "; ".join(erratum.title for erratum in known)
    return PageCell(titles, link=f"#why-{known[0].name}")


def _explanations(rows: Iterable[Row]) -> Iterator[Section]:
    section = Section("why", "Why prints and definitions differ")
    used = dict.fromkeys(name for row in rows for name in row.errata)
    for erratum in map(errata().__getitem__, used):
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


def save(folder: Path, page: str, rows: pd.DataFrame, runs: Iterable[ExperimentRun]) -> None:
    """Write everything; see `Replication.save`."""
    tables, figures = folder_for(folder / "tables"), folder_for(folder / "figures")
    for run in runs:
        for sheet in run.sheets:
            _save_sheet(tables, sheet)
        for picture in run.pictures:
            _save_picture(figures, picture)
    write_text(folder / "replication.csv", _csv(rows))
    write_text(folder / "index.html", page)


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
