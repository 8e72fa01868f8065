"""What sets of optimal rankings have in common, strict or weak."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import field
from typing import Any, ClassVar, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rankagg._typing import Label
from rankagg.aggregation.deadline import Deadline, time_limit_of
from rankagg.core.items import ItemSet, counted
from rankagg.core.results import Result, plain_rows
from rankagg.exceptions import BlockTooLargeError

__all__ = ["OptimalSet"]

S = TypeVar("S", bound="OptimalSet")


class OptimalSet(Result):
    """All optimal rankings of a Kemeny problem whose optimum is proved."""

    items: ItemSet
    _deadline: Deadline = field(default_factory=Deadline)

    _prints_table = False
    #: What one of them is.
    _noun: ClassVar[str]

    def within(self: S, time_limit: float | None) -> S:
        """Return the same optima with a time limit for all that is asked of them.

        Parameters
        ----------
        time_limit : float or None
            Seconds from now. What is not found by then raises `OutOfTimeError`; what was found
            stays.

        Returns
        -------
        Optima or WeakOptima

        Examples
        --------
        >>> from rankagg import Kemeny, Profile
        >>> exact = Kemeny().aggregate(Profile.from_orders(["ABC", "BCA", "CAB"]))
        >>> exact.optima.within(10).count()
        3
        >>> exact.optima.within(0).count()
        Traceback (most recent call last):
            ...
        rankagg.exceptions.OutOfTimeError: Not computed in time: the time limit has passed.
        """
        return self._until(Deadline.after(time_limit_of(time_limit)))

    @abstractmethod
    def _until(self: S, deadline: Deadline) -> S:
        """Return the same optima with a deadline, and all that is known of them already."""

    # -- what the sets know -------------------------------------------------------------------

    @property
    @abstractmethod
    def is_unique(self) -> bool:
        """True where there is one optimum only."""

    @property
    @abstractmethod
    def n_undecided_pairs(self) -> int:
        """The number of pairs that are not placed alike in all optima."""

    @property
    @abstractmethod
    def blocks(self) -> tuple[tuple[Label, ...], ...]:
        """The items in groups, best first: optima differ inside groups only."""

    @abstractmethod
    def count(self) -> int:
        """Return the exact number of optima; `BlockTooLargeError` where it is too large."""

    @abstractmethod
    def rank_ranges(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the best and the worst rank, from 1, of every item among the optima."""

    @abstractmethod
    def _listed(self) -> NDArray[np.intp]:
        """Return the positions of the items in the order of one optimum."""

    def _where(self) -> str:
        """Return where the optima differ, as the end of a sentence."""
        return ""

    # -- on paper -----------------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """Return one row per item, in the order of one optimum.

        Returns
        -------
        pandas.DataFrame
            block: from 1, in which the item's rank is open; best and worst: its ranks in the
            optima, see `rank_ranges`.
        """
        best, worst = self.rank_ranges()
        order = self._listed()
        number = {item: k for k, block in enumerate(self.blocks, 1) for item in block}
        labels = self.items.at(order)
        columns = {
            "block": [number[item] for item in labels], "best": best[order], "worst": worst[order],
        }  # fmt: skip
        return pd.DataFrame(columns, index=pd.Index(labels, name="item"))

    def _content(self) -> dict[str, Any]:
        try:
            count = self.count()
        except BlockTooLargeError:
            count = None
        return {
            "is_unique": self.is_unique,
            "count": count,
            "n_undecided_pairs": self.n_undecided_pairs,
            "blocks": [list(block) for block in self.blocks],
            "ranks": plain_rows(self.to_frame().reset_index()),
        }

    def _facts(self) -> list[str]:
        if self.is_unique:
            return ["this one only"]
        n = len(self.items)
        pairs = counted(n * (n - 1) // 2, "pair")
        differ = f"differ on {self.n_undecided_pairs} of {pairs}{self._where()}"
        try:
            return [f"{counted(self.count(), self._noun)}, which {differ}"]
        except BlockTooLargeError as error:
            return [f"more than one, which {differ}; not counted: {error}"]

    def __repr__(self) -> str:
        known = "one"
        if not self.is_unique:
            pairs = counted(self.n_undecided_pairs, "pair")
            known = f"{pairs} of {counted(len(self.items), 'item')} undecided"
        return f"<{type(self).__name__}: {known}>"
