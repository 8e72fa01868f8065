"""Input checks; each function returns a valid value or raises an error with one sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from importlib import import_module
from numbers import Real
from typing import Any, TypeVar, cast, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from rankagg._typing import Bools, Floats, Generator, Integers64, RNGLike, Unranked
from rankagg.exceptions import Described, InvalidInputError, nearest

T = TypeVar("T")

# Every integer up to this is an exact float.
EXACT_LIMIT = 2.0**53

# Squares of weights must be finite and positive floats.
SMALLEST_WEIGHT, LARGEST_WEIGHT = 1e-100, 1e100

EXACT = "numbers that 64-bit floats hold exactly"
EXACT_REMEDY = "Subtract a common number from whole numbers beyond 2**53, or rank them first."

UNRANKED_POLICIES: tuple[str, ...] = get_args(Unranked)
# Kinds of NumPy that convert to floats but are no measurements: complex numbers, dates, durations.
NO_NUMBERS = "cmM"


def check_choice(value: object, choices: Sequence[T], parameter: str) -> T:
    """Return `value`, which must be one of `choices`."""
    for choice in choices:
        # True equals 1.
        same_kind = isinstance(value, bool | np.bool_) == isinstance(choice, bool | np.bool_)
        if same_kind and isinstance(value, type(choice) | np.generic) and value == choice:
            return choice
    allowed = " or ".join(repr(choice) for choice in choices)
    raise InvalidInputError(parameter, allowed, value, nearest(value, choices))


def check_jobs(value: object, parameter: str = "n_jobs") -> int:
    """Return a number of processes as in joblib: None is one, -1 is one per core."""
    if value is None or value == -1:
        return 1 if value is None else -1
    return check_integer(value, parameter, low=1)


def check_unranked(value: object, parameter: str = "unranked") -> Unranked:
    """Return a policy for items that a ranking does not rank."""
    return cast(Unranked, check_choice(value, UNRANKED_POLICIES, parameter))


def check_kind(value: object, parameter: str, *, kind: type, example: str) -> Any:
    """Return `value`, which must be an instance of a class."""
    if isinstance(value, kind):
        return value
    raise InvalidInputError(parameter, f"objects such as {example}", value)


def check_flag(value: object, parameter: str, remedy: str = "") -> bool:
    """Return `value`, which must be True or False."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise InvalidInputError(parameter, "True or False", value, remedy)


def check_number(
    value: object,
    parameter: str,
    *,
    low: float = -math.inf,
    high: float = math.inf,
    open_low: bool = False,
    open_high: bool = False,
) -> float:
    """Return a finite number between `low` and `high` as a float."""
    number = _real_or_nan(value)
    is_inside = math.isfinite(number) and low <= number <= high
    if not is_inside or (open_low and number == low) or (open_high and number == high):
        left = "(" if open_low or low == -math.inf else "["
        right = ")" if open_high or high == math.inf else "]"
        allowed = f"a number in {left}{low:g}, {high:g}{right}"
        raise InvalidInputError(parameter, allowed, value)
    return number


def _real_or_nan(value: object) -> float:
    if type(value) is float:
        return value
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real | np.number):
        return math.nan
    try:
        return float(cast(float, value))
    except OverflowError:
        return math.inf


def check_integer(value: object, parameter: str, *, low: int, high: int | None = None) -> int:
    """Return an integer between `low` and `high`."""
    number = _real_or_nan(value)
    if not (number.is_integer() and low <= number and (high is None or number <= high)):
        upper = f" and at most {high}" if high is not None else ""
        raise InvalidInputError(parameter, f"an integer of at least {low}{upper}", value)
    return int(cast(int, value))


def as_numbers(values: ArrayLike, parameter: str) -> Floats:
    """Return a new flat float array without infinities; NaN is allowed."""
    flat = _exact_floats(values, parameter, "a flat sequence of numbers", EXACT_REMEDY)
    if flat.ndim != 1:
        raise InvalidInputError(
            parameter, "a flat sequence of numbers", Described(f"shape {flat.shape}")
        )
    numbers: Floats = as_matrix(flat[None, :], parameter, nan=True)[0]
    return numbers


