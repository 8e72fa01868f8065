"""Plackett-Luce and Bradley-Terry: the distribution, its likelihood, its fit."""
