"""The experiments of the paper, in its order."""

from __future__ import annotations

from rankagg.replication.p2 import (
    compatible,
    confidence,
    gaps,
    instance_level,
    policies,
    statistics,
    synthetic,
    task_level,
)

__all__ = ["MODULES"]

MODULES = (
    compatible, confidence, task_level, synthetic, instance_level, gaps, statistics, policies,
)  # fmt: skip
