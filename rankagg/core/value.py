"""Immutable values, compared, hashed, copied and pickled by their content."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from functools import cached_property
from typing import Any, NoReturn, Self, cast

import numpy as np
from numpy.typing import NDArray


def frozen_array(array: NDArray[Any]) -> NDArray[Any]:
    """Return `array` itself, made read-only."""
    array.flags.writeable = False
    return array


def array_key(array: NDArray[Any]) -> Hashable:
    """Return a hashable key of an array's shape and content."""
    return array.shape, tuple(array.ravel()) if array.dtype == object else array.tobytes()


class Value(ABC):
    """An immutable object; two are equal if their keys are equal.

    A subclass sets its attributes with `_set` in `__init__` and returns its content in `_key`.
    """

    def _set(self, **attributes: object) -> None:
        self.__dict__.update(attributes)

    def _with(self, **attributes: object) -> Self:
        """Return a copy with some attributes replaced."""
        other = object.__new__(type(self))
        other._set(**{**self.__getstate__(), **attributes})
        return other

    @abstractmethod
    def _key(self) -> tuple[Hashable, ...]:
        """Return all values that equality and hashing use."""

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is immutable; `{name}` cannot be set.")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is immutable; `{name}` cannot be deleted.")

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, type(self)) and not isinstance(self, type(other)):
            return NotImplemented
        return self._key() == cast(Value, other)._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __getstate__(self) -> dict[str, object]:
        # Cached properties can be computed again.
        return {
            name: value
            for name, value in self.__dict__.items()
            if not isinstance(getattr(type(self), name, None), cached_property)
        }

    def __setstate__(self, state: dict[str, object]) -> None:
        # Unpickled arrays are writable.
        for value in state.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
        self.__dict__.update(state)

    def __copy__(self) -> Value:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Value:
        return self
