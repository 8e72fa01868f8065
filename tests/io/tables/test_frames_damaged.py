"""Frames of any cells are read or refused with a message."""

import random
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import rankagg as ra
from tests.io.damage import outcome_of

ODD = [
    None, np.nan, pd.NA, pd.NaT, "", "a", "1", "=x", True, 2.5, -0.0, float("inf"), 2**53 + 1,
    10**400, 10**5000, 1j, [1], {"a": 1}, np.array([1, 2]), b"x", object(), (1, 2), frozenset(),
    Decimal("0.1"), Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity"), Fraction(1, 3),
    np.float32(0.1), np.longdouble("0.1"), np.int8(3), np.str_("q"), np.datetime64("NaT"),
    pd.Timestamp("2020"), pd.Timedelta("1s"), "\x00", "\ud800",
]  # fmt: skip
COLUMNS = ["system", "x", "y", "k", 1, 2.5, None, ("a", "b"), "=q", np.nan, True]
PLAIN = [1, 2, "A", 0.5]
WAYS = {
    "wide": lambda frame: ra.read_scores(frame, higher_is_better=True),
    "instances": lambda frame: ra.read_scores(frame, higher_is_better=True, instance="k"),
    "long": lambda frame: ra.read_scores(frame, higher_is_better=True, task="x", score="y"),
    "ballots": ra.read_ballots,
    "counts": lambda frame: ra.read_ballots(frame, count="x", group="y"),
    "table": lambda frame: ra.ScoreTable(frame, higher_is_better=True),
    "comparisons": lambda frame: ra.read_comparisons(
        frame, first="system", second="x", outcome="y", outcome_is="side", weight="k"
    ),
    "comparisons by side": lambda frame: ra.read_comparisons(
        frame, first="system", second="x", outcome="y", outcome_is="side", side="k"
    ),
}
#: The cells of columns without anything odd.
CELLS = {
    "comparisons": [["A", "B"], ["C", "D"], ["left", "tie", "model_b"], [1, 0.5]],
    "comparisons by side": [["A", "B"], ["C", "D"], [1, 0], [1, -1]],
}


def frames(number, seed, cells):
    rng = random.Random(seed)
    for _ in range(number):
        columns = rng.sample(COLUMNS, rng.randint(0, 4))
        if rng.random() < 0.5:
            columns = ["system", "x", "y", "k"][: len(columns)]
        odd = rng.choice([0, 0.1, 0.3])
        rows = [
            [rng.choice(ODD if rng.random() < odd else cells[at]) for at in range(len(columns))]
            for _ in range(rng.randint(0, 3))
        ]
        frame = pd.DataFrame(rows, columns=columns, dtype=object)
        indexed = columns and rng.random() < 0.3 and columns[0] is not None
        yield frame.set_index(columns[0]) if indexed else frame


@pytest.mark.parametrize("number", [30, pytest.param(2_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("way", WAYS)
def test_frames_of_any_cells_are_read_or_refused(way, number):
    drawn = frames(number, int(number > 30), CELLS.get(way, [PLAIN] * 4))
    found = [outcome_of(WAYS[way], frame) for frame in drawn]
    assert "DataFormatError" in found or way == "table"
    # Frames that are never read would test nothing.
    assert number == 30 or found.count("read") > 5
