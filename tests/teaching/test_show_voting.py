"""Steps of voting rules, held against the obvious loop over single ballots."""

import re
import statistics
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import rankagg as ra
from rankagg.analysis import rules
from rankagg.exceptions import InvalidInputError
from rankagg.teaching import least_steps
from rankagg.teaching.show import _has_steps
from rankagg.teaching.steps import told
from tests.teaching.ballots import ballots, costs, lead, partial, table, voters

FEW = settings(max_examples=3, deadline=None)
WAYS = ["together", "order", "parallel"]
POLICIES = ["uniform", "ignore", "last"]


def margins(orders, inside):
    return {a: sum(lead(orders, a, b) for b in inside if b != a) for a in inside}


def places(orders, inside, best):
    """Count who is first, or last, among some items."""
    count = Counter((min if best else max)(inside, key=order.index) for order in orders)
    return {item: count[item] for item in inside}


def runoff(orders, inside):
    return places(orders, inside, True), False


def baldwin(orders, inside):
    return margins(orders, inside), False


def coombs(orders, inside):
    firsts = places(orders, inside, True)
    most = max(firsts, key=firsts.get)
    if 2 * firsts[most] > len(orders):
        return {item: -(item == most) for item in inside}, True
    return {item: -many for item, many in places(orders, inside, False).items()}, False


def awkward(test):
    """Try ties alone, an item at the average, a cycle, and winners with ties or few points."""
    for case in (
        ballots("AB", "BA"),
        ballots("ABC"),
        ballots("ABC", "BCA", "CAB"),
        ballots("ABCD", "ACBD", "DABC", "DACB", "BACD"),
        ballots(*["ABC"] * 3, *["BCA"] * 2),
    ):
        test = example(case=case)(test)
    return test


RULES = {ra.InstantRunoff: runoff, ra.Baldwin: baldwin, ra.Coombs: coombs}


def endings(orders, inside, rule):
    """Return every ranking that some way of breaking ties leads to."""
    if len(inside) <= 1:
        return {"".join(inside)}
    counts, first = rule(orders, inside)
    found = set()
    for out in (item for item in inside if counts[item] == min(counts.values())):
        rest = endings(orders, [item for item in inside if item != out], rule)
        found |= {out + one if first else one + out for one in rest}
    return found


@pytest.mark.parametrize(
    ("rule", "ways"),
    [(ra.InstantRunoff, "parallel"), (ra.Baldwin, "order"), (ra.Coombs, "together")],
)
@awkward
@FEW
@given(case=voters())
def test_rounds_count_what_they_say(rule, ways, case):
    orders, profile = case
    steps = ra.teaching.show_steps(rule(tie_breaking=ways), profile)
    for step in steps.steps:
        if not step.heading.startswith("The rounds"):
            continue
        rows = step.to_frame()
        rounds = [
            {name: row[name] for name in profile.items if row[name] != ""}
            for row in (rows.to_dict("records") if ways == "parallel"
                        else rows.set_index("item").to_dict().values())
        ]  # fmt: skip
        for found in filter(None, rounds):
            inside = list(found)
            if "last places" in step.heading:
                assert found == places(orders, inside, False)
            elif rule is ra.Baldwin:
                assert found == margins(orders, inside)
            else:
                assert found == places(orders, inside, True)


@pytest.mark.parametrize("rule", RULES)
@awkward
@FEW
@given(case=voters())
def test_every_way_of_breaking_ties_is_listed(rule, case):
    orders, profile = case
    made = rule(tie_breaking="parallel")
    steps = ra.teaching.show_steps(made, profile)
    expected = endings(orders, list(profile.items), RULES[rule])
    outcomes = table(steps, "The outcomes")
    if len(expected) > 24:
        assert f"lead to {len(expected)} rankings" in str(steps)
    else:
        assert sorted(outcomes["ranking"]) == sorted(" > ".join(one) for one in expected)
        assert len(outcomes) == len(made.outcomes(profile))
    best = table(steps, "The best ranks").set_index("item")["best rank"]
    assert best.to_dict() == {
        item: 1 + min(one.index(item) for one in expected) for item in profile.items
    }


