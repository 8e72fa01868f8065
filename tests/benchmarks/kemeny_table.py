"""Seconds and proofs of the exact Kemeny engine: python -m tests.benchmarks.kemeny_table

One thread. Seconds are those of `aggregate` on counted votes, verification included: the median
of 3 runs after a first one, or the first run alone where it takes more than 5 s. Goals are there
to be read, nothing fails for being slow; a proved cost other than the known optimum does.

Most rows need optional data: files in `../shared/data` beside the checkout, or in the folder that
the environment variable RANKAGG_DATA names. Their rows are skipped where they are absent.
"""

from __future__ import annotations  # rankagg loads highspy when a rule is named, see `alone`

import os

# Before numpy is imported, which reads it once.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import csv
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from time import perf_counter

import click
import numpy as np

import rankagg as ra
from rankagg.aggregation.kemeny.parts import Task
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.pulp_programs import solve_naive
from tests.benchmarks.related_solves import resamples, stability

CHECKOUT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("RANKAGG_DATA") or CHECKOUT.parent / "shared" / "data")

# The policy of the known answers: unranked items are not below ranked ones.
UNRANKED = "ignore"
RUNS, LONG = 3, 5.0
GLUE = "tasks/glue.csv"
HARD = ("N-sgb75.03", "N-EX4")
GOALS = {GLUE: 0.15, "lolib/N-sgb75.03": 15.0}
LOLIB_GOAL = 2.0
# Matrices of LOLIB that are no input-output tables.
OTHER_LOLIB = ("N-econ", "N-pal", "N-p40", "N-EX", "N-sgb")

Orders = list[list[int]]


@dataclass
class Case:
    """Votes with the cost that is known for them; "<=" where it is not known to be the least."""

    name: str
    votes: ra.PairwiseMatrix
    optimum: float | None = None
    is_proved: bool = True
    goal: float | None = None


@dataclass
class Table:
    """Rows that are printed as they come, and the names of those that are wrong."""

    wrong: list[str] = field(default_factory=list)

    def head(self) -> None:
        self._line("input", "n", "cost", "known", "status", "cases", "seconds", "goal")

    def row(self, case: Case, consensus: ra.Consensus, seconds: float) -> None:
        certificate = consensus.certificate
        assert certificate is not None, "the rule is exact"
        self._line(
            case.name,
            case.votes.n_items,
            _number(certificate.cost),
            _known(case),
            certificate.status,
            certificate.n_cases,
            f"{seconds:.3f}",
            _number(case.goal),
        )
        if _is_wrong(case, certificate):
            self.wrong.append(case.name)

    def figure(self, name: str, value: str, goal: float | None = None, note: str = "") -> None:
        self._line(name, "", note, "", "", "", value, _number(goal))

    def _line(self, name: str, *cells: object) -> None:
        widths = (4, 13, 14, 8, 6, 9, 5)
        text = "  ".join(str(cell).rjust(width) for cell, width in zip(cells, widths, strict=True))
        click.echo(f"{name:<27}{text}".rstrip())


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.12g}"


def _known(case: Case) -> str:
    return f"{'' if case.is_proved else '<= '}{_number(case.optimum)}"


def _is_wrong(case: Case, certificate: ra.Certificate) -> bool:
    if case.optimum is None:
        return False
    if certificate.status == "optimal" and not case.is_proved:
        return certificate.cost > case.optimum
    if certificate.status == "optimal":
        return certificate.cost != case.optimum
    return certificate.lower_bound > case.optimum or (
        case.is_proved and certificate.cost < case.optimum
    )


# -- inputs -----------------------------------------------------------------------------------


def read_votes(path: Path) -> ra.PairwiseMatrix:
    if path.suffix == ".csv":
        rankings = ra.read_scores(path, higher_is_better=True).rankings()
    else:
        rankings = ra.read_preflib(path)
    return rankings.pairwise(UNRANKED)


def table_of(name: str) -> list[dict[str, str]]:
    path = DATA / name
    if not path.exists():
        click.echo(f"skipped: {name} is not in {DATA}; RANKAGG_DATA names another folder")
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def present(name: str) -> bool:
    if (DATA / name).exists():
        return True
    click.echo(f"skipped: {name} is not in {DATA}")
    return False


def profile_cases() -> Iterator[Case]:
    for row in table_of("kemeny_optima.csv"):
        name = row["file"]
        if present(name):
            optimum = float(row["min_disagreements"])
            votes = read_votes(DATA / name)
            yield Case(name, votes, optimum, row["proved_optimal"] == "1", GOALS.get(name))


def lolib_cases(*, hard: bool) -> Iterator[Case]:
    for row in table_of("lolib/optima.csv"):
        name = f"lolib/{row['instance']}"
        is_proved = row["is_optimal"] == "1"
        wanted = row["instance"] in HARD if hard else is_proved
        if wanted and present(name):
            votes = ra.read_matrix(DATA / name)
            optimum = votes.wins.sum() - float(row["best_known"])
            goal = None if row["instance"].startswith(OTHER_LOLIB) else LOLIB_GOAL
            yield Case(name, votes, optimum, is_proved, GOALS.get(name, goal))


