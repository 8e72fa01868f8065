"""Bradley-Terry from rankings and votes: pairs are a special case of Plackett-Luce."""

import numpy as np
import pytest
from scipy import optimize

import rankagg as ra
from rankagg.exceptions import InvalidInputError, NotIdentifiedError
from tests.distributions.luce_by_hand import from_rows

PAIRS = from_rows(
    ["A>B", "B>A", "A>C", "C>A", "B>C", "C>B", "C>D", "D>C", "A>D", "B>D"], "ABCD",
    counts=[6, 2, 5, 3, 4, 4, 3, 2, 5, 2],
)  # fmt: skip
DOUBLED = ra.Profile(list(PAIRS), counts=PAIRS.counts, weights=[2.0] * len(PAIRS))
TIED = from_rows(
    ["A>B", "B>A", "A=B", "A>C", "C>A", "B>C", "B=C", "C>B", "C=D", "D>C", "A=D", "C>D"], "ABCD",
    counts=[6, 2, 3, 5, 3, 4, 2, 4, 3, 2, 1, 2],
)  # fmt: skip


def direct_fit(wins, ties):
    """Maximize the log likelihood of wins and of ties in the manner of Davidson."""
    n = len(wins)
    pairs = [(i, j) for i in range(n) for j in range(i)]

    def loss(free):
        worth = np.exp(np.concatenate([[0.0], free[: n - 1]]))
        nu = np.exp(free[n - 1]) if ties.any() else 0.0
        total = 0.0
        for i, j in pairs:
            tie = nu * np.sqrt(worth[i] * worth[j])
            everything = worth[i] + worth[j] + tie
            total += wins[i, j] * np.log(worth[i] / everything)
            total += wins[j, i] * np.log(worth[j] / everything)
            if ties[i, j]:
                total += ties[i, j] * np.log(tie / everything)
        return -total

    found = optimize.minimize(loss, np.zeros(n - 1 + bool(ties.any())), tol=1e-8)
    worths = np.concatenate([[0.0], found.x[: n - 1]])
    return np.concatenate([worths - worths.mean(), found.x[n - 1 :]]), -found.fun


def votes_of(profile):
    votes = profile.with_unranked("ignore").pairwise()
    return votes.wins, votes.ties


@pytest.mark.parametrize("how", ["half", "davidson", "ignore"])
def test_ties_are_half_a_win_or_modeled_or_left_out(how):
    wins, ties = votes_of(TIED)
    if how == "half":
        wins = wins + ties / 2
    estimates, height = direct_fit(wins, ties if how == "davidson" else np.zeros_like(ties))
    fit = ra.BradleyTerry.fit(TIED, ties=how)
    assert (fit == ra.BradleyTerry.fit(TIED)) == (how == "half")
    assert fit.estimates == pytest.approx(estimates, abs=1e-4)
    assert fit.log_likelihood == pytest.approx(height, abs=1e-7)
    assert fit.n_observations == {"half": 37, "davidson": 37, "ignore": 28}[how]
    assert fit.names[4:] == (("log nu",) if how == "davidson" else ())
    treatment = {"half": "half a win for each", "davidson": "modeled", "ignore": "left out"}[how]
    assert any(note.startswith(f"Ties (9): {treatment}") for note in fit.notes)


@pytest.mark.parametrize("options", [{}, {"ridge": 1.0}, {"pseudo_rankings": 0.5}], ids=str)
@pytest.mark.parametrize(
    ("profile", "how"), [(PAIRS, "half"), (DOUBLED, "half"), (TIED, "davidson")]
)
def test_the_fit_of_pairs_equals_plackett_luce(profile, how, options):
    pairs = ra.BradleyTerry.fit(profile, ties=how, cov_type="model", **options)
    whole = ra.PlackettLuce.fit(profile, **options)
    assert pairs.estimates == pytest.approx(whole.estimates, abs=1e-8)
    if "pseudo_rankings" not in options:
        assert pairs.covariance == pytest.approx(whole.covariance, abs=1e-8)
    assert pairs.log_likelihood == pytest.approx(whole.log_likelihood)
    assert pairs.n_observations == whole.n_observations
    # The prior counts there, and a ghost item does not.
    assert (np.diag(pairs.covariance) <= np.diag(whole.covariance) + 1e-8).all()
    assert pairs.unit == "ranking"