RANKING_RULES = [
    ra.InstantRunoff(), ra.Coombs(), ra.Plurality(), ra.Veto(), ra.Dowdall(), ra.Young(),
    ra.PickAPerm(), ra.Coombs(majority=False), ra.Young(weak=False), ra.Approval(2),
    ra.Positional(lambda n: [1.5 * (n - k) ** 2 for k in range(n)]),
]  # fmt: skip


def with_gaps():
    """Ballots with ties, with items that are unranked or not on the list, and with weights."""
    nan = np.nan
    rows = [[1, nan, 2, nan], [nan, 1, 1, 2], [2, nan, nan, nan], [nan] * 4, [3, 1, 2, 4]]
    seen = [ra.PartialRanking.from_ranks(row, items="ABCD") for row in rows]
    listed = [ra.PartialRanking.from_top_k(row, items="ABCD") for row in ("BD", "A", "ABCD")]
    return [*seen, *listed], [0.5, 1, 0.5, 2, 1, 1, 1, 0.5]


# `show_steps` refuses what differs, so that coming back is what is tested here.
@pytest.mark.parametrize(
    ("made", "policy"),
    [
        *((rule, "uniform") for rule in RANKING_RULES),
        *(pytest.param(rule, policy, marks=pytest.mark.slow)
          for rule in RANKING_RULES for policy in POLICIES[1:]),
        (ra.Bucklin(), "uniform"), (ra.ReciprocalRankFusion(k=1), "uniform"),
        (ra.Dodgson(), "last"),
    ],
)  # fmt: skip
def test_steps_of_gaps_come_to_what_the_rule_returns(made, policy):
    rankings, weights = with_gaps()
    for size in (6, 8):
        profile = ra.Profile(rankings[:size], weights=weights[:size]).with_unranked(policy)
        steps = ra.teaching.show_steps(made, profile)
        assert steps.answer == made.aggregate(profile).ranking.to_text()


@settings(max_examples=15, deadline=None)
@given(partial(), st.sampled_from(RANKING_RULES), st.sampled_from(POLICIES), st.sampled_from(WAYS))
def test_steps_of_any_ballots_come_to_what_the_rule_returns(profile, made, policy, ways):
    profile = profile.with_unranked(policy)
    if hasattr(made, "tie_breaking"):
        made = replace(made, tie_breaking=ways)
    steps = ra.teaching.show_steps(made, profile)
    assert steps.answer == made.aggregate(profile).ranking.to_text()


@awkward
@FEW
@given(case=voters())
def test_nanson_lets_go_what_is_not_above_the_average(case):
    orders, profile = case
    rounds = table(ra.teaching.show_steps(ra.Nanson(), profile), "The rounds").set_index("item")
    inside = list(profile.items)
    for column in rounds:
        found = {item: sum_ for item, sum_ in rounds[column].items() if sum_ != ""}
        assert found == margins(orders, inside)
        inside = [item for item in inside if found[item] > 0]
    assert not inside


@awkward
@FEW
@given(case=voters())
def test_black_puts_a_condorcet_winner_first(case):
    orders, profile = case
    steps = ra.teaching.show_steps(ra.Black(), profile)
    n = profile.n_items
    winners = [a for a in profile.items if wins_all(orders, a)]
    points = {a: sum(n - 1 - order.index(a) for order in orders) for a in profile.items}
    keys = {a: (a in winners, points[a]) for a in profile.items}
    buckets = [[a for a in profile.items if keys[a] == key]
               for key in sorted(set(keys.values()), reverse=True)]  # fmt: skip
    assert steps.answer == " > ".join(" = ".join(bucket) for bucket in buckets)
    assert ("stands first" in str(steps)) == bool(winners)


