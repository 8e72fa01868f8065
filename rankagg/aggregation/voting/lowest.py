"""Which items have the lowest number."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Integers

__all__ = ["lowest"]


def lowest(inside: tuple[int, ...], points: Integers | NDArray[np.object_]) -> tuple[int, ...]:
    """Return those of some items whose integer points are the lowest."""
    least = min(points.tolist())
    return tuple(item for item, got in zip(inside, points.tolist(), strict=True) if got == least)
