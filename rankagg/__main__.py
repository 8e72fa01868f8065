"""`python -m rankagg` and `rankagg`: the command line."""

import signal
import sys


def run() -> None:
    """Run the command line; an interruption while it is loaded ends it with one line too."""
    try:
        from rankagg.cli import main  # noqa: PLC0415

        main()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(130)
    finally:
        # What is done stays done: an ending interpreter waits for its worker processes first, and
        # would die of the signal, and its exit code be lost.
        signal.signal(signal.SIGINT, signal.SIG_IGN)


if __name__ == "__main__":
    run()
