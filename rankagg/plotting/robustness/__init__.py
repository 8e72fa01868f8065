"""Pictures of what is left of a consensus on other data."""
