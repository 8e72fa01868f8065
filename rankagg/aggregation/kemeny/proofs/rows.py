"""What every order obeys: cycles, and rows that are derived from them.

A row says "these arcs, each as often as it counts, are used so many times at least". An arc is used
no less than never, and a cycle at least once; constraints demand more (see `demands`); the rest is
made of these. Adding rows up, taking out that an order uses i -> j or j -> i, dividing, and
rounding both sides up to whole numbers gives a row again (Chvátal and Gomory), because an order
uses an arc once or not at all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Integers
from rankagg.core.arithmetic import exact
from rankagg.exceptions import VerificationError

__all__ = [
    "LARGEST_COUNT",
    "Derived",
    "Form",
    "Given",
    "Source",
    "Weighting",
    "compact",
    "forms_of",
    "size_of",
]

#: (i, j) is the arc from i to j, three and more items are a cycle, a number an earlier row.
Source: TypeAlias = "tuple[int, ...] | int | Given"

#: What an arc may count in a derived row, and how often the row may ask for arcs.
LARGEST_COUNT = 2**31 - 1


@dataclass(frozen=True)
class Given:
    """A row that constraints demand of every order.

    Attributes
    ----------
    name : {"before", "behind", "quota"}
        Which of the rows of `Demands`.
    number : int
        Of the marker, or of the count.
    arcs : tuple of (int, int)
        They are used `least` times at least.
    least : int
    """

    name: str
    number: int
    arcs: tuple[tuple[int, int], ...]
    least: int

    def moved_to(self, where: Sequence[int]) -> Given:
        """Return the row with `where[i]` for item i."""
        return replace(self, arcs=tuple((where[i], where[j]) for i, j in self.arcs))

    def to_dict(self) -> dict[str, int]:
        """Return plain data for JSON."""
        return {self.name: self.number}


@dataclass(frozen=True)
class Derived:
    """Other rows, summed up, divided, and rounded up.

    Attributes
    ----------
    terms : tuple of (int, source)
        How often a row is taken, and which: an arc (i, j), a cycle (a, b, c, ...), the number of
        an earlier derived row, or one that constraints demand.
    divisor : int
        At least 1.

    References
    ----------
    Chvátal (1973), https://doi.org/10.1016/0012-365X(73)90167-2.
    """

    terms: tuple[tuple[int, Source], ...]
    divisor: int = 1

    def moved_to(self, where: Sequence[int]) -> Derived:
        """Return the row with `where[i]` for item i."""
        return Derived(
            tuple((times, _moved(source, where)) for times, source in self.terms),
            self.divisor,
        )

    def numbered_from(self, first: int) -> Derived:
        """Return the row where the first row has another number than 0."""
        terms = (
            (times, source + first if isinstance(source, int) else source)
            for times, source in self.terms
        )
        return Derived(tuple(terms), self.divisor)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        terms = [[times, _plain(source)] for times, source in self.terms]
        return {"terms": terms, "divisor": self.divisor}


def _moved(source: Source, where: Sequence[int]) -> Source:
    if isinstance(source, int):
        return source
    if isinstance(source, Given):
        return source.moved_to(where)
    return tuple(where[i] for i in source)


def size_of(source: Source) -> int:
    """Return how many arcs a row has that is no derived one."""
    assert not isinstance(source, int), "a derived row has as many as its terms"
    return len(source.arcs) if isinstance(source, Given) else len(source)


def _plain(source: Source) -> Any:
    if isinstance(source, int):
        return source
    return source.to_dict() if isinstance(source, Given) else list(source)


class Form(NamedTuple):
    """What a row says: the arcs from `tails` to `heads` count `counts`, and reach `least`."""

    tails: NDArray[np.intp]
    heads: NDArray[np.intp]
    counts: NDArray[np.int64]
    least: int


def forms_of(rows: Iterable[Derived], forms: Sequence[Form] = ()) -> list[Form]:
    """Return what derived rows say.

    Parameters
    ----------
    rows : iterable of Derived
        Each may use those before it.
    forms : sequence of Form, optional
        What the rows before these say.

    Returns
    -------
    list of Form
        One per row of `rows`.

    Raises
    ------
    VerificationError
        If a number passes `LARGEST_COUNT`.
    """
    known = list(forms)
    for row in rows:
        known.append(_form_of(row, known))
    return known[len(forms) :]


def _form_of(row: Derived, earlier: Sequence[Form]) -> Form:
    counts: dict[tuple[int, int], int] = defaultdict(int)
    least = 0
    for times, source in row.terms:
        if isinstance(source, int):
            other = earlier[source]
            arcs = zip(other.tails.tolist(), other.heads.tolist(), strict=True)
            for arc, count in zip(arcs, other.counts.tolist(), strict=True):
                counts[arc] += times * count
            least += times * other.least
        elif isinstance(source, Given):
            for arc in source.arcs:
                counts[arc] += times
            least += times * source.least
        elif len(source) == 2:
            counts[source[0], source[1]] += times
        else:
            for arc in zip(source, (*source[1:], source[0]), strict=True):
                counts[arc] += times
            least += times
    for i, j in list(counts):
        both = min(counts[i, j], counts.get((j, i), 0))
        if both:  # an order uses exactly one of the two
            counts[i, j] -= both
            counts[j, i] -= both
            least -= both
    rounded = {arc: -(-count // row.divisor) for arc, count in counts.items() if count}
    least = -(-least // row.divisor)
    if max(map(abs, (least, *rounded.values()))) > LARGEST_COUNT:
        raise VerificationError(f"A derived row counts more than {LARGEST_COUNT}.")
    ends = np.array(list(rounded), dtype=np.intp).reshape(-1, 2)
    return Form(ends[:, 0], ends[:, 1], np.array(list(rounded.values()), dtype=np.int64), least)


@dataclass(frozen=True, eq=False)
class Weighting:
    """Rows with their weights: a lower bound on what every order costs.

    Taking a row's weight off the cost of its arcs, as often as each counts, lowers the cost of
    every order by the weight times `least`, or more.

    Attributes
    ----------
    cycles : ndarray of int, shape (m, 3)
        Positions a, b, c: an order uses a -> b, b -> c or c -> a.
    weights : ndarray of int, shape (m,)
        Of the cycles.
    forms : sequence of Form
        Derived rows.
    form_weights : ndarray of int, shape (len(forms),)
        Of the derived rows.
    """

    cycles: NDArray[np.intp]
    weights: Integers
    forms: Sequence[Form] = ()
    form_weights: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def taken(self) -> tuple[NDArray[np.intp], NDArray[np.intp], Integers, int]:
        """Return tails, heads and what is taken off each arc; and what all orders pay for it."""
        tails, heads = self.cycles.T.ravel(), self.cycles.T[[1, 2, 0]].ravel()
        amounts: Any = np.tile(self.weights, 3)
        paid = exact.sum_of(self.weights)
        if len(self.forms):
            lengths = [len(form.counts) for form in self.forms]
            times: Any = np.repeat(self.form_weights, lengths)
            counts = np.concatenate([form.counts for form in self.forms])
            tails = np.concatenate([tails, *(form.tails for form in self.forms)])
            heads = np.concatenate([heads, *(form.heads for form in self.forms)])
            amounts = np.concatenate([amounts, exact.multiply(times, counts)])
            least = np.array([form.least for form in self.forms], dtype=np.int64)
            paid += exact.sum_of(exact.multiply(self.form_weights, least))
        return tails, heads, exact.fit(amounts), paid


def compact(rows: Sequence[Derived], used: Iterable[int]) -> tuple[tuple[Derived, ...], list[int]]:
    """Return the rows that are used, with those that they use, and the new number of each row.

    Parameters
    ----------
    rows : sequence of Derived
        Each uses rows before it only.
    used : iterable of int
        Numbers of rows.

    Returns
    -------
    rows : tuple of Derived
        In the same order.
    numbers : list of int
        The new number of each old row; -1 for those that are left out.
    """
    needed = set(used)
    for at in range(len(rows) - 1, -1, -1):
        if at in needed:
            needed.update(source for _, source in rows[at].terms if isinstance(source, int))
    numbers = [-1] * len(rows)
    kept: list[Derived] = []
    for at in sorted(needed):
        numbers[at] = len(kept)
        terms = tuple(
            (times, numbers[source] if isinstance(source, int) else source)
            for times, source in rows[at].terms
        )
        kept.append(Derived(terms, rows[at].divisor))
    return tuple(kept), numbers
