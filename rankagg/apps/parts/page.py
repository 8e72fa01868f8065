"""The look of the apps: letters that one reads from the last row, in light and dark."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

__all__ = ["beside", "heading", "lecture_style", "prose", "refusal", "told", "two_columns"]

STYLE = """<style>
:root { font-size: clamp(18px, 1vw + 10px, 24px); --ra-strong: #0b5cad; --ra-warm: #b3470b;
    --ra-faint: #d5dce4; --ra-text: #15202b; --ra-ground: #ffffff; }
.dark { --ra-strong: #7ab8ff; --ra-warm: #ffa366; --ra-faint: #3d4854; --ra-text: #eef2f6;
    --ra-ground: #181c1a; }
.ra { font-family: system-ui, sans-serif; font-size: 1rem; line-height: 1.4;
    color: var(--ra-text); overflow-wrap: break-word; }
.ra h1 { font-size: 1.5em; line-height: 1.2; margin: 0; font-weight: 650; }
.ra p { margin: .3em 0; max-width: 52em; }
.ra .said { font-size: 1.15em; border-left: 5px solid var(--ra-strong); padding-left: .6em; }
.ra .refused { border-left: 5px solid var(--ra-warm); padding-left: .6em; }
.ra svg { display: block; width: 100%; height: auto; max-height: 66vh; margin: 0 auto; }
.ra svg text { fill: var(--ra-text); font-family: system-ui, sans-serif; }
.ra table { border-collapse: collapse; width: 100%; }
.ra td, .ra th { text-align: left; vertical-align: top; padding: .25em .8em .25em 0;
    border-top: 1px solid var(--ra-faint); }
.ra pre { white-space: pre-wrap; font-size: .8em; line-height: 1.4; margin: .3em 0;
    font-family: ui-monospace, monospace; }
.ra.wide { overflow-x: auto; }
.ra-beside { display: grid; gap: 0 2rem; grid-template-columns: minmax(0, 1fr); }
@media (min-width: 1100px) {
    .ra-beside { grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); align-items: start; } }
#App > * { padding-top: .5rem; }
</style>"""


# A lecture reads like a paper: letters of the usual size, tables as wide as what they hold.
LECTURE = """<style>
:root { font-size: 16px; }
.ra svg { max-height: 26rem; }
#App table { width: auto !important; min-width: 0; }
#App :is(th, td) { text-align: left; padding: .1em 1em .1em 0; }
#App table.dataframe :is(th, td) { text-align: right; padding: .1em .5em; }
#App :has(> table) { overflow-x: auto; }
#App pre { font-size: .875rem; line-height: 1.4; white-space: pre-wrap; }
</style>"""


def lecture_style() -> str:
    """Return the style of a lecture: the colors of the apps, and letters and tables of a paper.

    Returns
    -------
    str
        HTML.
    """
    return STYLE + LECTURE


def heading(title: str, what: str) -> str:
    """Return the head of a page, with the style of all that follows.

    Parameters
    ----------
    title, what : str
        Plain text.

    Returns
    -------
    str
        HTML.
    """
    return f'{STYLE}<div class="ra"><h1>{escape(title)}</h1><p>{escape(what)}</p></div>'


def prose(said: str, *more: str) -> str:
    """Return the sentence that says what one sees, and further ones.

    Parameters
    ----------
    said, *more : str
        Plain text.

    Returns
    -------
    str
        HTML, which is read aloud when it changes.
    """
    rest = "".join(f"<p>{escape(line)}</p>" for line in more if line)
    return f'<div class="ra" role="status"><p class="said">{escape(said)}</p>{rest}</div>'


def refusal(error: Exception) -> str:
    """Return why something cannot be shown.

    Parameters
    ----------
    error : Exception
        Its message is shown.

    Returns
    -------
    str
        HTML.
    """
    return f'<div class="ra" role="alert"><p class="refused">{escape(str(error))}</p></div>'


def two_columns(rows: Iterable[tuple[str, str]], heads: tuple[str, str]) -> str:
    """Return a table of two columns.

    Parameters
    ----------
    rows : iterable of (str, str)
        Plain text.
    heads : tuple of str
        The headings.

    Returns
    -------
    str
        HTML.
    """
    head = "".join(f'<th scope="col">{escape(one)}</th>' for one in heads)
    body = "".join(f"<tr><td>{escape(a)}</td><td>{escape(b)}</td></tr>" for a, b in rows)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="ra wide">{table}</div>'


def told(title: str, texts: Iterable[str]) -> str:
    """Return texts whose lines stay as they are, below a title.

    Parameters
    ----------
    title : str
        Plain text.
    texts : iterable of str
        Plain text; nothing is returned where there is none.

    Returns
    -------
    str
        HTML.
    """
    blocks = "".join(f"<pre>{escape(one)}</pre>" for one in texts)
    return f'<div class="ra"><p>{escape(title)}</p>{blocks}</div>' if blocks else ""


def beside(text: str, picture: str) -> str:
    """Put a picture beside its text where there is room, else below it.

    Parameters
    ----------
    text, picture : str
        HTML.

    Returns
    -------
    str
        HTML.
    """
    return f'<div class="ra-beside">{text}{picture}</div>'
