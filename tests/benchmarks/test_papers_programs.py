"""The papers' own programs and our command on the same files: time and agreement.

    python -m tests.benchmarks.papers_environment FOLDER
    RANKAGG_PEERS=FOLDER pytest -o addopts='' tests/benchmarks/test_papers_programs.py \
        --benchmark-json=figures.json

Whole processes, theirs and ours in turn, after one run of each that does not count. In the extra
information of each benchmark: medians of the ratios of seconds, and of seconds on a processor; for
each method whether the numbers are equal, or what of their code explains that they are not (shown
by computing it), Kendall's tau of the two rankings, and whether the names that their program prints
are in the order of its numbers. On small files both spend their time on starting Python.
"""

import csv
import os
import resource
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import TypeVar

import numpy as np
import pytest

import rankagg as ra
from tests.benchmarks.papers_programs import (
    MISSING_DATA_RANKING,
    RANKING_NLP_SYSTEMS,
    Case,
    Printed,
    Program,
    ours,
    python_of,
)

T = TypeVar("T")
Times = tuple[float, float]

ROUNDS = 3
# References, and columns that one of the programs passes over.
LEFT_OUT = ("H:", "S3_")
TASKS = ("glue", "superglue", "xtreme", "xtreme_missing", "gem_bleu_main")
INSTANCES = ("dialog_pc", "flickr", "sum_eval", "tac_08", "m_dialogue_pc_missing")
LOWER = ("m_dialogue_pc_missing",)


@pytest.fixture(scope="module")
def peers() -> Path:
    """Return the folder of the papers' programs."""
    named = os.environ.get("RANKAGG_PEERS")
    if named is None:
        pytest.skip("RANKAGG_PEERS names no folder; tests.benchmarks.papers_environment makes one")
    return Path(named).resolve()


@pytest.fixture
def table(name: str, data, tmp_path: Path) -> Path:
    """Return the file of that name as their programs can read it."""
    folder = "tasks" if name in TASKS else "instances"
    return with_their_header(data(f"{folder}/{name}.csv"), tmp_path)


def require(peers: Path, program: Program) -> None:
    for needed in (python_of(peers), peers / program.name / "ranking_cli.py"):
        if not needed.exists():
            pytest.skip(f"{needed} is not there; tests.benchmarks.papers_environment makes it")


def with_their_header(source: Path, folder: Path) -> Path:
    """Write a table with the names of columns that their programs look for."""
    names = {"system": "System", "instance": "Utterance"}
    if source.parent.name == "tasks":
        names = {"system": "Model"}
    with source.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    kept = [at for at, name in enumerate(header) if not name.startswith(LEFT_OUT)]
    target = folder / source.name
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([names.get(header[at], header[at]) for at in kept])
        writer.writerows([row[at] for at in kept] for row in rows)
    return target


def compare(benchmark, peers: Path, program: Program, case: Case) -> dict[str, str | None]:
    """Run both in turn, keep the figures, and return what explains each method."""
    times: dict[str, list[Times]] = {"theirs": [], "ours": []}
    printed: dict[str, Printed] = {}
    found: dict[str, np.ndarray] = {}

    def run_theirs() -> None:
        printed.update(timed(times["theirs"], lambda: program.run(peers, case)))

    def run_ours() -> None:
        found.update(timed(times["ours"], lambda: ours(case)))

    benchmark.pedantic(run_ours, setup=run_theirs, rounds=ROUNDS, warmup_rounds=1)
    theirs, here = (np.array(times[whose][1:]) for whose in ("theirs", "ours"))
    explained = {
        method: program.explain(peers, case, method, points, printed[method].numbers)
        for method, points in found.items()
    }
    benchmark.extra_info.update(
        ratio=float(np.median(theirs[:, 0] / here[:, 0])),
        ratio_of_processor_time=float(np.median(theirs[:, 1] / here[:, 1])),
        seconds_of_theirs=float(np.median(theirs[:, 0])),
        explained=explained,
        tau={
            method: tau(program.expected(method, points, case), printed[method].numbers)
            for method, points in found.items()
        },
        named_right={method: printed[method].is_named_right for method in found},
    )
    return explained


def timed(times: list[Times], call: Callable[[], T]) -> T:
    """Return what a call returns; note its seconds, and those of its processes on a processor."""
    start, used = perf_counter(), processor_time()
    result = call()
    times.append((perf_counter() - start, processor_time() - used))
    return result


def processor_time() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def tau(one: np.ndarray, other: np.ndarray) -> float:
    rankings = [
        ra.PartialRanking.from_scores(numbers, higher_is_better=True, tolerance=1e-8)
        for numbers in (one / np.abs(one).max(), other / np.abs(other).max())
    ]
    return float(ra.kendall_tau(*rankings))


@pytest.mark.parametrize(
    "program", [RANKING_NLP_SYSTEMS, MISSING_DATA_RANKING], ids=lambda p: p.name
)
@pytest.mark.parametrize("name", TASKS + INSTANCES)
def test_time_and_agreement(benchmark, peers: Path, table: Path, program: Program) -> None:
    require(peers, program)
    # The first program knows one direction alone.
    higher = table.stem not in LOWER or program is RANKING_NLP_SYSTEMS
    explained = compare(benchmark, peers, program, Case(table, table.stem in INSTANCES, higher))
    assert None not in explained.values(), explained


def test_their_table_has_systems_and_instances_exchanged(benchmark, peers: Path, tmp_path) -> None:
    program = RANKING_NLP_SYSTEMS
    require(peers, program)
    shipped = peers / program.name / "final_df" / "TAC_08.csv"
    if not shipped.exists():
        pytest.skip(f"{shipped} is not there; tests.benchmarks.papers_environment gets it")
    case = Case(with_their_header(shipped, tmp_path), has_instances=True)
    exchanged = ra.read_scores(
        case.path, higher_is_better=True, system="Utterance", instance="System"
    )
    assert set(exchanged.systems) == {f"M{number}" for number in range(62)}
    # What is ranked are the 48 instances.
    assert case.table().n_systems == 48
    explained = compare(benchmark, peers, program, case)
    assert None not in explained.values(), explained
