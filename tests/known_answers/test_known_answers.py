"""Cases from the literature and from the tests and manuals of other programs.

Small cases are typed in, with their source; the others are read from the table of facts.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, permutations
from math import factorial

import numpy as np
import pytest

import rankagg as ra
from rankagg import hoeffding_radius
from rankagg.core.graphs import ordered_parts
from rankagg.distributions import kendall_distance_counts, mallows_log_normalizer
from rankagg.distributions.plackett_luce.likelihood import _beats_graph
from rankagg.exceptions import NotIdentifiedError
from rankagg.inference import comparisons_needed
from tests import oracles
from tests.inference.test_rank_tests import printed
from tests.known_answers import Ledger, leaves

NOT_YET = "no such part of the package yet: "
ELSEWHERE = "tested in tests/distributions: "

LEFT_FOR_LATER = {
    "missing_closed_form/*": "the definitions of the papers have it: p_n_k_r",
    "fubini/*": NOT_YET + "the enumeration of weak orders",
    "salad_pl/pladmm_covariate_fit/*": NOT_YET + "Plackett-Luce with covariates",
    "fruits_ties_pseudo/df": NOT_YET + "R's residual degrees of freedom, of choices",
    "choix_*/lsr_est": NOT_YET + "Luce spectral ranking",
    "choix_*/rc_est": ELSEWHERE + "rank centrality",
    "evalica_food/elo/*": NOT_YET + "Elo ratings",
    "mallows_logZ/cayley": NOT_YET + "Mallows under the Cayley distance",
    "mallows_logZ/hamming": NOT_YET + "Mallows under the Hamming distance",
    "permallows_dmm/cayley": NOT_YET + "Mallows under the Cayley distance",
    "permallows_dmm/hamming": NOT_YET + "Mallows under the Hamming distance",
    "permallows_dmm/ulam": NOT_YET + "Mallows under the Ulam distance",
    "permallows_dmm/sum_log_cayley*": NOT_YET + "Mallows under the Cayley distance",
    "permallows_dmm/dgmm*": NOT_YET + "generalized Mallows",
    "potato_visual/*": NOT_YET + "the Bayesian posterior of Mallows",
    "scipy_kendalltau/p": NOT_YET + "the p-value of a single tau",
}

ledger = Ledger(LEFT_FOR_LATER)


def test_every_case_is_tested_or_left_for_later(facts):
    cases = facts("known_answers")
    ledger.check([p for name, case in cases.items() for p in leaves(case["expected"], name)])


# -- Kemeny ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Election:
    """Strict orders with weights, and every order of least summed Kendall distance."""

    orders: tuple
    weights: tuple[int, ...]
    cost: int
    optima: tuple

    def profile(self):
        return ra.Profile.from_orders(self.orders, counts=self.weights)

    def distance(self, order):
        """Sum the Kendall distances to the orders, pair by pair."""
        return sum(
            weight
            for voter, weight in zip(self.orders, self.weights, strict=True)
            for a, b in combinations(order, 2)
            if voter.index(a) > voter.index(b)
        )


ELECTIONS = {
    # pref_voting: tests/test_other_methods.py, a docstring of other_methods.py, the README.
    "condorcet_cycle_3": Election(
        ((0, 1, 2), (1, 2, 0), (2, 0, 1)), (1, 1, 1), 4, ((0, 1, 2), (1, 2, 0), (2, 0, 1))
    ),
    "kemeny_doc_2": Election(((0, 1, 2), (1, 0, 2), (1, 2, 0)), (5, 1, 2), 5, ((0, 1, 2),)),
    "readme_profile_4c_b": Election(
        ((2, 1, 0, 3), (3, 2, 0, 1), (3, 1, 0, 2)), (2, 2, 3), 14, ((3, 2, 1, 0),)
    ),
    # noeliarico/kemeny: the README, and profile 5 of examples_paper.R.
    "noelia_readme": Election(
        ((4, 2, 1, 3), (3, 4, 2, 1), (4, 1, 2, 3), (1, 2, 3, 4)), (3, 4, 2, 1), 18, ((4, 2, 1, 3),)
    ),
    "noelia_paper_5": Election(
        ((2, 4, 1, 3, 6, 5), (6, 2, 4, 5, 1, 3), (1, 3, 6, 5, 4, 2), (3, 6, 5, 1, 2, 4)),
        (3, 2, 4, 1),
        51,
        ((1, 3, 6, 2, 4, 5), (1, 3, 6, 2, 5, 4), (1, 3, 6, 5, 2, 4)),
    ),
    # Wikipedia, "Kemeny-Young method".
    "tennessee": Election(("MNCK", "NCKM", "CKNM", "KCNM"), (42, 26, 15, 17), 207, ("NCKM",)),
    # Of textbooks: Borda's winner B is not Condorcet's A.
    "borda_fails_condorcet": Election(("ABC", "BCA"), (3, 2), 4, ("ABC",)),
}


@ledger.covers(
    *(f"{name}/{key}" for name in ELECTIONS if name != "borda_fails_condorcet"
      for key in ("score", "all_optima")),
    "borda_fails_condorcet/kemeny",
    "borda_fails_condorcet/kemeny_score",
)  # fmt: skip
@pytest.mark.parametrize("choice", [{}, {"backend": "subset-dp"}])
@pytest.mark.parametrize("name", ELECTIONS)
def test_kemeny_reaches_a_proved_optimum(name, choice):
    election = ELECTIONS[name]
    votes = election.profile().pairwise()
    consensus = ra.Kemeny(**choice).aggregate(election.profile())
    assert consensus.cost == election.cost
    assert consensus.certificate.status == "optimal"
    assert consensus.certificate.cost == consensus.certificate.lower_bound == election.cost
    assert consensus.certificate.verify(votes)
    assert consensus.order in {tuple(order) for order in election.optima}


@pytest.mark.parametrize("name", ELECTIONS)
def test_the_typed_elections_are_those_of_the_facts(name, facts):
    case, election = facts("known_answers")[name], ELECTIONS[name]
    expected = case["expected"]
    assert [tuple(order) for order in case["input"]["orders"]] == [*map(tuple, election.orders)]
    assert tuple(case["input"]["weights"]) == election.weights
    assert expected.get("score", expected.get("kemeny_score")) == election.cost
    optima = expected.get("all_optima", [expected.get("kemeny")])
    assert {tuple(order) for order in optima} == {tuple(order) for order in election.optima}


@ledger.covers("tennessee/kemeny_young_support_score")
def test_the_kemeny_young_score_counts_the_votes_that_agree():
    votes = ELECTIONS["tennessee"].profile().pairwise()
    order = votes.items.indices(ra.Kemeny().aggregate(votes).order)
    agreeing = np.triu(votes.wins[np.ix_(order, order)], k=1).sum()
    assert agreeing == 393


@ledger.covers("margin_cycle_135/*")
def test_rules_choose_by_the_weakest_arc_of_a_cycle_and_all_are_essential():
    # pref_voting, tests/test_margin_based_methods.py: 0 beats 1 by 1, 1 beats 2 by 3, 2 beats 0
    # by 5.
    margin_cycle = ra.PairwiseMatrix.from_wins([[0, 1, 0], [0, 0, 3], [5, 0, 0]])
    for rule in (ra.Minimax(), ra.Schulze(), ra.RankedPairs()):
        assert rule.aggregate(margin_cycle).buckets[0] == (1,)
    graph = ra.TournamentGraph(margin_cycle)
    assert graph.split_cycle_winners() == (1,)
    # Each has the chance of the margin between the other two.
    assert graph.essential_set().to_dict() == {0: 3 / 9, 1: 5 / 9, 2: 1 / 9}

    consensus = ra.Kemeny().aggregate(margin_cycle)
    assert consensus.order == (1, 2, 0)
    assert consensus.cost == 1
    assert consensus.certificate.verify(margin_cycle)


@ledger.covers("atlas_m3/*")
@pytest.mark.parametrize("most", [3, pytest.param(6, marks=pytest.mark.slow)])
def test_the_atlas_of_three_items_is_reproduced(most):
    # rbajaj5/kemeny-dp-posets, results/subset_dp_certificates.json: all anonymous profiles of
    # m strict rankings of three items, and how many of them have one optimum only.
    every = [ra.Permutation.from_order(order) for order in permutations("ABC")]
    sizes, unique = [], []
    for m in range(1, most + 1):
        sizes.append(0)
        unique.append(0)
        for rankings in combinations_with_replacement(every, m):
            votes = ra.Profile(rankings).pairwise()
            costs = [votes.cost(ranking) for ranking in every]
            consensus = ra.Kemeny().aggregate(votes)
            assert consensus.cost == min(costs)
            assert consensus.certificate.status == "optimal"
            sizes[-1] += 1
            unique[-1] += costs.count(min(costs)) == 1
    assert sizes == [6, 21, 56, 126, 252, 462][:most]
    assert unique == [6, 6, 54, 60, 240, 270][:most]


def buckets_of(ranking):
    return [sorted(bucket) for bucket in ranking.buckets]


@ledger.covers("crc_*/unifying/*", "crc_*/induced/*", "crc_*/pseudo_p05/*")
@pytest.mark.parametrize("name", ["crc_incomplete", "crc_output_ties", "crc_readme_dataset"])
def test_weak_orders_of_corankco(facts, name):
    """Its schemes: gaps tied at the end, not compared, or below all others and not compared."""
    case = facts("known_answers")[name]
    rankings, weights = case["input"]["rankings"], case["input"]["weights"]
    items = sorted({item for ranking in rankings for bucket in ranking for item in bucket})
    filled = [
        [*ranking, rest]
        if (rest := sorted(set(items) - {x for b in ranking for x in b}))
        else ranking
        for ranking in rankings
    ]
    schemes = {
        "unifying": (filled, "ignore", 1.0),
        "induced": (rankings, "ignore", 1.0),
        "pseudo_p05": (rankings, "last", 0.5),
    }
    for scheme, (buckets, policy, price) in schemes.items():
        expected = case["expected"].get(scheme)
        if expected is None:
            continue
        profile = ra.Profile(
            [ra.PartialRanking.from_buckets(b, items=items) for b in buckets], weights=weights
        )
        rule = ra.Kemeny(consensus_ties=True, tie_cost=price)
        exact = rule.aggregate(profile.with_unranked(policy))
        assert exact.certificate.status == "optimal"
        assert exact.cost == exact.certificate.cost == expected["score"]
        if "n_optima" in expected:
            assert exact.optima.count() == expected["n_optima"]
        if "all_optima" in expected:
            found = [buckets_of(one) for one in exact.optima]
            assert sorted(map(str, found)) == sorted(map(str, expected["all_optima"]))


@ledger.covers("emd_emond_mason/*")
def test_tau_x_of_emond_and_mason(facts):
    case = facts("known_answers")["emd_emond_mason"]
    rows = [
        [float("nan") if rank is None else rank for rank in row]
        for row in case["input"]["ranks_null_missing"]
    ]
    items, weights = case["input"]["items"], case["input"]["weights"]
    profile = ra.Profile.from_ranks(rows, items=items, weights=weights)
    exact = ra.Kemeny(consensus_ties=True, tie_cost=0.5).aggregate(profile.with_unranked("ignore"))
    expected = case["expected"]
    # Each ordered pair that both rank scores 1 where they agree, -1 where not: 2 a pair, less 4
    # for each that is the other way round, and 2 for each that is tied in one of the two.
    compared = np.triu(exact.pairwise.comparisons, k=1).sum()
    score = 2 * compared - 4 * exact.certificate.cost
    assert score == expected["score_sum"]
    n = len(items)
    assert score / (sum(weights) * n * (n - 1)) == pytest.approx(expected["tau_x"], rel=1e-12)
    found = [buckets_of(one) for one in exact.optima]
    assert len(found) == exact.optima.count() == expected["n_optima"]
    assert expected["one_optimum"] in found


# -- Borda, Copeland, Condorcet -------------------------------------------------------------------


@ledger.covers("*/borda", "tennessee/borda/*", "borda_fails_condorcet/borda/*")
@pytest.mark.parametrize(
    ("name", "points"),
    [
        ("condorcet_cycle_3", [3, 3, 3]),
        ("kemeny_doc_2", [11, 11, 2]),  # ties 0 and 1, which Kemeny does not
        ("readme_profile_4c_b", [7, 10, 10, 15]),
        ("tennessee", [173, 107, 126, 194]),  # C, K, M, N
        ("borda_fails_condorcet", [6, 7, 2]),
    ],
)
def test_borda_points_are_known(name, points):
    profile = ELECTIONS[name].profile()
    assert ra.Borda().aggregate(profile).scores.tolist() == points
    assert ra.Borda().aggregate(profile.pairwise()).scores.tolist() == points


@ledger.covers("condorcet_cycle_3/copeland_wins_plus_half_ties", "readme_profile_4c_b/copeland_net")
@pytest.mark.parametrize(
    ("name", "net"), [("condorcet_cycle_3", [0, 0, 0]), ("readme_profile_4c_b", [-3, -1, 1, 3])]
)
def test_copeland_points_are_known(name, net):
    # Wins plus half the draws are (wins less losses + n - 1)/2.
    points = [(value + len(net) - 1) / 2 for value in net]
    assert ra.Copeland().aggregate(ELECTIONS[name].profile()).scores.tolist() == points


@ledger.covers("*/condorcet_winner")
@pytest.mark.parametrize(
    ("name", "winner"),
    [("kemeny_doc_2", 0), ("readme_profile_4c_b", 3), ("borda_fails_condorcet", "A")],
)
def test_a_condorcet_winner_is_found(name, winner):
    profile = ELECTIONS[name].profile()
    copeland = ra.Copeland().aggregate(profile)
    assert copeland.buckets[0] == (winner,)
    assert max(copeland.scores) == profile.n_items - 1
    assert ra.PairwiseMajority().aggregate(profile).buckets[0] == (winner,)


@ledger.covers("borda_fails_condorcet/borda_winner")
def test_borda_does_not_always_elect_the_condorcet_winner():
    assert ra.Borda().aggregate(ELECTIONS["borda_fails_condorcet"].profile()).order == tuple("BAC")


@ledger.covers("crc_incomplete/copeland_unifying/*")
def test_copeland_with_unranked_items_last_gives_the_known_points():
    # corankco, tests/test_Copeland.py: what a ranking leaves out is below what it ranks.
    profile = ra.Profile(
        [
            ra.PartialRanking.from_order([1, 2], items=[1, 2, 3]),
            ra.PartialRanking.from_order([3, 2, 1], items=[1, 2, 3]),
        ],
        counts=[3, 1],
    )
    assert ra.Copeland().aggregate(profile.with_unranked("last")).scores.tolist() == [2, 1, 0]


@ledger.covers("preflib_borda_ties/*")
def test_tied_items_share_their_mean_points():
    # PrefLib/preflibtools, tests/properties/test_pairwisecomparisons.py. It gives tied items the
    # lowest points of their class, 2, 0 and 3; here they have the mean.
    rankings = [[[0, 2], [1]], [[2], [0], [1]]]
    profile = ra.Profile([ra.PartialRanking.from_buckets(buckets) for buckets in rankings])
    assert ra.Borda().aggregate(profile).scores.tolist() == [2.5, 0, 3.5]


@ledger.covers("preflib_copeland_ties/*")
def test_ties_are_no_votes_in_the_margins():
    # PrefLib/preflibtools, the same file.
    rankings = [[[0, 3], [1], [2]], [[0], [1, 2], [3]], [[2], [1], [0], [3]]]
    profile = ra.Profile([ra.PartialRanking.from_buckets(buckets) for buckets in rankings])
    margins = profile.pairwise().margins
    assert (margins[0, 1], margins[3, 0], margins[1, 2]) == (1, -2, 0)


@ledger.covers("evalica_food/counting/*")
def test_wins_and_half_ties_of_a_tournament(facts):
    # dustalov/evalica, food.csv: comparisons of two dishes, some of them draws.
    profile, expected = read_food(facts)
    votes = profile.with_unranked("ignore").pairwise()
    points = (votes.wins + votes.ties / 2).sum(axis=1)
    assert dict(zip(profile.items, points, strict=True)) == expected["counting"]


def read_food(facts):
    case = facts("known_answers")["evalica_food"]
    rows = case["input"]["left_right_winner"]
    items = ra.ItemSet(sorted({label for left, right, _ in rows for label in (left, right)}))
    winners = {"left": lambda a, b: [[a], [b]], "right": lambda a, b: [[b], [a]]}
    buckets = [winners.get(w, lambda a, b: [[a, b]])(left, right) for left, right, w in rows]
    profile = ra.Profile([ra.PartialRanking.from_buckets(b, items=items) for b in buckets])
    return profile, case["expected"]


# -- distances ------------------------------------------------------------------------------------


@ledger.covers("choix_distances/*")
def test_distances_of_two_score_vectors():
    # lucasmaystre/choix, tests/test_utils.py.
    first, second = (
        ra.PartialRanking.from_scores(scores, higher_is_better=True)
        for scores in ([1.0, -1.2, 0.0], [-1.0, 1.2, 0.0])
    )
    assert ra.distances.spearman_footrule(first, second) == 4
    assert ra.kendall_distance(first, second) == 3


@ledger.covers("scipy_kendalltau/tau")
def test_tau_b_of_the_scipy_manual():
    first, second = (
        ra.PartialRanking.from_ranks(numbers) for numbers in ([12, 2, 1, 12, 2], [1, 4, 7, 1, 0])
    )
    assert ra.kendall_tau(first, second) == pytest.approx(-0.4714045207910316, abs=1e-15)


@ledger.covers("scipy_kendalltau/weightedtau")
def test_weighted_tau_of_the_scipy_manual():
    first, second = (
        ra.PartialRanking.from_scores(numbers, higher_is_better=True)
        for numbers in ([12, 2, 1, 12, 2], [1, 4, 7, 1, 0])
    )
    assert ra.distances.weighted_kendall_tau(first, second) == pytest.approx(
        -0.5669496815368272, abs=1e-15
    )


MOVES = {
    "kendall": ra.kendall_distance,
    "footrule": ra.distances.spearman_footrule,
    "cayley": ra.distances.cayley_distance,
    "hamming": ra.distances.hamming_distance,
    "ulam": ra.distances.ulam_distance,
}


@ledger.covers("mallows_counts_n4_n5/n?/*")
@pytest.mark.parametrize("n", [4, 5])
@pytest.mark.parametrize("name", MOVES)
def test_permutations_at_each_distance_are_counted(facts, name, n):
    # PerMallows, man/count.perms.Rd, and an enumeration.
    expected = facts("known_answers")["mallows_counts_n4_n5"]["expected"][f"n{n}"][name]
    start = ra.Permutation.identity(range(n))
    found = Counter(
        int(MOVES[name](start, ra.Permutation.from_ranks(p))) for p in permutations(range(n))
    )
    assert found == {int(distance): count for distance, count in expected.items()}
    if name == "kendall":
        assert kendall_distance_counts(n) == list(expected.values())


@ledger.covers("mallows_counts_n4_n5/derangements_6", "mallows_counts_n4_n5/one_cycle_6")
def test_permutations_of_six_that_move_every_item():
    start = ra.Permutation.identity(range(6))
    others = [ra.Permutation.from_ranks(p) for p in permutations(range(6))]
    assert sum(ra.distances.hamming_distance(start, other) == 6 for other in others) == 265
    assert sum(ra.distances.cayley_distance(start, other) == 5 for other in others) == 120


# -- compatible permutations ----------------------------------------------------------------------


@ledger.covers("missing_matrix_?/*")
@pytest.mark.parametrize("name", ["missing_matrix_1", "missing_matrix_3"])
def test_the_matrix_of_a_ranking_with_gaps(name, facts):
    # AnasHimmi/MissingDataRanking, partial_rankings.p_rank_to_mat.
    case = facts("known_answers")[name]
    expected, ranks = case["expected"], case["input"]["partial_ranks_0best"]
    ranking = ra.PartialRanking.from_ranks([np.nan if rank is None else rank for rank in ranks])
    assert ranking.n_compatible_permutations == expected["n_compatible"]
    assert len(oracles.compatible_permutations(ranks)) == expected["n_compatible"]
    shares = pytest.approx(np.array(expected["p_i_before_j"]), abs=1e-15)
    assert ranking.pairwise_probabilities() == shares
    assert ra.Profile([ranking]).pairwise().wins == shares


@ledger.covers("missing_ties_bug/*")
def test_two_items_observed_as_tied_are_even():
    # p_rank_to_mat takes the tie for a missing item and gives P(0 before 1) = 0, P(1 before 0) = 1.
    ranking = ra.PartialRanking.from_ranks([0.5, 0.5, 2])
    shares = ranking.pairwise_probabilities()
    assert (shares[0, 1], shares[1, 0]) == (0.5, 0.5)
    votes = ra.Profile([ranking]).pairwise()
    assert (votes.ties[0, 1], votes.wins[0, 1], votes.wins[1, 0]) == (1, 0, 0)
    assert (votes.proportion[0, 1], votes.proportion[1, 0]) == (0.5, 0.5)


@ledger.covers("missing_weighting_bug/*")
def test_a_sparse_task_has_no_more_weight_than_a_full_one():
    # task_level_calculate_correlations.py with return_ratios=False weights a task by its number
    # of compatible permutations, so that two systems alone on one task outvote ten full tasks.
    nan = np.nan
    columns = [[*range(8)]] * 10 + [[1, nan, nan, nan, nan, nan, nan, 0]]
    table = ra.ScoreTable(np.transpose(columns), higher_is_better=False)
    assert ra.Borda().aggregate(table).ranking.ranks.tolist() == [0, 1, 2, 3, 4, 5, 6, 7]
    wrong = table.rankings()
    counts = [ranking.n_compatible_permutations for ranking in wrong]
    assert counts == [1] * 10 + [factorial(8) // factorial(2)]
    outvoted = ra.Profile(wrong, counts=counts)
    assert ra.Borda().aggregate(outvoted).ranking.ranks.tolist() == [7, 1, 2, 3, 4, 5, 6, 0]


@ledger.covers("xtreme_missing/*")
def test_borda_on_a_leaderboard_with_gaps(facts):
    # AnasHimmi/MissingDataRanking, example_data_cli/xtreme_missing.csv; the sums are over
    # P(other before this), so they are what the Borda points leave of the most possible.
    case = facts("known_answers")["xtreme_missing"]
    rows = case["input"]["rows"]
    table = ra.ScoreTable(
        [[float(cell) if cell else np.nan for cell in row[1:]] for row in rows],
        systems=[row[0] for row in rows],
        tasks=[name.strip() for name in case["input"]["header"][1:]],
        higher_is_better=True,
    )
    assert table.n_missing == 8
    sums = table.n_tasks * (table.n_systems - 1) - ra.Borda().aggregate(table).scores
    assert sums == pytest.approx(case["expected"]["borda_cost_sum_of_p_before"], abs=1e-4)


# -- intervals ------------------------------------------------------------------------------------


@ledger.covers("hoeffding/*")
def test_radii_of_two_bounds_of_one_and_for_all_sample_sizes(facts):
    # AnasHimmi/MissingDataRanking, confidence_intervals.ipynb, takes radii of one bound for two.
    case = facts("known_answers")["hoeffding"]
    sizes = np.array(case["input"]["m"])
    two, one, anytime, needed = case["expected"].values()
    assert hoeffding_radius(sizes, 0.05) == pytest.approx(two, abs=1e-12)
    assert hoeffding_radius(sizes, 0.01, sides=1) == pytest.approx(one, abs=1e-12)
    # The same notebook: sqrt(log(4 n m^2/alpha)/(2m)) spends alpha/(2 n m^2) on each pair.
    spent = 0.01 / (2 * 10 * sizes**2)
    assert hoeffding_radius(sizes, spent) == pytest.approx(anytime, abs=1e-12)
    assert comparisons_needed(0.1, 0.05) == needed == 185
    for m, *radii in zip(sizes, two, one, strict=True):
        profile = ra.Profile.from_orders(["AB", "BA"], counts=[m // 2, m // 2])
        both = ra.PairwiseIntervals.from_data(profile)
        lone = ra.PairwiseIntervals.from_data(profile, alpha=0.01, alternative="greater")
        found = [both.upper[0, 1] - 0.5, 0.5 - lone.lower[0, 1]]
        assert found == pytest.approx(radii, abs=1e-12)


# -- published sets of rankings -------------------------------------------------------------------

BALLOT_SETS = ("data_German", "data_sports", "data_Idea", "salad_pl", "data_APAred")


def read_ballot_set(facts, name):
    case = facts("known_answers")[name]
    given, expected = case["input"], case["expected"]
    profile = ra.Profile.from_ranks(given["ranks"], items=given["items"], counts=given["weights"])
    return profile, expected


@ledger.covers(
    "data_*/n", "*/kemeny_items", "data_*/kemeny_score", "salad_pl/kemeny_score",
    "data_sports/unique",
)  # fmt: skip
@pytest.mark.parametrize("name", BALLOT_SETS)
def test_the_kemeny_order_of_a_set_of_rankings(name, facts):
    profile, expected = read_ballot_set(facts, name)
    assert profile.n_rankings == expected.get("n", profile.n_rankings)
    consensus = ra.Kemeny().aggregate(profile)
    assert consensus.cost == expected["kemeny_score"]
    assert list(consensus.order) == expected["kemeny_items"]
    assert consensus.optima.is_unique
    assert consensus.certificate.status == "optimal"
    assert consensus.certificate.verify(profile.pairwise())


@ledger.covers("data_sports/borda_order")
def test_the_borda_order_of_the_sports(facts):
    profile, expected = read_ballot_set(facts, "data_sports")
    assert list(ra.Borda().aggregate(profile).order) == expected["borda_order"]


@ledger.covers("data_*/mean_tau")
@pytest.mark.parametrize("name", ["data_German", "data_sports", "data_Idea"])
def test_the_mean_tau_between_the_rankings_and_their_consensus(name, facts):
    # ConsRank's "Tau": over the rankings, each against the consensus.
    profile, expected = read_ballot_set(facts, name)
    consensus = ra.Kemeny().aggregate(profile).ranking
    taus = [ra.kendall_tau(consensus, ranking) for ranking in profile]
    assert np.average(taus, weights=profile.counts) == pytest.approx(
        expected["mean_tau"], abs=1e-12
    )
    n = profile.n_items
    cost = profile.pairwise().cost(consensus)
    by_cost = 1 - 4 * cost / (n * (n - 1) * profile.n_rankings)
    assert by_cost == pytest.approx(expected["mean_tau"], abs=1e-12)


@ledger.covers("data_APAred/first_order_percent_rows_items")
def test_how_often_each_candidate_has_each_place(facts):
    profile, expected = read_ballot_set(facts, "data_APAred")
    at_place = profile.ranks[:, :, None] == np.arange(profile.n_items)
    percent = 100 * (profile.counts @ at_place.reshape(len(profile), -1)) / profile.n_rankings
    printed = expected["first_order_percent_rows_items"]
    assert percent.reshape(profile.n_items, -1).round(1).tolist() == printed


# -- Friedman -------------------------------------------------------------------------------------


@ledger.covers("data_*/kendall_W", "data_*/friedman_*", "salad_pl/kendall_W", "salad_pl/friedman_*")
@pytest.mark.parametrize("name", BALLOT_SETS)
def test_friedman_of_a_set_of_rankings_is_known(name, facts):
    profile, expected = read_ballot_set(facts, name)
    test = ra.inference.friedman(profile)
    assert test.kendall_w == pytest.approx(expected["kendall_W"], rel=1e-12)
    if "friedman_chi2" in expected:
        assert test.statistic == pytest.approx(expected["friedman_chi2"], rel=1e-12)
    if "friedman_p" in expected:
        assert test.p_value == pytest.approx(expected["friedman_p"], rel=1e-9)


@ledger.covers("demsar_2006/*")
def test_friedman_and_nemenyi_of_the_example_of_demsar(facts):
    # Section 3.2 prints average ranks of four versions of C4.5 on 14 data sets.
    case = facts("known_answers")["demsar_2006"]
    assert case["input"] == {"avg_ranks": [3.143, 2.0, 2.893, 1.964], "N": 14}
    test = printed(case["input"]["avg_ranks"], case["input"]["N"])
    found = {
        "chi2_F": test.statistic,
        "F_F": test.f_statistic,
        "CD_nemenyi_.05": test.critical_difference(0.05),
        "CD_nemenyi_.10": test.critical_difference(0.10),
    }
    assert found == pytest.approx(case["expected"], abs=case["tol"])


# -- Plackett-Luce --------------------------------------------------------------------------------


def worths_of(fit, items):
    """Return the worths, with sum 1, in the order of some items."""
    worths = dict(zip(fit.distribution.items, fit.distribution.worths, strict=True))
    return [worths[item] for item in items]


def errors_relative_to(fit, reference):
    """Return the standard errors relative to an item, None for itself."""
    errors = fit.relative_to(reference)["std_err"]
    return [None if np.isnan(error) else pytest.approx(error, rel=2e-4) for error in errors]


@ledger.covers("data_*/pl_*", "salad_pl/log_ref_A", "salad_pl/se", "salad_pl/ll")
@pytest.mark.parametrize("name", BALLOT_SETS)
def test_plackett_luce_of_a_set_of_rankings(name, facts):
    profile, expected = read_ballot_set(facts, name)
    fit = ra.PlackettLuce.fit(profile)
    assert fit.converged
    assert fit.log_likelihood == pytest.approx(expected.get("pl_ll", expected.get("ll")), abs=1e-5)
    if "pl_worth" in expected:
        assert worths_of(fit, profile.items) == pytest.approx(expected["pl_worth"], abs=1e-6)
    first = fit.relative_to(profile.items[0])["estimate"].tolist()
    for key in {"pl_log_ref_a", "log_ref_A"} & set(expected):
        assert first == pytest.approx(expected[key], abs=2e-6)
    for key in {"pl_se", "se"} & set(expected):
        assert expected[key] == errors_relative_to(fit, profile.items[0])


@ledger.covers("netflix_soc/*")
@pytest.mark.parametrize(
    ("key", "options"), [("npseudo_0.5", {"pseudo_rankings": 0.5}), ("mle", {})]
)
def test_plackett_luce_of_film_ratings(key, options, facts):
    # hturner/PlackettLuce, README; PrefLib 00004-00000138.
    case = facts("known_answers")["netflix_soc"]
    items = case["input"]["items"]
    orders = [[items[i - 1] for i in order] for order in case["input"]["orders"]]
    profile = ra.Profile.from_orders(orders, items=items, counts=case["input"]["weights"])
    fit = ra.PlackettLuce.fit(profile, **options)
    expected = case["expected"][key]
    assert worths_of(fit, items) == pytest.approx(expected["worth"], abs=2e-7)
    first = fit.relative_to(items[0])
    assert first["estimate"].tolist() == pytest.approx(expected["log_ref1"], abs=1e-5)
    assert expected["se"] == errors_relative_to(fit, items[0])
    if "deviance" in expected:
        assert -2 * fit.log_likelihood == pytest.approx(expected["deviance"], abs=1e-8)
    else:
        assert -2 * fit.log_likelihood == pytest.approx(expected["residual_deviance"], abs=0.05)
        assert fit.aic == pytest.approx(expected["aic"], abs=0.05)


@pytest.fixture
def pudding(facts):
    """Return the votes of Davidson's puddings, the profile of them, and what is expected."""
    case = facts("known_answers")["pudding_davidson"]
    wins, ties = np.zeros((6, 6)), np.zeros((6, 6))
    for i, j, total, first, second, level in case["input"]["rows"]:
        assert total == first + second + level
        wins[i - 1, j - 1], wins[j - 1, i - 1] = first, second
        ties[i - 1, j - 1] = ties[j - 1, i - 1] = level
    items = range(1, 7)
    buckets = [[[i], [j]] for i in items for j in items if i != j]
    counts = [int(wins[a - 1, b - 1]) for [[a], [b]] in buckets]
    level = [[[i, j]] for i, j in combinations(items, 2)]
    counts += [int(ties[a - 1, b - 1]) for [[a, b]] in level]
    rankings = [ra.PartialRanking.from_buckets(b, items=items) for b in buckets + level]
    votes = ra.PairwiseMatrix.from_wins(wins, items=items, ties=ties)
    return votes, ra.Profile(rankings, counts=counts), case["expected"]


