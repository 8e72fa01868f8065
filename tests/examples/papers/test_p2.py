"""Values that the second paper pools over its data sets."""

from itertools import combinations

import pytest

import rankagg as ra
from replication.experiment import ExperimentRun
from replication.p2 import IMPUTING, _pool


def test_pooled_values_are_those_of_all_data_sets():
    names = ("superglue_human", "glue_human")
    study = ra.studies.MissingScoresStudy(
        data=[ra.studies.ObservedData(label=name, data=ra.datasets.load(name)) for name in names],
        rules=tuple(IMPUTING.values()),
        proportions=(0.2, 0.6, 0.9),
        n_repetitions=5,
        rng=0,
    )
    result, found = study.run(), ExperimentRun(None)
    _pool(found, result)
    called = dict(zip(study.methods, IMPUTING, strict=True))
    for one, other in combinations(called, 2):
        rows = result._frame[result._frame["method"] == one]
        tau = rows[f"tau with {other}"]
        pair = f"{called[one]} and {called[other]}"
        expected = {
            ("Table 3", "tau"): tau.mean(),
            ("Table 3", "standard deviation of tau"): tau.std(ddof=0),
            ("Table 4", "top 1"): rows[f"top1 with {other}"].mean(),
            ("Table 4", "top 3"): rows[f"same_top3 with {other}"].mean(),
        }
        for (item, what), value in expected.items():
            assert found.values[item, f"{what}, {pair}"] == pytest.approx(value, abs=1e-12)
