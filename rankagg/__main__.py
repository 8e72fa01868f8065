"""`python -m rankagg` and `rankagg`: the command line."""

import sys

__all__ = ["run"]


def run() -> None:
    """Run the command line; an interruption while it is loaded ends it quietly too."""
    try:
        from rankagg.cli import main  # noqa: PLC0415

        main()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    run()
