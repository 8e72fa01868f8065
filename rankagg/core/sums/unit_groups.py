"""To which group an instance belongs: a question to its label alone, whatever stands beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rankagg._typing import Label
from rankagg._validation import check_integer
from rankagg.core.items import written

__all__ = ["MOST_GROUPS", "check_groups", "groups_of", "keys_of_labels", "keys_of_texts"]

Keys = NDArray[np.uint64]

# Fixed for good, as summaries that are added up must have the same groups: 2**64 divided by the
# golden ratio, and the multipliers of the finalizer of SplitMix64.
SEED = np.uint64(0x9E3779B97F4A7C15)
STEPS = (
    (np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)),
    (np.uint64(27), np.uint64(0x94D049BB133111EB)),
)
HALF = np.uint64(32)
# Digits of whole numbers that are the same instance as number and as text.
DIGITS = 20
NUMBER = re.compile(rf"0|-?[1-9][0-9]{{0,{DIGITS - 1}}}")
#: A number of groups beyond all sense.
MOST_GROUPS = 10**6


def check_groups(n_groups: object) -> int | None:
    """Return a number of groups, or None for none."""
    return (
        None if n_groups is None else check_integer(n_groups, "n_groups", low=2, high=MOST_GROUPS)
    )


def groups_of(keys: Keys, n_groups: int) -> NDArray[np.int64]:
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
    mixed = keys + SEED
    for shift, factor in STEPS:
        mixed = (mixed ^ (mixed >> shift)) * factor
    mixed ^= mixed >> np.uint64(31)
    return (((mixed >> HALF) * np.uint64(n_groups)) >> HALF).astype(np.int64)


def keys_of_labels(labels: Sequence[Label]) -> Keys:
    """Return a key for each label: equal ones for 7 and "7", as files do not tell them apart."""
    keys = np.empty(len(labels), dtype=np.uint64)
    texts, places = [], []
    for at, label in enumerate(labels):
        text = written(label)
        if NUMBER.fullmatch(text):
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
