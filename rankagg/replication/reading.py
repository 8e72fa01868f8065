"""What rules found, as the numbers and texts that rows hold."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rankagg.aggregation.result import Consensus
from rankagg.core.rankings.partial import PartialRanking

__all__ = ["as_order", "number_at", "scores_of"]


def scores_of(consensus: Consensus) -> NDArray[np.float64]:
    """Return the scores of all items, of a rule that gives some."""
    assert consensus.scores is not None
    return consensus.scores


def as_order(ranking: PartialRanking, *, first: int | None = None) -> str:
    """Return the ranked items, best first, tied ones joined by "=".

    Examples
    --------
    >>> from rankagg import PartialRanking
    >>> as_order(PartialRanking.from_buckets(["A", "BC"], items="ABCD"))
    'A > B = C'
    """
    groups = ranking.buckets[:first]
    return " > ".join(" = ".join(str(item) for item in group) for group in groups)


def number_at(table: pd.DataFrame, row: Hashable, column: str) -> float:
    """Return a number of a table, by its row and column.

    Examples
    --------
    >>> number_at(pd.DataFrame({"tau": [0.5]}, index=["Borda"]), "Borda", "tau")
    0.5
    """
    return float(table[column].to_dict()[row])
