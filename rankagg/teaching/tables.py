"""Tables of steps as text and as LaTeX, parted and broken so that they fit a line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from textwrap import wrap

from tabulate import tabulate

from rankagg.core import latex_number, latex_text, letters

#: Letters on a line, and between two columns.
WIDTH, GAP = 80, 2
INDENT = "  "
# A column of texts may be made as narrow as this, before the table is parted.
NARROWEST_TEXT = 12
FROM_POINT = re.compile(r"(?<=\d)[.e].*")
BREAK = r"\\"
# Letters on a line of the class article, set small.
LATEX_WIDTH = 76
# What is wider than some 60 letters is set smaller and closer.
NORMAL_WIDTH = 60
SMALLER = r"\footnotesize\setlength{\tabcolsep}{4pt}"
# A table of more lines goes on over the page.
LINES_ON_A_PAGE = 24
# A word of more letters may break behind such signs, or anywhere.
LONG_WORD = 12
PIECES = re.compile("\\S+?[-\N{EN DASH}/_,:](?=[^\\W\\d])|\\S+")
# What packages of LaTeX are there for.
PREAMBLE = {
    "booktabs": r"\toprule",
    "array": r"\arraybackslash",
    "longtable": r"\begin{longtable}",
}


def parted(
    rows: Sequence[Sequence[str]], texts: Sequence[bool], room: int = WIDTH
) -> list[dict[int, int]]:
    """Return blocks of columns that fit a line, each with its widths; all begin with the first.

    Texts and heads break, numbers do not.
    """
    columns = []
    for (head, *cells), is_text in zip(zip(*rows, strict=True), texts, strict=True):
        lengths = [letters(cell) for cell in cells]
        if not is_text:  # points stand below each other
            behind = [len((FROM_POINT.search(cell) or [""])[0]) for cell in cells]
            before = (n - after for n, after in zip(lengths, behind, strict=True))
            lengths.append(max(before, default=0) + max(behind, default=0))
        # tabulate leaves so much more below a head
        columns.append([max(1, letters(head)) + GAP, *lengths])
    natural = [max(lengths) for lengths in columns]
    least = [
        max([min(natural[k], NARROWEST_TEXT), *([] if is_text else columns[k][1:])])
        for k, is_text in enumerate(texts)
    ]
    blocks = [[0]]
    for k in range(1, len(texts)):
        if sum(least[j] + GAP for j in (*blocks[-1], k)) > room:
            blocks.append([0])
        blocks[-1].append(k)
    parts = []
    for block in blocks:
        # The widest columns give way.
        cap = room
        while sum(max(least[k], min(natural[k], cap)) + GAP for k in block) > room and cap:
            cap -= 1
        parts.append({k: max(least[k], min(natural[k], cap)) for k in block})
    return parts


def text_table(rows: Sequence[Sequence[str]], texts: Sequence[bool]) -> list[str]:
    """Return a table as lines; one that is too wide is parted into blocks of columns.

    Examples
    --------
    >>> text_table([["item", "score"], ["A", "1.25"], ["B", "3"]], [True, False])
    ['  item      score', '  A          1.25', '  B          3']
    """
    lines: list[str] = []
    for block in parted(rows, texts):
        head, *body = ([row[k] for k in block] for row in rows)
        table = tabulate(
            body,
            head,
            tablefmt="plain",
            disable_numparse=True,
            colalign=["left" if texts[k] else "decimal" for k in block] if body else None,
            maxcolwidths=[width if texts[k] else None for k, width in block.items()],
            maxheadercolwidths=[width - GAP for width in block.values()],
        )
        lines += [
            *([""] if lines else []),
            *((INDENT + line).rstrip() for line in table.split("\n")),
        ]
    return lines


def text_paragraph(text: str) -> list[str]:
    """Return a sentence as lines that fit."""
    return wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False) or [""]


class Formula(str):
    r"""Arithmetic in a cell, without labels: products by `*`, powers by `^`.

    Examples
    --------
    >>> print(Formula("(2*3^2)^(1/3)").latex())
    $(2 \times 3^{2})^{1/3}$
    """

    __slots__ = ()

    def latex(self) -> str:
        """Return it in the mathematics of LaTeX."""
        raised = re.sub(r"\^(?:\(([^()]*)\)|([0-9./]+))", r"^{\1\2}", self)
        products = re.sub(" ?[*] ?", r" \\times ", raised)
        return f"${products}$"


def latex_table(rows: Sequence[Sequence[str]], texts: Sequence[bool]) -> str:
    """Return a table with the rules of booktabs; one that is too wide is parted."""
    return "\n\n".join(_tabular(rows, texts, block) for block in parted(rows, texts, LATEX_WIDTH))


def _tabular(rows: Sequence[Sequence[str]], texts: Sequence[bool], block: dict[int, int]) -> str:
    breaks = {
        k for k, width in block.items() if texts[k] and any(letters(row[k]) > width for row in rows)
    }
    sides = [
        rf">{{\raggedright\arraybackslash}}p{{{width / (WIDTH + GAP):.3f}\linewidth}}"
        if k in breaks
        else "l"
        if texts[k]
        else "r"
        for k, width in block.items()
    ]
    head = " & ".join(_head(rows[0][k], width - GAP, texts[k]) for k, width in block.items())
    body = [" & ".join(_cell(row[k], texts[k]) for k in block) + r" \\" for row in rows[1:]]
    height = sum(max(-(-letters(row[k]) // width) for k, width in block.items()) for row in rows)
    size = SMALLER if sum(block.values()) + GAP * len(block) > NORMAL_WIDTH else ""
    if height > LINES_ON_A_PAGE:
        kind, around = "longtable", (rf"\begingroup{size}", r"\endgroup")
        above, below = [r"\endhead", r"\bottomrule", r"\endfoot"], []
    else:
        kind, around = "tabular", (rf"\begin{{center}}{size}", r"\end{center}")
        above, below = [], [r"\bottomrule"]
    begin = rf"\begin{{{kind}}}{{{''.join(sides)}}}"
    lines = [begin, r"\toprule", rf"{head} \\", r"\midrule", *above, *body, *below]
    return "\n".join([around[0], *lines, rf"\end{{{kind}}}", around[1]])


def _head(text: str, width: int, is_text: bool) -> str:
    lines = BREAK.join(map(latex_text, wrap(text, width)))
    return rf"\shortstack[{'l' if is_text else 'r'}]{{{lines}}}" if BREAK in lines else lines


def _cell(text: str, is_text: bool) -> str:
    if isinstance(text, Formula):
        return text.latex()
    return latex_paragraph(text) if is_text else latex_number(text)


def latex_paragraph(text: str) -> str:
    """Return a sentence for LaTeX, in which long words may break."""
    return " ".join(map(_word, text.split()))


def _word(word: str) -> str:
    if len(word) <= LONG_WORD:
        return latex_text(word)
    pieces = (piece if len(piece) <= LONG_WORD else list(piece) for piece in PIECES.findall(word))
    signs = chain.from_iterable([part] if isinstance(part, str) else part for part in pieces)
    return r"\allowbreak{}".join(map(latex_text, signs))


def needs(text: str) -> list[str]:
    """Return comments for LaTeX on what a text needs: packages, and an engine for its signs."""
    used = [name for name, sign in PREAMBLE.items() if sign in text]
    lines = [rf"% Preamble: \usepackage{{{','.join(used)}}}"] if used else []
    if not text.isascii():
        lines.append(
            r"% Preamble: \usepackage[T1]{fontenc}; other scripts need XeLaTeX or LuaLaTeX"
        )
    return lines
