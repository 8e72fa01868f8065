"""Mixtures of distributions over rankings: the distribution, its fit, how many components."""