def uniform_orders(n: int, voters: int, seed: int = 0) -> Orders:
    rng = np.random.default_rng(seed)
    return [rng.permutation(n).tolist() for _ in range(voters)]


def mallows_orders(n: int, voters: int, phi: float, seed: int = 0) -> Orders:
    """Draw by repeated insertion: an item goes j places ahead of the last with weight phi**j."""
    rng = np.random.default_rng(seed)
    orders: Orders = []
    for _ in range(voters):
        order: list[int] = []
        for item in range(n):
            weights = phi ** np.arange(item + 1)
            ahead = int(rng.choice(item + 1, p=weights / weights.sum()))
            order.insert(item - ahead, item)
        orders.append(order)
    return orders


def random_cases(*, hard: bool) -> Iterator[Case]:
    for n in () if hard else (50, 75):
        yield Case(f"uniform n={n} m=10", _votes(uniform_orders(n, 10)))
    # Times differ widely between draws, so one says little: the first here, others if asked for.
    for seed in range(1, 8) if hard else (0,):
        orders = uniform_orders(100, 10, seed)
        yield Case(f"uniform n=100 m=10, {seed}", _votes(orders), goal=10.0)
    for seed in range(1, 4) if hard else (0,):
        orders = mallows_orders(200, 10, 0.98, seed)
        yield Case(f"Mallows n=200 phi=.98, {seed}", _votes(orders), goal=6.0)


def _votes(orders: Orders) -> ra.PairwiseMatrix:
    return ra.Profile.from_orders(orders).pairwise(UNRANKED)


# -- timing -----------------------------------------------------------------------------------


def timed(function: Callable[[], object]) -> float:
    start = perf_counter()
    function()
    return perf_counter() - start


def typical(function: Callable[[], object]) -> float:
    """Return the seconds of a call, as the docstring of this module says."""
    first = timed(function)
    return first if first > LONG else median(timed(function) for _ in range(RUNS))


def solve(table: Table, case: Case, rule: ra.Kemeny) -> float:
    results: list[ra.Consensus] = []
    seconds = typical(lambda: results.append(rule.aggregate(case.votes)))
    table.row(case, results[-1], seconds)
    return seconds


def solve_all(table: Table, cases: Iterable[Case], rule: ra.Kemeny) -> None:
    for case in cases:
        solve(table, case, rule)


# -- GLUE -------------------------------------------------------------------------------------


def glue(table: Table, limit: float) -> None:
    """Print the set of optima and the other backends; the optimum itself is in the table above."""
    if not present(GLUE):
        return
    votes = read_votes(DATA / GLUE)
    count, seconds = optima_of(votes)
    table.figure("GLUE, relation + count", f"{seconds:.3f}", 0.5, f"{count} optima")
    rows = (("cuts", 0.15), ("lazy", 1.0), ("naive", None))
    used = {
        backend: solve(
            table,
            Case(f"GLUE, {backend}", votes, 4454.0, goal=goal),
            ra.Kemeny(unranked=UNRANKED, backend=backend, time_limit=limit),
        )
        for backend, goal in rows
    }
    table.figure("GLUE, naive / cuts", f"{used['naive'] / used['cuts']:.1f} x")


def glue_whole(table: Table, limit: float) -> None:
    """Print the time of the textbook programme for all items at once; "naive" splits it.

    Where the time limit stops it, the figures are what it takes at least.
    """
    if not present(GLUE):
        return
    votes = read_votes(DATA / GLUE)
    cuts = timed(lambda: ra.Kemeny(unranked=UNRANKED).aggregate(votes))
    whole, is_done = timed_alone(votes, limit)
    least = "" if is_done else "> "
    table.figure("GLUE, full ILP of 105 items", f"{least}{whole:.1f}")
    table.figure("GLUE, full ILP / cuts", f"{least}{whole / cuts:.0f} x")


def solve_whole(votes: ra.PairwiseMatrix) -> None:
    os.setsid()  # so that CBC can be ended with this process
    solve_naive(Task(Problem.from_pairwise(votes)))


def timed_alone(votes: ra.PairwiseMatrix, limit: float) -> tuple[float, bool]:
    """Return the seconds, and whether it was done in time: CBC overruns limits by minutes."""
    process = get_context("spawn").Process(target=solve_whole, args=(votes,))
    start = perf_counter()
    process.start()
    process.join(limit)
    seconds, is_done = perf_counter() - start, process.exitcode == 0
    if not is_done:
        os.killpg(process.pid, signal.SIGKILL)
        process.join()
    return seconds, is_done


def optima_of(votes: ra.PairwiseMatrix) -> tuple[int, float]:
    """Return the number of optima, and the seconds; the optima are new in every run."""
    counts, seconds = [], []
    for _ in range(1 + RUNS):
        optima = ra.Kemeny(unranked=UNRANKED).aggregate(votes).optima
        assert optima is not None, "the rule is exact"
        start = perf_counter()
        optima.relation()
        counts.append(optima.count())
        seconds.append(perf_counter() - start)
    return counts[-1], median(seconds[1:])


