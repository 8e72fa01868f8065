"""How much better or worse than one system others are, with what the tests decide."""

from __future__ import annotations

from typing import Any, Final

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from rankagg._typing import Floats
from rankagg._validation import check_integer
from rankagg.core.items import counted
from rankagg.exceptions import InvalidInputError
from rankagg.inference.paired.result import TESTS, PairedTest, PairedTests
from rankagg.plotting.style.layout import (
    OPEN,
    SOLID,
    interval_rows,
    legend_above,
    name_letters,
    note_height,
    widest,
    write_below,
)
from rankagg.plotting.style.theme import ACCENTS, GRAY, canvas, plot_labels

__all__ = ["effects_plot"]

Look = dict[str, Any]
WORSE: Final[Look] = {
    "color": ACCENTS[1], "marker": "D", "markerfacecolor": ACCENTS[1],
    "markeredgecolor": ACCENTS[1],
}  # fmt: skip
LOOKS: Final[dict[str, Look]] = {"better": SOLID, "worse": WORSE, "-": OPEN}


def effects_plot(
    tests: PairedTests | PairedTest, *, top: int | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the effects of paired tests with their intervals: a row for each system, the best first.

    The line stands where the system and the one it is tested against are alike. A point is filled
    where the test decides, with one error rate for all; intervals are for each pair alone, so that
    one can miss the line although its point is open. An arrow is an end that nothing bounds.

    Parameters
    ----------
    tests : PairedTests or PairedTest
        Made by `paired_tests` or `paired_test`.
    top : int, optional
        Only the first so many rows.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure of fitting size by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InvalidInputError
        If `tests` is something else, or `top` is no positive number.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg import plotting
    >>> tests = ra.paired_tests(ra.datasets.load("superglue_human"), "NEZHA Plus")
    >>> ax = plotting.effects_plot(tests)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['Human', 'DeBERTa', 'T5 + Meena', 'T5', 'PAI Albert']
    """
    if not isinstance(tests, PairedTests | PairedTest):
        raise InvalidInputError(
            "tests", "PairedTests or a PairedTest", tests,
            "`paired_tests(data, reference)` makes them.",
        )  # fmt: skip
    if top is not None:
        check_integer(top, "top", low=1)
    if isinstance(tests, PairedTest):
        tests = PairedTests(reference=tests.second, tests=(tests,), alpha=tests.alpha)
    frame = tests.to_frame().iloc[:top]
    names = plot_labels(frame.index, name_letters(ax))
    reference = plot_labels([tests.reference])[0]
    level = 0.5 if tests.method == "sign" else 0.0
    points = frame["effect"].to_numpy(dtype=np.float64)
    bounds = frame[["lower", "upper"]].to_numpy(dtype=np.float64)
    notes = _sentences(tests, reference, points, bounds)
    width, new = 34.0, ax is None
    kinds = [kind for kind in LOOKS if kind in set(frame["decision"])]
    height = 4.8 + 1.35 * (len(names) + len(kinds)) + note_height(notes, width)
    ax = canvas(ax, width + 4 + widest(names), height)
    low, high = _span(np.array([level, *points, *bounds.ravel()]))
    ax.axvline(level, color=GRAY, linewidth=1.0, zorder=1, gid="alike")
    looks = [LOOKS[decision] for decision in frame["decision"]]
    interval_rows(ax, names, points, np.clip(bounds, low, high), looks)
    _arrows(ax, bounds, (low, high), looks)
    edge = 0.02 * (high - low)
    ax.set_xlim(low - edge, high + edge)
    axis = (
        f"share above {reference}" if tests.method == "sign" else
        f"{tests.tests[0].effect_name} to {reference}"
    )  # fmt: skip
    write_below(ax, notes, width if new else None, axis=axis)
    words = {"better": "better", "worse": "worse", "-": f"not told from {reference}"}
    legend_above(ax, [_key(LOOKS[kind], words[kind]) for kind in kinds], new=new)
    return ax


def _span(values: Floats) -> tuple[float, float]:
    """Return limits that hold all finite values, with room for arrows."""
    known = values[np.isfinite(values)]
    low, high = float(known.min()), float(known.max())
    room = 0.08 * (high - low) or max(0.5 * abs(low), 1.0)
    return low - room, high + room


def _arrows(ax: Axes, bounds: Floats, limits: tuple[float, float], looks: list[Look]) -> None:
    size = float(mpl.rcParams["lines.markersize"])
    for side, (limit, marker) in enumerate(zip(limits, "<>", strict=True)):
        for row in np.flatnonzero(np.isinf(bounds[:, side])):
            ax.plot(
                limit, row, marker=marker, color=looks[row]["color"], markersize=1.5 * size,
                markeredgewidth=0, clip_on=False, zorder=4, gid=f"arrow-{row}",
            )  # fmt: skip


def _key(look: Look, label: str) -> Line2D:
    return Line2D([], [], linestyle="none", label=label, **{"marker": "o", **look})


def _sentences(tests: PairedTests, reference: str, points: Floats, bounds: Floats) -> list[str]:
    one, total = tests.tests[0], len(tests.tests)
    most = max(test.n_units for test in tests.tests)
    share = f"{100 * (1 - tests.alpha):g} %"
    holm = f", with Holm's procedure; family-wise error rate {tests.alpha:g}"
    alone = holm if total > 1 else f", at alpha {tests.alpha:g}"
    nothing = int(np.isnan(points).sum())
    return [
        f"the first {len(points)} of {counted(total, 'system')}" if len(points) < total else "",
        f"filled: decided by {TESTS[one.method]} tests in {counted(most, one.word)}{alone}",
        f"bars: {share} intervals" + (", for each pair alone" if total > 1 else ""),
        f"shares are of the {one.word}s in which the two differ" if tests.method == "sign" else "",
        "arrow: no end" if np.isinf(bounds).any() else "",
        f"no point: no {one.word} tells the system from {reference}" if nothing else "",
        *(f"note: {note}" for note in tests.notes),
    ]
