"""Distributions over rankings, their fits, and the rules that rank by them."""
