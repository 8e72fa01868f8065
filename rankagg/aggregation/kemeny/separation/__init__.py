"""Rows that a point of the relaxation violates, one family a file."""

from __future__ import annotations

from rankagg.aggregation.kemeny.separation.cycles import violated_cycles
from rankagg.aggregation.kemeny.separation.fences import violated_fences
from rankagg.aggregation.kemeny.separation.ladders import violated_ladders
from rankagg.aggregation.kemeny.separation.odd_walks import violated_walks

__all__ = ["violated_cycles", "violated_fences", "violated_ladders", "violated_walks"]
