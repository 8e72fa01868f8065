"""Restricted domains: whether a profile is single-peaked or single-crossing, and on which order."""
