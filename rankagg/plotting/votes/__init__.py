"""Pictures of votes, majorities and missing data."""
