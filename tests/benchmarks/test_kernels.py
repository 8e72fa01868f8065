"""Growth of time, and the gain from compiling: pytest -o addopts='' -s tests/benchmarks

Seconds are those of the processor. What fails here is far from what was measured.
"""

import sys
from collections.abc import Callable
from statistics import median
from time import process_time
from typing import Any

import numpy as np
import pytest

import rankagg as ra
from tests.benchmarks.growth import ENTRIES


def say(text: str) -> None:
    sys.stdout.write(f"\n{text}\n")


def seconds(work: Callable[[], Any]) -> float:
    start = process_time()
    work()
    return process_time() - start


#: Sizes of what `growth` measures, and the exponent that is stated where it is computed.
STATED = {
    "pairwise": ((100, 200, 400, 800), 2),
    "pairwise, in rankings": ((50_000, 200_000, 800_000), 1),
    "Borda, of rankings": ((1_000, 4_000, 16_000), 1),
    "Bucklin": ((500, 1_000, 2_000), 2),
    "kendall_tau": ((10_000, 100_000, 1_000_000), 1),
    "rank_biased_overlap": ((10_000, 100_000, 1_000_000), 1),
    "KwikSort": ((100, 200, 400, 800), 3),
    "RankedPairs": ((100, 200, 400), 3),
    "InsertionSearch": ((100, 200, 400, 800), 3),
    "PlackettLuce.fit": ((80, 160, 320), 2),
}


def near(n: int) -> ra.Profile:
    """Return rankings with no item far ahead, so that all fits take as many steps."""
    scores = np.linspace(0, 1, n) + np.random.default_rng(0).gumbel(size=(50, n))
    return ra.Profile.from_scores(scores, higher_is_better=True)


@pytest.mark.parametrize("name", STATED)
def test_time_grows_with_the_stated_exponent(name) -> None:
    entry, (sizes, stated) = ENTRIES[name], STATED[name]
    make = near if name == "PlackettLuce.fit" else entry.make
    entry.call(make(sizes[0]))
    taken = []
    for data in map(make, sizes):
        taken.append(median(seconds(lambda data=data: entry.call(data)) for _ in range(3)))
    found = np.polyfit(np.log(sizes), np.log(taken), 1)[0]
    say(f"{name}: exponent {found:.2f}, stated {stated}")
    # Small sizes are mostly fixed costs, large ones leave the cache.
    assert found < stated + 0.4
