"""Types that are shared by signatures across the package."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Bools", "Floats", "Group", "Integers", "Label", "RNGLike", "Ranks", "Unranked"]

Label: TypeAlias = str | int
Group: TypeAlias = Label
Unranked: TypeAlias = Literal["uniform", "ignore", "last"]
RNGLike: TypeAlias = int | np.random.Generator | np.random.SeedSequence | None

Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]
Ranks: TypeAlias = NDArray[np.int32]
# int64, or Python integers in an object array where int64 ends.
Integers: TypeAlias = NDArray[np.int64] | NDArray[np.object_]
