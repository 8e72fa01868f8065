"""A scan against the bare decoding of the same file: CPU seconds and memory of whole processes."""

import json
import os
import subprocess
import sys

import pytest

MILLION = 10**6


def run(*words, **settings):
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.scan_data", *map(str, words)],
        capture_output=True, text=True, check=True, env={**os.environ, **settings},
    )  # fmt: skip
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    "scores", [MILLION, 10 * MILLION, pytest.param(131 * MILLION, marks=pytest.mark.slow)]
)
def test_a_scan_takes_little_more_than_decoding(scores, tmp_path):
    path = tmp_path / "scores.parquet"
    written = run("write", path, scores)
    decoded = run("decode", path)
    numpy = run("scan", path, RANKAGG_KERNELS="numpy")
    fastest = run("scan", path)
    sys.stdout.write(f"{written}\n{decoded}\n{numpy}\n{fastest}\n")
    assert fastest["fingerprint"] == numpy["fingerprint"]
    assert fastest["missing"] == written["missing"]
    assert fastest["is_proved"]
    if scores > 5 * MILLION:  # what is compiled or loaded first counts more in small files
        assert numpy["seconds"] < 3 * decoded["seconds"] + 1
        assert max(numpy["gib"], fastest["gib"]) < 0.6
    if scores > 100 * MILLION:
        assert numpy["whole"] < 45
        assert fastest["whole"] < 15
