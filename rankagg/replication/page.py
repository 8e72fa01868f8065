"""The page: what is printed and what comes out, row by row, with figures and explanations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, Protocol

from rankagg.core.items import counted
from rankagg.replication.experiment import Experiment, Found, Picture
from rankagg.replication.published import errata
from rankagg.replication.verdicts import BEYOND, EXPLAINED, LOST, MISSED, OPEN, REACHED, Row
from rankagg.report.figures import figure_of
from rankagg.report.sections import Section
from rankagg.report.tables import UNKNOWN, Cell, Column, Table, table_of
from rankagg.report.template import render_page

__all__ = ["page_of"]

TITLE = "Three papers on ranking systems, run again"
MEANINGS = {
    REACHED: "what comes out is what is printed, or what the definition gives where nothing is",
    EXPLAINED: "the definition is reached, the print is not, and the reason is given",
    LOST: "nothing gives the printed value, and the reason is given",
    OPEN: "not computed, or with too few repetitions",
    BEYOND: "the paper has no such number",
    MISSED: "a fault of this side",
}
# Rows of a table that the page shows; its file has all.
SHOWN = 40


class Outcome(Protocol):
    """An experiment, what it found, and its rows."""

    @property
    def experiment(self) -> Experiment:
        """Which one."""

    @property
    def found(self) -> Found:
        """What it found."""

    @property
    def rows(self) -> tuple[Row, ...]:
        """What is printed of it."""


def page_of(outcomes: Sequence[Outcome]) -> str:
    """Return the page as HTML."""
    rows = [row for outcome in outcomes for row in outcome.rows]
    sections = [_counts(rows), *(_section(outcome) for outcome in outcomes)]
    if explained := _explanations(rows):
        sections.append(explained)
    return render_page(TITLE, sections, lead=list(_lead(rows)))


def _lead(rows: Sequence[Row]) -> Iterator[str]:
    verdicts = Counter(row.verdict for row in rows)
    yield (
        f"{counted(len(rows), 'quantity')}. As printed or defined: {verdicts[REACHED]}. As defined "
        f"but not as printed, for a reason that is given: {verdicts[EXPLAINED]}. Not to be "
        f"reproduced: {verdicts[LOST]}. Beyond the papers: {verdicts[BEYOND]}."
    )
    if verdicts[MISSED]:
        yield f"Should have been reached and were not: {verdicts[MISSED]}."
    if verdicts[OPEN]:
        yield f"Not judged in this run: {verdicts[OPEN]}; their rows say why."


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
    orders = [row for row in rows if any(map(_is_text, (row.printed, row.definition, row.here)))]
    numbers = [row for row in rows if row not in orders]
    if numbers:
        yield _row_table(numbers, "number", "Printed, by definition, and here.")
    if orders:
        yield _row_table(orders, "long", "Orders and other texts, the same.")


def _row_table(rows: Sequence[Row], look: Literal["number", "long"], caption: str) -> Table:
    # Most sections are about one item, which their heading names.
    items = int(len({row.item for row in rows}) > 1)
    return Table(
        (
            *(Column("item", ""),) * items, Column("quantity", "long"),
            *(Column(name, look) for name in ("printed", "definition", "here")),
            Column("verdict", ""), Column("reason", "long"),
        ),
        tuple(
            (
                *(Cell(row.item),) * items, Cell(row.quantity), _value(row.printed),
                _value(row.definition), _value(row.here), Cell(row.verdict), _reason(row),
            )
            for row in rows
        ),
        caption,
    )  # fmt: skip


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
    if not row.erratum or row.reason != errata()[row.erratum].text:
        return Cell(row.reason)
    return Cell(errata()[row.erratum].title, link=f"#why-{row.erratum}")


def _explanations(rows: Iterable[Row]) -> Section | None:
    used = dict.fromkeys(row.erratum for row in rows if row.erratum)
    if not used:
        return None
    section = Section("why", "Why prints and definitions differ")
    for name in used:
        erratum = errata()[name]
        section.anchor(f"why-{name}", f"{erratum.paper}: {erratum.title}").text(erratum.text)
    return section