@ledger.covers("pudding_davidson/*")
@pytest.mark.parametrize("how", ["pairs", "rankings"])
def test_the_fit_of_davidsons_puddings_is_reproduced(how, pudding):
    # hturner/PlackettLuce, the vignette, whose fit stops after 7 steps; Davidson (1970).
    votes, profile, expected = pudding
    fit = (
        ra.PlackettLuce.fit(profile)
        if how == "rankings"
        else ra.BradleyTerry.fit(votes, ties="davidson")
    )
    best, printed = expected["converged_mle"], expected["r_package_maxit7"]
    assert fit.distribution.worths == pytest.approx(best["worth"], abs=1e-7)
    assert np.exp(fit.estimates[-1]) == pytest.approx(best["delta_tie2"], abs=1e-7)
    assert fit.log_likelihood == pytest.approx(best["ll"], abs=1e-8)
    assert best["se"] == errors_relative_to(fit, 1)

    assert fit.distribution.worths == pytest.approx(printed["worth"], abs=3e-5)
    assert np.exp(fit.estimates[-1]) == pytest.approx(printed["delta_tie2"], abs=3e-5)
    first = fit.relative_to(1)
    assert first["estimate"].tolist()[:6] == pytest.approx(printed["log_ref1"], abs=2e-4)
    assert printed["se"] == errors_relative_to(fit, 1)[:6]
    estimate, error = printed["log_tie2"]
    assert fit.estimates[-1] == pytest.approx(estimate, abs=3e-5)
    assert fit.standard_errors[-1] == pytest.approx(error, abs=3e-6)
    assert fit.estimates[:6] == pytest.approx(printed["mean_ref_est"], abs=2e-4)
    assert fit.standard_errors[:6] == pytest.approx(printed["mean_ref_se"], abs=2e-6)
    assert -2 * fit.log_likelihood == pytest.approx(printed["residual_deviance"], abs=0.05)
    assert fit.aic == pytest.approx(printed["aic"], abs=0.05)


