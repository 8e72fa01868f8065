"""The page of what a study found."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from rankagg.core import capital
from rankagg.cultures import Named
from rankagg.report.chapters_data import colophon, references_of
from rankagg.report.figures import figure_of
from rankagg.report.sections import Section, render_page, table_of


def study_page(result: Any, title: str, source: Iterable[str], **plotted: Any) -> str:
    """Return what a study found, a `StudyResult`, as one page of HTML."""
    study, table = result.study, result._table()
    kind = re.sub("(?<=.)([A-Z])", r" \1", type(study).__name__).capitalize()
    lead, *facts = result._facts()
    # Points of the grid stay as they were asked for.
    rounded = {*map(str, table.select_dtypes("float"))} - {*result.by_method().index.names}
    formats = dict.fromkeys(rounded, result._number[2:-1])
    words = map(str, table.select_dtypes(exclude="number"))
    found = Section("found", "What was found", is_open=True).items(facts)
    curves = result.measures.curves
    curve = curves.get(plotted.get("y", ""), next(iter(curves.values())))
    caption = capital(" ".join(curve.label.split()))
    found.add("figure", figure_of(lambda: result.plot(**plotted), kind, caption))
    found.table(table_of(table, "In numbers", formats=formats, text=words))
    rules, asked = list[Any](), list[tuple[str, object]]()
    for name, value in ((one.name, getattr(study, one.name)) for one in fields(study)):
        if name in ("rules", "methods", "corruptions", "removals"):
            rules += value
        elif value is not None:
            heading = "seed" if name == "rng" else name.removeprefix("n_").replace("_", " ")
            asked.append((heading.capitalize(), _told(value)))
    asked += [("After", reference)] if (reference := references_of(study)) else []
    found.items(result._below(None))
    sections = found, Section("asked", "What was asked").items(source).facts(asked), colophon(rules)
    return render_page(title or kind, sections, lead=[lead])


def _told(value: Any) -> str:
    """Return the value of a parameter: data by their size, sources by their names, several so."""
    if isinstance(value, tuple):
        return "; ".join(map(_told, value))
    sized = f" ({repr(value.data)[1:-1]})" if hasattr(value, "data") else ""
    return value.name + sized if isinstance(value, Named) else str(value).strip("<>")