@pytest.mark.parametrize("rule", [ra.Plurality(), ra.Veto(), ra.Dowdall(), ra.Approval(2)])
@awkward
@FEW
@given(case=voters())
def test_points_for_places(rule, case):
    orders, profile = case
    n = profile.n_items
    worth = {
        "Plurality": [1] + [0] * n,
        "Veto": [1] * (n - 1) + [0],
        "Dowdall": [Fraction(1, k + 1) for k in range(n)],
        "Approval": [1, 1] + [0] * n,
    }[type(rule).__name__]
    points = table(ra.teaching.show_steps(rule, profile), "The points").set_index("item")
    for item in profile.items:
        often = [sum(order.index(item) == k for order in orders) for k in range(n)]
        assert points.loc[item].iloc[:n].tolist() == often
        total = sum(Fraction(many) * worth[k] for k, many in enumerate(often))
        left, right = points.loc[item, "points"].split(" = ")
        assert Fraction(right) == pytest.approx(total)
        terms = (re.sub(r"[()]", "", part).split("*") for part in left.split(" + "))
        assert sum(Fraction(a) * Fraction(b) for a, b in terms) == pytest.approx(total)


@awkward
@FEW
@given(case=voters())
def test_bucklin_counts_depths(case):
    orders, profile = case
    n = profile.n_items
    depths = table(ra.teaching.show_steps(ra.Bucklin(), profile), "The depths").set_index("item")
    for item in profile.items:
        votes = [sum(order.index(item) < k for order in orders) for k in range(1, n + 1)]
        assert depths.loc[item].iloc[:n].tolist() == votes
        reached = next(k for k, many in enumerate(votes, start=1) if 2 * many > len(orders))
        assert depths.loc[item, "majority at"] == reached
        assert depths.loc[item, "score"] == f"{n} - {reached} + {votes[reached - 1]}/{len(orders)}"


@awkward
@FEW
@given(case=voters(least=2))
def test_slater_counts_majorities(case):
    orders, profile = case
    steps = ra.teaching.show_steps(ra.Slater(), profile)
    contradicted = {
        " > ".join(order): sum(lead(orders, b, a) > 0 for a, b in combinations(order, 2))
        for order in permutations(profile.items)
    }
    rows, least = table(steps, "The costs of all"), min(contradicted.values())
    assert dict(zip(rows.order, rows.cost, strict=True)) == contradicted
    assert contradicted[steps.answer] == least
    majorities = table(steps, "The majorities of the answer")["majority"].tolist()
    assert majorities.count("contradicted") == least
    assert table(steps, "The proof")["sum"].iloc[-1] == least


def wins_all(orders, item, level=1):
    return all(lead(orders, item, b) >= level for b in set(orders[0]) - {item})


@FEW
@given(case=voters(most=4))
def test_ballots_left_out_are_enough_and_the_fewest(case):
    orders, profile = case
    rows = table(ra.teaching.show_steps(ra.Young(), profile), "What is left out").set_index("item")
    for item in profile.items:
        out = Counter()
        for part in filter("nothing".__ne__, rows.loc[item, "left out"].split(", ")):
            many, ballot = part.split(" of ")
            out["".join(ballot.split(" > "))] += int(many)
        kept = list((Counter(orders) - out).elements())
        assert len(kept) == len(orders) - out.total() == rows.loc[item, "score"]
        assert not kept or wins_all(kept, item, 0)
        most = max(
            sum(chosen)
            for chosen in product([0, 1], repeat=len(orders))
            if not any(chosen)
            or wins_all([o for o, c in zip(orders, chosen, strict=True) if c], item, 0)
        )
        assert len(kept) == most


def lifted(order, item, many):
    at = order.index(item)
    return order[: at - many] + item + order[at - many : at] + order[at + 1 :]


@FEW
@given(case=voters(least=2, most=3))
def test_lifts_make_a_condorcet_winner_and_are_the_fewest(case):
    orders, profile = case
    orders = orders[:4]
    profile = ra.Profile.from_orders(orders, items=profile.items)
    rows = table(ra.teaching.show_steps(ra.Dodgson(), profile), "The swaps").set_index("item")
    for item in profile.items:
        left, swaps = list(orders), 0
        changed = []
        for part in filter("nothing".__ne__, rows.loc[item, "lifts"].split(", ")):
            many, ballot, by = re.fullmatch(r"(\d+) of (.+) by (\d+) swaps?", part).groups()
            for _ in range(int(many)):
                left.remove(ballot.replace(" > ", ""))
                changed.append(lifted(ballot.replace(" > ", ""), item, int(by)))
                swaps += int(by)
        assert wins_all(left + changed, item)
        assert rows.loc[item, "score"] == -swaps
        fewest = min(
            sum(ways)
            for ways in product(*(range(order.index(item) + 1) for order in orders))
            if wins_all([lifted(o, item, k) for o, k in zip(orders, ways, strict=True)], item)
        )
        assert swaps == fewest


