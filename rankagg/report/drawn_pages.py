"""Pages of a study and of the steps of a rule, with plots as inline SVG."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterable
from dataclasses import fields
from hashlib import sha256
from typing import Any, NamedTuple, cast

import matplotlib as mpl
import matplotlib.pyplot as plt
from markupsafe import Markup, escape
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rankagg.core import capital
from rankagg.cultures import Named
from rankagg.plotting import style
from rankagg.plotting.tournaments import MOST_PERMUTED, permutohedron_plot
from rankagg.report.chapters_data import colophon, rule_references
from rankagg.report.sections import STYLES, Section, page_table, render, render_page
from rankagg.teaching.steps import Step, Steps, plain


def study_page(result: Any, title: str, source: Iterable[str], **plotted: Any) -> str:
    """Return a `StudyResult` as a page of HTML."""
    study = result.study
    kind = re.sub("(?<=.)([A-Z])", r" \1", type(study).__name__).capitalize()
    (lead, *facts), table, below = result.summary_parts()
    # Points of the grid are not rounded.
    rounded = {*map(str, table.select_dtypes("float"))} - {*result.by_method().index.names}
    formats = dict.fromkeys(rounded, "z.3f")
    words = map(str, table.select_dtypes(exclude="number"))
    found = Section("found", "Results", is_open=True).items(facts)
    curves = result.measures.curves
    curve = curves.get(plotted.get("y", ""), next(iter(curves.values())))
    caption = capital(" ".join(curve.label.split()))
    found.add("figure", _picture(lambda: result.plot(**plotted), kind, caption))
    found.table(page_table(table, "Results in numbers", formats=formats, text=words))
    rules, settings = list[Any](), list[tuple[str, object]]()
    for name, value in ((one.name, getattr(study, one.name)) for one in fields(study)):
        if name in ("rules", "methods", "corruptions", "removals"):
            rules += value
        elif value is not None:
            heading = "seed" if name == "rng" else name.removeprefix("n_").replace("_", " ")
            settings.append((heading.capitalize(), _parameter(value)))
    settings += [("Source", reference)] if (reference := rule_references(study)) else []
    found.items(below)
    asked = Section("asked", "Settings").items(source).facts(settings)
    return render_page(title or kind, [found, asked, colophon(rules)], lead=[lead])


def _parameter(value: Any) -> str:
    """Return the value of a parameter as text: data with their size, sources by name."""
    if isinstance(value, tuple):
        return "; ".join(map(_parameter, value))
    sized = f" ({repr(value.data)[1:-1]})" if hasattr(value, "data") else ""
    return value.name + sized if isinstance(value, Named) else str(value).strip("<>")


def steps_page(steps: Steps) -> str:
    """Return steps as one page of HTML."""
    consensus, picture = steps.consensus, None
    if consensus is not None and len(consensus.items) <= MOST_PERMUTED:
        picture = _picture(
            lambda: permutohedron_plot(consensus),
            "All orders of the items with their Kemeny costs, the cheapest at the bottom",
            "All orders: a line swaps two neighbors; the number is the Kemeny cost, the votes "
            "that the order contradicts. A thick frame marks the cheapest, a triangle the answer.",
        )
    return render(
        "steps.html",
        (*STYLES[:2], *STYLES[3:5], "steps.css"),
        title=steps.title,
        steps=[_step(step) for step in steps.steps],
        answer=steps.answer,
        picture=picture,
        screen=None,
    )


def _step(step: Step) -> dict[str, Any]:
    """Return a step as text; texts of more than 24 characters break over lines."""
    kinds = ["number"] * len(step.columns)
    for k in range(len(step.columns)):
        if step.texts[k]:
            kinds[k] = "long" if max(len(plain(row[k])) for row in step.rows) > 24 else ""
    return {
        "heading": step.heading,
        "sentences": step.sentences,
        "head": list(zip(map(plain, step.columns), kinds, strict=True)),
        "rows": [list(zip(map(plain, row), kinds, strict=True)) for row in step.rows],
    }


# -- plots ----------------------------------------------------------------------------------------


class _Picture(NamedTuple):
    """Plot as SVG with selectable text, an alternative text and a caption."""

    svg: Markup
    alternative: str
    caption: str


def _picture(draw: Callable[[], Axes], alternative: str, caption: str) -> _Picture:
    """Draw a plot for a page."""
    target = io.StringIO()
    salt = sha256(caption.encode()).hexdigest()[:12]
    # The browser draws the letters, and may have fonts that are missing here.
    with style("paper"), plt.ioff(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": salt}):
            figure = cast(Figure, draw().figure)
            try:
                metadata = dict.fromkeys(("Date", "Creator", "Format", "Type"))
                figure.savefig(target, format="svg", transparent=True, metadata=metadata)
            finally:
                plt.close(figure)
    return _Picture(Markup(_svg_inside(target.getvalue(), salt, alternative)), alternative, caption)


def _svg_inside(svg: str, salt: str, alternative: str) -> str:
    """Return the SVG element with ids that differ from those of other plots."""
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<(metadata|style).*?</\1>", "", body, flags=re.DOTALL)
    body = re.sub(r' style="([^"]*)"', lambda m: _attributes(m[1]), body)
    used = set(re.findall(r'(?:url\(#|href="#)([^")]+)', body))
    body = re.sub(r' id="([^"]*)"', lambda m: f' id="{salt}-{m[1]}"' if m[1] in used else "", body)
    body = re.sub(r'(url\(#|href="#)', rf"\g<1>{salt}-", body)
    label = escape(alternative)
    return re.sub(r"<svg ", f'<svg role="img" aria-label="{label}" ', body, count=1)


def _attributes(style: str) -> str:
    """Return a style as attributes, since the policy of the page forbids inline styles."""
    attributes = []
    for rule in filter(None, map(str.strip, style.split(";"))):
        name, value = (part.strip() for part in rule.split(":", 1))
        if name == "font":
            # Weight and slant, size, families.
            shorthand = re.fullmatch(r"(.*?)([\d.]+px) (.*)", value)
            assert shorthand is not None, "fonts are written with their size and families"
            look, size, families = shorthand.groups()
            attributes += [("font-size", size), ("font-family", families)]
            attributes += [("font-weight", "bold")] * ("bold" in look or "700" in look)
            attributes += [("font-style", "italic")] * ("italic" in look or "oblique" in look)
        else:
            attributes.append((name, value))
    return "".join(f' {name}="{escape(value)}"' for name, value in attributes)
