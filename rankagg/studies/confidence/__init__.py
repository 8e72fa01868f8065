"""Which pairs intervals decide, and how surely."""
