"""Run the experiments of three papers, and compare the results with the published numbers.

python examples/papers/replicate.py --quick -o replication
python examples/papers/replicate.py p1 --data leaderboards --jobs 2 -o replication
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rankagg.exceptions import RankaggError
from replication.run import EXPERIMENTS, replicate

ABOUT = """
Every published quantity gets a row: where it is printed, what is printed, what the paper's words
and its authors' program give, the result here, a verdict, and the reason. The exit code is 1
where something did not come out as its reference has it, and 2 after bad input.
"""


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line names, and return the exit code."""
    parser = argparse.ArgumentParser(description=ABOUT)
    parser.add_argument(
        "names", nargs="*", metavar="p1 | p2 | p3 | NAME", help="papers or experiments (all)"
    )
    parser.add_argument(
        "--quick", action="store_true", help="few repetitions; what is random is not judged"
    )
    parser.add_argument(
        "--data", metavar="DIR", help="a folder with tables that are not bundled, in any files"
    )
    parser.add_argument("--jobs", type=int, metavar="N", help="workers of the studies (1)")
    parser.add_argument(
        "-o",
        "--out",
        metavar="DIR",
        help="where to write page, rows, tables and figures; a stopped run continues from there",
    )
    parser.add_argument("--list", action="store_true", help="list the experiments and run none")
    given = parser.parse_args(arguments)
    if given.list:
        for one in EXPERIMENTS:
            print(f"{one.name:16} {one.title}")
        return 0
    try:
        result = replicate(
            *given.names, data=given.data, output=given.out, quick=given.quick, n_jobs=given.jobs
        )
    except (RankaggError, OSError) as error:
        parser.error(str(error))
    print(result.summary())
    if given.out is not None:
        print(f"wrote: {Path(given.out, 'index.html')}")
    return 0 if result.is_reached else 1


if __name__ == "__main__":
    sys.exit(main())
