"""The fewest removals, compared with brute force over all of them."""

from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rankagg as ra
from rankagg.aggregation import Deadline
from rankagg.analysis.removal import removal_radius as search
from rankagg.analysis.removal import searches as orders
from rankagg.analysis.removal.removal_units import Bracket, RemovalClasses, Searched
from rankagg.analysis.removal.searches import _removals
from rankagg.core import canonical_profile, places
from rankagg.exceptions import InvalidInputError
from tests.analysis.removal.removal_oracle import radii, single_ballots, whole_tasks

QUICK = settings(
    max_examples=5, deadline=None, derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)  # fmt: skip
POLICIES = st.sampled_from(["uniform", "ignore", "last"])
RULES = (ra.Borda(), ra.Copeland(), ra.Kemeny())
ALPHAS = st.sampled_from([0.5, 0.0, 1.0, 1 / 3])


@st.composite
def profiles(draw, groups=False):
    """Up to 7 ballots of up to 5 items: ties, gaps, top-k lists, counts and weights."""
    n, m = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    rows = []
    for _ in range(m):
        places_ = [draw(st.sampled_from([0, 1, 2, 3, None, 4])) for _ in range(n)]
        given_ = np.array([[np.nan if p is None else float(p) for p in places_]])
        row = places.competition_ranks(given_)[0]
        if draw(st.booleans()) and draw(st.booleans()):
            row = np.where(row >= 2, places.UNLISTED, row)
        rows.append(row)
    spare = 7 - m
    counts = np.ones(m, dtype=int)
    for _ in range(draw(st.integers(0, spare))):
        counts[draw(st.integers(0, m - 1))] += 1
    return canonical_profile(
        ra.ItemSet("ABCDE"[:n]), np.array(rows, dtype=np.int32), counts=counts,
        weights=np.array(
            draw(st.lists(st.sampled_from([1, 1, 2, 0.5, 1 / 3, 0.1]), min_size=m, max_size=m))
        ),
        groups=draw(st.lists(st.sampled_from("xyz"), min_size=m, max_size=m)) if groups else None,
    )  # fmt: skip


def pairs(draw, profile):
    """Return a pair of the items, or None for the first place."""
    if len(profile.items) < 2 or draw(st.booleans()):
        return None
    return tuple(draw(st.permutations(list(profile.items)))[:2])


def check(profile, rule, pair, unit="ranking", choices=single_ballots):
    found = ra.analysis.removal_radius(profile, rule, pair=pair, unit=unit)
    assert found.is_proved
    assert (found.level.number, found.overtaken.number) == radii(
        profile, rule, pair, choices(profile)
    )


@pytest.mark.parametrize("kind", [ra.Borda, ra.Copeland, ra.Kemeny])
@QUICK
@given(data=st.data(), profile=profiles(), policy=POLICIES)
def test_radii_of_rules_equal_brute_force(kind, data, profile, policy):
    alpha = {"draw_points": data.draw(ALPHAS)} if kind is ra.Copeland else {}
    check(profile.with_unranked(policy), kind(**alpha), pairs(data.draw, profile))


@settings(QUICK, max_examples=12)
@given(data=st.data(), profile=profiles(), policy=POLICIES)
def test_an_incomplete_search_gives_an_interval_of_the_least_number(data, profile, policy) -> None:
    profile, rule = profile.with_unranked(policy), ra.Kemeny()
    pair = pairs(data.draw, profile)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(orders, "SUBSETS", 0)
        found = ra.analysis.removal_radius(profile, rule, pair=pair)
    numbers = radii(profile, rule, pair, single_ballots(profile))
    for mine, least in zip((found.level, found.overtaken), numbers, strict=True):
        assert mine.lower <= (profile.counts.sum() if least is None else least)
        assert mine.upper is None or mine.upper >= least  # what is removed does it
        assert mine.number in (None, least)
    is_open = not (found.level.is_proved and found.overtaken.is_proved)
    assert is_open == any("for a proof of the least number" in note for note in found.notes)


@settings(QUICK, max_examples=15)
@given(data=st.data(), profile=profiles(groups=True), policy=POLICIES)
def test_radii_of_groups_equal_brute_force(data, profile, policy):
    rule = data.draw(st.sampled_from(RULES))
    pair = pairs(data.draw, profile)
    check(profile.with_unranked(policy), rule, pair, "task", whole_tasks)


