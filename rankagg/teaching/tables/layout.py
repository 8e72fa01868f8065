"""How wide the columns of a table are, so that it fits: cells break, then the table parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = ["PAD", "PIECES", "Block", "aligned", "laid_out", "wrapped"]

#: What a cell may not break in: words, or their parts up to a sign inside of them.
PIECES = re.compile("\\S+?[-\N{EN DASH}/_,:](?=[^\\W\\d])|\\S+")

#: Stands where a number has no decimal and others of its column have one.
PAD = "\0"
DECIMALS = re.compile(r"-?\d+((?:\.\d+)?)")

# A cap on widths is found to a small part of a letter.
HALVINGS = 24

Measure = Callable[[str], float]


@dataclass(frozen=True)
class Block:
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
) -> list[Block]:
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
        blocks.append(Block(columns, tuple(widths[k] for k in columns)))
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
