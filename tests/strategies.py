"""Hypothesis strategies for small rankings, profiles and score arrays."""

from __future__ import annotations

from functools import cache
from string import ascii_uppercase
from unicodedata import normalize

import numpy as np
from hypothesis import strategies as st

from rankagg import UNLISTED, UNRANKED, ItemSet, PartialRanking, Permutation, Profile
from rankagg.core.places import are_canonical
from rankagg.exceptions import visible

MAX_ITEMS = 6
WEIGHTS = (1.0, 2.0, 1 / 2, 1 / 3, 0.1)
POLICIES = ("uniform", "ignore", "last")


policies = st.sampled_from(POLICIES)
weights = st.sampled_from(WEIGHTS)


def texts(min_size=0):
    """Return any label that is a text: all but NUL."""
    return st.text(
        st.characters(exclude_characters="\0", exclude_categories=["Cs"]),
        min_size=min_size,
        max_size=3,
    )


def normal(text):
    """Return what two labels may not share: how they look."""
    return normalize("NFC", visible(text).replace("\n", "\\n"))


@st.composite
def item_sets(draw, min_size=1, max_size=MAX_ITEMS):
    """Draw distinct labels, all strings or all integers, in any order."""
    labels = draw(
        st.one_of(
            st.lists(texts(), min_size=min_size, max_size=max_size, unique_by=normal),
            st.lists(st.integers(-9, 99), min_size=min_size, max_size=max_size, unique=True),
        )
    )
    return ItemSet(labels)


@st.composite
def letters(draw, min_size=1, max_size=MAX_ITEMS):
    """Draw the items A, B, C, ...: readable where labels do not matter."""
    return ItemSet(ascii_uppercase[: draw(st.integers(min_size, max_size))])


@cache
def places(n, *, ties=True, unranked=True, unlisted=True):
    """Return a strategy of the canonical places of n items, with codes: one of all, in one draw."""
    codes = [UNRANKED] * unranked + [UNLISTED] * unlisted
    if n > MAX_ITEMS:  # too many for a list of all
        levels = st.sampled_from([*range(n), *codes * n])
        return st.lists(levels, min_size=n, max_size=n).map(canonical)
    values = np.array([*range(n), *codes], dtype=np.int32)
    every = values[np.indices([values.size] * n).reshape(n, -1).T]
    every = every[are_canonical(every)]
    if not ties:
        k = (every >= 0).sum(axis=1)
        every = every[np.maximum(every, 0).sum(axis=1) == k * (k - 1) // 2]
    return st.sampled_from([tuple(row) for row in every.tolist()])


def canonical(levels):
    """Return the places of some levels: how many are better, or their code."""
    return tuple(sum(0 <= o < level for o in levels) if level >= 0 else level for level in levels)


@st.composite
def rankings(draw, items=None, *, min_size=1, max_size=MAX_ITEMS, **kinds):
    """Draw a ranking with any mix of ties, unranked and unlisted items.

    `ties=False`, `unranked=False` and `unlisted=False` leave a kind out.
    """
    item_set = draw(letters(min_size, max_size)) if items is None else items
    return PartialRanking(draw(places(len(item_set), **kinds)), item_set)


def weak_rankings(items=None, **sizes):
    """Draw complete rankings with ties."""
    return rankings(items, unranked=False, unlisted=False, **sizes)


@st.composite
def top_k_rankings(draw, items=None, *, min_size=1, max_size=MAX_ITEMS):
    """Draw lists of the first k items, none to all of them."""
    item_set = draw(letters(min_size, max_size)) if items is None else items
    order = draw(st.permutations(item_set.labels))
    return PartialRanking.from_top_k(order[: draw(st.integers(0, len(order)))], items=item_set)


@st.composite
def strict_rankings(draw, items=None, *, min_size=1, max_size=MAX_ITEMS):
    """Draw permutations."""
    item_set = draw(letters(min_size, max_size)) if items is None else items
    return Permutation.from_ranks(draw(st.permutations(range(len(item_set)))), items=item_set)


@st.composite
def ranking_pairs(draw, *, min_size=1, max_size=MAX_ITEMS, **kinds):
    """Draw two rankings of the same items."""
    item_set = draw(letters(min_size, max_size))
    return draw(rankings(item_set, **kinds)), draw(rankings(item_set, **kinds))


@st.composite
def profiles(
    draw, items=None, *, min_size=1, max_size=5, max_rows=4, weights=weights, groups=False, **kinds
):
    """Draw a profile with counts and weights, and with groups on request."""
    item_set = draw(letters(min_size, max_size)) if items is None else items
    rows = draw(st.lists(places(len(item_set), **kinds), min_size=1, max_size=max_rows))
    m = len(rows)
    return Profile(
        [PartialRanking(row, item_set) for row in rows],
        counts=draw(st.lists(st.integers(1, 4), min_size=m, max_size=m)),
        weights=draw(st.lists(weights, min_size=m, max_size=m)),
        groups=draw(st.lists(st.sampled_from("xyz"), min_size=m, max_size=m)) if groups else None,
    )


@st.composite
def score_arrays(draw, rows=None, columns=None, *, missing=True):
    """Draw an array of scores with ties, and with NaN for missing ones."""
    m = draw(st.integers(1, 4)) if rows is None else rows
    n = draw(st.integers(1, 5)) if columns is None else columns
    scores = [-1.5, 0.0, 0.25, 0.5, 1.0, 70.0]
    cell = st.sampled_from(scores + [float("nan")] * (len(scores) * missing))
    cells = draw(st.lists(cell, min_size=m * n, max_size=m * n))
    return np.array(cells).reshape(m, n)
