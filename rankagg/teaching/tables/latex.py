"""Tables for LaTeX that fit a line of the class article, and go on over the page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from unicodedata import east_asian_width

from rankagg.core.results import latex_number, latex_text
from rankagg.teaching.tables.layout import PAD, PIECES, Block, aligned, laid_out, wrapped

__all__ = ["Formula", "latex_table", "needs", "paragraph"]

BREAK = r"\\"
ALLOWED = r"\allowbreak{}"

# A line of the class article at 10 points, less what its estimate may be short.
LINE = 345.0
ROOM = 0.94 * LINE
# What stands on either side of a column.
SIDE = 6.0
# A table that is too wide is set smaller and closer, before cells break.
SMALLER = r"\footnotesize\setlength{\tabcolsep}{4pt}"
SCALE, CLOSE = 0.86, 4.0
# A table of more lines goes on over the page.
LONG = 24
# A word of more letters may break.
LONG_WORD = 24

# Widths of signs of Computer Modern at 10 points; those of capital letters and others are below.
WIDTHS = {
    **dict.fromkeys("ijl.,:;'|!", 2.8), **dict.fromkeys("ftrsI()[]`", 3.9),
    **dict.fromkeys("mwMWV%@", 9.5), **dict.fromkeys("<>=+-~^", 7.8), **dict.fromkeys("&OQ", 7.8),
    " ": 3.4,
}  # fmt: skip
CAPITAL, SMALL, WIDE = 7.4, 5.3, 10.0

# Signs that pdfLaTeX sets without a package, but for those of ASCII.
SET = frozenset(
    map(chr, [*range(0xA0, 0x126), *range(0x128, 0x138), *range(0x139, 0x149), *range(0x14A, 0x166),
              *range(0x168, 0x17F), *range(0x2010, 0x2017), *range(0x2018, 0x201B),
              *range(0x201C, 0x201F), *range(0x2020, 0x2023), 0x2026, 0x2030, 0x2039, 0x203A,
              0x20AC, 0x2122, *range(0x2190, 0x2194)])
)  # fmt: skip
# How many others are named.
NAMED = 12


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
    padded = aligned(rows, texts)
    (block, *others) = laid_out(padded, texts, points, ROOM - 2 * SIDE, 2 * SIDE)
    cells = [
        (cell, width) for row in padded for cell, width in zip(row, block.widths, strict=False)
    ]
    if not others and all(points(cell) <= width for cell, width in cells):
        return _tabular(padded, texts, block, "")
    # Widths stay those at 10 points, of which more fit on a line.
    room, gap = ROOM / SCALE, 2 * CLOSE / SCALE
    blocks = laid_out(padded, texts, points, room - gap, gap)
    return "\n\n".join(_tabular(padded, texts, block, SMALLER) for block in blocks)


def _tabular(rows: Sequence[Sequence[str]], texts: Sequence[bool], block: Block, size: str) -> str:
    columns = dict(zip(block.columns, block.widths, strict=True))
    scale = SCALE if size else 1.0
    narrow = {
        k: width for k, width in columns.items()
        if texts[k] and any(points(row[k]) > width for row in rows[1:])
    }  # fmt: skip
    sides = {
        k: rf">{{\raggedright\arraybackslash}}p{{{scale * columns[k] / LINE:.3f}\linewidth}}"
        if k in narrow else "l" if texts[k] else "r" for k in columns
    }  # fmt: skip
    head = " & ".join(_head(rows[0][k], width, texts[k]) for k, width in columns.items())
    body = [
        " & ".join(_cell(row[k], narrow.get(k), is_text=texts[k]) for k in columns) + r" \\"
        for row in rows[1:]
    ]
    height = sum(
        max(len(wrapped(row[k], width, points)) for k, width in columns.items())
        for row in rows[1:]
    )  # fmt: skip
    is_long = height > LONG
    kind = "longtable" if is_long else "tabular"
    above = [r"\endhead", r"\bottomrule", r"\endfoot"] if is_long else []
    lines = [
        rf"\begin{{{kind}}}{{{''.join(sides.values())}}}", r"\toprule", rf"{head} \\",
        r"\midrule", *above, *body, *([] if is_long else [r"\bottomrule"]), rf"\end{{{kind}}}",
    ]  # fmt: skip
    if is_long:
        around = ([rf"\begingroup{size}"], [r"\endgroup"]) if size else ([], [])
    else:
        around = ([rf"\begin{{center}}{size}"], [r"\end{center}"])
    return "\n".join([*around[0], *lines, *around[1]])


def _head(text: str, width: float, is_text: bool) -> str:
    lines = [latex_text(line) for line in wrapped(text, width, points)]
    side = "l" if is_text else "r"
    return lines[0] if len(lines) == 1 else rf"\shortstack[{side}]{{{BREAK.join(lines)}}}"


def _cell(text: str, width: float | None, *, is_text: bool) -> str:
    if isinstance(text, Formula):
        return text.latex()
    if not is_text:
        number = text.rstrip(PAD)
        return latex_number(number) + _room(len(text) - len(number), "." in number)
    return latex_text(text) if width is None else _breaking(text, width)


def _room(digits: int, has_point: bool) -> str:
    """Return the place of decimals that are not there, and of their point."""
    if not digits:
        return ""
    return rf"\phantom{{{'0' * digits if has_point else '.' + '0' * (digits - 1)}}}"


def _breaking(text: str, width: float) -> str:
    """Return text for LaTeX that may break where `wrapped` breaks it."""
    return " ".join(
        ALLOWED.join(
            latex_text(piece) if points(piece) <= width else ALLOWED.join(map(latex_text, piece))
            for piece in PIECES.findall(word)
        )
        for word in text.split()
    )


def paragraph(text: str) -> str:
    """Return a sentence for LaTeX, in which long words may break."""
    return " ".join(
        _breaking(word, ROOM / 2) if len(word) > LONG_WORD else latex_text(word)
        for word in text.split()
    )


def points(text: str) -> float:
    """Return about how wide a text is, in points."""
    return sum(map(_width, text))


def _width(sign: str) -> float:
    if sign in WIDTHS:
        return WIDTHS[sign]
    if east_asian_width(sign) in "WF":
        return WIDE
    return CAPITAL if sign.isupper() else SMALL


def needs(text: str) -> list[str]:
    """Return comments for LaTeX on what a text needs: packages, and an engine for its signs."""
    used = [
        name for name, sign in {
            "booktabs": r"\toprule", "array": r"\arraybackslash", "longtable": r"\begin{longtable}",
        }.items() if sign in text
    ]  # fmt: skip
    signs = sorted({sign for sign in text if not sign.isascii()})
    lines = [rf"% Preamble: \usepackage{{{','.join(used)}}}"] if used else []
    if other := [sign for sign in signs if sign not in SET]:
        more = f" and {len(other) - NAMED} more" if len(other) > NAMED else ""
        named = ", ".join(f"{sign} (U+{ord(sign):04X})" for sign in other[:NAMED])
        lines += [f"% XeLaTeX or LuaLaTeX, and a font that has {named}{more}"]
    elif signs:
        lines += [r"% Preamble: \usepackage[T1]{fontenc}"]
    return lines
