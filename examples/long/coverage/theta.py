"""Coverage of the interval for Mallows' theta, where the rankings choose the center.

Rankings are drawn from a Mallows distribution; with gaps, every item is missing from
every ranking with the same chance, and rankings without any item are left out. Writes theta.csv
and prints what theta.txt holds; designs that the file holds already are kept.

    python examples/long/coverage/theta.py > examples/long/coverage/theta.txt
"""

from __future__ import annotations

from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd

import rankagg as ra

FILE = Path(__file__).parent / "theta.csv"
KEYS = ["theta", "items", "rankings", "missing"]
DESIGNS = [
    (0.0, 5, 20, 0.0),
    (0.2, 5, 20, 0.0),
    (0.7, 5, 20, 0.0),
    (0.2, 5, 60, 0.0),
    (1.5, 5, 200, 0.0),
    (0.1, 15, 15, 0.0),
    (0.7, 5, 60, 0.3),
    (1.5, 5, 60, 0.6),
    (0.7, 5, 20, 0.6),
    (0.2, 5, 20, 0.3),
]
TIMES = 200


def drawn(
    theta: float, items: int, rankings: int, missing: float, rng: np.random.Generator
) -> ra.Profile:
    """Draw rankings, some items of which are missing."""
    ranks = ra.Mallows(range(items), theta).sample(rankings, rng=rng).ranks.astype(float)
    ranks[rng.random(ranks.shape) < missing] = np.nan
    return ra.Profile.from_ranks(ranks[(~np.isnan(ranks)).any(axis=1)], items=range(items))


def measured(theta: float, items: int, rankings: int, missing: float) -> dict[str, float]:
    """Return what the intervals of one design cover."""
    rng, bounds, estimates, seconds = np.random.default_rng(0), [], [], 0.0
    while len(bounds) < TIMES:
        profile = drawn(theta, items, rankings, missing, rng)
        try:
            fit = ra.Mallows.fit(profile)
        except ra.exceptions.InvalidInputError:
            continue  # all rankings agree
        begin = process_time()
        bounds.append(fit.conf_int().to_numpy()[0])
        seconds += process_time() - begin
        estimates.append(fit.distribution.theta)
    lower, upper = np.array(bounds).T
    return {
        "held": int(((lower <= theta) & (theta <= upper)).sum()),
        "from_0": int((lower == 0).sum()),
        "width": float((upper - lower).mean()),
        "estimate": float(np.mean(estimates)),
        "seconds": seconds / TIMES,
    }


def main() -> None:
    """Measure what is not in the file, and print all."""
    known = pd.read_csv(FILE) if FILE.exists() else pd.DataFrame(columns=KEYS)
    done = {tuple(row) for row in known[KEYS].to_numpy().tolist()}
    for design in DESIGNS:
        if design in done:
            continue
        row = dict(zip(KEYS, design, strict=True)) | measured(*design)
        known = pd.DataFrame([*known.to_dict("records"), row])
        known.to_csv(FILE, index=False)
    print(f"nominal 95 %; {TIMES} data sets a design, which leaves 1.5 points of chance\n")
    print("theta  items  rankings  missing   held  from 0  width  estimate  ms")
    for row in known.itertuples():
        shares = f"{100 * row.held / TIMES:5.1f}   {100 * row.from_0 / TIMES:5.1f}"
        print(
            f"{row.theta:5.1f}  {row.items:5.0f}  {row.rankings:8.0f}  {100 * row.missing:5.0f} %  "
            f"{shares}  {row.width:5.2f}  {row.estimate:8.2f}  {1000 * row.seconds:2.0f}"
        )


if __name__ == "__main__":
    main()