def read_ranks_with_zeros(facts, name):
    """Return a profile of ranks in which 0 means unranked, and what is expected."""
    case = facts("known_answers")[name]
    ranks = np.array(case["input"]["ranks_0_unranked"], dtype=float)
    ranks[ranks == 0] = np.nan
    return ra.Profile.from_ranks(ranks, items=case["input"]["items"]), case["expected"]


@ledger.covers("fruits_ties_pseudo/[!d]*")
def test_fruits_with_ties_and_a_ghost(facts):
    # hturner/PlackettLuce, tests/testthat/_snaps/S3-methods.md.
    profile, expected = read_ranks_with_zeros(facts, "fruits_ties_pseudo")
    fit = ra.PlackettLuce.fit(profile, pseudo_rankings=0.5)
    first = fit.relative_to("apple")
    assert first["estimate"].tolist()[:3] == pytest.approx(expected["log_ref1"], abs=1e-7)
    assert fit.distribution.log_ties[2] == pytest.approx(expected["log_tie2"], abs=1e-7)
    assert expected["se"] == errors_relative_to(fit, "apple")[:3]
    assert fit.standard_errors[-1] == pytest.approx(expected["se_tie2"], abs=5e-5)
    assert -2 * fit.log_likelihood == pytest.approx(expected["residual_deviance"], abs=0.005)
    assert fit.aic == pytest.approx(expected["aic"], abs=0.005)
    firsts = [[["banana"]], [["banana", "orange"]], [["apple"]]]
    chances = [fit.distribution.prob(top_of_three(buckets, profile.items)) for buckets in firsts]
    pairs = [["apple", "banana"], ["orange", "apple"], ["banana", "orange"], ["apple", "orange"]]
    chances += [
        fit.distribution.prob(ra.PartialRanking.from_order(pair, items=profile.items))
        for pair in pairs
    ]
    assert sorted(chances) == pytest.approx(sorted(expected["fitted"]), abs=1e-7)


