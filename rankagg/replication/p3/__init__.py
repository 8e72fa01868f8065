"""Shavrina and Malykh (2021), "How not to lie with a benchmark: rearranging NLP leaderboards"."""
