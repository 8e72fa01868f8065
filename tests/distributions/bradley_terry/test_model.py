"""When battles have one maximum, and the message when they have none."""

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import linprog

import rankagg as ra
from rankagg.exceptions import InvalidInputError, NotIdentifiedError
from tests.distributions.battles import MODELS, battles, design


def conditions(data, ties, side):
    """Return the rows that no direction of endless growth makes negative, battle by battle."""
    rows = design(data, side, [])
    if ties == "half" or not (data.outcomes == 0).any():
        ties = "half"
    found = []
    for row, outcome in zip(rows, data.outcomes, strict=True):
        for sign in {1: [1], 0: [1, -1], -1: [-1]}[int(outcome)]:
            if ties == "half":
                found.append(sign * row)
            elif outcome:
                found += [np.append(sign * row, -2.0), np.append(sign * row, 0.0)]
            else:
                found.append(np.append(sign * row, 2.0))
    return np.array(found)


def has_one_maximum(data, ties, side):
    """Say by Stiemke's lemma: positive multiples of all conditions add up to 0."""
    rows = conditions(data, ties, side)
    k, p = rows.shape
    # The largest t with rows' y = 0 and t <= y <= 1, and full rank but for the constant.
    found = linprog(
        np.append(np.zeros(k), -1.0), A_eq=np.column_stack([rows.T, np.zeros(p)]),
        b_eq=np.zeros(p), A_ub=np.column_stack([-np.eye(k), np.ones(k)]), b_ub=np.zeros(k),
        bounds=[(0, 1)] * k + [(0, 1)],
    )  # fmt: skip
    return found.x is not None and found.x[-1] > 1e-9 and np.linalg.matrix_rank(rows) == p - 1


@pytest.mark.parametrize("ties", MODELS)
@pytest.mark.parametrize("side", [False, True])
@pytest.mark.parametrize("rounds", [12, pytest.param(600, marks=pytest.mark.slow)])
def test_a_maximum_is_found_exactly_where_there_is_one(ties, side, rounds):
    rng = np.random.default_rng(7)
    counts = {True: 0, False: 0}
    for _ in range(rounds):
        m = int(rng.integers(2, 12))
        first = rng.integers(0, 3, m)
        data = ra.Comparisons(
            "ABC", first, (first + rng.integers(1, 3, m)) % 3,
            rng.choice([1, 0, -1], m, p=[0.45, 0.2, 0.35]), sides=rng.choice([1, 1, 0, -1], m),
        )  # fmt: skip
        expected = has_one_maximum(data, ties, side)
        counts[expected] += 1
        try:
            fit = ra.BradleyTerry.fit(data, ties=ties, side=side, cov_type="model")
        except NotIdentifiedError:
            assert not expected
        else:
            assert expected
            assert fit.converged
            assert np.isfinite(fit.covariance).all()
    assert min(counts.values()) >= 2


def having(data, **covariates):
    """Return the same comparisons with covariates."""
    return ra.Comparisons(data.items, data.first, data.second, data.outcomes, covariates=covariates)


def refusal(data, **options):
    with pytest.raises((NotIdentifiedError, InvalidInputError)) as error:
        ra.BradleyTerry.fit(data, **options)
    return str(error.value)


def assert_unknown(data, reason):
    """Errors that nobody asked for are not known, and a note says why; no option is named."""
    fit = ra.BradleyTerry.fit(data)
    assert np.isfinite(fit.estimates).all()
    assert np.isnan(fit.covariance).all()
    (note,) = (note for note in fit.notes if note.startswith("Errors are unknown. "))
    assert reason in note
    assert "cov_type" not in " ".join(fit.notes)
    with pytest.raises(InvalidInputError, match="`fit` must be one with known errors"):
        ra.inference.rank_sets(fit)


