"""Run the command line with `python -m rankagg`."""

from rankagg.cli import main

main()
