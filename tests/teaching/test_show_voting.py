"""Steps of voting rules, compared with the obvious loop over single ballots."""

import re
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import rankagg as ra
from rankagg.teaching.steps import as_text
from tests.teaching.ballots import ballots, lead, partial, table, voters

FEW = settings(max_examples=3, deadline=None)
WAYS = ["together", "order"]
POLICIES = ["uniform", "ignore", "last"]


def margins(orders, inside):
    return {a: sum(lead(orders, a, b) for b in inside if b != a) for a in inside}


def places(orders, inside, best):
    """Count who is first, or last, among some items."""
    count = Counter((min if best else max)(inside, key=order.index) for order in orders)
    return {item: count[item] for item in inside}


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


@pytest.mark.parametrize(
    ("rule", "ways"),
    [(ra.InstantRunoff, "together"), (ra.InstantRunoff, "order"), (ra.Coombs, "together")],
)
@awkward
@FEW
@given(case=voters())
def test_counts_of_rounds_equal_the_loop(rule, ways, case):
    orders, profile = case
    steps = ra.teaching.show_steps(rule(tie_breaking=ways), profile)
    for step in steps.steps:
        if not step.heading.startswith("The rounds"):
            continue
        rows = step.to_frame()
        rounds = [
            {name: row[name] for name in profile.items if row[name] != ""}
            for row in rows.set_index("item").to_dict().values()
        ]  # fmt: skip
        for found in filter(None, rounds):
            inside = list(found)
            if "last places" in step.heading:
                assert found == places(orders, inside, False)
            else:
                assert found == places(orders, inside, True)


RANKING_RULES = [
    ra.InstantRunoff(), ra.Coombs(), ra.Plurality(), ra.Veto(), ra.Dowdall(),
    ra.Approval(2),
    ra.Positional(lambda n: [1.5 * (n - k) ** 2 for k in range(n)]),
]  # fmt: skip


@settings(max_examples=15, deadline=None)
@given(partial(), st.sampled_from(RANKING_RULES), st.sampled_from(POLICIES), st.sampled_from(WAYS))
def test_steps_of_any_ballots_end_with_the_result_of_the_rule(profile, made, policy, ways):
    profile = profile.with_unranked(policy)
    if hasattr(made, "tie_breaking"):
        made = replace(made, tie_breaking=ways)
    steps = ra.teaching.show_steps(made, profile)
    assert steps.answer == made.aggregate(profile).ranking.to_text()


@pytest.mark.parametrize("rule", [ra.Plurality(), ra.Veto(), ra.Dowdall(), ra.Approval(2)])
@awkward
@FEW
@given(case=voters())
def test_points_for_places_equal_the_loop(rule, case):
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


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(1, 3), "1/3"), (Fraction(1, 2), "0.5"), (Fraction(7, 61), "0.114754"),
        (Fraction(12), "12"), (123456789, "123456789"), (2.0, "2"), (1234567.25, "1234567.25"),
        (0.1, "0.1"), (np.float64(3), "3"), (1e20, "100000000000000000000"), (1.5e-7, "1.5e-07"),
        (-0.25, "-0.25"),
    ],
)  # fmt: skip
def test_numbers_are_printed_in_full(value, text):
    assert as_text(value) == text
