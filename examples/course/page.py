"""Parts of the pages of lectures, exercises and apps; how they look is in course.css."""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import sha256
from html import escape
from io import StringIO
from typing import Any

import marimo as mo
import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.axes import Axes

SOLUTIONS = ("folded", "open", "left out")


def solution(answer: Any, how: str) -> Any:
    """Show the solution of an exercise folded or open, or leave it out."""
    if how == "folded":
        return mo.accordion({"Solution": answer})
    return mo.vstack([mo.md("*Solution*"), answer]) if how == "open" else mo.md("")


def counted(number: float, noun: str, form: str = "") -> str:
    """Return a number with its noun, in the plural except for one.

    Examples
    --------
    >>> counted(1, "item"), counted(2.5, "vote", "g")
    ('1 item', '2.5 votes')
    """
    shown = f"{number:{form}}"
    return f"{shown} {noun}" if shown == "1" else f"{shown} {noun}s"


def shortened(label: object, width: int) -> str:
    """Return a label as text, cut in the middle where it is too wide."""
    text = " ".join(str(label).split())
    if len(text) <= width:
        return text
    head = (width - 1) * 2 // 3
    return f"{text[:head]}…{text[head + 1 - width :]}"


def heading(title: str, what: str) -> str:
    """Return the head of a page."""
    return f'<div class="ra ra-across"><h1>{escape(title)}</h1><p>{escape(what)}</p></div>'


def prose(verdict: str, *more: str) -> str:
    """Return the sentence that says what one sees, and further ones."""
    rest = "".join(f"<p>{escape(line)}</p>" for line in more if line)
    return f'<div class="ra" role="status"><p class="verdict">{escape(verdict)}</p>{rest}</div>'


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


def reasons(title: str, texts: Iterable[str]) -> str:
    """Return texts below a title, their first lines as heads."""
    blocks = "".join(_terms(one) for one in texts)
    if not blocks:
        return ""
    # A heading of HTML would make marimo show a list of contents upon the page.
    head = f'<p class="head" role="heading" aria-level="2">{escape(title)}</p>'
    return f'<div class="ra">{head}<div class="ra-pair">{blocks}</div></div>'


def _terms(text: str) -> str:
    """Return lines of a word, blanks and a sentence as a list of terms below the first line."""
    first, *rest = text.splitlines()
    rows = []
    for line in rest:
        term, _, meaning = line.partition(" ")
        rows.append(f"<dt>{escape(term)}</dt><dd>{escape(meaning.strip())}</dd>")
    return f"<div><p>{escape(first)}</p><dl>{''.join(rows)}</dl></div>"


def figure(picture: str, caption: str = "") -> str:
    """Return a picture that stands beside controls and text where there is room."""
    told_below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f'<div class="ra ra-figure"><figure>{picture}{told_below}</figure></div>'


# Letters of the style "paper" have 8 points: this high they are beside the text of a page, in
# multiples of its own letters, and no lower than this on a telephone, where the plot scrolls.
POINTS, USUAL, LEAST = 8, 0.85, 0.7


def drawn(ax: Axes, alternative: str) -> str:
    """Return a plot as part of a page; its ground is that of the page.

    Examples
    --------
    >>> import rankagg as ra
    >>> with ra.plotting.style():
    ...     ax = ra.plotting.bump_chart(ra.compare(ra.datasets.load("tennessee")))
    >>> 'role="img" aria-label="Lines of ranks."' in drawn(ax, "Lines of ranks.")
    True
    """
    figure = ax.get_figure(root=True)
    assert figure is not None, "drawn axes are in a figure"
    target = StringIO()
    # The names of clips and marks differ from those of other plots of the page.
    own = {"svg.fonttype": "none", "svg.hashsalt": sha256(alternative.encode()).hexdigest()}
    with mpl.rc_context(own):
        figure.savefig(target, format="svg", transparent=True)
    plt.close(figure)
    picture = target.getvalue()
    picture = picture[picture.index("<svg") :]
    picture = re.sub(r"<(metadata|style).*?</\1>", "", picture, flags=re.DOTALL)
    picture = re.sub(r' id="\w+_\d+"', "", picture)
    picture = picture.replace("<svg ", f'<svg role="img" aria-label="{escape(alternative)}" ', 1)
    letters = float(figure.get_size_inches()[0]) * 72 / POINTS
    size = f"width:{USUAL * letters:.1f}rem;min-width:{LEAST * letters:.1f}rem"
    return f'<div class="ra-drawn" style="{size}">{picture}</div>'
