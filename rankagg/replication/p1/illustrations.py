"""Figures 1 and 2, which show no data."""

from __future__ import annotations

from rankagg.replication.experiment import Bench, Experiment, Found

__all__ = ["EXPERIMENTS"]


def run(_: Bench) -> Found:
    """Find nothing: there is nothing to compute."""
    return Found({})


EXPERIMENTS = (Experiment("p1-figures-1-2", "illustrations", ("Figure 1", "Figure 2"), run),)
