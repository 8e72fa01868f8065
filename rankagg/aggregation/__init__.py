"""Rules that turn scores, rankings or votes into one ranking."""
