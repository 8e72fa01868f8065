"""Confidence intervals and decisions for pairs of items."""
