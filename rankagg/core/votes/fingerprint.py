"""A fingerprint of votes, so that what is proved of some is not taken for a proof of others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256

import numpy as np

from rankagg._typing import Integers, Label

__all__ = ["fingerprint", "label_lines"]

# Below this, all numbers are written beforehand.
LISTED = 2**16
# Numbers that are written in one go.
BLOCK = 2**18
BLANK, LINE_END = b" \n"


def fingerprint(labels: Iterable[Label], wins: Integers, ties: Integers, denominator: int) -> str:
    """Return the SHA-256 of items and votes in a form that is documented."""
    digest = sha256(f"rankagg.votes 1\n{len(wins)} {denominator}\n".encode())
    for text in label_lines(labels):
        digest.update(text)
    for matrix in (wins, ties):
        for text in _lines(matrix):
            digest.update(text)
    return digest.hexdigest()


def label_lines(labels: Iterable[Label]) -> Iterator[bytes]:
    """Yield a line for each label: a text with its length, or a whole number."""
    for label in labels:
        if isinstance(label, str):
            # Labels made in a program may hold half a surrogate pair.
            named = label.encode("utf-8", "surrogatepass")
            yield b"s%d:%b\n" % (len(named), named)
        else:
            yield b"i%d\n" % label


def _lines(matrix: Integers) -> Iterator[bytes]:
    """Yield the rows as decimal numbers with a blank between two and a line end behind each."""
    largest = int(matrix.max(initial=0))
    if largest >= min(LISTED, matrix.size) or int(matrix.min(initial=0)) < 0:
        for row in matrix.tolist():
            # Printing a list takes half the time of joining its numbers.
            yield f"{str(row)[1:-1].replace(',', '')}\n".encode()
        return
    # The bytes of every number with what follows it, and how many of them count.
    width = len(str(largest)) + 1
    words = np.array([b"%d " % number for number in range(largest + 1)], dtype=f"S{width}")
    table = words.view(np.uint8).reshape(-1, width)
    size = max(1, BLOCK // matrix.shape[1])
    for start in range(0, len(matrix), size):
        text = table[matrix[start : start + size].astype(np.intp)]
        last = text[:, -1]
        last[last == BLANK] = LINE_END
        yield text[text != 0].tobytes()
