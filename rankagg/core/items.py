"""The labeled items of rankings."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from html import escape
from typing import overload
from unicodedata import normalize

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankagg._typing import Label
from rankagg.core.value import Value
from rankagg.exceptions import (
    HIDDEN,
    Described,
    InvalidInputError,
    ItemMismatchError,
    escaped,
    nearest,
)

LABELS_LISTED = 6


class ItemSet(Value, Sequence[Label]):
    """An ordered set of distinct labels; position i of every array is item i.

    Parameters
    ----------
    labels : iterable of str or int
        Distinct labels, all strings or all integers, in the order of the arrays.

    Raises
    ------
    InvalidInputError
        If there is no label, a label occurs twice or has a NUL character, two labels differ only
        in their Unicode composition, or strings and integers are mixed.

    Examples
    --------
    >>> from rankagg import ItemSet
    >>> items = ItemSet(["Ann", "Bob", "Cid"])
    >>> items.index("Bob"), len(items), "Dan" in items
    (1, 3, False)
    """

    _labels: tuple[Label, ...]

    def __init__(self, labels: Iterable[Label]) -> None:
        if not isinstance(labels, Iterable):
            raise InvalidInputError("items", "a sequence of labels", labels)
        self._set(_labels=tuple(clean_label(label) for label in labels))
        if not self._labels:
            raise InvalidInputError("items", "at least one label", [])
        if len({isinstance(label, str) for label in self._labels}) > 1:
            raise InvalidInputError(
                "items", "all strings or all integers", list(self._labels), "Convert them first."
            )
        if len(self._index) < len(self._labels):
            twice = next(label for i, label in enumerate(self._labels) if self._index[label] != i)
            raise InvalidInputError("items", "distinct labels", twice, "It occurs twice.")
        _check_twins(self._labels, "items")

    @classmethod
    def coerce(cls, items: Iterable[Label] | None, labels: Iterable[Label]) -> ItemSet:
        """Return `items` as an ItemSet, or the sorted set of `labels` if `items` is None.

        Parameters
        ----------
        items : iterable of str or int, or None
            The items in the order of the result.
        labels : iterable of str or int
            The labels in the data.
        """
        if items is not None:
            return items if isinstance(items, ItemSet) else cls(items)
        clean = {clean_label(label) for label in labels}
        if len({isinstance(label, str) for label in clean}) > 1:
            return cls(clean)  # which raises: mixed labels have no order
        return cls(sorted(clean, key=lambda label: label))

    @cached_property
    def _index(self) -> dict[Label, int]:
        return {label: i for i, label in enumerate(self._labels)}

    def _key(self) -> tuple[Hashable, ...]:
        return self._labels

    @property
    def labels(self) -> tuple[Label, ...]:
        """The labels in order."""
        return self._labels

    def index(self, label: Label, *args: int) -> int:
        """Return the position of `label`.

        Parameters
        ----------
        label : str or int
            One of the labels.
        *args : int
            Accepted for the sequence protocol, not used.

        Raises
        ------
        InvalidInputError
            If `label` is not one of the items.
        """
        return self._index_of(label, "label", "item")

    def indices(
        self, labels: Iterable[Label], *, parameter: str = "label", noun: str = "item"
    ) -> list[int]:
        """Return the positions of `labels`, in their order.

        Parameters
        ----------
        labels : iterable of str or int
            Some of the labels.
        parameter, noun : str
            The parameter and the noun that the error message names.

        Raises
        ------
        InvalidInputError
            If a label is not one of the items.
        """
        wanted = list(labels)
        try:
            return list(map(self._index.__getitem__, wanted))
        except (KeyError, TypeError):
            return [self._index_of(label, parameter, noun) for label in wanted]

    def _index_of(self, label: Label, parameter: str, noun: str) -> int:
        try:
            return self._index[label]
        except (KeyError, TypeError):
            allowed = f"one of the {counted(len(self), noun)} ({listed(self._labels)})"
            raise InvalidInputError(parameter, allowed, label, nearest(label, self)) from None

    def at(self, positions: Iterable[int] | NDArray[np.integer]) -> tuple[Label, ...]:
        """Return the labels at these positions, in their order.

        Parameters
        ----------
        positions : iterable of int or ndarray of int
            From 0.
        """
        return tuple(self._labels[i] for i in positions)

    def where(self, chosen: ArrayLike) -> tuple[Label, ...]:
        """Return the labels where a mask of shape (n,) is True, in order.

        Parameters
        ----------
        chosen : array_like of bool, shape (n,)
            The mask.
        """
        return tuple(self._labels[i] for i in np.flatnonzero(chosen).tolist())

    def pairs_where(self, chosen: ArrayLike) -> tuple[tuple[Label, Label], ...]:
        """Return the labels of row and column where a mask of shape (n, n) is True.

        Parameters
        ----------
        chosen : array_like of bool, shape (n, n)
            The mask.
        """
        return tuple((self._labels[i], self._labels[j]) for i, j in np.argwhere(chosen).tolist())

    def require_same(self, other: ItemSet, noun: str) -> None:
        """Raise unless `other` holds the same labels in the same order.

        Parameters
        ----------
        other : ItemSet
            The items to compare with.
        noun : str
            The noun for the two objects in the message.

        Raises
        ------
        ItemMismatchError
            If labels or their order differ; the message names the difference.
        """
        if self == other:
            return
        mine, theirs = set(self._labels), set(other._labels)
        parts = [
            f"only the {name} has {listed(sorted(extra, key=str))}"
            for name, extra in (("first", mine - theirs), ("second", theirs - mine))
            if extra
        ]
        difference = " and ".join(parts) or "the same items in another order"
        raise ItemMismatchError(
            f"{noun} must have the same items in the same order: {difference}. "
            "Align one of them with `.reindex(items)`."
        )

    @overload
    def __getitem__(self, position: int) -> Label: ...
    @overload
    def __getitem__(self, position: slice) -> tuple[Label, ...]: ...
    def __getitem__(self, position: int | slice) -> Label | tuple[Label, ...]:
        return self._labels[position]

    def __len__(self) -> int:
        return len(self._labels)

    def __iter__(self) -> Iterator[Label]:
        return iter(self._labels)

    def __contains__(self, label: object) -> bool:
        try:
            return label in self._index
        except TypeError:
            return False

    def __repr__(self) -> str:
        if len(self) <= LABELS_LISTED:
            return f"ItemSet({list(self._labels)!r})"
        return f"<ItemSet of {len(self)}: {listed(self._labels)}>"

    def _repr_html_(self) -> str:
        rows = "".join(f"<li>{escape(str(label))}</li>" for label in self)
        return f"<ol start='0'>{rows}</ol>"


def label_column(values: Iterable[Label], parameter: str) -> tuple[Label, ...]:
    """Return the labels of rows or columns; they may repeat and mix strings and integers."""
    if not isinstance(values, Iterable):
        raise InvalidInputError(parameter, "a sequence of strings or integers", values)
    column = tuple(values)
    distinct = {value: value for value in column if isinstance(value, str)}
    if {str, int} >= set(map(type, column)) and all(map(_is_plain, distinct)):
        return column
    clean = tuple(clean_label(value, parameter) for value in column)
    _check_twins(distinct, parameter)
    return clean


def check_ordered(values: object, parameter: str, allowed: str) -> None:
    """Raise for a mapping, whose values would be lost, and for a set, which has no order."""
    if isinstance(values, Mapping | set | frozenset):
        raise InvalidInputError(parameter, allowed, values, "`from_ranks` takes ranks of labels.")


class _Masked(str):
    """A label with control characters, which are escaped in print."""

    __slots__ = ()

    def __str__(self) -> str:
        return _on_one_line(raw_text(self))

    def __format__(self, form: str) -> str:
        return format(str(self), form)


def _on_one_line(text: str) -> str:
    return escaped(text).replace("\n", "\\n")


def _is_plain(label: str) -> bool:
    return label.isascii() and label.isprintable()


def clean_label(label: object, parameter: str = "items") -> Label:
    """Return a label as a str or int; raise if it is neither or has a NUL character."""
    if isinstance(label, str):
        if "\0" in label:
            raise InvalidInputError(parameter, "labels without NUL", label)
        is_masked = "\n" in label or HIDDEN.search(label)
        return _Masked(raw_text(label)) if is_masked else raw_text(label)
    if isinstance(label, int | np.integer) and not isinstance(label, bool | np.bool_):
        return int(label)
    raise InvalidInputError(parameter, "strings or integers", label)


def raw_text(label: Label) -> str:
    """Return a label as text for a file, without escapes."""
    if isinstance(label, str):
        return str.__str__(label)
    # Python prints integers above some 4,200 digits only in bases that are powers of two.
    return hex(label) if isinstance(label, int) and label.bit_length() > 14_000 else str(label)


def _check_twins(labels: Iterable[Label], parameter: str) -> None:
    """Raise if two labels look alike in print."""
    texts = [label for label in labels if isinstance(label, str)]
    if all(map(_is_plain, texts)):
        return
    seen: dict[str, str] = {}
    for text in texts:
        other = seen.setdefault(normalize("NFC", str(clean_label(text))), text)
        if other != text:
            both = Described(f"{other!a} and {text!a}")
            raise InvalidInputError(
                parameter, "labels that look different", both, "Write both in one way."
            )


def listed(labels: Sequence[Label], between: str = ", ") -> str:
    """Return labels for a sentence, at most the first few."""
    shown = between.join(shortened(label) for label in labels[:LABELS_LISTED])
    return (
        f"{shown} and {len(labels) - LABELS_LISTED} more" if len(labels) > LABELS_LISTED else shown
    )


def counted(number: object, noun: str, form: str = "") -> str:
    """Return a number with its noun, which is singular after 1.

    Examples
    --------
    >>> counted(1, "item"), counted(0, "policy"), counted(2.5, "vote", "g"), counted(3, "way")
    ('1 item', '0 policies', '2.5 votes', '3 ways')
    """
    shown = f"{number:{form}}"
    return f"1 {noun}" if shown == "1" else f"{shown} {plural(noun)}"


def plural(noun: str) -> str:
    """Return the plural of a noun."""
    if noun.endswith("y") and noun[-2:-1] not in "aeou":
        return f"{noun[:-1]}ies"
    return f"{noun}{'es' if noun.endswith('s') else 's'}"


def count_range(counts: Iterable[int], noun: str) -> str:
    """Return the range of counts, as "1 to 5 tables", or "5 tables" if all are equal."""
    numbers = list(counts)
    least, most = min(numbers), max(numbers)
    return (f"{least} to " if least < most else "") + counted(most, noun)


def shortened(label: Label, width: int = 48) -> str:
    """Return a label as text, cut in the middle if it is longer than `width` letters."""
    text = _on_one_line(str(label))
    if len(text) <= width:
        return text
    head = (width - 1) * 2 // 3
    return f"{text[:head]}…{text[head + 1 - width :]}"
