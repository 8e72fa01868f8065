"""How rules and analyses grow: python -m tests.benchmarks.growth [NAMES]

Four sizes, each twice the one before, each in a process of its own, on one thread and without the
extra `fast`. Printed are the largest size, its processor seconds, the exponent over the last
doubling, the peak of memory above that of a tiny call in MiB, and that peak over the input, for
which eight bytes for each two items count, too, where votes are the input or every pair gets a
value. NAMES are parts of names. Sizes are items unless the name says otherwise.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from math import log2, nan
from operator import attrgetter, methodcaller
from pathlib import Path
from subprocess import PIPE
from time import process_time
from typing import Any, NamedTuple

import numpy as np

import rankagg as ra
from tests.rules import public_rules

TINY, RANKINGS = 6, 20
LATE = {"time_limit": 10}


# -- input ----------------------------------------------------------------------------------------


def scores(n: int, m: int = RANKINGS, missing: float = 0.0) -> np.ndarray:
    """Return m columns of positive scores of n items, each a little better than the one before."""
    rng = np.random.default_rng(n)
    values = rng.gumbel(np.arange(n)[:, None] / 5 + 10, size=(n, m))
    values[rng.random(values.shape) < missing] = np.nan
    return values


def table(n: int, m: int = RANKINGS, missing: float = 0.0) -> ra.ScoreTable:
    return ra.ScoreTable(scores(n, m, missing), higher_is_better=True)


def profile(n: int, m: int = RANKINGS, missing: float = 0.0) -> ra.Profile:
    return ra.Profile.from_scores(scores(n, m, missing).T, higher_is_better=True)


gaps, partial_profile = partial(table, missing=0.2), partial(profile, missing=0.2)
tasks, rankings = partial(table, 20), partial(profile, 20)


def votes(n: int) -> ra.PairwiseMatrix:
    return profile(n).pairwise()


def consensus(n: int) -> ra.Consensus:
    return ra.Borda().aggregate(votes(n))


def battles(number: int, n: int = 100) -> ra.Comparisons:
    rng = np.random.default_rng(number)
    number = max(number, 50 * n)  # so that a chain of wins leads from every item to every other
    first = rng.integers(0, n, number)
    second = (first + rng.integers(1, n, number)) % n
    won = rng.random(number) < 1 / (1 + np.exp((first - second) / n))
    return ra.Comparisons(range(n), first, second, np.where(won, 1.0, 0.0))


def mallows(n: int) -> ra.Mallows:
    return ra.Mallows(range(n), 0.1)


def luce(n: int) -> ra.PlackettLuce:
    return ra.PlackettLuce(np.linspace(0, 1, n))


# -- calls ----------------------------------------------------------------------------------------


class Entry(NamedTuple):
    """What is called, on what, up to which size, and whether every pair of items gets a value."""

    call: Callable[[Any], Any]
    make: Callable[[int], Any]
    largest: int
    pairs: bool = False


def resampled(data: ra.Profile) -> list[ra.Consensus]:
    m = len(data)
    return ra.analysis.resample_kemeny(
        data, np.random.default_rng(0).multinomial(m, np.full(m, 1 / m), 20)
    )


def in_graph(name: str) -> Callable[[ra.PairwiseMatrix], Any]:
    """Return what calls a method of the majority graph."""
    return lambda data: getattr(ra.TournamentGraph(data), name)()


def drawn(culture: ra.cultures.Culture) -> Callable[[int], Any]:
    return lambda n: culture.sample(n, RANKINGS, rng=0)


def apart(name: str) -> Callable[[ra.Profile], float]:
    """Return what measures two rankings."""
    return lambda data: getattr(ra.distances, name)(*data)


#: Of the rules, by what they need or by name.
LARGEST = {
    "votes": 4096, "rankings": 16384, "scores": 262144,
    "Coombs": 2048, "Dodgson": 64, "FootruleOptimal": 2048, "MallowsRanking": 2048,
    "Minimax": 2048, "PickAPerm": 4096, "PlackettLuceRanking": 512,
    "RankCentrality": 1024, "RankedPairs": 512, "Schulze": 1024, "TopK": 64, "Young": 256,
}  # fmt: skip
MAKES = {"votes": votes, "rankings": profile, "scores": table}
#: Rankings that these rules take are compared with each other, or with places, pair by pair.
BY_PAIRS = ("FootruleOptimal", "MallowsRanking", "PickAPerm")
RULES = {
    name: Entry(rule.aggregate, MAKES[rule.needs], LARGEST.get(name) or LARGEST[rule.needs],
                name in BY_PAIRS)
    for rule in public_rules() for name in [type(rule).__name__]
}  # fmt: skip
METHODS = {
    "hoeffding": 2048, "wilson": 2048, "clopper-pearson": 1024,
    "percentile": 256,
}  # fmt: skip
GRAPH = {
    "arcs": 2048, "condensation": 4096, "cyclic_components": 4096, "cycles": 1024,
    "schwartz_set": 4096, "uncovered_set": 2048, "split_cycle_winners": 1024,
    "essential_set": 4096,
}  # fmt: skip
DISTANCES = (
    "kendall_distance", "kendall_tau", "cayley_distance", "hamming_distance", "ulam_distance",
    "spearman_footrule", "spearman_rho", "rank_biased_overlap", "tau_ap", "weighted_kendall_tau",
)  # fmt: skip
CULTURES = {
    ra.cultures.ImpartialCulture(): 131072, ra.cultures.EuclideanCulture(): 131072,
    ra.cultures.MallowsCulture(norm_phi=0.5): 4096,
    ra.cultures.PlackettLuceCulture(spread=1): 131072,
    ra.cultures.SinglePeakedCulture(): 16384, ra.cultures.UrnCulture(contagion=0.1): 131072,
}  # fmt: skip
intervals = ra.PairwiseIntervals.from_data
ENTRIES = {
    **RULES,
    "Borda, of rankings": Entry(ra.Borda().aggregate, profile, 262144),
    "TwoLevel": Entry(ra.TwoLevel(ra.Borda(), ra.Borda()).aggregate, table, 65536),
    "pairwise": Entry(methodcaller("pairwise"), profile, 4096, True),
    "pairwise, in rankings": Entry(methodcaller("pairwise"), rankings, 1048576),
    "pairwise of gaps, uniform": Entry(methodcaller("pairwise"), partial_profile, 2048, True),
    "pairwise of gaps, ignore": Entry(
        methodcaller("pairwise", "ignore"), partial_profile, 4096, True
    ),
    "pairwise of gaps, last": Entry(methodcaller("pairwise", "last"), partial_profile, 4096, True),
    "Comparisons.pairwise, in comparisons": Entry(methodcaller("pairwise"), battles, 1048576),
    "PairwiseMatrix.cost": Entry(lambda data: data.pairwise.cost(data.ranking), consensus, 4096),
    "PairwiseMatrix.fingerprint": Entry(attrgetter("fingerprint"), votes, 4096),
    "ScoreTable.rankings": Entry(methodcaller("rankings"), table, 262144),
    "compress, in rankings": Entry(methodcaller("compress"), rankings, 262144),
    "sample_compatible": Entry(methodcaller("sample_compatible", rng=0), partial_profile, 65536),
    "resample_kemeny": Entry(resampled, profile, 512, True),
    "Optima": Entry(lambda data: ra.Kemeny().aggregate(data).optima.winners, votes, 256),
    "compare": Entry(partial(ra.compare, rng=0, **LATE), table, 2048, True),
    "explain": Entry(lambda data: ra.explain(data, 0, 1, **LATE), consensus, 2048),
    "stability": Entry(partial(ra.stability, rule=ra.Borda(), rng=0), table, 2048),
    "stability, in tasks": Entry(partial(ra.stability, rule=ra.Borda(), rng=0), tasks, 64),
    "removal_radius": Entry(
        partial(ra.analysis.removal_radius, rule=ra.Borda(), **LATE), table, 65536
    ),
    "removal_radius, Mean": Entry(
        partial(ra.analysis.removal_radius, rule=ra.Mean(), **LATE), table, 16384
    ),
    "rank_shares": Entry(partial(ra.rank_shares, rule=ra.Borda(), rng=0), table, 512),
    "sensitivity": Entry(partial(ra.analysis.sensitivity, rule=ra.Borda(), rng=0), gaps, 1024),
    "task_agreement": Entry(ra.analysis.task_agreement, table, 4096),
    "task_agreement, in tasks": Entry(ra.analysis.task_agreement, tasks, 512),
    "missing_report": Entry(ra.analysis.missing_report, gaps, 2048, True),
    "missing_report, in tasks": Entry(
        ra.analysis.missing_report, partial(table, 20, missing=0.2), 65536
    ),
    **{f"TournamentGraph.{k}": Entry(in_graph(k), votes, n) for k, n in GRAPH.items()},
    "single_peaked_axis": Entry(
        ra.analysis.single_peaked_axis, drawn(ra.cultures.SinglePeakedCulture()), 16384
    ),
    "single_crossing_order": Entry(
        ra.analysis.single_crossing_order, drawn(ra.cultures.EuclideanCulture(n_dimensions=1)), 1024
    ),
    "dispersion": Entry(lambda data: ra.dispersion(data.pairwise, data.ranking), consensus, 4096),
    "spread": Entry(ra.inference.spread, profile, 2048, True),
    "dispersion_report": Entry(partial(ra.inference.dispersion_report, **LATE), profile, 512, True),
    **{
        f"PairwiseIntervals, {k}": Entry(partial(intervals, method=k, rng=0), profile, n, True)
        for k, n in METHODS.items()
    },
    "PairwiseIntervals, max-t": Entry(
        partial(intervals, method="percentile", simultaneous="max-t", rng=0), profile, 128, True
    ),
    "PairwiseIntervals, in rankings": Entry(intervals, rankings, 524288),
    "PairwiseIntervals.decisions": Entry(
        lambda data: intervals(data).decisions(), profile, 512, True
    ),
    "rank_intervals": Entry(ra.rank_intervals, table, 512, True),
    "rank_intervals of gaps": Entry(partial(ra.rank_intervals, n_resamples=200), gaps, 256, True),
    "rank_intervals, hoeffding": Entry(
        partial(ra.rank_intervals, method="hoeffding"), table, 1024, True
    ),
    "rank_intervals, in comparisons": Entry(
        partial(ra.rank_intervals, of="mean"), battles, 1048576
    ),
    "paired_tests": Entry(partial(ra.inference.paired_tests, reference=0), table, 256),
    **{
        f"paired_test, {k}, in tasks": Entry(
            partial(ra.paired_test, first=0, second=1, method=k), partial(table, TINY), 65536
        )
        for k in ("sign-flips", "wilcoxon", "sign")
    },
    "separation": Entry(ra.inference.separation, table, 128),
    "friedman": Entry(ra.inference.friedman, profile, 65536),
    "skillings_mack": Entry(ra.inference.skillings_mack, partial_profile, 512, True),
    "BradleyTerry.fit": Entry(ra.BradleyTerry.fit, lambda n: battles(50 * n, n), 512, True),
    "BradleyTerry.fit, in comparisons": Entry(ra.BradleyTerry.fit, battles, 1048576),
    "BradleyTerry.fit, of votes": Entry(ra.BradleyTerry.fit, votes, 512),
    "PlackettLuce.fit": Entry(ra.PlackettLuce.fit, profile, 512, True),
    "PlackettLuce.fit, in rankings": Entry(ra.PlackettLuce.fit, rankings, 65536),
    "Mallows.fit": Entry(ra.Mallows.fit, lambda n: mallows(n).sample(20, rng=0), 128, True),
    **{
        f"Mallows.{k}": Entry(methodcaller(k), mallows, 256, True)
        for k in ("pairwise_probabilities", "rank_probabilities")
    },
    **{
        f"{type(make(2)).__name__}.sample": Entry(methodcaller("sample", 20, rng=0), make, n)
        for make, n in ((mallows, 4096), (luce, 65536))
    },
    "Mallows.log_probs": Entry(lambda data: mallows(data.n_items).log_probs(data), profile, 4096),
    "PlackettLuce.log_probs": Entry(
        lambda data: luce(data.n_items).log_probs(data), profile, 16384
    ),
    "kendall_distance_counts": Entry(ra.distributions.kendall_distance_counts, int, 256),
    **{k: Entry(apart(k), partial(profile, m=2), 65536) for k in DISTANCES},
    **{f"{type(k).__name__}.sample": Entry(drawn(k), int, n) for k, n in CULTURES.items()},
}


# -- measured -------------------------------------------------------------------------------------


def size_of(data: Any) -> int:
    """Return the bytes of the arrays that hold what is given."""
    if isinstance(data, ra.Consensus | ra.PairwiseMatrix):
        n = len(data.items)
        return 8 * n * n
    arrays = ("values", "ranks", "first", "second", "outcomes", "log_worths")
    return sum(np.asarray(getattr(data, name, ())).nbytes for name in arrays)


def status(key: str) -> float:
    """Return a number of this process in MiB."""
    with Path("/proc/self/status").open(encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(key)) / 1024


def measure(name: str, n: int) -> tuple[float, float, float]:
    """Return the seconds of one call, its peak above a tiny one, and the size of its input."""
    entry = ENTRIES[name]
    entry.call(entry.make(TINY))  # what is imported late
    before = status("VmRSS")
    data = entry.make(n)
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak starts anew
    start = process_time()
    result = entry.call(data)
    seconds = process_time() - start
    peak = status("VmHWM") - before
    del result
    given = size_of(data) or 4 * n * RANKINGS  # what is drawn, where there is only a size
    return seconds, peak, (given + 8 * n * n * entry.pairs) / 2**20


def show(name: str) -> None:
    """Print how one call grows."""
    found = []
    for n in (ENTRIES[name].largest // k for k in (8, 4, 2, 1)):
        call = [sys.executable, "-m", __spec__.name, "--one", name, str(n)]
        alone = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "RANKAGG_KERNELS": "numpy"}
        process = subprocess.run(call, check=False, env=os.environ | alone, stdout=PIPE, text=True)
        found.append([float(number) for number in process.stdout.split()] or [nan] * 3)
    (before, _, _), (seconds, peak, given) = found[-2:]
    sys.stdout.write(
        f"{name:40}{ENTRIES[name].largest:9,}{seconds:9.2f}{log2(seconds / before):7.2f}"
        f"{peak:9.0f}{peak / given:8.1f}\n"
    )
    sys.stdout.flush()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        sys.stdout.write(" ".join(map(str, measure(sys.argv[2], int(sys.argv[3])))))
    else:
        for wanted in ENTRIES:
            if not sys.argv[1:] or any(part in wanted for part in sys.argv[1:]):
                show(wanted)
