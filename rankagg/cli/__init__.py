"""The command line: `rankagg compare`, `rank`, `solve`, `intervals` and others."""

from rankagg.cli.app import main

__all__ = ["main"]
