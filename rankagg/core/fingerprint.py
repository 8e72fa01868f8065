"""A fingerprint of votes, so that what is proved of some is not taken for a proof of others."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

from rankagg._typing import Integers, Label

__all__ = ["fingerprint"]


def fingerprint(labels: Iterable[Label], wins: Integers, ties: Integers, denominator: int) -> str:
    """Return the SHA-256 of items and votes in a form that is documented.

    Parameters
    ----------
    labels : iterable of str or int
        The items.
    wins, ties : ndarray of int, shape (n, n)
        Votes times the denominator.
    denominator : int
        The least by which all votes are whole.

    Returns
    -------
    str
        64 hexadecimal digits.
    """
    digest = sha256(f"rankagg.votes 1\n{len(wins)} {denominator}\n".encode())
    for label in labels:
        if isinstance(label, str):
            # Labels made in a program may hold half a surrogate pair.
            named = label.encode("utf-8", "surrogatepass")
            digest.update(b"s%d:%b\n" % (len(named), named))
        else:
            digest.update(b"i%d\n" % label)
    for matrix in (wins, ties):
        for row in matrix.tolist():
            # Printing a list takes half the time of joining its numbers.
            digest.update(f"{str(row)[1:-1].replace(',', '')}\n".encode())
    return digest.hexdigest()
