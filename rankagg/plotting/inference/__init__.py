"""Pictures of intervals, decisions and tests."""
