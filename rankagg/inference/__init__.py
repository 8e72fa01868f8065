"""How sure one may be of pairs, places and the whole."""

from rankagg.inference.bounds import (
    anytime_delta,
    bernstein_radius,
    comparisons_needed,
    hoeffding_p_value,
    hoeffding_radius,
)
from rankagg.inference.decisions import Decisions
from rankagg.inference.intervals import PairwiseIntervals

__all__ = [
    "Decisions",
    "PairwiseIntervals",
    "anytime_delta",
    "bernstein_radius",
    "comparisons_needed",
    "hoeffding_p_value",
    "hoeffding_radius",
]
