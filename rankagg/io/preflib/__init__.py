"""Ballots in PrefLib's formats."""
