"""What is left of marked ballots: all of them at once, and what became of every mark."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Bools
from rankagg.io.cast_votes.marks import BLANK, DROPPED, OVERVOTE

__all__ = ["Cleaned", "Fate", "clean"]


class Fate(IntEnum):
    """What became of a choice."""

    RANKED = 0
    BLANK = 1
    OVERVOTE = 2
    WRITE_IN = 3
    TWICE = 4
    ENDED = 5


class Cleaned(NamedTuple):
    """Ballots with what became of each choice.

    Attributes
    ----------
    fates : ndarray of uint8, shape (n_ballots, n_choices)
        A `Fate` for each.
    skipped : ndarray of bool, shape (n_ballots, n_choices)
        Blank choices with a mark behind them, before the end of the ballot.
    """

    fates: NDArray[np.uint8]
    skipped: Bools


def clean(codes: NDArray[np.intp], *, overvotes: str, skipped: str) -> Cleaned:
    """Say what becomes of each choice.

    A ballot ends where a policy says so. Before its end overvotes and write-ins are taken off,
    then an item that stands there for the second time.

    Parameters
    ----------
    codes : ndarray of int, shape (n_ballots, n_choices)
        Items, or `BLANK`, `OVERVOTE` or `DROPPED`.
    overvotes : {"end", "skip"}
        Whether an overvote ends its ballot.
    skipped : {"close", "end", "end-after-two"}
        What a skipped choice does.

    Returns
    -------
    Cleaned
    """
    blank = codes == BLANK
    # A blank choice is skipped where any mark stands behind it.
    gap = blank & np.logical_or.accumulate(~blank[:, ::-1], axis=1)[:, ::-1]
    stop = np.zeros_like(blank)
    if overvotes == "end":
        stop |= codes == OVERVOTE
    if skipped == "end":
        stop |= gap
    elif skipped == "end-after-two":
        stop[:, 1:] |= gap[:, 1:] & gap[:, :-1]
    ended = np.zeros_like(blank)
    ended[:, 1:] = np.logical_or.accumulate(stop, axis=1)[:, :-1]
    fates = np.full(codes.shape, Fate.RANKED, dtype=np.uint8)
    # What is no item, and comes twice, gets its own fate after that.
    fates[_again(codes)] = Fate.TWICE
    fates[codes == DROPPED] = Fate.WRITE_IN
    fates[codes == OVERVOTE] = Fate.OVERVOTE
    fates[ended] = Fate.ENDED
    fates[blank] = Fate.BLANK
    return Cleaned(fates, gap & ~ended)


def _again(codes: NDArray[np.intp]) -> Bools:
    """Tell where a code stands that its ballot has had before."""
    order = np.argsort(codes, axis=1, kind="stable")
    ordered = np.take_along_axis(codes, order, axis=1)
    again = np.zeros(codes.shape, dtype=np.bool_)
    np.put_along_axis(again, order[:, 1:], ordered[:, 1:] == ordered[:, :-1], axis=1)
    return again
