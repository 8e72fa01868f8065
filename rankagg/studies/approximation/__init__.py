"""How near rules come to the exact optimum, on drawn data."""
