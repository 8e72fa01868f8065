"""Tests of two systems on the same units, each with its effect and an interval for it."""
