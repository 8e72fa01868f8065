"""Run as a program: write a large file of scores, decode it, or scan it; prints JSON.

python -m tests.benchmarks.scan_data write PATH SCORES
python -m tests.benchmarks.scan_data decode PATH
python -m tests.benchmarks.scan_data scan PATH
"""

import json
import resource
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

SYSTEMS, TASKS, ROWS, BLOCK = 20, 10, 2**17, 2**13


def write(path: str, scores: int) -> dict[str, object]:
    """Write so many cells: systems lack whole tasks and blocks of instances, a fifth in all."""
    rng = np.random.default_rng(16)
    units = scores // SYSTEMS // TASKS
    names = [f"s{i}" for i in range(SYSTEMS)]
    types = [("task", pa.dictionary(pa.int32(), pa.string())), ("id", pa.int64())]
    schema = pa.schema([*types, *((name, pa.float64()) for name in names)])
    missing = 0
    with pq.ParquetWriter(
        path, schema, compression="zstd", use_dictionary=["task"], write_page_checksum=True
    ) as writer:
        for task in range(TASKS):
            gone = rng.random(SYSTEMS) < 0.15
            for start in range(0, units, ROWS):
                m = min(ROWS, units - start)
                values = rng.normal(size=(SYSTEMS, m)) + np.linspace(0, 1, SYSTEMS)[:, None]
                for block in range(0, m, BLOCK):
                    values[gone | (rng.random(SYSTEMS) < 0.08), block : block + BLOCK] = np.nan
                missing += int(np.isnan(values).sum())
                columns = [
                    pa.array([f"t{task}"] * m).dictionary_encode(),
                    pa.array(np.arange(start, start + m)),
                    *(pa.array(row, from_pandas=True) for row in values),
                ]
                writer.write_table(pa.Table.from_arrays(columns, schema=schema))
    return {"scores": units * SYSTEMS * TASKS, "missing": missing}


def decode(path: str) -> dict[str, object]:
    """Decode all columns and do nothing with them."""
    start = time.process_time()
    with pq.ParquetFile(path, buffer_size=2**20) as file:
        rows = sum(b.num_rows for b in file.iter_batches(batch_size=2**16, use_threads=False))
    return {"rows": rows, "seconds": time.process_time() - start}


def scan(path: str) -> dict[str, object]:
    """Go from the file to rankings with a proof and intervals."""
    import rankagg as ra  # noqa: PLC0415
    from rankagg.kernels.local_search import described  # noqa: PLC0415

    scanned = ra.io.scan_scores(path, higher_is_better=True, task="task", instance="id")
    start = time.process_time()
    summary = scanned.summarize(progress=False)
    seconds = time.process_time() - start
    rules = (ra.Mean(), ra.Borda(), ra.TwoLevel(ra.Borda(), ra.Borda()), ra.Copeland())
    for rule in rules:
        rule.aggregate(summary)
    exact = ra.Kemeny().aggregate(summary)
    ra.PairwiseIntervals.from_data(summary, simultaneous="bonferroni")
    return {
        "kernels": described(),
        "missing": summary.n_missing,
        "fingerprint": summary.fingerprint,
        "is_proved": exact.is_proved,
        "seconds": seconds,
        "whole": time.process_time(),
    }


if __name__ == "__main__":
    what, where, *rest = sys.argv[1:]
    found = {"write": write, "decode": decode, "scan": scan}[what](where, *map(int, rest))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    sys.stdout.write(json.dumps({**found, "gib": round(peak, 3)}) + "\n")
