"""The fewest rankings or tasks whose removal changes who is first, or the order of a pair."""
