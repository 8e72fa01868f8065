"""Tables as lines of text that fit a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from rankagg.core.names import letters
from rankagg.teaching.tables.layout import PAD, Block, aligned, laid_out, wrapped

__all__ = ["WIDTH", "paragraph", "text_table"]

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


def _row(row: Sequence[str], block: Block, texts: Sequence[bool], *, is_head: bool) -> list[str]:
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


def paragraph(text: str) -> list[str]:
    """Return a sentence as lines that fit.

    Examples
    --------
    >>> paragraph("word " * 15 + "longer words")
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
