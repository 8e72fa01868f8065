"""Speed of readers, as ratios within one run: four times the cells may take about four times."""

from io import StringIO

import numpy as np
import pytest

import rankagg as ra

ROWS = 10
COLUMNS = (4_000, 16_000)


def wide(columns: int) -> str:
    scores = np.random.default_rng(0).random((ROWS, columns)).round(4)
    header = ",".join(f"t{task}" for task in range(columns))
    rows = "\n".join(f"s{i},{','.join(map(str, row))}" for i, row in enumerate(scores.tolist()))
    return f"system,{header}\n{rows}\n"


def long(scores: int) -> str:
    rows = "\n".join(f"s{i % 10},t{i % 7},{i // 70},{i / 4}" for i in range(scores))
    return f"system,task,k,score\n{rows}\n"


@pytest.mark.parametrize("columns", COLUMNS)
def test_read_wide_scores(benchmark, columns: int) -> None:
    text = wide(columns)
    table = benchmark(lambda: ra.read_scores(StringIO(text), higher_is_better=True))
    assert table.n_tasks == columns


@pytest.mark.parametrize("columns", COLUMNS)
def test_read_wide_ballots(benchmark, columns: int) -> None:
    text = wide(columns)
    profile = benchmark(lambda: ra.read_ballots(StringIO(text), drop="system"))
    assert profile.n_items == columns


@pytest.mark.parametrize("scores", [ROWS * columns for columns in COLUMNS])
def test_read_long_scores(benchmark, scores: int) -> None:
    text = long(scores)
    names = {"task": "task", "instance": "k", "score": "score"}
    table = benchmark(lambda: ra.read_scores(StringIO(text), higher_is_better=True, **names))
    assert table.n_systems == ROWS


@pytest.mark.parametrize("ballots", [20_000, 80_000])
def test_read_preflib(benchmark, ballots: int) -> None:
    rng = np.random.default_rng(0)
    lines = [f"1: {','.join(map(str, rng.permutation(10) + 1))}" for _ in range(ballots)]
    text = "# DATA TYPE: soc\n# NUMBER ALTERNATIVES: 10\n" + "\n".join(lines) + "\n"
    profile = benchmark(lambda: ra.read_preflib(StringIO(text)))
    assert profile.n_rankings == ballots
