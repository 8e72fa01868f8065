"""Tournaments whose linear relaxation is weak by construction, so that a proof takes many cases."""

from functools import cache

import rankagg as ra


def paley(prime: int) -> ra.PairwiseMatrix:
    """Return the votes where an item beats those that are a square behind it (Paley)."""
    squares = {k * k % prime for k in range(1, prime)}
    wins = [[int((i - j) % prime in squares) for j in range(prime)] for i in range(prime)]
    return ra.PairwiseMatrix.from_wins(wins)


PALEY = paley(11)


@cache
def proved_paley(prime: int) -> ra.Consensus:
    """Return what the exact rule finds, once for all tests."""
    return ra.Kemeny().aggregate(paley(prime))
