"""Frames of pandas, and of others as those of pandas."""

from __future__ import annotations

from importlib import import_module
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from rankagg.exceptions import Described, InvalidInputError

# Kinds of NumPy that become floats, and are no measurements: complex numbers, dates, durations.
NO_NUMBERS = "cmM"


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


def is_frame(values: object) -> bool:
    """Say whether values are a frame of pandas, polars, Arrow or another library."""
    speaks = hasattr(values, "__arrow_c_stream__") and hasattr(values, "columns")
    return isinstance(values, pd.DataFrame) or speaks or hasattr(values, "__dataframe__")


def as_frame(values: Any) -> Any:
    """Return a frame of polars, Arrow or another as one of pandas; all else as it is.

    These have no index: a first column that holds no numbers names the rows.
    """
    if isinstance(values, pd.DataFrame) or not is_frame(values):
        return values
    frame = arrow_table(values).to_pandas()
    named = [column for column in frame.columns[:1] if frame[column].dtype.kind not in "iufb"]
    return frame.set_index(named) if named else frame


def plain_numbers(values: ArrayLike, parameter: str) -> ArrayLike:
    """Return what pandas holds with NaN for all that is missing; other values as they are.

    Types of pandas that have a missing value of their own keep it from NumPy's floats.
    """
    table: Any = values
    if isinstance(values, pd.DataFrame):
        kinds = list(table.dtypes)
    elif isinstance(values, pd.Series | np.ndarray):
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
    if not isinstance(data, pd.DataFrame):
        return ""
    return "`ScoreTable(frame, higher_is_better=True)` makes one of a DataFrame (False for errors)."