def top_of_three(buckets, items):
    """Return a ranking of the first buckets, all other items being left off the list."""
    ranks = ra.PartialRanking.from_buckets(buckets, items=items).ranks
    return ra.PartialRanking(np.where(ranks == ra.UNRANKED, ra.UNLISTED, ranks), items)


@ledger.covers("fruits4_ties/*")
@pytest.mark.parametrize("pseudo", [0.0, 0.5])
def test_fruits_with_ties_of_two_and_three(pseudo, facts):
    # hturner/PlackettLuce, the example of ?PlackettLuce.
    profile, answers = read_ranks_with_zeros(facts, "fruits4_ties")
    expected = answers["npseudo_0.5" if pseudo else "npseudo_0"]
    fit = ra.PlackettLuce.fit(profile, pseudo_rankings=pseudo)
    first = fit.relative_to("apple")["estimate"].tolist()
    assert first[:4] == pytest.approx(expected["log_ref1"], abs=2e-6)
    assert fit.estimates[4:] == pytest.approx(expected["log_tie2_tie3"], abs=2e-6)
    if not pseudo:
        assert expected["se"] == errors_relative_to(fit, "apple")
        assert fit.log_likelihood == pytest.approx(expected["ll"], abs=1e-10)


@ledger.covers("abcd_disconnected/*")
def test_items_that_only_lose_are_separate_components(facts):
    # hturner/PlackettLuce, the vignette, section 2.3.
    profile, expected = read_ranks_with_zeros(facts, "abcd_disconnected")
    parts = ordered_parts(_beats_graph(profile))
    assert [[profile.items[int(i)] for i in part] for part in parts] == expected["scc"]
    assert (len(parts) == 1) == expected["strongly_connected"]
    assert expected["npseudo_0"] == "must raise"
    with pytest.raises(NotIdentifiedError, match=r"A, B, C \| D"):
        ra.PlackettLuce.fit(profile)
    ghostly = ra.PlackettLuce.fit(profile, pseudo_rankings=0.5).relative_to("A")
    assert ghostly["estimate"].tolist() == pytest.approx(expected["npseudo_0.5"], abs=2e-7)
    rest, best = ra.PlackettLuce.fit(profile.restrict("ABC")), expected["drop_D_mle"]
    assert rest.relative_to("A")["estimate"].tolist() == pytest.approx(best["log"], abs=5e-5)
    assert rest.relative_to("A")["std_err"].tolist()[1:] == pytest.approx(best["se"][1:], abs=5e-5)
    assert -2 * rest.log_likelihood == pytest.approx(best["deviance"], abs=5e-5)


