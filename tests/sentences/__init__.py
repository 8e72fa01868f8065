"""Every number that a sentence states, computed again by its definition."""
