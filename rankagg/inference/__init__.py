"""How sure one may be: units, intervals, decisions, ranks, tests, dispersion."""
