"""Tables of steps as text and as LaTeX, parted and broken so that they fit a line."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from unicodedata import east_asian_width

from rankagg.core.names import letters
from rankagg.core.results import latex_number, latex_text

#: What a cell may not break in: words, or their parts up to a sign inside of them.
PIECES = re.compile("\\S+?[-\N{EN DASH}/_,:](?=[^\\W\\d])|\\S+")

#: Stands where a number has no decimal and others of its column have one.
PAD = "\0"
DECIMALS = re.compile(r"-?\d+((?:\.\d+)?)")

# A cap on widths is found to a small part of a letter.
HALVINGS = 24

Measure = Callable[[str], float]


@dataclass(frozen=True)
class ColumnBlock:
    """Columns that stand side by side."""

    columns: tuple[int, ...]
    widths: tuple[float, ...]


def aligned(rows: Sequence[Sequence[str]], texts: Sequence[bool]) -> list[list[str]]:
    r"""Return the cells with numbers padded, so that the points of a column are aligned.

    Numbers with exponents stay, and those beside them.

    Examples
    --------
    >>> aligned([["score"], ["1.25"], ["3"]], [False])[1:]
    [['1.25'], ['3\x00\x00\x00']]
    """
    padded = [list(row) for row in rows]
    for k, is_text in enumerate(texts):
        cells = [row[k] for row in rows[1:] if row[k] and not row[k].isalpha()]
        found = [DECIMALS.fullmatch(cell) for cell in cells]
        if is_text or not all(found):
            continue
        most = max((len(one[1]) for one in found if one), default=0)
        for row in padded[1:]:
            one = DECIMALS.fullmatch(row[k])
            row[k] += PAD * (most - len(one[1])) if one else ""
    return padded


def laid_out(
    rows: Sequence[Sequence[str]],
    texts: Sequence[bool],
    measure: Measure,
    available: float,
    gap: float,
) -> list[ColumnBlock]:
    """Return the blocks of a table, each no wider than what is available."""
    number = len(texts)
    # The first column and another one always fit side by side.
    longest = (available - gap) / 2
    natural = [max(measure(row[k]) for row in rows) for k in range(number)]
    body = [max((measure(row[k]) for row in rows[1:]), default=0.0) for k in range(number)]
    head = [_widest_piece([rows[0][k]], measure) for k in range(number)]
    least = [
        min(natural[k], longest, max(head[k], _widest_piece([row[k] for row in rows[1:]], measure))
            if texts[k] else max(body[k], min(head[k], longest)))
        for k in range(number)
    ]  # fmt: skip
    blocks = []
    for columns in _parted(least, available, gap):
        room = available - gap * (len(columns) - 1)
        widths = {k: natural[k] for k in columns}
        # Broken heads cost a line or two, if these are enough.
        heads = {k: max(least[k], min(natural[k], body[k])) for k in columns}
        enough = sum(heads.values()) <= room
        _narrow(widths, heads if enough else {k: least[k] for k in columns}, room)
        blocks.append(ColumnBlock(columns, tuple(widths[k] for k in columns)))
    return blocks


def _widest_piece(cells: Sequence[str], measure: Measure) -> float:
    return max((measure(piece) for cell in cells for piece in PIECES.findall(cell)), default=0.0)


def _parted(least: Sequence[float], available: float, gap: float) -> list[tuple[int, ...]]:
    parts: list[list[int]] = [[0]]
    used = least[0]
    for k in range(1, len(least)):
        if used + gap + least[k] > available:
            parts.append([0])
            used = least[0]
        parts[-1].append(k)
        used += gap + least[k]
    return [tuple(part) for part in parts]


def _narrow(widths: dict[int, float], least: dict[int, float], room: float) -> None:
    """Cap the widths, so that all fit if they can; none falls below its least."""

    def capped(cap: float) -> dict[int, float]:
        return {k: max(least[k], min(width, cap)) for k, width in widths.items()}

    if sum(widths.values()) <= room:
        return
    low, high = 0.0, max(widths.values())
    for _ in range(HALVINGS):
        cap = (low + high) / 2
        low, high = (cap, high) if sum(capped(cap).values()) <= room else (low, cap)
    widths.update(capped(low))


def wrapped(text: str, width: float, measure: Measure) -> list[str]:
    """Return a text as lines of a width; a piece that is wider breaks anywhere.

    Examples
    --------
    >>> wrapped("rank 1 (3)", 6, len)
    ['rank 1', '(3)']
    """
    lines, used = [""], 0.0
    # Widths are sums, which round.
    room = width + 1e-6
    for piece in re.findall(rf"\s*(?:{PIECES.pattern})", text):
        if lines[-1] and used + measure(piece) <= room:
            lines[-1] += piece
            used += measure(piece)
            continue
        bare = piece.strip()
        for part in [bare] if measure(bare) <= room else bare:
            if lines[-1] and (part is bare or used + measure(part) > room):
                lines.append("")
                used = 0.0
            lines[-1] += part
            used += measure(part)
    return lines


#: Letters on a line.
WIDTH = 80
# Blanks before a row, and between two columns.
INDENT, GAP = "  ", "  "


def text_table(rows: Sequence[Sequence[str]], texts: Sequence[bool]) -> list[str]:
    """Return a table as lines; one that is too wide is parted into blocks of columns."""
    padded = aligned(rows, texts)
    blocks = laid_out(padded, texts, letters, WIDTH - len(INDENT), len(GAP))
    lines: list[str] = []
    for block in blocks:
        lines += [""] if lines else []
        for at, row in enumerate(padded):
            lines += _row(row, block, texts, is_head=not at)
    return lines


def _row(
    row: Sequence[str], block: ColumnBlock, texts: Sequence[bool], *, is_head: bool
) -> list[str]:
    cells = [
        wrapped(row[k], width, letters)
        for k, width in zip(block.columns, block.widths, strict=True)
    ]
    # A head stands on its column.
    height = max(map(len, cells))
    if is_head:
        cells = [[""] * (height - len(cell)) + cell for cell in cells]
    return [
        (INDENT + GAP.join(
            _set(part, int(width), is_left=texts[k])
            for part, width, k in zip(line, block.widths, block.columns, strict=True)
        )).replace(PAD, " ").rstrip()
        for line in zip_longest(*cells, fillvalue="")
    ]  # fmt: skip


def _set(text: str, width: int, *, is_left: bool) -> str:
    blanks = " " * (width - letters(text))
    return text + blanks if is_left else blanks + text


def text_paragraph(text: str) -> list[str]:
    """Return a sentence as lines that fit.

    Examples
    --------
    >>> text_paragraph("word " * 15 + "longer words")
    ['word word word word word word word word word word word word word word word', 'longer words']
    """
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if lines[-1] and letters(longer) > WIDTH:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


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

# What packages of LaTeX are there for.
PACKAGES = {
    "booktabs": r"\toprule",
    "array": r"\arraybackslash",
    "longtable": r"\begin{longtable}",
}


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


def _tabular(
    rows: Sequence[Sequence[str]], texts: Sequence[bool], block: ColumnBlock, size: str
) -> str:
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


def latex_paragraph(text: str) -> str:
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
    used = [name for name, sign in PACKAGES.items() if sign in text]
    lines = [rf"% Preamble: \usepackage{{{','.join(used)}}}"] if used else []
    if not text.isascii():
        lines.append(
            r"% Preamble: \usepackage[T1]{fontenc}; other scripts need XeLaTeX or LuaLaTeX"
        )
    return lines
