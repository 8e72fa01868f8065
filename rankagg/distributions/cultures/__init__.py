"""Cultures: what whole profiles are drawn from, whose rankings may depend on one another."""
