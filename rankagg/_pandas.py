"""pandas, imported when something of it is first used, and frames of others as its own."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike

from rankagg.exceptions import Described, InvalidInputError

if TYPE_CHECKING:
    from pandas import *  # noqa: F403 - what `__getattr__` finds, with its types

# Kinds of NumPy that become floats, and are no measurements: complex numbers, dates, durations.
NO_NUMBERS = "cmM"


def __getattr__(name: str) -> Any:
    """Return what pandas calls so: importing it takes four times as long as NumPy."""
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(import_module("pandas"), name)


def is_frame(values: object) -> bool:
    """Return whether values are a DataFrame of pandas."""
    # Nothing is one before somebody has imported it.
    pandas: Any = sys.modules.get("pandas")
    return pandas is not None and isinstance(values, pandas.DataFrame)


def is_series(values: object) -> bool:
    """Return whether values are a Series of pandas."""
    pandas: Any = sys.modules.get("pandas")
    return pandas is not None and isinstance(values, pandas.Series)


def arrow_table(source: Any) -> Any:
    """Return a frame that speaks the Arrow PyCapsule interface or the interchange protocol."""
    pa: Any = import_module("pyarrow")
    try:
        if hasattr(source, "__dataframe__") and not hasattr(source, "__arrow_c_stream__"):
            table = import_module("pyarrow.interchange").from_dataframe(source)
        elif hasattr(source, "__arrow_c_stream__"):
            table = pa.RecordBatchReader.from_stream(source).read_all()
        else:
            table = pa.table(source)
        table.validate(full=True)
    except (pa.ArrowException, TypeError, ValueError, NotImplementedError, RuntimeError) as error:
        allowed = "a frame whose columns Arrow can hold"
        raise InvalidInputError("source", allowed, source, f"{error}.") from None
    return table


def as_frame(values: Any) -> Any:
    """Return a frame of polars, Arrow or another as one of pandas; all else as it is.

    These have no index: a first column that holds no numbers names the rows.
    """
    speaks = hasattr(values, "__arrow_c_stream__") and hasattr(values, "columns")
    if is_frame(values) or not (speaks or hasattr(values, "__dataframe__")):
        return values
    frame = arrow_table(values).to_pandas()
    named = [column for column in frame.columns[:1] if frame[column].dtype.kind not in "iufb"]
    return frame.set_index(named) if named else frame


def plain_numbers(values: ArrayLike, parameter: str) -> ArrayLike:
    """Return what pandas holds with NaN for all that is missing; other values as they are.

    Types of pandas that have a missing value of their own keep it from NumPy's floats.
    """
    table: Any = values
    if is_frame(values):
        kinds = list(table.dtypes)
    elif is_series(values) or isinstance(values, np.ndarray):
        kinds = [table.dtype]
    else:
        return values
    for kind in kinds:
        if getattr(kind, "kind", "O") in NO_NUMBERS:
            raise InvalidInputError(parameter, "real numbers", Described(str(kind)))
    if isinstance(values, np.ndarray) or all(isinstance(kind, np.dtype) for kind in kinds):
        return values
    return cast(ArrayLike, table.astype(object).where(table.notna(), np.nan))


def table_remedy(data: object) -> str:
    """Return what makes data of a DataFrame, or nothing where they are none."""
    if not is_frame(data):
        return ""
    return "`ScoreTable(frame, higher_is_better=True)` makes one of a DataFrame (False for errors)."