@ledger.covers("choix_pairwise-1/ml_est", "choix_rankings-1/ml_est")
@pytest.mark.parametrize("name", ["choix_pairwise-1", "choix_rankings-1"])
def test_cycles_have_equal_worths(name, facts):
    case = facts("known_answers")[name]
    profile = ra.Profile.from_orders(case["input"]["data"], items=range(case["input"]["n"]))
    for law in (ra.PlackettLuce, ra.BradleyTerry):
        assert law.fit(profile).estimates == pytest.approx(case["expected"]["ml_est"], abs=1e-9)


@ledger.covers("choix_8random_l2/map")
def test_a_ridge_is_twice_the_alpha_of_choix(facts):
    # lucasmaystre/choix, tests/test_opt.py: alpha times the sum of squares.
    case = facts("known_answers")["choix_8random_l2"]
    profile = ra.Profile.from_orders(case["input"]["data"], items=range(case["input"]["n"]))
    for law in (ra.PlackettLuce, ra.BradleyTerry):
        fit = law.fit(profile, ridge=2 * case["input"]["alpha"])
        assert fit.estimates == pytest.approx(case["expected"]["map"], abs=1e-6)


@ledger.covers("evalica_food/bt_worth_sum1/*")
def test_a_tie_is_half_a_win_in_a_tournament(facts):
    profile, expected = read_food(facts)
    fit = ra.BradleyTerry.fit(profile, ties="half")
    worths = dict(zip(profile.items, fit.distribution.worths, strict=True))
    assert worths == pytest.approx(expected["bt_worth_sum1"], abs=1e-7)


