"""Experiments over many data sets: how near rules come to the exact optimum."""