@pytest.mark.parametrize("profile", [PAIRS, TIED])
def test_a_matrix_of_votes_gives_the_same(profile):
    votes = profile.with_unranked("ignore").pairwise()
    for how in ("half", "davidson"):
        one, other = (
            ra.BradleyTerry.fit(data, ties=how, cov_type="model") for data in (votes, profile)
        )
        assert one.estimates.tolist() == other.estimates.tolist()
        assert one.covariance.tolist() == other.covariance.tolist()


@pytest.mark.parametrize("share", [1, 0.1])
def test_a_matrix_of_wins_is_fitted(share):
    wins = share * np.array([[0, 7, 9], [3, 0, 6], [1, 4, 0]])
    fit = ra.BradleyTerry.fit(ra.PairwiseMatrix.from_wins(wins, items="ABC"))
    assert fit.estimates == pytest.approx(direct_fit(wins, np.zeros((3, 3)))[0], abs=1e-4)
    assert fit.n_observations == pytest.approx(30 * share)
    assert type(fit.distribution) is ra.BradleyTerry
    # Observed wins are the expected ones.
    expected = (wins + wins.T) * fit.distribution.pairwise_probabilities()
    assert expected.sum(axis=1) == pytest.approx(wins.sum(axis=1))


LONGER = [
    ["A>...", "B>...", "C>..."], ["A>B>...", "B>C>...", "C>A>..."],
    ["A>B>C>D", "B>C>D>A", "C>D>A>B", "D>A>B>C"],
]  # fmt: skip


@pytest.mark.parametrize("rows", LONGER)
def test_pairs_of_longer_rankings_depend_on_each_other(rows):
    profile = from_rows(2 * rows, "ABCD")
    fit = ra.BradleyTerry.fit(profile, pseudo_rankings=0.5)
    assert (fit.cov_type, fit.unit, fit.n_units) == ("cluster", "ranking", len(profile))
    lost = [ra.BradleyTerry.fit(profile, pseudo_rankings=0.5, cov_type=how) for how in OTHERS]
    lost.append(
        ra.BradleyTerry.fit(profile.with_unranked("ignore").pairwise(), pseudo_rankings=0.5)
    )
    for other in lost:
        assert any("depend on each other" in note for note in other.notes)
        assert other.unit is None
        with pytest.raises(InvalidInputError, match="Fit the rankings or scores themselves"):
            ra.inference.rank_sets(other)
    assert not any("depend" in note for note in (*fit.notes, *ra.BradleyTerry.fit(PAIRS).notes))


OTHERS = ("model", "robust")


def test_votes_without_units_note_the_assumption_of_errors():
    votes = ra.PairwiseMatrix.from_wins(20 * np.array([[0, 7, 9], [3, 0, 6], [1, 4, 0]]))
    fit = ra.BradleyTerry.fit(votes)
    note = "Errors by the model: votes have no units, and comparisons are taken as independent."
    assert (fit.cov_type, fit.unit) == ("model", "comparison")
    for result in (fit, ra.inference.rank_sets(fit)):
        assert note in result.notes
    with pytest.raises(InvalidInputError, match="for comparisons without clusters"):
        ra.BradleyTerry.fit(votes, cov_type="cluster")


def test_a_tie_links_unless_it_is_left_out():
    profile = from_rows(["A>B", "A=B"], "AB")
    assert ra.BradleyTerry.fit(profile).estimates == pytest.approx([np.log(3) / 2, -np.log(3) / 2])
    with pytest.raises(NotIdentifiedError, match=r"\(A \| B\)"):
        ra.BradleyTerry.fit(profile, ties="ignore")


@pytest.mark.parametrize(
    ("data", "options", "words"),
    [
        (ra.PairwiseMatrix.from_wins(np.zeros((3, 3))), {"pseudo_rankings": 1.0}, "`data`"),
        (from_rows(["A=B"], "AB"), {"ties": "ignore", "pseudo_rankings": 1.0}, "`data`"),
        ([[0, 1], [1, 0]], {}, "data"),
        (None, {}, "data"),
        (ra.PairwiseMatrix.from_wins([[0.0]]), {}, "data"),
        (PAIRS, {"ties": "drop"}, "'half' or 'davidson' or 'ignore'"),
        (PAIRS, {"side": True}, "`side` must be False unless `data` are Comparisons"),
        (PAIRS, {"covariates": ["x"]}, "covariates"),
        (PAIRS, {"tolerance": 0.1}, "`tolerance` must be 0 unless `data` is a ScoreTable"),
    ],
    ids=lambda value: None,
)
def test_bad_options_are_refused(data, options, words):
    with pytest.raises(InvalidInputError, match=words):
        ra.BradleyTerry.fit(data, **options)
