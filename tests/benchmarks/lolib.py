"""Every linear ordering instance, with a proof each: python -m tests.benchmarks.lolib -o FOLDER

Solves the matrices of LOLIB and of PACE 2024 (exact track), one thread, each within a limit, and
writes for each the certificate and a row with value, bound and seconds: `engine.csv`, which is the
table of the documentation. Every certificate is verified twice: by `Certificate.verify`, and by the
stand-alone program of the documentation, which does not use the package. A value that is better
than a proved optimum, or a bound that is above a known value, ends the run.

Needs the folders `lolib` and `pace` of the optional data: in `../shared/data` next to the checkout,
or in the folder that the environment variable RANKAGG_DATA names.
"""

from __future__ import annotations

import os

# Before numpy is imported, which reads it once.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import csv
import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from time import perf_counter
from types import ModuleType

import click
import numpy as np

import rankagg as ra
from rankagg import check_certificate
from rankagg.io.json_files import votes_to_dict

BESIDE = Path(__file__).resolve().parents[3]
DATA = Path(os.environ.get("RANKAGG_DATA") or BESIDE / "shared" / "data")

COLUMNS = (
    "instance", "items", "known", "known is optimal", "value", "bound", "gap %", "cases", "rows",
    "seconds", "checked in",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Instance:
    """A matrix of votes; its value is the sum above the diagonal, or the cost.

    Attributes
    ----------
    name : str
        Folder and file.
    votes : PairwiseMatrix
        Row above column.
    known : int
        The best value that is known.
    is_optimal : bool
        Whether that is proved.
    is_cost : bool
        Whether values are costs, which are least, and not sums above the diagonal.
    """

    name: str
    votes: ra.PairwiseMatrix
    known: int
    is_optimal: bool
    is_cost: bool

    def value(self, cost: int) -> int:
        """Return the value of an order from its cost."""
        return cost if self.is_cost else int(self.votes.scaled_wins.sum()) - cost


def lolib() -> Iterator[Instance]:
    """Yield the instances of LOLIB, small ones first."""
    for row in table("lolib"):
        votes = ra.io.read_matrix(DATA / "lolib" / row["instance"])
        known, is_optimal = int(row["best_known"]), row["is_optimal"] == "1"
        yield Instance(f"lolib/{row['instance']}", votes, known, is_optimal, is_cost=False)


def pace() -> Iterator[Instance]:
    """Yield the instances of PACE, small ones first."""
    crossing_matrix = module(DATA / "pace" / "crossing_matrix.py").crossing_matrix
    for row in table("pace"):
        crossings = crossing_matrix(DATA / "pace" / row["instance"])
        votes = ra.PairwiseMatrix.from_wins(np.ascontiguousarray(crossings.T))
        yield Instance(
            f"pace/{row['instance']}", votes, int(row["optimum"]), is_optimal=True, is_cost=True
        )


def table(folder: str) -> list[dict[str, str]]:
    with (DATA / folder / "optima.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return sorted(rows, key=lambda row: int(row["n"]))


def module(path: Path) -> ModuleType:
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    loaded = module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def solve(instance: Instance, limit: float, folder: Path | None) -> dict[str, object]:
    """Return the row of an instance; raise where a certificate does not hold."""
    start = perf_counter()
    certificate = ra.Kemeny(time_limit=limit).aggregate(instance.votes).certificate
    seconds = perf_counter() - start
    assert certificate is not None, "the rule is exact"
    value = instance.value(certificate.scaled_cost)
    bound = instance.value(certificate.scaled_lower_bound)
    better = (bound - instance.known) * (1 if instance.is_cost else -1)
    assert better <= 0, f"{instance.name}: {bound} excludes the known {instance.known}"
    if instance.is_optimal:
        assert (value - instance.known) * (1 if instance.is_cost else -1) >= 0, instance.name
    text = json.dumps(certificate.to_dict(), separators=(",", ":"))
    start = perf_counter()
    check_certificate.check(
        json.loads(text), votes_to_dict(instance.votes), check_certificate.UNLIMITED
    )
    checked = perf_counter() - start
    if folder is not None:
        with gzip.open(folder / f"{instance.name.replace('/', '-')}.json.gz", "wt") as file:
            file.write(text)
    gap = abs(bound - value) / max(abs(value), 1)
    cells = (
        instance.name, len(instance.votes.items), instance.known, "yes" * instance.is_optimal,
        value, bound, f"{100 * gap:.3g}", certificate.n_cases, certificate.n_rows,
        f"{seconds:.2f}", f"{checked:.1f}",
    )  # fmt: skip
    return dict(zip(COLUMNS, cells, strict=True))


@click.command(help=__doc__.split("\n\n")[0])
@click.argument("names", nargs=-1)
@click.option("--limit", default=10.0, show_default=True, help="Seconds for each instance.")
@click.option("-o", "--out", type=click.Path(file_okay=False, path_type=Path), help="A folder.")
def main(names: tuple[str, ...], limit: float, out: Path | None) -> None:
    """Solve all instances, or those whose names contain one of the given texts."""
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    rows = []
    click.echo("  ".join(COLUMNS))
    for instances in (lolib(), pace()):
        for instance in instances:
            if names and not any(name in instance.name for name in names):
                continue
            rows.append(solve(instance, limit, out))
            click.echo("  ".join(map(str, rows[-1].values())))
    if out is not None:
        with (out / "engine.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    proved = sum(row["value"] == row["bound"] for row in rows)
    reached = sum(row["value"] == row["known"] for row in rows)
    click.echo(f"{len(rows)} instances, {proved} proved, {reached} at the known value")


if __name__ == "__main__":
    main()
