"""Tests of many systems against one, as a result."""

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

import rankagg as ra


def test_tests_against_one_are_those_of_each_pair():
    values = np.random.default_rng(0).normal(size=(5, 20)) + np.arange(5)[:, None]
    values[2, :4] = np.nan
    scores = ra.ScoreTable(values, systems="ABCDE", higher_is_better=True)
    for method in ("sign-flip", "wilcoxon", "sign"):
        found = ra.paired_tests(scores, "C", method=method)
        for test in found.tests:
            alone = ra.paired_test(scores, test.first, "C", method=method)
            seen = [(t.effect, t.lower, t.upper, t.p_value) for t in (test, alone)]
            assert seen[0] == pytest.approx(seen[1], abs=1e-12)
            assert (test.wins, test.losses, test.notes) == (alone.wins, alone.losses, alone.notes)
        p_values = [test.p_value for test in found.tests]
        np.testing.assert_allclose(found.adjusted, multipletests(p_values, method="holm")[1])
        assert set(found.better) | set(found.worse) | set(found.undecided) == set("ABDE")
        assert "E" in found.better
        assert any("left out" in note for note in found.notes)
        assert ("effect: share of tasks above C" in str(found)) == (method == "sign")
