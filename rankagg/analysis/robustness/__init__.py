"""Robustness of a consensus: without a task, on resamples, under other policies."""
