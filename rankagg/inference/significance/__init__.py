"""Tests of whether items rank alike."""
