"""Mallows: the distribution, its likelihood, its fit."""
