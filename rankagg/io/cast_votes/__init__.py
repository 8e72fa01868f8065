"""Ballots as election offices publish them."""
