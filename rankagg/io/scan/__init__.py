"""Score files of any size: found, read in batches, and added up in one pass."""
