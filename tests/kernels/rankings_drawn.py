"""Rankings with ties, gaps and lists, for the tests of the inner loops."""

import numpy as np
from hypothesis import strategies as st

from rankagg.core import places
from tests import strategies

KINDS = ["", "ties", "gaps", "ties gaps", "lists", "ties gaps lists"]


def told(counts):
    return [array.tolist() for array in counts]


#: Rankings with anything: ties, unranked and unlisted items.
rows = st.integers(1, 6).flatmap(lambda n: st.lists(strategies.places(n), min_size=1, max_size=9))
any_ranks = rows.map(lambda rows: np.array(rows, dtype=np.int32))


def drawn_ranks(m, n, kinds):
    """Draw rankings of some size: strict, or with ties, gaps and lists among them."""
    rng = np.random.default_rng(m * n)
    values = rng.random((m, n))
    if "ties" in kinds:
        values[::3] = values[::3].round(1)
    if "gaps" in kinds:
        values[rng.random((m, n)) < 0.3] = np.nan
    ranks = places.competition_ranks(values)
    if "lists" in kinds:
        ranks[1::2] = np.where(ranks[1::2] >= n // 2, places.UNLISTED, ranks[1::2])
    return ranks
