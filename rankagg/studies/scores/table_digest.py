"""A short name for the content of a table, so that no journal of another one passes for its own."""

from __future__ import annotations

from hashlib import sha256

import numpy as np

from rankagg.core.scores.table import ScoreTable

__all__ = ["table_digest"]


def table_digest(table: ScoreTable) -> str:
    """Return the SHA-256 of labels, directions, weights and scores, the same on every machine.

    Parameters
    ----------
    table : ScoreTable
        The table.

    Returns
    -------
    str
        64 hexadecimal digits.
    """
    labels = (
        tuple(table.systems),
        tuple(table._unit_labels),
        table.instances,
        [(task, table.higher_is_better[task], table.task_weights[task]) for task in table.tasks],
    )
    digest = sha256(f"rankagg.score_table 1\n{labels!r}\n".encode("utf-8", "backslashreplace"))
    # One missing score is like another, whatever its bits.
    values = np.where(table.missing, np.nan, table.values)
    digest.update(values.astype("<f8").tobytes())
    return digest.hexdigest()
