"""One command a file, found by its name: `rankagg rank` is `commands/rank.py`."""
