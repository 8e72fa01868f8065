"""The linear relaxation and the solvers that keep it."""
