"""Definitions of a study: its cells, its measures, and their curves."""

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

    Its random numbers depend only on the seed and on the cell, not on other cells or on the worker.
    A subclass is a frozen dataclass. Each field except the last, the repetition, is a dimension of
    the grid; the study has its values under that name or its plural. A dimension whose only value
    is the default is not shown.
    """

    @cached_property
    def key(self) -> tuple[Any, ...]:
        """Key of the cell as plain data: texts and numbers."""
        kind = "identity_of_sizes" if hasattr(self, "n_items") else "identity"
        values = (getattr(self, one.name) for one in fields(cast("Any", self)))
        return tuple(getattr(value, kind, value) for value in values)

    def generator(self, seed: int, purpose: str) -> Generator:
        """Return the random generator for one purpose."""
        digest = sha256(repr((*self.key, purpose)).encode()).digest()
        words = np.frombuffer(digest, dtype="<u4").tolist()
        return np.random.default_rng(np.random.SeedSequence([seed, *words]))


@dataclass(frozen=True)
class Curve:
    """A column of the table that `study_plot` draws, with its band."""

    # The label of the vertical axis.
    label: str
    # The column of a standard error or deviation, added and subtracted; or the columns of the ends
    # of the band, with its description.
    around: str = ""
    ends: tuple[str, str] | None = None
    band: str = "95 % Wilson intervals"
    # The least and the greatest value; None if there is none.
    least: float = 0.0
    most: float | None = 1.0
    # A column or a number that is drawn dotted for comparison, with its description.
    dotted: str | float = ""
    dotted_is: str = ""


@dataclass(frozen=True)
class Measures:
    """Statistics over the repetitions of a study, and how they are printed and drawn."""

    # Shares of a flag, with Wilson intervals, by the column that holds it.
    shares: Mapping[str, str] = field(default_factory=dict)
    # Means of columns, and "mean_x", "se_x", "std_x", "max_x" and "median_x" of a column x.
    statistics: tuple[str, ...] = ()
    # The column whose quantiles are reported.
    quantiles: str = ""
    # Dimensions of the grid that are averaged over, as repetitions are.
    over: tuple[str, ...] = ()
    # Columns of the rows that distinguish points of a line, in addition to those of the grid.
    points: tuple[str, ...] = ()
    # Columns that distinguish lines of a plot.
    lines: tuple[str, ...] = ("method",)
    # The printed columns.
    printed: tuple[str, ...] = ()
    # The curves, the default first, and preferred columns for the horizontal axis.
    curves: Mapping[str, Curve] = field(default_factory=dict)
    usual_x: tuple[str, ...] = ()
    # The nouns for a data set and for a method.
    noun: str = "data set"
    compared: str = "rule"
