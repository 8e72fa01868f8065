"""Kinds of data on the command line: how each is read, and by which options."""
