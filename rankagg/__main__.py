"""`python -m rankagg` and `rankagg`: the command line."""

import atexit
import signal
import sys


def run() -> None:
    """Run the command line; an interruption while it is loaded ends it quietly too."""
    try:
        from rankagg.cli import main  # noqa: PLC0415

        main()
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        # What is done stays done: an ending interpreter would die of the signal, and its exit
        # code be lost.
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)


if __name__ == "__main__":
    run()
