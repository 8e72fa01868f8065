"""Sums over the scores of one task by groups of instances, which a bootstrap draws again."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rankagg._typing import Floats, Integers64, Label
from rankagg._validation import check_integer
from rankagg.core import exact
from rankagg.core.items import counted, raw_text
from rankagg.core.task_tally import TaskTally
from rankagg.core.value import Value
from rankagg.exceptions import InvalidInputError

Keys = NDArray[np.uint64]

# Fixed for good, as summaries that are added up must have the same groups: 2**64 divided by the
# golden ratio, and the multipliers of the finalizer of SplitMix64.
GOLDEN_RATIO = np.uint64(0x9E3779B97F4A7C15)
MULTIPLIERS = ((30, np.uint64(0xBF58476D1CE4E5B9)), (27, np.uint64(0x94D049BB133111EB)))
# Whole numbers that are the same instance as number and as text.
WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,19}")
#: A number of groups beyond all sense.
MOST_GROUPS = 10**6
#: Bytes that the tallies of all tasks and groups may take.
MOST_BYTES = 2**31


def check_groups(n_groups: object) -> int | None:
    """Return a number of groups, or None for none."""
    return (
        None if n_groups is None else check_integer(n_groups, "n_groups", low=2, high=MOST_GROUPS)
    )


def groups_of(keys: Keys, n_groups: int) -> Integers64:
    """Return the group of each key.

    References
    ----------
    Steele, Lea and Flood (2014), "Fast splittable pseudorandom number generators",
    https://doi.org/10.1145/2714064.2660195, gives the finalizer.

    Examples
    --------
    >>> groups_of(keys_of_labels(["1", 1, "one"]), 1000).tolist()
    [566, 566, 882]
    """
    mixed = keys + GOLDEN_RATIO
    for shift, factor in MULTIPLIERS:
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * factor
    mixed ^= mixed >> np.uint64(31)
    half = np.uint64(32)
    return (((mixed >> half) * np.uint64(n_groups)) >> half).astype(np.int64)


def keys_of_labels(labels: Sequence[Label]) -> Keys:
    """Return a key for each label: equal ones for 7 and "7", as files do not tell them apart."""
    keys = np.empty(len(labels), dtype=np.uint64)
    texts, places = [], []
    for at, label in enumerate(labels):
        text = raw_text(label)
        if WHOLE_NUMBER.fullmatch(text):
            keys[at] = int(text) & (2**64 - 1)
        else:
            texts.append(text)
            places.append(at)
    if texts:
        keys[places] = keys_of_texts(np.array(texts, dtype=object))
    return keys


def keys_of_texts(texts: NDArray[np.object_]) -> Keys:
    """Return the keys of texts that are no whole numbers: SipHash-2-4, mixed by pandas."""
    keys: Keys = pd.util.hash_array(texts, categorize=False)
    return keys


Counts = Integers64


class GroupedTally(Value):
    """Sums over the units of one task, for each group of units."""

    n_groups: int
    _parts: dict[int, TaskTally]

    def __init__(self, n_groups: int, parts: Mapping[int, TaskTally]) -> None:
        ascending = {group: parts[group] for group in sorted(parts)}
        self._set(n_groups=n_groups, _parts=ascending)

    @classmethod
    def of(cls, scores: Floats, groups: Counts, n_groups: int, *, higher_is_better: bool) -> Self:
        """Add up the scores of some units."""
        order = np.argsort(groups, kind="stable")
        ordered = np.take(scores, order, axis=1)
        numbers, starts = np.unique(groups[order], return_index=True)
        stops = [*starts[1:].tolist(), len(order)]
        return cls(
            n_groups,
            {
                group: TaskTally.of(ordered[:, start:stop], higher_is_better=higher_is_better)
                for group, start, stop in zip(numbers.tolist(), starts, stops, strict=True)
            },
        )

    def _key(self) -> tuple[Hashable, ...]:
        return self.n_groups, tuple(self._parts.items())

    def __len__(self) -> int:
        return len(next(iter(self._parts.values())))

    def __add__(self, other: object) -> GroupedTally:
        if not isinstance(other, GroupedTally):
            return NotImplemented
        if other.n_groups != self.n_groups:
            raise InvalidInputError(
                "n_groups", f"{self.n_groups}, as in the other summary", other.n_groups
            )
        parts = dict(self._parts)
        for group, tally in other._parts.items():
            parts[group] = parts[group] + tally if group in parts else tally
        return GroupedTally(self.n_groups, parts)

    @property
    def parts(self) -> Mapping[int, TaskTally]:  # noqa: D102 - told above
        return MappingProxyType(self._parts)

    @cached_property
    def total(self) -> TaskTally:
        """The sums over all groups."""
        first, *others = self._parts.values()
        return sum(others, start=first)

    @property
    def n_units(self) -> int:
        """Units in which a system is there."""
        return sum(tally.n_units for tally in self._parts.values())

    @property
    def n_empty(self) -> int:
        """Units without any score."""
        return sum(tally.n_empty for tally in self._parts.values())

    @property
    def n_bytes(self) -> int:
        """The memory of all arrays."""
        return sum(tally.n_bytes for tally in self._parts.values())

    def reordered(self, positions: Counts) -> GroupedTally:
        """Return the same sums with the systems at these positions, in their order."""
        return GroupedTally(
            self.n_groups, {g: tally.reordered(positions) for g, tally in self._parts.items()}
        )

    # -- drawn again --------------------------------------------------------------------------

    def drawn(self, times: Counts) -> TaskTally | None:
        """Return the sums over groups of which each counts several times, or not at all."""
        whole = self._stacked
        counts = times[np.array(list(self._parts), dtype=np.intp)]
        n_units = int(counts @ whole["n_units"])
        if not n_units:
            return None
        units = counts @ whole["units_of_size"]
        # Where shares are on the grid only, sizes without units change nothing but that they fit.
        kept = np.flatnonzero(units) if whole["shares"] is not None else np.arange(len(units))
        fields: dict[str, Any] = {"n_units": n_units, "n_empty": int(counts @ whole["n_empty"])}
        large = counts.astype(object)
        for name in ("wins", "both"):
            fields[name] = _times(counts, whole[name])
        for name in ("on_grid", "squares_on_grid"):
            fields[name] = None if whole[name] is None else exact.fit(_times(large, whole[name]))
        for name in ("sizes", "units_of_size", "placed", "shares", "squares"):
            table = whole[name]
            if table is not None:
                fields[name] = table[kept] if name == "sizes" else _times(counts, table)[kept]
            else:
                fields[name] = None
        fields["sums"] = tuple(_times(large, whole["sums"]).tolist())
        return TaskTally(**fields)

    @cached_property
    def _stacked(self) -> dict[str, Any]:
        """The sums of all groups in one array for each name, with the sizes of all of them."""
        parts, total = list(self._parts.values()), self.total
        whole: dict[str, Any] = {"sizes": total.sizes}
        for name in ("wins", "both", "on_grid", "squares_on_grid"):
            values = [getattr(tally, name) for tally in parts]
            whole[name] = None if values[0] is None else np.stack(values)
        for name in ("units_of_size", "placed", "shares", "squares"):
            shape = getattr(total, name)
            if shape is None:
                whole[name] = None
                continue
            whole[name] = np.zeros((len(parts), *shape.shape), dtype=np.int64)
            for target, tally in zip(whole[name], parts, strict=True):
                target[np.searchsorted(total.sizes, tally.sizes)] = getattr(tally, name)
        for name in ("n_units", "n_empty"):
            whole[name] = np.array([getattr(tally, name) for tally in parts], dtype=np.int64)
        whole["sums"] = np.array([tally.sums for tally in parts], dtype=object)
        return whole

    # -- plain data ---------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        parts = [[group, tally.to_dict()] for group, tally in self._parts.items()]
        return {"n_groups": self.n_groups, "parts": parts}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """Return what `to_dict` gave."""
        parts = {group: TaskTally.from_dict(tally) for group, tally in plain["parts"]}
        return cls(plain["n_groups"], parts)


def check_room(n_bytes: int, n_groups: int, n_tasks: int, n_systems: int) -> None:
    """Raise where the tallies of groups take more than `MOST_BYTES` bytes."""
    if n_bytes > MOST_BYTES:
        fewer = max(n_groups * MOST_BYTES // n_bytes, 1)
        allowed = (
            f"at most about {fewer} with {counted(n_tasks, 'task')} of "
            f"{counted(n_systems, 'system')}: {n_bytes / 2**30:.1f} GiB of sums are more than "
            f"{MOST_BYTES / 2**30:g}"
        )
        remedy = "Take fewer groups, fewer tasks at a time, or leave `n_groups` out."
        raise InvalidInputError("n_groups", allowed, n_groups, remedy)


def _times(counts: NDArray[Any], stacked: NDArray[Any]) -> NDArray[Any]:
    """Return the sum over groups of so many times their arrays."""
    flat = stacked.reshape(len(stacked), -1)
    result: NDArray[Any] = (counts @ flat).reshape(stacked.shape[1:])
    return result