def test_the_reason_for_no_maximum_is_named():
    make = ra.Comparisons.from_arrays
    assert "never won or tied: C" in refusal(make("ABAB", "BACC", [1, 1, 1, 1]))
    assert "camps that never met: A, B | C, D" in refusal(make("ABCD", "BADC", [1, 1, 1, 1]))
    lonely = make("AB", "BA", [1, 1], items=["A", "B", "Zed"])
    assert "without a comparison: Zed" in refusal(lonely)
    assert "every comparison is a tie" in refusal(make("AB", "BA", [0, 0]), ties="davidson").lower()
    assert "determined by the items that meet" in refusal(make("AA", "BB", [1, -1]), side=True)
    assert "on neutral ground" in refusal(make("AB", "BA", [1, 1], sides=[0, 0]), side=True)
    separated = refusal(make("ABBA", "BACC", [1, 1, 1, 0]), side=True)
    assert "it still rises as C, side grow" in separated
    # A prior holds worths, and not the side.
    for prior in ({"pseudo_rankings": 0.5}, {"ridge": 1.0}):
        separated = refusal(make("ABCB", "BCAA", [1, 1, 1, 1]), side=True, **prior)
        assert "it still rises as side grows" in separated


def test_one_battle_has_no_fit():
    assert "never won or tied: B" in refusal(ra.Comparisons.from_arrays("A", "B", [1]))
    alone = ra.Comparisons.from_arrays("A", "B", [0])
    assert "Only one comparison determines" in refusal(alone, cov_type="robust")
    assert_unknown(alone, "Only one comparison determines the worth of A, B")
    assert ra.BradleyTerry.fit(alone, cov_type="model").standard_errors.min() > 0


@pytest.mark.parametrize(
    ("values", "side", "message"),
    [
        (np.zeros(60), False, "'x' is 0 in every comparison"),
        (np.ones(60), True, "linear combination of the items and 'side'"),
    ],
)
def test_constant_and_redundant_covariates_are_named(values, side, message):
    data = having(battles(60, 3, 1, sides=False), x=values)
    assert message in refusal(data, side=side, covariates=["x"])


def test_items_without_a_comparison_hide_no_covariate():
    data = having(battles(60, 3, 1), x=np.arange(60.0))
    parts = data.first, data.second, data.outcomes
    more = ra.Comparisons(range(4), *parts, covariates=data.covariates)
    plain, padded = (ra.BradleyTerry.fit(one, covariates=["x"], ridge=0.1) for one in (data, more))
    assert padded.estimates[[*range(3), -1]] == pytest.approx(plain.estimates, abs=1e-6)
    assert padded.log_worths[3] == pytest.approx(0, abs=1e-6)


def test_a_covariate_of_the_items_or_of_the_outcomes_is_named():
    data = battles(60, 3, 1, ties=0.0)
    data = having(data, level=data.first * 2.0 - data.second * 2.0, oracle=data.outcomes * 3.0)
    assert "Covariate 'level' is a linear combination of the items" in refusal(
        data, covariates=["level"]
    )
    assert "it still rises as oracle grows" in refusal(data, covariates=["oracle"])


def test_a_constant_covariate_is_the_advantage_of_the_side():
    plain = battles(200, 3, 1, sides=False)
    one = ra.BradleyTerry.fit(having(plain, one=np.ones(200)), covariates=["one"])
    assert one.estimates == pytest.approx(ra.BradleyTerry.fit(plain, side=True).estimates)


# -- clusters -------------------------------------------------------------------------------------


def with_a_fourth(clusters):
    """Return comparisons in six clusters; the given ones know a fourth item."""
    data = battles(60, 3, 1)
    return ra.Comparisons(
        "ABCD", np.append(data.first, [3, 3]), np.append(data.second, [0, 0]),
        np.append(data.outcomes, [1, -1]), clusters=np.append(np.arange(60) % 6, clusters),
        cluster_labels=["ann", "bob", "cid", "dan", "eva", "fay"],
    )  # fmt: skip


def test_few_clusters_are_refused_or_noted():
    for number in (1, 3):
        data = battles(60, 3, 1, clusters=np.arange(60) % number)
        assert "fewer than 4 clusters" in refusal(data, cov_type="cluster")
        assert_unknown(data, "cannot be estimated")
        assert ra.BradleyTerry.fit(data, cov_type="model").n_units == 0
    four = ra.BradleyTerry.fit(battles(60, 3, 1, clusters=np.arange(60) % 4))
    assert not any("Fewer than" in note for note in four.notes)
    notes = ra.BradleyTerry.fit(with_a_fourth([1, 2])).notes
    assert any(note.startswith("Fewer than 4 clusters compare D:") for note in notes)


