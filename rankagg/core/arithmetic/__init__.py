"""Whole numbers over one denominator, and sums that are rounded once."""
