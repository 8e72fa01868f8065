"""CombSUM, CombMNZ and reciprocal ranks on tables of scores: by hand, and by a loop."""

import numpy as np
import pytest

import rankagg as ra


@pytest.mark.parametrize("rule", [ra.CombSUM(), ra.CombMNZ()], ids=str)
def test_sums_of_scores_are_those_of_a_loop(rule):
    rng = np.random.default_rng(3)
    values = rng.normal(size=(7, 4)).round(2)
    values[rng.random((7, 4)) < 0.4] = np.nan
    values[0], values[1] = 0.5, 2.5
    table = ra.ScoreTable(
        values, higher_is_better={0: True, 1: False, 2: True, 3: True}, task_weights={2: 0.5}
    )
    expected = []
    for row in values:
        total, found = 0.0, 0.0
        for task, value in enumerate(row):
            column = [x for x in values[:, task] if not np.isnan(x)]
            if not np.isnan(value):
                found += 0.5 if task == 2 else 1
                share = (value - min(column)) / (max(column) - min(column))
                total += (1 - share if task == 1 else share) * (0.5 if task == 2 else 1.0)
        expected.append(total * (found if isinstance(rule, ra.CombMNZ) else 1))
    assert rule.aggregate(table).scores == pytest.approx(np.array(expected), abs=1e-12)


def test_equal_scores_of_a_run_count_in_full():
    table = ra.ScoreTable([[3.0, 1.0], [3.0, None]], systems="AB", higher_is_better=True)
    assert ra.CombSUM().aggregate(table).scores.tolist() == [2.0, 1.0]