def related(table: Table, versions: int) -> None:
    if not present(GLUE):
        return
    scores = ra.read_scores(DATA / GLUE, higher_is_better=True)

    def figure(name: str, seconds: str, note: str) -> None:
        table.figure(name, seconds, note=note)

    if not resamples(scores, versions, figure):
        table.wrong.append("resamples of GLUE")
    if not stability(scores, figure):
        table.wrong.append("stability of GLUE")


# -- other packages ---------------------------------------------------------------------------

# Each in a process of its own: the libraries of OR-Tools, which pref_voting loads, and of highspy
# do not load into one. Imports and the first, cold call are outside the time.

Peer = Callable[[Orders], float]


def cost_by_rankagg(orders: Orders) -> float:
    return ra.Kemeny().aggregate(ra.Profile.from_orders(orders)).cost


def cost_by_pref_voting(orders: Orders) -> float:
    from pref_voting.other_methods import kemeny_young_rankings  # noqa: PLC0415
    from pref_voting.profiles import Profile  # noqa: PLC0415

    return float(kemeny_young_rankings(Profile(orders))[1])


def cost_by_corankco(orders: Orders) -> float:
    # Its ExactAlgorithm fails where CPLEX is absent; this is what it means to fall back on.
    from corankco.algorithms.exact.exactalgorithmpulp import ExactAlgorithmPulp  # noqa: PLC0415
    from corankco.dataset import Dataset  # noqa: PLC0415
    from corankco.scoringscheme import ScoringScheme  # noqa: PLC0415

    # On complete rankings this is the Kendall distance: a tie in the consensus never pays.
    scheme = ScoringScheme.get_unifying_scoring_scheme()
    data = Dataset.from_raw_list([[{item} for item in order] for order in orders])
    consensus = ExactAlgorithmPulp().compute_consensus_rankings(data, scheme, True)
    return float(consensus.kemeny_score)


PEERS: dict[str, tuple[Peer, tuple[int, ...]]] = {
    "pref_voting": (cost_by_pref_voting, (6, 7, 8)),
    "corankco": (cost_by_corankco, (10, 20, 30)),
}


def run_peer(function: Peer, sizes: Iterable[int]) -> list[tuple[float, float]]:
    """Return cost and seconds for each size."""
    function(uniform_orders(4, 3))
    results = []
    for n in sizes:
        costs: list[float] = []
        seconds = typical(lambda n=n, costs=costs: costs.append(function(uniform_orders(n, 11))))
        results.append((costs[-1], seconds))
    return results


def alone(function: Peer, sizes: Iterable[int]) -> list[tuple[float, float]]:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(run_peer, function, sizes).result()


def peers(table: Table) -> None:
    click.echo(
        f"\n{'peer, uniform, m=11':<27}   n  cost of peer  cost here  seconds     here  ratio"
    )
    for name, (function, sizes) in PEERS.items():
        if find_spec(name) is None:
            click.echo(f"{name:<27}not installed: pip install {name}")
            continue
        theirs, ours = alone(function, sizes), alone(cost_by_rankagg, sizes)
        for n, (cost, seconds), (here, used) in zip(sizes, theirs, ours, strict=True):
            figures = f"{cost:>12.12g}  {here:>9.12g}  {seconds:7.3f}  {used:7.4f}"
            click.echo(f"{name:<27}{n:>4}  {figures}  {seconds / used:.0f} x")
            if cost != here:
                table.wrong.append(f"{name}, n={n}")


# -- the command ------------------------------------------------------------------------------


@click.command(help="Print a table of seconds and proofs of the exact Kemeny engine.")
@click.option("--peers", "with_peers", is_flag=True, help="Run corankco and pref_voting too.")
@click.option("--hard", is_flag=True, help=f"Try {' and '.join(HARD)} of LOLIB and more draws too.")
@click.option(
    "--bootstrap",
    "versions",
    type=click.IntRange(min=1),
    is_flag=False,
    flag_value=1000,
    help="Resample the tasks of GLUE, 1000 times unless a number is given, and leave tasks out.",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    default=120.0,
    show_default=True,
    help="Seconds for one solve.",
)
def main(*, with_peers: bool, hard: bool, versions: int | None, time_limit: float) -> None:
    table = Table()
    rule = ra.Kemeny(unranked=UNRANKED, time_limit=time_limit)
    table.head()
    solve_all(table, profile_cases(), rule)
    solve_all(table, lolib_cases(hard=False), rule)
    solve_all(table, random_cases(hard=False), rule)
    glue(table, time_limit)
    if hard:
        solve_all(table, lolib_cases(hard=True), rule)
        solve_all(table, random_cases(hard=True), rule)
        glue_whole(table, time_limit)
    if versions is not None:
        related(table, versions)
    if with_peers:
        peers(table)
    if table.wrong:
        raise click.ClickException(f"wrong or not proved: {', '.join(table.wrong)}")


if __name__ == "__main__":
    main()
