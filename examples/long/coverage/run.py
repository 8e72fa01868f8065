"""Coverage of decisions, ranks and intervals with a nominal 95 %.

Data are drawn from known distributions, and correct results are counted. Writes ranks.csv,
binomial.csv and proportions.csv, and prints coverage.txt. Rows that these files already have are
kept: delete a file, or lines of it, to compute them again. All of them take some 15 minutes of one
core.

    python examples/long/coverage/run.py --jobs 2 > examples/long/coverage/coverage.txt
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import binomial
import designs
import pandas as pd
import proportions
from joblib import Parallel, delayed
from summary import summary

HERE = Path(__file__).parent
PARTS = {"ranks": designs.CELLS, "binomial": binomial.CELLS, "proportions": proportions.CELLS}


def complete(path: Path, cells: Sequence, repetitions: int, jobs: int) -> pd.DataFrame:
    """Compute the rows that a file does not hold, write them, and return all in order."""
    keys = list(cells[0].KEYS)
    have = {}
    if path.exists():
        have = {
            tuple(row[key] for key in keys): row for row in pd.read_csv(path).to_dict("records")
        }
    todo = [cell for cell in cells if cell.key() not in have]
    pool = Parallel(n_jobs=jobs, return_as="generator_unordered")
    for row in pool(delayed(cell.row)(repetitions) for cell in todo):
        have[tuple(row[key] for key in keys)] = row
        # Kept at once, so that a stopped study can continue.
        frame = pd.DataFrame([have[cell.key()] for cell in cells if cell.key() in have])
        frame.to_csv(path, index=False, float_format="%.5g")
    return pd.read_csv(path)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=1000, help="tables of a cell at most")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    options = parser.parse_args()
    print(
        summary(
            *(
                complete(HERE / f"{name}.csv", cells, options.repetitions, options.jobs)
                for name, cells in PARTS.items()
            )
        )
    )
