"""A million battles of 100 items, from file to intervals: pytest -o addopts="" tests/benchmarks."""

import numpy as np
import pandas as pd
import pytest

import rankagg as ra

BATTLES, ITEMS, JUDGES = 1_000_000, 100, 5_000
COLUMNS = {"first": "model_a", "second": "model_b", "outcome": "winner", "cluster": "judge"}


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    worths = rng.normal(size=ITEMS)
    first = rng.integers(0, ITEMS, BATTLES)
    second = (first + rng.integers(1, ITEMS, BATTLES)) % ITEMS
    won = rng.random(BATTLES) < 1 / (1 + np.exp(worths[second] - worths[first]))
    names = np.array([f"vendor/model-{i}-instruct" for i in range(ITEMS)], dtype=object)
    winner = np.where(won, "model_a", "model_b").astype(object)
    winner[rng.random(BATTLES) < 0.05] = "tie"
    judges = np.array([f"judge-{i}" for i in range(JUDGES)], dtype=object)
    return pd.DataFrame(
        {"model_a": names[first], "model_b": names[second], "winner": winner,
         "judge": judges[rng.integers(0, JUDGES, BATTLES)]}
    )  # fmt: skip


@pytest.fixture(scope="module")
def battles(table: pd.DataFrame) -> ra.Comparisons:
    return ra.read_comparisons(table, **COLUMNS)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_read(benchmark, table: pd.DataFrame, tmp_path, kind: str) -> None:
    path = tmp_path / f"battles.{kind}"
    if kind == "csv":
        table.to_csv(path, index=False)
    else:
        table.to_parquet(path)
    found = benchmark.pedantic(ra.read_comparisons, args=[path], kwargs=COLUMNS, rounds=3)
    assert len(found) == BATTLES


def test_votes(benchmark, battles: ra.Comparisons) -> None:
    votes = benchmark(battles.pairwise)
    assert votes.comparisons.sum() == 2 * BATTLES


@pytest.mark.parametrize("rule", [ra.Copeland(), ra.Kemeny()], ids=lambda rule: rule.name)
def test_rules(benchmark, battles: ra.Comparisons, rule: ra.Aggregator) -> None:
    consensus = benchmark.pedantic(rule.aggregate, args=[battles], rounds=3)
    assert len(consensus.ranking.items) == ITEMS


@pytest.mark.parametrize("of", ["borda", "mean", "pairwise"])
@pytest.mark.parametrize("unit", ["comparison", "cluster"])
def test_intervals(benchmark, battles: ra.Comparisons, of: str, unit: str) -> None:
    options = {"of": of, "unit": unit}
    ranks = benchmark.pedantic(ra.rank_intervals, args=[battles], kwargs=options, rounds=3)
    assert ranks.n_units == (BATTLES if unit == "comparison" else JUDGES)
