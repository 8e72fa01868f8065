"""Plots as SVG inside a page."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import cast

import matplotlib as mpl
import matplotlib.pyplot as plt
from markupsafe import Markup, escape
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing

from rankagg.plotting.theme import style


@dataclass(frozen=True)
class Figure:
    """A drawn plot."""

    # The drawing; its letters stay letters.
    svg: Markup
    # What it shows, for those who do not see it.
    alternative: str
    caption: str


def figure_of(draw: Callable[[], Axes], alternative: str, caption: str) -> Figure:
    """Draw a plot and return it as part of a page."""
    target = io.StringIO()
    salt = sha256(caption.encode()).hexdigest()[:12]
    # Letters are drawn by the browser, which has fonts for scripts that are missing here.
    with style("paper"), plt.ioff(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": salt}):
            figure = cast(Drawing, draw().figure)
            try:
                figure.savefig(
                    target,
                    format="svg",
                    transparent=True,
                    metadata={"Date": None, "Creator": None, "Format": None, "Type": None},
                )
            finally:
                plt.close(figure)
    return Figure(Markup(_inline(target.getvalue(), salt, alternative)), alternative, caption)


def _inline(svg: str, salt: str, alternative: str) -> str:
    """Take a file's frame off an SVG, and keep its names apart from those of other plots."""
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<(metadata|style).*?</\1>", "", body, flags=re.DOTALL)
    body = re.sub(r' style="([^"]*)"', lambda m: _attributes(m[1]), body)
    used = set(re.findall(r'(?:url\(#|href="#)([^)"]+)', body))
    body = re.sub(r' id="([^"]*)"', lambda m: f' id="{salt}-{m[1]}"' if m[1] in used else "", body)
    body = re.sub(r'(url\(#|href="#)', rf"\g<1>{salt}-", body)
    label = escape(alternative)
    return re.sub(r"<svg ", f'<svg role="img" aria-label="{label}" ', body, count=1)


def _attributes(style: str) -> str:
    """Return the same look without a style attribute, which the page's policy does not allow."""
    found = []
    for rule in filter(None, map(str.strip, style.split(";"))):
        name, value = (part.strip() for part in rule.split(":", 1))
        if name == "font":
            # Weight and slant, size, families.
            shorthand = re.fullmatch(r"(.*?)([\d.]+px) (.*)", value)
            assert shorthand is not None, "fonts are written with their size and families"
            look, size, families = shorthand.groups()
            found += [("font-size", size), ("font-family", families)]
            found += [("font-weight", "bold")] * ("bold" in look or "700" in look)
            found += [("font-style", "italic")] * ("italic" in look or "oblique" in look)
        else:
            found.append((name, value))
    return "".join(f' {name}="{escape(value)}"' for name, value in found)