@ledger.covers("evalica_food/newman/*")
def test_newmans_ties_equal_davidsons(facts):
    # Newman (2023) gives a tie the weight 2 v sqrt(w_i w_j).
    profile, expected = read_food(facts)
    fit = ra.BradleyTerry.fit(profile, ties="davidson")
    newman = np.array([expected["newman"][item] for item in profile.items])
    assert fit.distribution.worths == pytest.approx(newman / newman.sum(), abs=1e-6)
    assert np.exp(fit.estimates[-1]) / 2 == pytest.approx(expected["newman"]["v"], abs=1e-6)


# -- Mallows --------------------------------------------------------------------------------------


@ledger.covers("data_*/mallows_*", "data_*/uniform_ll")
@pytest.mark.parametrize("name", [name for name in BALLOT_SETS if name != "salad_pl"])
def test_mallows_of_a_set_of_rankings(name, facts):
    profile, expected = read_ballot_set(facts, name)
    fit = ra.Mallows.fit(profile)
    assert list(fit.distribution.center.order) == expected["kemeny_items"]
    assert fit.distribution.theta == pytest.approx(expected["mallows_theta"], abs=1e-6)
    assert fit.log_likelihood == pytest.approx(expected["mallows_ll"], abs=1e-6)
    if "mallows_phi" in expected:
        assert fit.distribution.phi == pytest.approx(expected["mallows_phi"], abs=1e-6)
    if "uniform_ll" in expected:
        uniform = ra.distributions.Uniform(profile.items).log_prob(profile)
        assert uniform == pytest.approx(expected["uniform_ll"], abs=1e-8)
        assert fit.log_likelihood_at(0.0) == pytest.approx(uniform, abs=1e-8)


