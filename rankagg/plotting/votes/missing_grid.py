"""What is missing, as a grid of shares: items by tasks, by rankings, or by patterns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from rankagg._typing import Floats
from rankagg.analysis.missing import MissingReport
from rankagg.core.items import counted
from rankagg.core.profiles.profile import Profile
from rankagg.core.rankings.places import UNRANKED
from rankagg.plotting.style.theme import plot_labels

__all__ = ["MissingGrid", "missing_grid"]

# More columns than so many are merged into patterns, of which so many are drawn.
COLUMNS: Final = 60
PATTERNS: Final = 40


@dataclass(frozen=True, eq=False)
class MissingGrid:
    """Shares of units that are missing, the items that miss most first.

    Attributes
    ----------
    shares : ndarray of float, shape (n, k)
        In [0, 1].
    rows, columns : list of str
        What is written beside them.
    notes : list of str
        What a reader should know.
    """

    shares: Floats
    rows: list[str]
    columns: list[str]
    notes: list[str]

    @property
    def is_partial(self) -> bool:
        """True where some cell is missing in part."""
        return bool(((self.shares > 0) & (self.shares < 1)).any())


def missing_grid(report: MissingReport, profile: Profile | None, letters: int = 32) -> MissingGrid:
    """Choose what fits: a column for each task, each ranking, or each pattern.

    Parameters
    ----------
    report : MissingReport
        What is missing.
    profile : Profile or None
        The rankings behind the report, where they are at hand.
    letters : int, default 32
        How long names may be.

    Returns
    -------
    MissingGrid
    """
    order = np.argsort(-report.missing, kind="stable")
    names = plot_labels(report.items.at(order), letters)
    rows = [
        f"{name}  {report.missing[i]} of {report.n_units}"
        for name, i in zip(names, order, strict=True)
    ]
    if report.tasks is not None and len(report.tasks) <= COLUMNS:
        shares, columns, extra = _tasks(report, letters)
    elif report.tasks is None and profile is not None and len(profile) <= COLUMNS:
        shares, columns, extra = _rankings(profile)
    else:
        shares, columns, extra = _patterns(report)
    notes = [_head(report), *extra, *_pairs(report)]
    return MissingGrid(shares[order], rows, columns, notes)


def _tasks(report: MissingReport, letters: int) -> tuple[Floats, list[str], list[str]]:
    assert report.tasks is not None, "only data with tasks come here"
    shares = report.by_task().to_numpy(dtype=np.float64)
    names = plot_labels(report.tasks, letters)
    if np.isin(shares, (0, 1)).all():
        counts = shares.sum(axis=0).astype(int)
        total = len(report.items)
        names = [f"{name}  {k} of {total}" for name, k in zip(names, counts, strict=True)]
    return shares, names, []


def _rankings(profile: Profile) -> tuple[Floats, list[str], list[str]]:
    shares = (profile.ranks == UNRANKED).T.astype(np.float64)
    copies = [
        f" ({counted(count, 'time')})" if count > 1 else "" for count in profile.counts.tolist()
    ]
    names = [f"{number}{copy}" for number, copy in enumerate(copies, start=1)]
    return shares, names, ["a column is a ranking"]


def _patterns(report: MissingReport) -> tuple[Floats, list[str], list[str]]:
    found = report.patterns()
    shown = found.head(PATTERNS)
    shares = np.zeros((len(report.items), len(shown)))
    for column, gone in enumerate(shown["missing"]):
        shares[report.items.indices(gone), column] = 1
    notes = [f"a column: {report.unit}s that lack the same items, with their number"]
    rest = found["units"].iloc[PATTERNS:]
    if len(rest):
        notes.append(
            f"not drawn: {counted(len(rest), 'rarer pattern')}, of {rest.sum()} {report.unit}s "
            "together"
        )
    return shares, [str(units) for units in shown["units"]], notes


def _head(report: MissingReport) -> str:
    if not report.n_missing:
        return f"nothing is missing: all {counted(report.n_cells, 'cell')} are observed"
    share = 100 * report.n_missing / report.n_cells
    return (
        f"{report.n_missing} of {counted(report.n_cells, 'cell')} "
        f"{'is' if report.n_missing == 1 else 'are'} missing ({share:.3g} %)"
    )


def _pairs(report: MissingReport) -> list[str]:
    never, n = len(report.never_compared), len(report.items)
    if not never:
        return []
    return [
        f"{never} of {counted(n * (n - 1) // 2, 'pair')} of items "
        f"{'was' if never == 1 else 'were'} never compared"
    ]
