"""How certain results are: units, intervals, decisions, ranks, tests, dispersion."""