@ledger.covers("mallows_logZ/kendall")
def test_the_normalizer_of_ten_items(facts):
    # ocbe-uio/BayesMallows, alpha = 3: its theta is alpha/n.
    case = facts("known_answers")["mallows_logZ"]
    found = mallows_log_normalizer(10, case["input"]["theta"])
    assert found == pytest.approx(case["expected"]["kendall"], abs=1e-12)


@ledger.covers("mallows_expected_distance/values")
def test_the_expected_distance_is_the_known_one(facts):
    # The same package; other distances are tested with their own normalizers.
    case = facts("known_answers")["mallows_expected_distance"]
    (at,) = [k for k, row in enumerate(case["input"]["cases"]) if row[0] == "kendall"]
    _, n, theta = case["input"]["cases"][at]
    law = ra.Mallows(range(n), theta=theta)
    assert law.mean_distance == pytest.approx(case["expected"]["values"][at], abs=1e-12)
    assert law.expected_distance() == pytest.approx(law.mean_distance, abs=1e-12)


@ledger.covers("permallows_dmm/kendall")
def test_probabilities_of_permutations(facts):
    # ekhiru/PerMallows, the example of dmm.
    expected = facts("known_answers")["permallows_dmm"]["expected"]
    swapped = ra.Permutation.from_order([1, 3, 2, 4])
    single = ra.Mallows(range(1, 5), theta=0.1).prob(swapped)
    assert single == pytest.approx(expected["kendall"], abs=1e-15)


@ledger.covers("mallows_kendall_moments/*")
def test_moments_of_the_distance(facts):
    expected = facts("known_answers")["mallows_kendall_moments"]["expected"]
    law = ra.Mallows(range(10), theta=1.0)
    found = {"mean": law.mean_distance, "variance": law.distance_variance}
    assert found == pytest.approx(expected, abs=1e-12)
    # Where theta is 0 the usual formula divides by it.
    assert ra.Mallows(range(10), theta=0.0).mean_distance == pytest.approx(10 * 9 / 4, abs=1e-12)