def gappy(seed, groups=False):
    """Return a random profile in which a third of the places are missing."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(2, 5)), int(rng.integers(2, 5))
    values = rng.integers(0, 4, size=(m, n)).astype(float)
    values[rng.random((m, n)) < 0.35] = np.nan
    return canonical_profile(
        ra.ItemSet("ABCD"[:n]), places.competition_ranks(values),
        counts=rng.integers(1, 3, size=m), weights=rng.choice([1, 2, 1 / 3], m),
        groups=rng.integers(0, 3, m).tolist() if groups else None,
    )  # fmt: skip


@pytest.mark.parametrize("policy", ["uniform", "ignore", "last"])
def test_margins_of_units_add_up_to_those_of_the_votes(policy):
    for seed in range(12):
        profile = gappy(seed, groups=seed % 2 == 0).with_unranked(policy)
        unit = "task" if seed % 2 == 0 else "ranking"
        parts = RemovalClasses(data=profile, rule=ra.Kemeny(), tolerance=0.0, unit=unit)
        everyone = np.arange(profile.n_items)
        leads = [parts.counts @ parts.leads(item, everyone) for item in everyone.tolist()]
        seen = [parts.counts @ parts.compared(item, everyone) for item in everyone.tolist()]
        votes = profile.pairwise()
        margins = votes.scaled_wins - votes.scaled_wins.T
        # The same up to one factor.
        i, j = np.unravel_index(np.abs(margins).argmax(), margins.shape)
        assert (np.array(leads) * margins[i, j] == margins * leads[i][j]).all()
        assert margins[i, j] * leads[i][j] >= 0
        assert bool(margins.any()) == bool(np.any(leads))
        away = ~np.eye(len(everyone), dtype=bool)
        assert ((np.array(seen) > 0) == (votes.scaled_comparisons > 0))[away].all()
        borda = ra.Borda().aggregate(profile).scores
        points = (parts.counts @ parts.points).astype(float)
        assert np.allclose(
            (points[:, None] - points) * np.ptp(borda), (borda[:, None] - borda) * np.ptp(points)
        )


def test_all_removals_of_a_size_are_tried() -> None:
    ways = list(product(range(3), range(2), range(4)))
    for size in range(7):
        assert [tuple(one) for one in _removals([2, 1, 3], size)] == [
            one for one in ways if sum(one) == size
        ]


@pytest.mark.parametrize(
    ("ranks", "counts", "groups"),
    [
        # No ballot compares A with B: two leave B unranked, and three leave both unlisted.
        ([[1, -1, 0], [-2, -2, 0]], [2, 3], None),
        # The first task says nothing of A, and the other one goes whole.
        ([[-1, 1, 0], [0, 1, 1], [0, 0, -1]], [2, 1, 1], ["x", "y", "y"]),
    ],
)
def test_an_uncompared_pair_is_even_under_every_policy(ranks, counts, groups):
    rows = [ra.PartialRanking(row, "ABC") for row in ranks]
    profile = ra.Profile(rows, counts=counts, groups=groups)
    unit, choices = ("task", whole_tasks) if groups else ("ranking", single_ballots)
    check(profile, ra.Copeland(draw_points=0.0), ("A", "B"), unit, choices)


def test_a_part_that_shrinks_after_a_known_removal_equals_brute_force():
    ranks = [[np.nan, np.nan, 2, 1], [1, 3, 1, 2], [2, 3, 1, 3], [1, 1, 2, 2], [3, 2, 3, 1]]
    profile = ra.Profile.from_ranks(
        ranks, items="ABCD", counts=[3, 2, 2, 3, 1], weights=[1, 10, 1, 1, 1]
    )
    check(profile.with_unranked("last"), ra.Kemeny(), None)


# -- means ----------------------------------------------------------------------------------------


@st.composite
def tables(draw):
    n, m = draw(st.integers(1, 4)), draw(st.integers(1, 6))
    scores = st.sampled_from([0.1, 0.2, 0.3, 0.7, 1.0, 85.3])
    values = [[draw(scores) for _ in range(m)] for _ in range(n)]
    return ra.ScoreTable(
        values, systems="ABCD"[:n], tasks=range(m),
        higher_is_better={k: draw(st.booleans()) for k in range(m)},
        task_weights={k: draw(st.sampled_from([1, 1, 2, 0.5])) for k in range(m)},
    )  # fmt: skip


@QUICK
@given(data=st.data(), table=tables())
def test_radii_of_means_equal_brute_force(data, table):
    pair = pairs(data.draw, table.rankings())
    found = ra.analysis.removal_radius(table, ra.Mean(), pair=pair)
    assert (found.level.number, found.overtaken.number) == radii(
        table, ra.Mean(), pair, whole_tasks(table)
    )


def test_means_of_different_tasks_are_refused():
    table = ra.ScoreTable(
        [[9, np.nan, np.nan], [1, 2, 3]], systems="AB", tasks="xyz", higher_is_better=True
    )
    with pytest.raises(InvalidInputError, match="without missing scores for Mean"):
        ra.analysis.removal_radius(table, ra.Mean())


# -- edges ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_one_ballot_has_to_stay(rule):
    found = ra.analysis.removal_radius(ra.Profile.from_orders(["ABC"]), rule)
    assert found.level.is_impossible
    assert found.overtaken.is_impossible
    assert found.is_proved
    assert found.level.number is None
    assert found.level.taken is None
    assert "one of 1 ranking has to stay" in found.headline()
    alone = ra.analysis.removal_radius(ra.Profile.from_orders(["A", "A"]), rule)
    assert alone.first == ("A",)
    assert alone.overtaken.is_impossible


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_tied_leaders_need_no_removal_to_be_level(rule):
    ballots = ra.Profile.from_ranks([[1, 1, 3]] * 4 + [[2, 2, 1]], items="ABC")
    for pair in (None, ("A", "B"), ("B", "A")):
        found = ra.analysis.removal_radius(ballots, rule, pair=pair)
        assert found.level.number == 0
        assert found.level.taken == ()
        assert found.overtaken.number == (4 if pair is None else None)
        assert found.overtaken.is_impossible == (pair is not None)
    everything = ra.Profile.from_ranks(np.zeros((6, 3), dtype=int), items="ABC")
    found = ra.analysis.removal_radius(everything, rule)
    assert found.level.number == 0
    assert found.overtaken.is_impossible


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_huge_counts_are_classes(rule):
    ballots = ra.Profile.from_orders(["ABC", "BCA", "CAB"], counts=[10**6, 7 * 10**5, 10])
    found = ra.analysis.removal_radius(ballots, rule)
    # Borda: B is ahead of A by 2,400,000 to 2,000,010 points, and each of its first places is worth
    # two. Majorities: A is ahead of C by 299,990 and of B by 300,010. Kemeny: the sum of both.
    numbers = {
        "Borda": (199_995, 199_996), "Copeland": (299_991, 300_010), "Kemeny": (300_000, 300_001),
    }[rule.name]  # fmt: skip
    assert (found.level.upper, found.overtaken.upper) == numbers
    assert found.is_proved == (rule.name != "Kemeny")
    if rule.name == "Kemeny":  # one majority has to turn at least
        assert (found.level.lower, found.overtaken.lower) == (299_990, 299_990)


def test_removed_rankings_are_counted_without_weights():
    ballots = ra.Profile.from_orders(["AB", "BA", "BA"], counts=[1, 3, 2], weights=[10, 0.1, 1 / 3])
    for rule in RULES:
        found = ra.analysis.removal_radius(ballots, rule)
        assert found.n_units == 6
        assert found.overtaken.number == 1
        assert found.overtaken.taken == ((0, 1),)


def test_weights_beyond_float_precision_are_exact():
    ballots = ra.Profile.from_orders(
        ["ABC", "BCA", "BCA"], counts=[3, 2, 2], weights=[1.0, 1e-9, 1 + 2**-40]
    )
    for rule in RULES:
        found = ra.analysis.removal_radius(ballots, rule, pair=("A", "B"))
        assert found.is_proved, rule
        assert (
            found.overtaken.number == radii(ballots, rule, ("A", "B"), single_ballots(ballots))[1]
        )


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rule": ra.Minimax()}, "rule"),
        ({"rule": type("Own", (ra.Borda,), {})()}, "Borda, Copeland, Kemeny or Mean"),
        ({"rule": ra.Kemeny(consensus_ties=True, tie_cost=0.5)}, "without `consensus_ties`"),
        ({"rule": ra.Mean(), "unit": "ranking"}, "'task' for Mean"),
        ({"rule": ra.TwoLevel(ra.Borda(), ra.Borda())}, "Borda, Copeland, Kemeny or Mean"),
        ({"rule": ra.Copeland(draw_points=0.123456)}, "denominator up to 1000"),
        ({"data": 1}, "a ScoreTable, a Profile or Comparisons"),
        ({"data": ra.datasets.load("tennessee"), "unit": "task"}, "without groups"),
        ({"unit": "ballot"}, "'ranking' or 'task'"),
        ({"pair": ("Human", "Human")}, "two different items"),
        ({"pair": "AB"}, "two different items"),
        ({"pair": ("Human", "Humn")}, "Human"),
        ({"time_limit": -1}, "time_limit"),
    ],
)  # fmt: skip
def test_bad_calls_are_refused(changes, words):
    given_ = {"data": ra.datasets.load("superglue_human"), "rule": ra.Borda(), **changes}
    with pytest.raises(InvalidInputError, match=words):
        ra.analysis.removal_radius(**given_)


# -- time -----------------------------------------------------------------------------------------


def test_without_time_no_number_is_claimed():
    votes = ra.distributions.Uniform(range(9)).sample(30, rng=1)
    found = ra.analysis.removal_radius(votes, time_limit=0)
    assert not found.is_proved
    assert found.first == ()
    assert (found.level.lower, found.level.upper) == (0, None)
    assert "not proved" in found.headline()


@pytest.mark.parametrize("seed", [2, 3, 4])
def test_removals_that_majorities_decide_are_right_without_a_solve(seed):
    votes = ra.distributions.Uniform(range(3)).sample(6, rng=seed)
    units = RemovalClasses(data=votes, rule=ra.Kemeny(), tolerance=0.0, unit="ranking")
    whole = ra.Kemeny().aggregate(votes)
    searched = Searched.of(units, whole, None, Deadline())
    for removed in product(*(range(count + 1) for count in units.counts.tolist())):
        for question in filter(None, searched.questions):
            asked = np.array(removed), question, Bracket(units.total), Deadline()
            if sum(removed) < units.total:
                assert searched.changes(*asked) == searched.without(*asked)[1]


@pytest.mark.parametrize("solves", [0, 1, 2, 4])
def test_few_solves_give_an_interval_of_the_least_number(solves):
    votes = ra.distributions.Uniform(range(4)).sample(11, rng=3)
    true = ra.analysis.removal_radius(votes)
    assert true.is_proved
    units = RemovalClasses(data=votes, rule=ra.Kemeny(), tolerance=0.0, unit="ranking")
    found = search.radius_until(Deadline(), units, solves=solves)
    assert "too large, or too near to a tie, for a proof of the least number" in found.notes
    for mine, least in ((found.level, true.level), (found.overtaken, true.overtaken)):
        assert mine.lower <= least.number
        assert mine.upper is None or mine.upper >= least.number


def test_overtaking_removals_also_answer_the_level_question(monkeypatch):
    votes = ra.Profile.from_orders(["ABC", "BCA", "CBA"], counts=[5, 2, 1])
    close = orders.search
    monkeypatch.setattr(
        orders,
        "search",
        lambda units, question, *rest: (question.strict and close(units, question, *rest)) or (),
    )
    found = ra.analysis.removal_radius(votes)
    assert found.overtaken.number == 3
    assert found.level.taken == found.overtaken.taken
    assert found.level.first == found.overtaken.first == ("B",)


# -- output ---------------------------------------------------------------------------------------


def test_the_headline_names_the_removed_tasks():
    found = ra.analysis.removal_radius(ra.datasets.load("superglue_human"), ra.Borda())
    assert found.headline() == (
        "removing 2 of 10 tasks (CB and WiC) would put DeBERTa first in place of Human"
    )
    assert found.to_dict()["overtaken"]["number"] == 2
    left = ra.datasets.load("superglue_human").drop(tasks=["CB", "WiC"])
    assert ra.Borda().aggregate(left).buckets[0] == ("DeBERTa",)


def test_the_upper_item_of_a_pair_is_named_first():
    votes = ra.datasets.load("tennessee")
    one = ra.analysis.removal_radius(votes, ra.Borda(), pair=("Memphis", "Nashville"))
    other = ra.analysis.removal_radius(votes, ra.Borda(), pair=("Nashville", "Memphis"))
    assert one == other
    assert one.pair == ("Nashville", "Memphis")
    assert "put Memphis above Nashville" in one.headline()


@pytest.mark.parametrize(
    ("rule", "level"), [(ra.Borda(), 3), pytest.param(None, 2, marks=pytest.mark.slow)]
)
def test_the_radius_of_105_systems_is_found(rule, level, data):
    table = ra.read_scores(data("tasks/glue.csv"), higher_is_better=True)
    found = ra.analysis.removal_radius(table, rule)
    assert (found.level.number, found.overtaken.number) == (level, 3)
    assert ra.analysis.removal_radius(table, ra.Mean()).overtaken.taken == (("RTE", 1),)
