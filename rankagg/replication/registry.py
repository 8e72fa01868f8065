"""All experiments, in the order of the papers."""

from __future__ import annotations

from itertools import chain

from rankagg.replication.experiment import Experiment
from rankagg.replication.p1.contents import MODULES as P1
from rankagg.replication.p2.contents import MODULES as P2
from rankagg.replication.p3.contents import MODULES as P3

__all__ = ["EXPERIMENTS"]

EXPERIMENTS: tuple[Experiment, ...] = tuple(
    chain.from_iterable(module.EXPERIMENTS for module in (*P1, *P2, *P3))
)
