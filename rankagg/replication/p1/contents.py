"""The experiments of the paper, in its order."""

from __future__ import annotations

from rankagg.replication.p1 import (
    agreement,
    best_ten,
    dispersion,
    exact,
    gumbel,
    illustrations,
    instances,
    sizes,
    subsets,
    synthetic,
    toy,
)

__all__ = ["MODULES"]

MODULES = (
    toy, illustrations, gumbel, synthetic, sizes, agreement, best_ten, subsets, instances,
    dispersion, exact,
)  # fmt: skip
