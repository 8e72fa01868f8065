"""Pairwise votes: for every two items, how many rankings put one above the other."""
