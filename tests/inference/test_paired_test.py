"""Tests of two systems: methods, units, and refusals."""

from itertools import product

import numpy as np
import pytest
import scipy
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

import rankagg as ra
from rankagg.exceptions import InvalidInputError


def table(first, second, **more):
    return ra.ScoreTable([first, second], systems="AB", higher_is_better=True, **more)


def signs_of(n):
    return np.array(list(product([1, -1], repeat=n)))


# -- sign flips -----------------------------------------------------------------------------------


def test_sign_flips_are_by_cluster():
    values = np.random.default_rng(0).normal(size=(2, 30))
    scores = table(*values, tasks=np.repeat(range(6), 5).tolist(), instances=list(range(5)) * 6)
    found = ra.paired_test(scores, "A", "B", unit="task")
    d = (values[0] - values[1]).reshape(6, 5).mean(axis=1)
    sums = np.abs(signs_of(6) @ d)
    assert (found.n_units, found.unit, found.is_exact) == (6, "task", True)
    assert found.p_value == pytest.approx((sums >= sums[0] - 1e-12).mean())
    assert found.effect == pytest.approx(d.mean())


# -- McNemar and signs ----------------------------------------------------------------------------


def answers(both, wins, losses, neither):
    first = [1] * both + [1] * wins + [0] * losses + [0] * neither
    return table(first, [1] * both + [0] * wins + [1] * losses + [0] * neither)


@pytest.mark.parametrize(
    "counts", [(3, 7, 1, 2), (0, 0, 0, 4), (5, 2, 9, 0), (1, 4, 4, 1), (0, 1, 0, 0)]
)
def test_mcnemar_equals_statsmodels(counts):
    both, wins, losses, neither = counts
    found = ra.paired_test(answers(*counts), "A", "B")
    assert found.method == "mcnemar"
    if wins + losses:
        expected = mcnemar([[both, wins], [losses, neither]], exact=True).pvalue
        assert found.p_value == pytest.approx(expected)
    else:
        assert found.p_value == 1.0
    assert found.effect == pytest.approx((wins - losses) / sum(counts))
    assert found.lower <= found.effect <= found.upper


@pytest.mark.parametrize("seed", range(3))
def test_sign_tests_equal_scipy(seed):
    values = np.random.default_rng(seed).integers(0, 3, size=(2, 15))
    found = ra.paired_test(table(*values), "A", "B", method="sign")
    wins, losses = (values[0] > values[1]).sum(), (values[0] < values[1]).sum()
    expected = scipy.stats.binomtest(int(wins), int(wins + losses))
    assert found.p_value == pytest.approx(expected.pvalue)
    interval = expected.proportion_ci(0.95)
    assert (found.lower, found.upper) == pytest.approx((interval.low, interval.high))
    assert found.effect == pytest.approx(wins / (wins + losses))
    assert (found.wins, found.ties, found.losses) == (wins, 15 - wins - losses, losses)


@pytest.mark.parametrize("method", ["mcnemar", "wilcoxon", "sign"])
@pytest.mark.parametrize("columns", [1, 2, 30])
def test_identical_systems_have_no_difference(method, columns):
    found = ra.paired_test(table([1] * columns, [1] * columns), "A", "B", method=method)
    assert (found.p_value, found.ties) == (1.0, columns)
    assert found._direction == 0
    if method != "sign":
        assert found.effect == 0.0
        assert found.lower <= 0 <= found.upper
        assert ("no width" in str(found)) == (found.lower == found.upper)


def test_given_scores_are_compared_exactly_and_means_up_to_rounding():
    assert ra.paired_test(table([0.1 + 0.2, 0.5], [0.3, 0.5]), "A", "B", method="sign").wins == 1
    tasks = {"tasks": list("xxxy"), "instances": list("abca")}
    means = table([0.1, 0.2, 0.3, 0.4], [0.2, 0.2, 0.2, 0.4], **tasks)
    assert ra.paired_test(means, "A", "B", method="sign", unit="task").ties == 2
    # Differences that equal 0.2 only up to rounding.
    d = np.array([[0.3, -0.2, 0.7, -0.4, 0.9], [0.1, 0.0, 0.5, -0.2, 0.0]])
    tables = table(*d), table([2, -2, 2, -2, 9], [0] * 5), table(*d[:, [0, 2] * 3])
    found, known, alike = (ra.paired_test(x, "A", "B", method="wilcoxon") for x in tables)
    assert found.p_value == known.p_value
    assert "no width" in str(alike)


def test_differences_that_are_no_floats_are_refused():
    with pytest.raises(InvalidInputError, match="Divide all scores"):
        ra.paired_test(table([1.7e308, 1], [-1.7e308, 0]), "A", "B")


def test_too_few_units_are_noted():
    few = ra.paired_test(table([1.5, 2, 3], [0.0, 0, 0]), "A", "B")
    assert (few.lower, few.upper) == (-np.inf, np.inf)
    assert "at least 6 are needed" in str(few)
    many = ra.ScoreTable(np.random.default_rng(0).normal(size=(100, 8)), higher_is_better=True)
    assert "never rejects; at least 12 tasks are" in str(ra.inference.paired_tests(many, 0))


