"""What a study states: its cells, what is measured on them, and how that is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from hashlib import sha256
from typing import Any, cast

import numpy as np

from rankagg._typing import Generator


class Cell:
    """One data set of a study.

    Its random numbers depend on the seed and on itself alone: not on the other cells, nor on who
    computes it. A subclass is a frozen dataclass. Each of its fields but the last, the repetition,
    is a dimension of the grid, whose values the study has under that name or its plural. One with
    a default is not told where it is the only value.
    """

    @cached_property
    def key(self) -> tuple[Any, ...]:
        """What tells it apart, as plain data: texts, integers, numbers."""
        kind = "identity_of_sizes" if hasattr(self, "n_items") else "identity"
        values = (getattr(self, one.name) for one in fields(cast("Any", self)))
        return tuple(getattr(value, kind, value) for value in values)

    def generator(self, seed: int, purpose: str) -> Generator:
        """Return the random numbers for one purpose."""
        digest = sha256(repr((*self.key, purpose)).encode()).digest()
        words = np.frombuffer(digest, dtype="<u4").tolist()
        return np.random.default_rng(np.random.SeedSequence([seed, *words]))


@dataclass(frozen=True)
class Curve:
    """A column of the table that `study_plot` draws, with its band."""

    # What stands at the upright axis.
    label: str
    # The column of a standard error or deviation, which is added and taken away; or the columns of
    # the ends of the band, and what that is.
    around: str = ""
    ends: tuple[str, str] | None = None
    band: str = "95 % Wilson intervals"
    # The least and the greatest value; None where there is none.
    least: float = 0.0
    most: float | None = 1.0
    # A column, or a number, that is drawn dotted for comparison, and what it is.
    dotted: str | float = ""
    dotted_is: str = ""


@dataclass(frozen=True)
class Measures:
    """What the repetitions of a study are summed up to, printed and drawn as."""

    # Shares of a flag, with Wilson intervals, by the column that holds it.
    shares: Mapping[str, str] = field(default_factory=dict)
    # Means of columns, and "mean_x", "se_x", "std_x", "max_x" and "median_x" of a column x.
    statistics: tuple[str, ...] = ()
    # The column whose quantiles are told.
    quantiles: str = ""
    # Dimensions of the grid that are averaged over, as repetitions are.
    over: tuple[str, ...] = ()
    # Columns of the rows that tell points of a line apart, beside those of the grid.
    points: tuple[str, ...] = ()
    # Columns that tell lines of a plot apart.
    lines: tuple[str, ...] = ("method",)
    # The columns that are printed.
    printed: tuple[str, ...] = ()
    # What can be drawn, the usual first, and what is along the axis where it varies.
    curves: Mapping[str, Curve] = field(default_factory=dict)
    usual_x: tuple[str, ...] = ()
    # What data sets, and what is compared on them, are called.
    noun: str = "data set"
    compared: str = "rule"
