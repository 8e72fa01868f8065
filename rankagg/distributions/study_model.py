"""What data are drawn from: families of distributions, one for every number of items."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import ClassVar, Literal

import numpy as np

from rankagg._typing import RNGLike
from rankagg._validation import as_generator, check_integer
from rankagg.core.profiles.profile import Profile
from rankagg.core.scores.table import ScoreTable

__all__ = ["StudyModel"]


@dataclass(frozen=True, kw_only=True)
class StudyModel(ABC):
    """A family of distributions, one for every number of items.

    A new model is a frozen dataclass that implements `_draw`. Its name stands in tables and
    decides the random numbers, so its fields must tell all that the data depend on.
    """

    gives: ClassVar[Literal["scores", "rankings"]] = "rankings"

    def draw(self, n_items: int, n_rankings: int, *, rng: RNGLike = None) -> ScoreTable | Profile:
        """Draw one data set.

        Parameters
        ----------
        n_items : int
            How many items it ranks, at least 2.
        n_rankings : int
            How many rankings, or tasks of scores, it holds.
        rng : int, numpy.random.Generator or None, optional
            A seed or a generator (SPEC 7).

        Returns
        -------
        ScoreTable or Profile
        """
        size = check_integer(n_items, "n_items", low=2, high=self.largest)
        number = check_integer(n_rankings, "n_rankings", low=1)
        return self._draw(size, number, as_generator(rng))

    @abstractmethod
    def _draw(
        self, n_items: int, n_rankings: int, rng: np.random.Generator
    ) -> ScoreTable | Profile:
        """Draw one data set; the sizes are clean."""

    @property
    def name(self) -> str:
        """The class name with the parameters that differ from their defaults."""
        told = [
            f"{field.name}={getattr(self, field.name)!r}"
            for field in fields(self)
            if field.repr and getattr(self, field.name) != field.default
        ]
        return f"{type(self).__name__}({', '.join(told)})"

    @property
    def largest(self) -> int | None:
        """The most items that it can give; None where any number will do."""
        return None
