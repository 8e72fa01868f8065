"""The page and the files: what is printed and what comes out, with figures and explanations."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Literal, cast

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from rankagg.core.items import counted
from rankagg.exceptions import OutputError
from rankagg.io.output_files import guard_frame, write_file, write_text
from rankagg.plotting.theme import style
from rankagg.replication.experiment import Found, Outcome, Picture, Sheet
from rankagg.replication.published import (
    AS_RUN,
    BEYOND,
    EXPLAINED,
    MISSED,
    NONE,
    OPEN,
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

TITLE = "Three papers on ranking systems, run again"
MEANINGS = {
    REACHED: "by the paper's words it is as printed, or as they determine where nothing is printed",
    AS_RUN: "the print comes out the way the authors' program ran, and not by the paper's words",
    EXPLAINED: "here it is as the paper's words have it, the print is not, and the reason is given",
    BEYOND: "the paper has no such number; it is held against an independent program",
    NONE: "nothing to hold it against, or not computed here, and the reason is given",
    OPEN: "data are not there, or repetitions too few",
    MISSED: "a fault of this side",
}
# Rows of a table that the page shows; its file has all.
SHOWN = 40


def page_of(outcomes: Sequence[Outcome]) -> str:
    """Return the page as HTML."""
    rows = [row for outcome in outcomes for row in outcome.rows]
    sections = [_counts(rows), *(_section(outcome) for outcome in outcomes)]
    if explained := _explanations(rows):
        sections.append(explained)
    return render_page(TITLE, sections, lead=list(_lead(rows)))


def _lead(rows: Sequence[Row]) -> Iterator[str]:
    yield f"{counted(len(rows), 'quantity')}: {_verdicts(rows)}."
    yield (
        "Definition is what the paper's words give and nothing else, authors what their program "
        "gives on their file with its quirks; both were computed by other programs than this "
        "package. Here is what came out."
    )


def _verdicts(rows: Iterable[Row]) -> str:
    numbers = Counter(row.verdict for row in rows)
    return ", ".join(f"{numbers[verdict]} {verdict}" for verdict in MEANINGS if numbers[verdict])


def _counts(rows: Sequence[Row]) -> Section:
    papers = list(dict.fromkeys(row.paper for row in rows))
    numbers = Counter[tuple[str, str]]((row.paper, row.verdict) for row in rows)
    table = PageTable(
        (PageColumn("verdict", ""), *map(PageColumn, papers), PageColumn("meaning", "long")),
        tuple(
            (
                PageCell(verdict),
                *(
                    PageCell(str(numbers[paper, verdict]), float(numbers[paper, verdict]))
                    for paper in papers
                ),
                PageCell(meaning),
            )
            for verdict, meaning in MEANINGS.items()
            if any(row.verdict == verdict for row in rows)
        ),
        "Quantities by paper and verdict.",
    )
    return Section("verdicts", "Verdicts").table(table)


def _section(outcome: Outcome) -> Section:
    experiment, found = outcome.experiment, outcome.found
    items = ", ".join(experiment.items)
    section = Section(experiment.name, f"{experiment.paper}, {items}: {experiment.title}")
    section.told(_verdicts(outcome.rows))
    if len(found.sentences) == 1:
        section.text(*found.sentences)
    else:
        section.items(found.sentences)
    for picture in found.pictures:
        section.add("figure", figure_of(picture.draw, picture.caption, _caption(picture)))
    for table in _row_tables(outcome.rows):
        section.table(table)
    for sheet in found.sheets:
        numbers = sheet.frame.select_dtypes("number").columns
        words = [str(name) for name in sheet.frame.columns if name not in numbers]
        caption = f"{sheet.caption} Files: tables/{sheet.name}.csv, .md and .tex."
        formats = {str(name): ".5g" for name in numbers}
        section.table(table_of(sheet.frame, caption, formats=formats, text=words, limit=SHOWN))
    return section


def _caption(picture: Picture) -> str:
    return f"{picture.caption} Files: figures/{picture.name}.svg and .pdf."


def _row_tables(rows: Sequence[Row]) -> Iterator[PageTable]:
    """Yield a table of the numbers, and one of the orders, which are long."""
    orders = [row for row in rows if any(map(_is_text, _values(row)))]
    numbers = [row for row in rows if row not in orders]
    if numbers:
        yield _row_table(
            numbers, "number", "Printed, by the paper's words, by its authors' program, and here."
        )
    if orders:
        yield _row_table(orders, "long", "Orders and other texts, the same.")


def _row_table(rows: Sequence[Row], look: Literal["number", "long"], caption: str) -> PageTable:
    # Most sections are about one item, which their heading names.
    items = int(len({row.item for row in rows}) > 1)
    return PageTable(
        (
            *(PageColumn("item", ""),) * items, PageColumn("quantity", "long"),
            *(PageColumn(name, look) for name in ("printed", "definition", "authors", "here")),
            PageColumn("verdict", ""), PageColumn("reason", "long"),
        ),
        tuple(
            (
                *(PageCell(row.item),) * items, PageCell(row.quantity), *map(_value, _values(row)),
                PageCell(row.verdict), _reason(row),
            )
            for row in rows
        ),
        caption,
        stacked=True,
    )  # fmt: skip


def _values(row: Row) -> tuple[str, ...]:
    return row.printed, row.definition, row.authors, row.here


def _is_text(value: str) -> bool:
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


def _explanations(rows: Iterable[Row]) -> Section | None:
    used = dict.fromkeys(name for row in rows for name in row.errata)
    if not used:
        return None
    section = Section("why", "Why prints and definitions differ")
    for name in used:
        erratum = errata()[name]
        section.add("anchor", (f"why-{name}", f"{erratum.paper}: {erratum.title}")).text(
            erratum.text
        )
    return section


# What LaTeX reads as a command.
SPECIAL = re.compile(r"([&%$#_{}])")
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


def save(folder: Path, page: str, rows: pd.DataFrame, found: Iterable[Found]) -> None:
    """Write everything; see `Replication.save`."""
    tables, figures = folder_for(folder / "tables"), folder_for(folder / "figures")
    for one in found:
        for sheet in one.sheets:
            _save_sheet(tables, sheet)
        for picture in one.pictures:
            _save_picture(figures, picture)
    write_text(folder / "replication.csv", _csv(rows))
    write_text(folder / "index.html", page)


def _csv(frame: pd.DataFrame) -> str:
    return guard_frame(frame).to_csv(index=False, lineterminator="\n")


def _save_sheet(folder: Path, sheet: Sheet) -> None:
    frame = sheet.frame
    write_text(folder / f"{sheet.name}.csv", _csv(frame))
    write_text(folder / f"{sheet.name}.md", frame.to_markdown(index=False) + "\n")
    latex = frame.to_latex(
        index=False, escape=True, na_rep="--", float_format="%.4g",
        caption=SPECIAL.sub(r"\\\1", sheet.caption),
        label=f"tab:{sheet.name}",
    )  # fmt: skip
    write_text(folder / f"{sheet.name}.tex", latex)


def _save_picture(folder: Path, picture: Picture) -> None:
    with style("paper"), plt.ioff(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        with mpl.rc_context({"svg.hashsalt": picture.name}):
            figure = cast(Figure, picture.draw().figure)
            try:
                for kind, metadata in UNDATED.items():
                    write_file(
                        folder / f"{picture.name}.{kind}",
                        lambda path, kind=kind, metadata=metadata: figure.savefig(  # type: ignore[misc]
                            path, format=kind, metadata=metadata
                        ),
                    )
            finally:
                plt.close(figure)