@pytest.mark.parametrize("n_tasks", [4, 7])
def test_the_numbers_of_units_that_decide_are_the_least_that_do(n_tasks):
    values = np.arange(5.0)[:, None] + np.random.default_rng(0).normal(size=(5, 8)) / 100
    scores = ra.ScoreTable(values, higher_is_better=True)
    few = scores.drop(tasks=range(n_tasks, 8))
    (note,) = ra.inference.paired_tests(few, 0).notes  # the least for one pair alone is not named
    assert note.endswith("at least 8 tasks are needed, or 6 with `rank_intervals`, which flips "
                         "signs of all pairs at once")  # fmt: skip
    assert ra.inference.paired_tests(few, 0).better == ()
    assert ra.inference.paired_tests(scores, 0).better == (1, 2, 3, 4)
    assert bool(ra.rank_intervals(few, of="mean").decisions.pairs) == (n_tasks >= 6)


UNLIKE = ra.ScoreTable(
    np.random.default_rng(0).random((3, 7)) * [1, 1, 1, 1, 1, 1, 900], systems="ABC",
    tasks=[*"uvwxyz", "ppl"], higher_is_better=dict.fromkeys("uvwxyz", True) | {"ppl": False},
)  # fmt: skip


def test_every_mean_over_unlike_tasks_is_noted_as_by_the_rule():
    expected = ra.Mean().aggregate(UNLIKE).notes
    assert ["ten times" in expected[0], "lower on others" in expected[1]] == [True, True]
    found = [
        ra.paired_test(UNLIKE, "A", "B").notes,
        ra.paired_test(UNLIKE, "A", "B", method="wilcoxon").notes,
        ra.inference.paired_tests(UNLIKE, "A").notes,
        ra.rank_intervals(UNLIKE, of="mean").notes,
        ra.inference.separation(UNLIKE).notes,
        ra.stability(UNLIKE, ra.Mean()).notes,
        ra.analysis.removal_radius(UNLIKE, ra.Mean()).notes,
    ]
    for notes in found:
        assert set(expected) <= set(notes)
    alike = UNLIKE.drop(tasks=["ppl"])
    unmoved = [
        ra.paired_test(UNLIKE, "A", "B", method="sign").notes,
        ra.rank_intervals(UNLIKE).notes,
        ra.stability(UNLIKE, ra.Borda()).notes,
        ra.inference.paired_tests(alike, "A").notes,
    ]
    for notes in unmoved:
        assert not any("hard to interpret" in note for note in notes)


@pytest.mark.parametrize(
    ("words", "options", "message"),
    [
        (("A", "A"), {}, "another system than the first"),
        (("A", "C"), {}, "one of the 2 items"),
        (("A", "B"), {"method": "mcnemar"}, "unless all scores are 0 or 1"),
        (("A", "B"), {"method": "t"}, "'mcnemar' or 'sign-flips'"),
        (("A", "B"), {"unit": "instance"}, "no instances"),
        (("A", "B"), {"n_resamples": 10}, "n_resamples"),
    ],
)
def test_bad_input_is_named(words, options, message):
    with pytest.raises(InvalidInputError, match=message):
        ra.paired_test(table([1.5, 2], [3, 4]), *words, **options)


def test_weights_need_sign_flips():
    scores = table([1, 0, 1], [0, 0, 1], task_weights={0: 2.0})
    assert ra.paired_test(scores, "A", "B").method == "sign-flips"
    assert ra.paired_test(scores, "A", "B").effect == pytest.approx(0.5)
    with pytest.raises(InvalidInputError, match="with_task_weights"):
        ra.paired_test(scores, "A", "B", method="mcnemar")
    with pytest.raises(InvalidInputError, match="a ScoreTable"):
        ra.inference.paired_tests(scores.rankings(), "A")


# -- many systems against one ---------------------------------------------------------------------


def test_tests_against_one_are_those_of_each_pair():
    values = np.random.default_rng(0).normal(size=(5, 20)) + np.arange(5)[:, None]
    values[2, :4] = np.nan
    scores = ra.ScoreTable(values, systems="ABCDE", higher_is_better=True)
    for method in ("sign-flips", "wilcoxon", "sign"):
        found = ra.inference.paired_tests(scores, "C", method=method, rng=0)
        for test in found.tests:
            alone = ra.paired_test(scores, test.first, "C", method=method, rng=0)
            seen = [(t.effect, t.lower, t.upper, t.p_value) for t in (test, alone)]
            assert seen[0] == pytest.approx(seen[1], abs=1e-12)
            assert (test.wins, test.losses, test.notes) == (alone.wins, alone.losses, alone.notes)
        p_values = [test.p_value for test in found.tests]
        np.testing.assert_allclose(found.adjusted, multipletests(p_values, method="holm")[1])
        assert set(found.better) | set(found.worse) | set(found.undecided) == set("ABDE")
        assert "E" in found.better
        assert any("left out" in note for note in found.notes)
        assert ("effect: share of tasks above C" in str(found)) == (method == "sign")
