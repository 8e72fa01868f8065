"""The experiments of the paper, in its order."""

from __future__ import annotations

from rankagg.replication.p1 import toy

__all__ = ["MODULES"]

MODULES = (toy,)
