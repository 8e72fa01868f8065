"""Rows of `kemeny_table` for many related solves: resamples and leaving tasks out."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

import numpy as np

import rankagg as ra

__all__ = ["resamples", "stability"]

#: Writes name, seconds and a note.
Figure = Callable[[str, str, str], None]


def resamples(table: ra.ScoreTable, versions: int, figure: Figure) -> bool:
    """Resample the tasks, together and some of them alone; say whether all is proved."""
    profile = table.rankings()
    m = len(profile)
    counts = np.random.default_rng(0).multinomial(m, np.full(m, 1 / m), size=versions)
    start = process_time()
    results = ra.resample_kemeny(profile, counts)
    seconds = process_time() - start
    proved = sum(result.certificate.status == "optimal" for result in results)
    figure(f"GLUE, {versions} resamples", f"{seconds:.2f}", f"{proved} proved")
    some = results[: min(versions, 100)]
    start = process_time()
    alone = [ra.Kemeny().aggregate(result.pairwise) for result in some]
    figure(f"{len(some)} of them alone", f"{process_time() - start:.2f}", "")
    return proved == versions and [one.cost for one in alone] == [one.cost for one in some]


def stability(table: ra.ScoreTable, figure: Figure) -> bool:
    """Leave tasks out, of which subsets keep one to all but one; say whether all is decided."""
    start = process_time()
    result = ra.stability(table, rng=0)
    seconds = process_time() - start
    figure("GLUE, stability", f"{seconds:.2f}", f"{result.undecided} undecided")
    return not result.undecided
