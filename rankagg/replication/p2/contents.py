"""The experiments of the paper, in its order."""

from __future__ import annotations

from rankagg.replication.p2 import compatible, gaps

__all__ = ["MODULES"]

MODULES = (compatible, gaps)
