"""Confidence intervals for ranks."""
