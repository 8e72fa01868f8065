"""The experiments of the paper, in its order."""

from __future__ import annotations

from rankagg.replication.p3 import columns, consensus, leaderboards, metrics, ratios, spread

__all__ = ["MODULES"]

MODULES = (leaderboards, spread, ratios, metrics, columns, consensus)
