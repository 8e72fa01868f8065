"""The exact consensus where the place of the upper item counts: top-k lists, place weights."""
