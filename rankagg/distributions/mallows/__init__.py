"""Mallows and generalized Mallows: the distribution, its likelihood, its fit."""
