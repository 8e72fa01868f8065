"""One task rescaled: the figure as the text says it is made, and as it was made."""

import pytest

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from rankagg.studies.corruption import PRINTED

MEAN, ONE, TWO = (rule.name for rule in PRINTED)


def means(result):
    return result.by_method()["mean_distance"]


def test_rules_on_rankings_see_no_factor() -> None:
    study = ra.studies.ScalingStudy(
        aggregators=[*PRINTED, ra.Kemeny()], factors=[0.01, 1, 7, 1e6], n_systems=6, n_tasks=5,
        n_instances=4, n_repetitions=2, steps=[0.2],
    )  # fmt: skip
    frame = study.run().to_frame(runtime=False)
    spread = frame.groupby(["method", "reversed", "repetition"])["distance"].nunique()
    assert (spread.drop(MEAN) == 1).all()
    assert spread[MEAN].max() > 1


def test_the_figure_goes_the_way_of_the_paper() -> None:
    result = ra.studies.ScalingStudy(steps=[0.05], factors=[1, 2, 10], n_repetitions=2).run()
    mean = means(result)[:, 0.05, :, MEAN]
    assert mean[True].is_monotonic_increasing
    assert mean[True][10] > 0.98
    assert mean[True][2] > 0.85
    assert mean[False].max() < 0.15
    assert (means(result)[:, 0.05, :, TWO] < 0.15).all()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"factors": [0]}, "factors of ScalingStudy"),
        ({"factors": [-1]}, "factors of ScalingStudy"),
        ({"factors": []}, "factors of ScalingStudy"),
        ({"factors": [2, 2.0]}, "factors of ScalingStudy"),
        ({"reversed": []}, "reversed of ScalingStudy"),
        ({"reversed": [0]}, "reversed of ScalingStudy"),
        ({"reversed": True}, "reversed of ScalingStudy"),
    ],
)
def test_bad_input_is_named(changes, message) -> None:
    with pytest.raises(InvalidInputError, match=message):
        ra.studies.ScalingStudy(**changes)


def test_the_summary_has_a_column_for_each_factor() -> None:
    result = ra.studies.ScalingStudy(
        steps=[0.05, 0.3], factors=[1, 8], n_systems=4, n_tasks=3, n_instances=2, n_repetitions=2
    ).run()
    table = result._table()
    assert table.columns.tolist() == ["reversed", "step", "method", 1.0, 8.0]
    assert table["reversed"].tolist() == [False] * 6 + [True] * 6
    for row in table.to_dict("records"):
        for factor in (1.0, 8.0):
            key = (row["reversed"], row["step"], factor, row["method"])
            assert row[factor] == means(result)[key]


@pytest.mark.slow
def test_values_of_the_paper() -> None:
    """Section 4.3: "larger than 90 %" at a factor of 2, and at 7 for a large step."""
    result = ra.studies.ScalingStudy(steps=[0.05, 0.3]).run(n_jobs=2)
    found = means(result)
    assert found[True, 0.05, 2.0, MEAN] == pytest.approx(0.95, abs=0.02)
    assert found[True, 0.3, 7.0, MEAN] == pytest.approx(0.93, abs=0.02)
    assert found[True, 0.3, 6.0, MEAN] == pytest.approx(0.74, abs=0.03)
    # As the text has it, without the reversal, the mean hardly moves.
    assert found[False].max() < 0.095
    for name in (ONE, TWO):
        for reverse in (False, True):
            for step in (0.05, 0.3):
                assert found[reverse, step, :, name].nunique() == 1
