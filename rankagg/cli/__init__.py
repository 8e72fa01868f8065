"""The command line: `rankagg compare`, `rank`, `solve`, `datasets`."""

from rankagg.cli.app import main

__all__ = ["main"]