def as_matrix(values: ArrayLike, parameter: str, *, nan: bool = False) -> Floats:
    """Return a new two-dimensional float array without infinities (and without NaN)."""
    matrix = _exact_floats(values, parameter, "a rectangular table of numbers", EXACT_REMEDY)
    if matrix.ndim != 2:
        raise InvalidInputError(parameter, "two-dimensional", Described(f"shape {matrix.shape}"))
    bad = np.isinf(matrix) if nan else ~np.isfinite(matrix)
    if bad.any():
        row, column = np.argwhere(bad)[0]
        allowed = "finite numbers, NaN for a missing one" if nan else "finite numbers"
        place = Described(f"{matrix[row, column]} in row {row}, column {column}")
        raise InvalidInputError(parameter, allowed, place)
    return matrix


def _exact_floats(
    values: ArrayLike, parameter: str, allowed: str, exact_remedy: str = ""
) -> Floats:
    """Return a new float array; raise if a whole number is not exact."""
    values = _plain_numbers(values, parameter)
    try:
        floats = _as_floats(values)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInputError(parameter, allowed, values, f"NumPy: {error}.") from None
    if isinstance(values, np.ndarray) and values.dtype in (np.float64, np.float32):
        return floats
    far = np.flatnonzero((np.abs(floats) >= EXACT_LIMIT) & np.isfinite(floats))
    cells = _as_objects(values).ravel()[far] if far.size else ()
    for cell, value in zip(cells, floats.ravel()[far].tolist(), strict=True):
        if not is_exact_float(cell, value):
            raise InvalidInputError(parameter, EXACT, Described(whole_number(cell)), exact_remedy)
    return floats


def as_weights(
    weights: ArrayLike | None, length: int, parameter: str = "weights", noun: str = "ranking"
) -> Floats:
    """Return `length` positive finite weights, all 1 by default."""
    if weights is None:
        return np.ones(length)
    vector = _as_vector(weights, length, parameter, noun)
    check_entries(vector, np.isfinite(vector) & (vector > 0), parameter, "positive finite numbers")
    in_range = (vector >= SMALLEST_WEIGHT) & (vector <= LARGEST_WEIGHT)
    allowed = f"from {SMALLEST_WEIGHT:g} to {LARGEST_WEIGHT:g}"
    check_entries(vector, in_range, parameter, allowed, "Divide all weights by a common number.")
    return vector


def as_counts(counts: ArrayLike | None, length: int, parameter: str = "counts") -> Integers64:
    """Return `length` positive whole numbers, all 1 by default."""
    if counts is None:
        return np.ones(length, dtype=np.int64)
    vector = _as_vector(counts, length, parameter, "ranking")
    is_count = np.isfinite(vector) & (vector > 0) & (vector == np.rint(vector))
    remedy = "Use `weights` for fractions."
    check_entries(vector, is_count, parameter, "positive whole numbers", remedy)
    check_entries(vector, vector < EXACT_LIMIT, parameter, "below 2**53")
    return vector.astype(np.int64)


def _as_vector(values: ArrayLike, length: int, parameter: str, noun: str) -> Floats:
    vector = _exact_floats(values, parameter, "a sequence of numbers")
    if vector.shape != (length,):
        allowed = f"one number per {noun} ({length} of them)"
        raise InvalidInputError(parameter, allowed, Described(f"shape {vector.shape}"))
    return vector


def check_entries(
    vector: NDArray[Any], good: Bools, parameter: str, allowed: str, remedy: str = ""
) -> None:
    """Raise for the first entry that is not `good`."""
    if not good.all():
        at = int(np.argmin(good))
        value = Described(f"{vector[at]} at position {at}")
        raise InvalidInputError(parameter, allowed, value, remedy)


