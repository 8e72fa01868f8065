"""Peak memory of every command, the whole process: pytest -o addopts='' tests/benchmarks

As a table: python -m tests.benchmarks.test_memory [COMMAND]...

A command fails here whose memory grows faster than its input.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

ITEMS, TASKS = 10, 4
# Instances of a task, or ballots: next to nothing, some, and four times as many.
SIZES = 5, 10_000, 40_000
SCORES = ["--task", "task", "--instance", "instance", "--score", "score"]

#: The calls of every command, with scores of instances in the long form, of ballots, or of nothing
#: that grows.
COMMANDS = {
    "compare": ["scores", *SCORES],
    "scan": ["scores", "--system", "system", *SCORES],
    "report": ["scores", *SCORES, "--out", "{folder}/report.html", "--time-limit", "60"],
    "rank": ["scores", *SCORES, "--rule", "borda"],
    "changes": ["scores", "{folder}/scores-{m}.csv", *SCORES, "--rule", "borda"],
    "count": ["ballots"],
    "solve": ["ballots"],
    "verify": ["ballots"],
    "tournament": ["ballots"],
    "explain": ["ballots", "--pair", "0", "1"],
    "steps": ["ballots", "--rule", "borda", *(f"--drop={item}" for item in range(3, ITEMS))],
    "stability": ["scores", *SCORES, "--rule", "borda"],
    "intervals": ["scores", *SCORES],
    "test": ["scores", *SCORES, "--reference", "s0"],
    "dispersion": ["ballots"],
    "missing": ["scores", *SCORES],
    "fit": ["ballots", "--model", "plackett-luce"],
    "sample": ["ballots"],
    "study": [
        "nothing",
        "approximation",
        "--culture",
        "plackett-luce=1",
        "--rankings",
        "{m}",
        "--repetitions",
        "1",
    ],
    "axioms": ["nothing", "--rankings", "3"],
    "list": ["nothing", "rules"],
}


def write_scores(target: Path, m: int) -> None:
    """Write m instances of each task with a score of every item, but for a tenth."""
    rng = np.random.default_rng(m)
    with target.open("w") as file:
        file.write("system,task,instance,score\n")
        for task in range(TASKS):
            for unit, row in enumerate(rng.normal(np.arange(ITEMS) / 5, size=(m, ITEMS)).round(3)):
                for item in np.flatnonzero(rng.random(ITEMS) < 0.9):
                    file.write(f"s{item},t{task},{unit},{row[item]}\n")


def write_ballots(target: Path, m: int) -> None:
    """Write m strict rankings as a PrefLib file."""
    rng = np.random.default_rng(m)
    orders = np.argsort(rng.gumbel(-np.arange(ITEMS) / 5, size=(m, ITEMS)), axis=1)[:, ::-1] + 1
    distinct, counts = np.unique(orders, axis=0, return_counts=True)
    lines = [f"# NUMBER ALTERNATIVES: {ITEMS}", f"# NUMBER VOTERS: {m}"]
    lines += [f"# ALTERNATIVE NAME {k + 1}: {k}" for k in range(ITEMS)]
    lines += [
        f"{count}: {','.join(map(str, order))}"
        for count, order in zip(counts.tolist(), distinct.tolist(), strict=True)
    ]
    target.write_text("\n".join(lines) + "\n")


def arguments(command: str, folder: Path, m: int) -> list[str]:
    """Return the command's arguments, with its file."""
    kind, *options = (option.format(folder=folder, m=m) for option in COMMANDS[command])
    if kind == "nothing":
        return [command, *options]
    write = {"scores": write_scores, "ballots": write_ballots}[kind]
    data = folder / f"{kind}-{m}.{'csv' if kind == 'scores' else 'soc'}"
    if not data.exists():
        write(data, m)
    if command == "verify":
        proof = folder / f"proof-{m}.json"
        run(["solve", str(data), "--one", "--certificate", str(proof)])
        return [command, str(proof), str(data)]
    if command == "sample":
        items = ",".join("ABCDEFGHIJ"[:ITEMS])
        return [command, "--items", items, "--culture", "mallows=0.4", "--size", str(m)]
    return [command, str(data), *options]


def run(options: list[str]) -> float:
    """Run a command in a process of its own and return its peak memory in MiB."""
    process = subprocess.Popen(
        [sys.executable, "-m", "rankagg", *options],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stderr is not None
    errors = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    assert process.returncode in (0, 3), errors
    return usage.ru_maxrss / 1024


@pytest.mark.parametrize("command", COMMANDS)
def test_memory_grows_no_faster_than_the_input(command: str, tmp_path: Path) -> None:
    nothing, some, more = (run(arguments(command, tmp_path, m)) for m in SIZES)
    # Whole pages and pools make up a few MiB.
    assert more - nothing <= SIZES[2] / SIZES[1] * (some - nothing) * 1.1 + 16


def table(commands: list[str]) -> None:
    """Print the peaks of some commands."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        heads = "".join(f"{m:>10,}" for m in SIZES)
        sys.stdout.write(f"{'command':12}{heads}   MiB per MiB of input\n")
        for command in commands:
            peaks = [run(arguments(command, folder, m)) for m in SIZES]
            shown = "".join(f"{peak:10.0f}" for peak in peaks)
            files = [next(folder.glob(f"{COMMANDS[command][0]}-{m}.*"), None) for m in SIZES[1:]]
            sizes = [file.stat().st_size / 2**20 for file in files if file is not None]
            each = f"{(peaks[2] - peaks[1]) / (sizes[1] - sizes[0]):10.1f}" if sizes else ""
            sys.stdout.write(f"{command:12}{shown}   {each}".rstrip() + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    table(sys.argv[1:] or list(COMMANDS))
