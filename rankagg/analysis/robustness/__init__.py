"""What is left of a consensus on other data: without a task, on resamples, under other policies."""