def as_generator(rng: RNGLike) -> Generator:
    """Return a random generator from a seed or a generator."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        allowed = "a non-negative seed or a numpy Generator"
        raise InvalidInputError("rng", allowed, rng) from None


def check_alpha(alpha: object) -> float:
    """Return a significance level, above 0 and below 1."""
    return check_number(alpha, "alpha", low=0, high=1, open_low=True, open_high=True)


# -- whole numbers and 64-bit floats ---------------------------------------------------------------


def ascii_number(text: str) -> str:
    """Return a text that may be a number; raise `ValueError` for digits other than 0 to 9.

    Python also accepts digits of other scripts, and underscores.
    """
    if "_" in text or not text.strip().isascii():
        raise ValueError(f"could not convert {text[:60]!a} to a number in digits 0 to 9")
    return text


def _as_floats(values: ArrayLike) -> Floats:
    """Return a new array of floats; raise `ValueError` if a text is no number."""
    array = np.asarray(values)
    if array.dtype.kind in "UO":
        for cell in array.flat:
            if isinstance(cell, str):
                ascii_number(cell)
    return np.array(values if array.dtype.kind == "c" else array, dtype=np.float64)


def whole_number(cell: object) -> int | None:
    """Return a whole number from a cell; None for anything else."""
    if isinstance(cell, str):
        digits, _, decimals = cell.strip().lstrip("+-").partition(".")
        if not digits.isdecimal() or decimals.strip("0"):
            return None
        size = int(digits.lstrip("0") or "0")
        return -size if cell.strip().startswith("-") else size
    if isinstance(cell, bool | np.bool_) or not isinstance(cell, Real | Decimal):
        return None
    number: Any = cell
    return int(number) if np.isfinite(float(number)) and number == int(number) else None


def is_exact_float(cell: object, value: float) -> bool:
    """Return whether a float equals a cell with a whole number; True for other cells."""
    return not EXACT_LIMIT <= abs(value) < math.inf or whole_number(cell) in (None, value)


def _as_objects(values: ArrayLike) -> NDArray[np.object_]:
    """Return the cells as given; a frame keeps the type of each column."""
    if hasattr(values, "to_numpy"):
        return np.asarray(values.astype(object))  # type: ignore[union-attr]
    return np.array(values, dtype=object)


def whole_matrix(values: ArrayLike) -> NDArray[np.object_] | None:
    """Return a table of whole numbers as Python integers if one of them reaches 2**53.

    Return None if none does, or if a cell is not a whole number. The diagonal of a square table
    is ignored, and becomes 0.
    """
    if (isinstance(values, np.ndarray) and values.dtype.kind == "f") or np.ma.is_masked(values):
        return None
    try:
        floats = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return None
    if floats.ndim != 2 or not (np.abs(floats) >= EXACT_LIMIT).any():
        return None
    objects = _as_objects(values).astype(object)
    if objects.shape[0] == objects.shape[1]:
        np.fill_diagonal(objects, 0)
    numbers = [None if isinstance(x, str) else whole_number(x) for x in objects.ravel()]
    if None in numbers:
        return None
    integers: NDArray[np.object_] = np.array(numbers, dtype=object).reshape(objects.shape)
    return integers


# -- frames of pandas and other libraries ----------------------------------------------------------


def arrow_table(source: Any) -> Any:
    """Return an Arrow table of a frame with an Arrow or interchange interface."""
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
    """Return whether values are a frame of pandas, polars, Arrow or another library."""
    is_arrow = hasattr(values, "__arrow_c_stream__") and hasattr(values, "columns")
    return isinstance(values, pd.DataFrame) or is_arrow or hasattr(values, "__dataframe__")


def as_frame(values: Any) -> Any:
    """Return a frame of polars, Arrow or another library as a DataFrame; keep other values.

    Other libraries have no index, so a first column without numbers becomes the index.
    """
    if isinstance(values, pd.DataFrame) or not is_frame(values):
        return values
    frame = arrow_table(values).to_pandas()
    index = [column for column in frame.columns[:1] if frame[column].dtype.kind not in "iufb"]
    return frame.set_index(index) if index else frame


def _plain_numbers(values: ArrayLike, parameter: str) -> ArrayLike:
    """Return pandas data and masked arrays with NaN for missing values; keep other values.

    NumPy cannot convert the missing values of pandas' own types to floats.
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
    if isinstance(values, np.ma.MaskedArray):
        return cast(ArrayLike, table.astype(object).filled(np.nan))
    if isinstance(values, np.ndarray) or all(isinstance(kind, np.dtype) for kind in kinds):
        return values
    return cast(ArrayLike, table.astype(object).where(table.notna(), np.nan))


def table_remedy(data: object) -> str:
    """Return a remedy for a DataFrame given as data, or "" for other objects."""
    if not isinstance(data, pd.DataFrame):
        return ""
    return "Use `ScoreTable(frame, higher_is_better=True)` for a DataFrame (False for errors)."
