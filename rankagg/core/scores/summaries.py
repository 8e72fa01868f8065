"""Summaries of score tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rankagg._typing import Floats, Label
from rankagg.core.arithmetic.exact_sum import mean_by_group, sum_by_group
from rankagg.core.items import ItemSet
from rankagg.core.rankings import places

__all__ = ["count_near_ties", "describe_scores"]

# Scores above 2**HIGH have no squares that are floats and add up.
HIGH = 400


def describe_scores(
    values: Floats, systems: ItemSet, units: Sequence[Label], by: Literal["system", "task", "cell"]
) -> pd.DataFrame:
    """Summarize the scores that are present; see `ScoreTable.describe`."""
    n, m = values.shape
    # A power of two changes no digit.
    shift = max(int(np.frexp(np.nanmax(np.abs(values)))[1]) - HIGH, 0)
    long = pd.DataFrame(
        {
            "system": np.repeat(np.array(systems.labels, dtype=object), m),
            "task": np.tile(np.array(units, dtype=object), n),
            "score": np.ldexp(values, -shift).ravel(),
        }
    )
    grouped = long.groupby(["system", "task"] if by == "cell" else [by], sort=False)
    groups: NDArray[np.int64] = np.asarray(grouped.ngroup(), dtype=np.int64)
    scores = grouped["score"]
    result = scores.agg(["count"])
    result.insert(1, "missing", scores.size() - result["count"])
    cells = values.reshape(1, -1)
    present = ~np.isnan(cells)
    result["mean"] = mean_by_group(cells, present, groups, len(result))[0]
    result["sum"] = sum_by_group(np.where(present, cells, 0.0), groups, len(result))[0]
    with np.errstate(over="ignore"):
        result["variance"] = np.ldexp(scores.var(), 2 * shift)
    result["std"] = np.ldexp(scores.std(), shift)
    return result


def count_near_ties(values: Floats, digits: int) -> int:
    """Count pairs that differ, but not in their first digits; see `ScoreTable.near_ties`."""
    codes = np.unique(_significant(values, digits), return_inverse=True)[1]
    rounded = np.where(np.isnan(values), np.nan, codes.reshape(values.shape))
    return _tied_pairs(rounded.T) - _tied_pairs(values.T)


def _significant(values: Floats, digits: int) -> NDArray[np.int64]:
    """Return numbers that are equal where values agree in their first digits; 0 for missing."""
    known = np.nan_to_num(values)
    size = np.abs(known)
    with np.errstate(divide="ignore"):
        exponent = np.floor(np.log10(size))
    exponent = np.where(size > 0, exponent, 0.0)
    # In two steps, as the power of ten for the least floats is none.
    power = digits - 1 - exponent
    half = np.trunc(power / 2)
    leading = np.rint(size * 10.0**half * 10.0 ** (power - half)).astype(np.int64)
    # What is rounded up to the next power of ten starts anew there.
    full = leading == 10**digits
    leading = np.where(full, 10 ** (digits - 1), leading)
    place = exponent.astype(np.int64) + full + 330  # floats reach from 1e-324 to 1e308
    code = np.where(leading > 0, place * 10**digits + leading, 0)
    return code * np.sign(known).astype(np.int64)


def _tied_pairs(values: Floats) -> int:
    ranks = places.competition_ranks(values)
    scored = ranks >= 0
    # In a bucket of s items the mean rank exceeds the best by (s - 1)/2; s items add s(s - 1)/2.
    return round(float((places.mid_ranks(ranks)[scored] - ranks[scored]).sum()))
