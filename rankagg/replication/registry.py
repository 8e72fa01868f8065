"""All experiments, in the order of the papers."""

from __future__ import annotations

from rankagg.replication.experiment import Experiment
from rankagg.replication.p1 import boards, dispersion, instances, sizes, subsets, synthetic, toy
from rankagg.replication.p2 import (
    compatible,
    confidence,
    drawn,
    gaps,
    instance_level,
    policies,
    statistics,
    task_level,
)
from rankagg.replication.p3 import columns, consensus, leaderboards, metrics, ratios, spread

__all__ = ["EXPERIMENTS"]

P1 = (toy, synthetic, sizes, boards, subsets, instances, dispersion)
P2 = (compatible, confidence, task_level, drawn, instance_level, gaps, statistics, policies)
P3 = (leaderboards, spread, ratios, metrics, columns, consensus)
EXPERIMENTS: tuple[Experiment, ...] = tuple(
    experiment for module in (*P1, *P2, *P3) for experiment in module.EXPERIMENTS
)
