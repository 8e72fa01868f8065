"""Self-contained page on a data set: its consensus and the uncertainty of it."""
