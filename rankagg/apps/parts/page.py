"""Parts of the apps' pages as HTML; how they look is in apps/look.css."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes

from rankagg.report.figures import figure_of

ROOT = Path(__file__).parents[2]
STYLES_OF_LECTURES = (ROOT / "apps" / "look.css", ROOT / "lectures" / "paper.css")


def lecture_style() -> str:
    """Return the style of a lecture: the colors of the apps, and letters and tables of a paper."""
    return (
        f"<style>{''.join(path.read_text(encoding='utf-8') for path in STYLES_OF_LECTURES)}</style>"
    )


def solved(mo: Any, folds: Mapping[str, Any]) -> Any:
    """Return what an accordion would fold, open and below its titles; marimo is given."""
    return mo.vstack([one for title, said in folds.items() for one in (mo.md(f"*{title}*"), said)])


def unsolved(*_: Any) -> None:
    """Return nothing for what an accordion would fold."""


def heading(title: str, what: str) -> str:
    """Return the head of a page."""
    return f'<div class="ra ra-across"><h1>{escape(title)}</h1><p>{escape(what)}</p></div>'


def prose(said: str, *more: str) -> str:
    """Return the sentence that says what one sees, and further ones."""
    rest = "".join(f"<p>{escape(line)}</p>" for line in more if line)
    return f'<div class="ra" role="status"><p class="said">{escape(said)}</p>{rest}</div>'


def refusal(error: Exception) -> str:
    """Return why something cannot be shown."""
    return f'<div class="ra" role="alert"><p class="refused">{escape(str(error))}</p></div>'


def two_columns(rows: Iterable[tuple[str, str]], heads: tuple[str, str], share: int = 50) -> str:
    """Return a table of two columns."""
    head = (
        f'<th scope="col" style="width:{share}%">{escape(heads[0])}</th>'
        f'<th scope="col">{escape(heads[1])}</th>'
    )
    body = "".join(f"<tr><td>{escape(a)}</td><td>{escape(b)}</td></tr>" for a, b in rows)
    return (
        f'<div class="ra"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def told(title: str, texts: Iterable[str]) -> str:
    """Return texts side by side below a title, first lines as heads."""
    blocks = "".join(_terms(one) for one in texts)
    if not blocks:
        return ""
    # A heading of HTML would make marimo show a list of contents upon the page.
    head = f'<p class="head" role="heading" aria-level="2">{escape(title)}</p>'
    return across(f'<div class="ra">{head}<div class="ra-pair">{blocks}</div></div>')


def _terms(text: str) -> str:
    """Return lines of a word, blanks and a sentence as a list of terms below the first line."""
    first, *rest = text.splitlines()
    rows = []
    for line in rest:
        term, _, said = line.partition(" ")
        rows.append(f"<dt>{escape(term)}</dt><dd>{escape(said.strip())}</dd>")
    return f"<div><p>{escape(first)}</p><dl>{''.join(rows)}</dl></div>"


def figure(picture: str, caption: str = "") -> str:
    """Return a picture that stands beside controls and text where there is room."""
    told_below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f'<div class="ra ra-figure"><figure>{picture}{told_below}</figure></div>'


def across(html: str) -> str:
    """Let something take the whole width, below what stands side by side."""
    return f'<div class="ra-across">{html}</div>'


# Letters of the style "paper" have 8 points: this high they are beside the text of a page, in
# multiples of its own letters, and no lower than this on a telephone, where the plot scrolls.
POINTS, USUAL, LEAST = 8, 0.85, 0.7


def drawn(ax: Axes, alternative: str) -> str:
    """Return a plot as part of a page; its ground is that of the page.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg.apps.parts.page import drawn
    >>> with ra.plotting.style():
    ...     ax = ra.plotting.bump_chart(ra.compare(ra.datasets.load("tennessee")))
    >>> 'role="img" aria-label="Lines of ranks."' in drawn(ax, "Lines of ranks.")
    True
    """
    figure = ax.get_figure(root=True)
    assert figure is not None, "drawn axes are in a figure"
    picture = figure_of(lambda: ax, alternative, alternative).svg
    letters = float(figure.get_size_inches()[0]) * 72 / POINTS
    size = f"width:{USUAL * letters:.1f}rem;min-width:{LEAST * letters:.1f}rem"
    return f'<div class="ra-drawn" style="{size}">{picture}</div>'
