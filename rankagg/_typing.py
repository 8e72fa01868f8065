"""Type aliases of the package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

Label: TypeAlias = str | int
Group: TypeAlias = Label
Unranked: TypeAlias = Literal["uniform", "ignore", "last"]
Generator: TypeAlias = np.random.Generator
RNGLike: TypeAlias = int | Generator | np.random.SeedSequence | None

# One value for all tasks, or by task. The index of a pandas Series names every task.
Directions: TypeAlias = "bool | Mapping[Label, bool] | pd.Series[Any]"
TaskWeights: TypeAlias = "Mapping[Label, float] | pd.Series[Any]"
TaskFamilies: TypeAlias = "Mapping[Label, Label] | pd.Series[Any]"
Tolerance: TypeAlias = "float | Mapping[Label, float] | pd.Series[Any]"

Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]
Ranks: TypeAlias = NDArray[np.int32]
Positions: TypeAlias = NDArray[np.intp]
Integers64: TypeAlias = NDArray[np.int64]
# int64, or Python integers in an object array beyond its range.
Integers: TypeAlias = Integers64 | NDArray[np.object_]
