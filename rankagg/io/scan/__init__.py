"""Score files of any size: find them, read them in batches, and add them up in one pass."""
