"""The page: what is printed and what comes out, row by row, with figures and explanations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from rankagg.core.items import counted
from rankagg.replication.experiment import Outcome, Picture
from rankagg.replication.published import errata
from rankagg.replication.verdicts import AS_RUN, BEYOND, EXPLAINED, MISSED, NONE, OPEN, REACHED, Row
from rankagg.report.figures import figure_of
from rankagg.report.sections import UNKNOWN, Cell, Column, Section, Table, render_page, table_of

__all__ = ["page_of"]

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
    table = Table(
        (Column("verdict", ""), *map(Column, papers), Column("meaning", "long")),
        tuple(
            (
                Cell(verdict),
                *(
                    Cell(str(numbers[paper, verdict]), float(numbers[paper, verdict]))
                    for paper in papers
                ),
                Cell(meaning),
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
        section.figure(figure_of(picture.draw, picture.caption, _caption(picture)))
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


def _row_tables(rows: Sequence[Row]) -> Iterator[Table]:
    """Yield a table of the numbers, and one of the orders, which are long."""
    orders = [row for row in rows if any(map(_is_text, _values(row)))]
    numbers = [row for row in rows if row not in orders]
    if numbers:
        yield _row_table(
            numbers, "number", "Printed, by the paper's words, by its authors' program, and here."
        )
    if orders:
        yield _row_table(orders, "long", "Orders and other texts, the same.")


def _row_table(rows: Sequence[Row], look: Literal["number", "long"], caption: str) -> Table:
    # Most sections are about one item, which their heading names.
    items = int(len({row.item for row in rows}) > 1)
    return Table(
        (
            *(Column("item", ""),) * items, Column("quantity", "long"),
            *(Column(name, look) for name in ("printed", "definition", "authors", "here")),
            Column("verdict", ""), Column("reason", "long"),
        ),
        tuple(
            (
                *(Cell(row.item),) * items, Cell(row.quantity), *map(_value, _values(row)),
                Cell(row.verdict), _reason(row),
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


def _value(text: str) -> Cell:
    if not text:
        return Cell(UNKNOWN, float("inf"))
    try:
        number = float(text)
    except ValueError:
        return Cell(text)
    return Cell(text if len(text) < 9 else f"{number:.6g}", number)


def _reason(row: Row) -> Cell:
    known = [errata()[name] for name in row.errata]
    if not known or row.reason != " ".join(erratum.text for erratum in known):
        return Cell(row.reason)
    titles = "; ".join(erratum.title for erratum in known)
    return Cell(titles, link=f"#why-{known[0].name}")


def _explanations(rows: Iterable[Row]) -> Section | None:
    used = dict.fromkeys(name for row in rows for name in row.errata)
    if not used:
        return None
    section = Section("why", "Why prints and definitions differ")
    for name in used:
        erratum = errata()[name]
        section.anchor(f"why-{name}", f"{erratum.paper}: {erratum.title}").text(erratum.text)
    return section