def test_clusters_without_comparisons_do_not_count():
    clusters = np.arange(60) % 5
    data = battles(60, 3, 1, clusters=clusters)
    holes = battles(60, 3, 1, clusters=2 * clusters, cluster_labels=range(20))
    one, other = ra.BradleyTerry.fit(data), ra.BradleyTerry.fit(holes)
    assert other.n_units == 5
    assert other.covariance.tolist() == one.covariance.tolist()


def test_an_item_of_a_single_cluster_has_no_cluster_error():
    new = with_a_fourth([4, 4])
    assert "Only cluster 'eva' determines the worth of D" in refusal(new, cov_type="cluster")
    assert_unknown(new, "Only cluster 'eva' determines the worth of D")
    assert ra.BradleyTerry.fit(new, cov_type="robust").cov_type == "robust"


def test_items_that_only_tie_have_no_error_by_the_sandwich():
    data = ra.Comparisons.from_arrays("ABCCC", "BAAAA", [1, 1, 0, 0, 0])
    reason = "All results that compare"
    assert reason in refusal(data, cov_type="robust")
    assert_unknown(data, reason)
    assert ra.BradleyTerry.fit(data, cov_type="model").converged


@pytest.mark.parametrize("weighted", [False, True])
def test_effective_clusters_are_counted_item_by_item(weighted):
    clusters = np.random.default_rng(1).integers(0, 8, 100)
    weights = np.random.default_rng(2).uniform(1, 2, 100) if weighted else None
    data = battles(100, 4, 1, clusters=clusters, weights=weights)
    fit = ra.BradleyTerry.fit(data, side=True)
    every = np.ones(100) if weights is None else weights
    for item in range(4):
        has = (data.first == item) | (data.second == item)
        sums = np.array([every[has & (clusters == g)].sum() for g in range(8)])
        effective = sums.sum() ** 2 / (sums**2).sum()
        assert fit.degrees_of_freedom[item] == pytest.approx(effective - 1)
    sums = np.bincount(clusters, every)
    assert fit.degrees_of_freedom[4] == pytest.approx(sums.sum() ** 2 / (sums**2).sum() - 1)


def test_comparisons_of_different_weights_have_degrees_of_freedom_by_their_squares():
    weights = np.random.default_rng(3).uniform(0.5, 2, 100)
    data, even = (battles(100, 4, 1, weights=each) for each in (weights, np.full(100, 2.0)))
    fit = ra.BradleyTerry.fit(data)
    for item in range(4):
        shares = weights[(data.first == item) | (data.second == item)] ** 2
        effective = shares.sum() ** 2 / (shares**2).sum()
        assert fit.degrees_of_freedom[item] == pytest.approx(effective - 1)
    pair = fit.pairs().iloc[0]
    met = [data.items.index(pair[end]) for end in ("first", "second")]
    degrees = fit.degrees_of_freedom[met].min()
    assert pair["p_value"] == pytest.approx(2 * stats.t.sf(abs(pair["z"]), degrees))
    assert "P>|t|" in fit.summary()
    assert "P>|t|" in fit.summary(reference="A")
    assert "P>|z|" in ra.BradleyTerry.fit(even).summary()
    assert np.isinf(ra.BradleyTerry.fit(even).degrees_of_freedom).all()
    assert np.isinf(ra.BradleyTerry.fit(data, cov_type="model").degrees_of_freedom).all()


# -- options --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ties": "halves"}, "Did you mean 'half'"),
        ({"side": 1}, "`side` must be True or False"),
        ({"covariates": "x"}, "a sequence of names"),
        ({"covariates": ["z"]}, "names of covariates of the comparisons ('x')"),
        ({"covariates": ["x", "x"]}, "It occurs twice"),
        ({"cov_type": "cluster"}, "comparisons without clusters"),
        ({"cov_type": "clusters"}, "Did you mean 'cluster'"),
        ({"tol": 0.0}, "`tol`"),
        ({"tolerance": 0.1}, "`tolerance` must be 0 unless"),
    ],
)
def test_wrong_options_are_refused_in_one_sentence(options, message):
    assert message in refusal(battles(30, 3, 1), **options)
