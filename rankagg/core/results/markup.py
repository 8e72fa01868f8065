"""Text that reads as it is in LaTeX and in Markdown, whatever signs it holds."""

from __future__ import annotations

import re
from itertools import pairwise
from unicodedata import normalize

from rankagg.exceptions import InvalidInputError, visible

__all__ = ["DASH", "check_key", "latex_number", "latex_text", "markdown_text"]

#: What stands between the ends of a range.
DASH = "\N{EN DASH}"

NUMBER = re.compile(r"-?(?:inf\b|\d+(?:\.\d+)?(?:e[+-]?\d+)?)")
#: Signs that a key of LaTeX for references may have beside letters and digits.
KEY = re.compile(r"[A-Za-z0-9:._+/-]*")

LATEX = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "`": r"\textasciigrave{}",
    '"': r"\char34{}", DASH: "--",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}  # fmt: skip
INFINITY = r"\infty"
# Two of these make one other sign, and dashes do with each other.
LIGATURES = "',"
DASHES = f"-{DASH}"
# At the start of a row these would belong to the end of the row before.
STARTS = "[*"

MARKDOWN = {
    "&": "&amp;", "<": "&lt;", ">": "&gt;", **{sign: f"\\{sign}" for sign in "\\`*_{}[]#$~|^"},
}  # fmt: skip


def latex_text(text: str) -> str:
    r"""Return text for LaTeX; white space is one space, other control signs are named.

    Examples
    --------
    >>> latex_text("50% of a_b & c")
    '50\\% of a\\_b \\& c'
    """
    # Letters with accents as one sign: pdfLaTeX sets no accent that follows its letter.
    line = normalize("NFC", _one_line(text))
    parts = ["{" + line[0] + "}" if line[:1] in STARTS else _latex(line[0])] if line else []
    for before, sign in pairwise(line):
        joins = (before in DASHES and sign in DASHES) or (before == sign and sign in LIGATURES)
        parts.append("{}" if joins else "")
        parts.append(_latex(sign))
    return "".join(parts)


def _latex(sign: str) -> str:
    return LATEX.get(sign, sign)


def latex_number(text: str) -> str:
    r"""Return numbers, and what stands between them, for LaTeX: with a minus, and powers of ten.

    Examples
    --------
    >>> print(latex_number("-0.5 (-1e-06, 2)"))
    $-$0.5 ($-$1 $\times$ 10\textsuperscript{$-$6}, 2)
    """
    parts, at = [], 0
    for found in NUMBER.finditer(text):
        parts += [*map(_latex, text[at : found.start()]), _number(found[0])]
        at = found.end()
    return "".join([*parts, *map(_latex, text[at:])])


def _number(text: str) -> str:
    digits, _, power = text.partition("e")
    told = re.sub(r"-?inf|-", lambda sign: f"${sign[0].replace('inf', INFINITY)}$", digits)
    if power:
        exponent = str(int(power)).replace("-", "$-$")
        told += rf" $\times$ 10\textsuperscript{{{exponent}}}"
    return told


def markdown_text(text: str) -> str:
    r"""Return text for a cell of a table in Markdown, as GitHub reads it.

    Examples
    --------
    >>> print(markdown_text("a|b <i>"))
    a\|b &lt;i&gt;
    """
    return "".join(MARKDOWN.get(sign, sign) for sign in _one_line(text))


def check_key(key: object, parameter: str) -> str:
    """Return a key that LaTeX can refer to."""
    if isinstance(key, str) and KEY.fullmatch(key):
        return key
    raise InvalidInputError(
        parameter, "letters, digits and : . _ + / - alone, as 'tab:results'", key
    )


def _one_line(text: str) -> str:
    """Return text with white space as single spaces, and other control signs by their numbers."""
    return visible(" ".join(text.split()))
