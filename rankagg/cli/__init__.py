"""The command line: `rankagg compare`, `rankagg rank`, `rankagg datasets`."""

from rankagg.cli.app import main

__all__ = ["main"]