@awkward
@FEW
@given(case=voters())
def test_pick_a_perm_lists_what_the_ballots_cost(case):
    orders, profile = case
    rows = table(ra.teaching.show_steps(ra.PickAPerm(), profile), "The costs")
    expected = {" > ".join(order): cost for order, cost in costs(orders, orders).items()}
    assert dict(zip(rows.ranking, rows.cost, strict=True)) == expected
    (picked,) = rows[rows["verdict"] == "picked"].ranking
    assert expected[picked] == min(expected.values())


def test_means_of_ratios_are_those_of_the_standard_library():
    scores = np.array([[1.0, 5.0, 3.0], [2.0, 2.0, np.nan], [np.nan, 4.0, np.nan]])
    for rule, mean in [
        (ra.GeometricMean(), statistics.geometric_mean),
        (ra.HarmonicMean(), statistics.harmonic_mean),
    ]:
        for higher in (True, False):
            data = ra.ScoreTable(scores, systems="ABC", tasks="xyz", higher_is_better=higher)
            steps = ra.teaching.show_steps(rule, data)
            means = steps[1].to_frame().set_index("system")["mean"]
            for system, row in zip("ABC", scores, strict=True):
                assert means[system] == pytest.approx(mean(row[~np.isnan(row)]))
            assert steps.answer == rule.aggregate(data).ranking.to_text()
    heavy = ra.ScoreTable(
        [[4.0, 1.0]], systems="A", tasks="xy", higher_is_better=True, task_weights={"x": 2, "y": 1}
    )
    assert "(4^2 * 1)^(1/3)" in str(ra.teaching.show_steps(ra.GeometricMean(), heavy))
    assert "3/(2/4 + 1/1)" in str(ra.teaching.show_steps(ra.HarmonicMean(), heavy))


def test_every_rule_has_steps_or_a_reason():
    assert [kind for kind in rules.RULES if _has_steps(kind) == bool(kind.rests_on)] == []
    with pytest.raises(InvalidInputError, match=r"MC4 rests on the stationary distribution"):
        ra.teaching.show_steps(ra.MC4(), ra.Profile.from_orders(["AB"]))


@pytest.mark.parametrize(
    ("rule", "limit"),
    [(ra.Young(), (least_steps, "MOST_CHOICES")), (ra.Dodgson(), (least_steps, "MOST_SITUATIONS"))],
)
def test_what_takes_too_many_tries_is_refused(rule, limit, monkeypatch):
    monkeypatch.setattr(*limit, 100)
    many = ra.cultures.ImpartialCulture().sample(6, 40, rng=1)
    with pytest.raises(InvalidInputError, match="finds the answer by an integer program"):
        ra.teaching.show_steps(rule, many)


def test_a_tie_of_everything_has_all_outcomes():
    level = ra.Profile.from_orders(["".join(order) for order in permutations("ABCDE")])
    for rule in RULES:
        steps = ra.teaching.show_steps(rule(tie_breaking="parallel"), level)
        assert steps.answer == "A = B = C = D = E"
        assert "lead to 120 rankings, too many to list" in str(steps)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(1, 3), "1/3"), (Fraction(1, 2), "0.5"), (Fraction(7, 61), "0.114754"),
        (Fraction(12), "12"), (123456789, "123456789"), (2.0, "2"), (1234567.25, "1234567.25"),
        (0.1, "0.1"), (np.float64(3), "3"), (1e20, "100000000000000000000"), (1.5e-7, "1.5e-07"),
        (-0.25, "-0.25"),
    ],
)  # fmt: skip
def test_numbers_are_told_in_full(value, text):
    assert told(value) == text
