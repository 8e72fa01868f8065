"""Every table of steps, compared with the obvious loop over single rankings."""

from fractions import Fraction
from itertools import combinations, pairwise, permutations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import rankagg as ra
from rankagg.aggregation import Evidence
from rankagg.aggregation.kemeny.proof import Proof
from rankagg.analysis.rules import RULES
from rankagg.check_certificate import Enumeration
from rankagg.core.names import letters
from rankagg.exceptions import InformationLostError, InvalidInputError, VerificationError
from rankagg.teaching.show import _has_steps
from rankagg.teaching.steps import WIDTH, Worked, _column_blocks, _text_table, work_out
from rankagg.teaching.vote_steps import _certificate_step
from tests.teaching.ballots import ballots, costs, lead, partial, supporters, table, voters

STEPS = [rule for rule in RULES if _has_steps(rule)]
VOTES = [rule for rule in STEPS if rule.needs == "votes"]
FEW = settings(max_examples=6, deadline=None)


@FEW
@given(voters())
def test_steps_of_borda_equal_the_loop(case):
    orders, profile = case
    points = table(ra.teaching.show_steps(ra.Borda(), profile), "The points").set_index("item")
    n = profile.n_items
    for item in profile.items:
        often = [sum(order.index(item) == k for order in orders) for k in range(n)]
        assert points.loc[item].iloc[:n].tolist() == often
        total = sum(n - 1 - order.index(item) for order in orders)
        assert points.loc[item, "points"].endswith(f"= {total}")
        factors = [
            part.split("*") for part in points.loc[item, "points"].split(" = ")[0].split("+")
        ]
        assert sum(int(a) * int(b) for a, b in factors) == total


@FEW
@given(voters(least=2))
def test_votes_and_majorities_equal_the_loop(case):
    orders, profile = case
    steps = ra.teaching.show_steps(ra.Copeland(), profile)
    votes = table(steps, "The votes").set_index("above")
    for a, b in permutations(profile.items, 2):
        assert votes.loc[a, b] == supporters(orders, a, b)
    for row in table(steps, "The majorities").itertuples():
        a, b = row.pair.split(", ")
        won, lost = supporters(orders, a, b), supporters(orders, b, a)
        assert (row[2], row[3], row.margin) == (won, lost, won - lost)
        assert row.verdict == (f"{a} beats {b}" if won > lost else "a draw")
    for row in table(steps, "The score").itertuples():
        leads = [lead(orders, row.item, b) for b in profile.items if b != row.item]
        assert row.won == sum(lead > 0 for lead in leads)
        assert row.drawn == sum(lead == 0 for lead in leads)
        assert row.lost == sum(lead < 0 for lead in leads)
        assert row.score == row.won + row.drawn / 2


@FEW
@given(voters(least=2))
def test_defeats_of_minimax_equal_the_loop(case):
    orders, profile = case
    rows = table(ra.teaching.show_steps(ra.Minimax(), profile), "The defeats")
    for row in rows.itertuples():
        leads = [lead(orders, b, row.item) for b in profile.items if b != row.item]
        expected = ", ".join(map(str, sorted((x for x in leads if x > 0), reverse=True)))
        assert row.defeats == (expected or "none")


# One majority against what is locked, and three of equal margin.
@example(ballots(*["ABC"] * 4, *["BCA"] * 3, *["CAB"] * 2))
@example(ballots("ABCD", "BCAD", "CABD"))
@FEW
@given(voters(least=2))
def test_pairs_that_ranked_pairs_leave_out_close_the_stated_cycle(case):
    orders, profile = case
    steps = ra.teaching.show_steps(ra.RankedPairs(), profile)
    rows = list(table(steps, "Locking").itertuples())
    margins = [row.margin for row in rows]
    assert margins == sorted(margins, reverse=True)
    pairs = {tuple(row.majority.split(" over ")): row for row in rows}
    assert {pair: row.margin for pair, row in pairs.items()} == {
        pair: lead(orders, *pair)
        for pair in permutations(profile.items, 2)
        if lead(orders, *pair) > 0
    }
    for (a, b), row in pairs.items():
        if row.verdict == "locked":
            assert row.cycle == ""
            continue
        cycle = row.cycle.split(" > ")
        assert cycle[0] == cycle[-1] == a
        assert cycle[1] == b
        # All the others are locked, or as clear and taken together with it.
        for arc in list(pairwise(cycle))[1:]:
            assert pairs[arc].verdict == "locked" or pairs[arc].margin == row.margin
            assert pairs[arc].margin >= row.margin
    # What is locked has no cycle: some order agrees with all of it.
    kept = [pair for pair, row in pairs.items() if row.verdict == "locked"]
    assert any(
        all(order.index(a) < order.index(b) for a, b in kept)
        for order in permutations(profile.items)
    )


@FEW
@given(voters(least=2))
def test_strongest_paths_are_those_of_all_paths(case):
    orders, profile = case
    steps = ra.teaching.show_steps(ra.Schulze(), profile)
    leads = {pair: lead(orders, *pair) for pair in permutations(profile.items, 2)}
    strengths = table(steps, "The strengths").set_index("from")
    for row in table(steps, "A strongest path").itertuples():
        start, end = row.pair.split(" to ")
        between = [item for item in profile.items if item not in (start, end)]
        paths = [
            (start, *middle, end)
            for k in range(len(between) + 1)
            for middle in permutations(between, k)
        ]
        best = max(min(leads[arc] for arc in pairwise(p)) for p in paths)
        assert row.strength == strengths.loc[start, end] == max(best, 0)
        if best > 0:
            words = row.path.split()
            stops, arc_strengths = words[::2], [int(text.strip("()")) for text in words[1::2]]
            assert (stops[0], stops[-1]) == (start, end)
            assert arc_strengths == [leads[arc] for arc in pairwise(stops)]
            assert min(arc_strengths) == best
        else:
            assert row.path == "none"


@FEW
@given(voters())
def test_kemeny_lists_all_orders(case):
    orders, profile = case
    steps = ra.teaching.show_steps(ra.Kemeny(), profile)
    rows = list(table(steps, "The costs of all").itertuples())
    expected = costs(orders, permutations(profile.items))
    assert {tuple(row.order.split(" > ")): row.cost for row in rows} == expected
    assert [row.cost for row in rows] == sorted(expected.values())
    least = min(expected.values())
    assert all((row[3] == "least") == (row.cost == least) for row in rows)
    pairs = table(steps, "The cost of the answer")
    assert pairs.against.sum() == least
    assert all(
        row.against == supporters(orders, *row.pair.split(" above ")[::-1])
        for row in pairs.itertuples()
    )


@FEW
@given(voters(least=3, most=5))
def test_bounds_of_a_proof_add_up(case):
    orders, profile = case
    proof = table(ra.teaching.show_steps(ra.Kemeny(), profile), "The proof")
    floor = sum(
        min(supporters(orders, a, b), supporters(orders, b, a))
        for a, b in combinations(profile.items, 2)
    )
    assert proof["sum"].iloc[0] == floor
    assert proof["sum"].to_numpy() == pytest.approx(np.cumsum(proof["adds"]))
    assert proof["sum"].iloc[-1] == min(costs(orders, permutations(profile.items)).values())
    for row in proof.iloc[1:].itertuples():
        cycle = row.what.split(" beats ")
        if len(cycle) > 1:
            assert len(cycle) == 4
            # Every order contradicts some arc of it.
            assert all(
                any(order.index(a) > order.index(b) for a, b in pairwise(cycle))
                for order in permutations(profile.items)
            )


def test_majorities_equal_those_by_hand():
    cycle = ra.Profile.from_orders(["ABCD", "BCAD", "CABD"])
    steps = ra.teaching.show_steps(ra.PairwiseMajority(), cycle)
    rows = table(steps, "The items that each").set_index("item")
    assert rows.loc["A"].tolist() == ["B, D", "B, C, D"]
    assert rows.loc["D"].tolist() == ["none", "none"]
    assert steps.answer == "A = B = C > D"
    assert "there is no Condorcet winner" in str(steps)
    winner = ra.teaching.show_steps(
        ra.PairwiseMajority(), ra.Profile.from_orders(["AB", "AB", "BA"])
    )
    assert "A beats all others: it is the Condorcet winner." in str(winner)


def test_averages_equal_those_by_hand():
    table_ = ra.ScoreTable(
        [[1, 5, 3], [2, 2, np.nan], [np.nan, 4, np.nan]], systems="ABC", tasks=["x", "y", "z"],
        higher_is_better=True, task_weights={"x": 1, "y": 2, "z": 1},
    )  # fmt: skip
    means = table(ra.teaching.show_steps(ra.Mean(), table_), "The sums").set_index("system")
    assert means.loc["A"].tolist() == [14, 4, 3.5]
    assert means.loc["B"].tolist() == [6, 3, 2]
    lower = ra.ScoreTable([[1.0, 2.0], [3.0, 4.0]], systems="AB", higher_is_better=False)
    steps = ra.teaching.show_steps(ra.Mean(), lower)
    assert steps.answer == "A > B"
    assert "negated" in str(steps)


# -- any data -------------------------------------------------------------------------------------


@settings(max_examples=20, deadline=None)
@given(
    partial(), st.sampled_from(VOTES), st.sampled_from(["uniform", "ignore", "last"]), st.booleans()
)
def test_steps_end_with_the_result_of_the_rule(profile, rule, policy, counted):
    """`show_steps` refuses what differs, so that coming back is what is tested here."""
    made, data = rule(), profile.with_unranked(policy)
    data = data.pairwise() if counted else data
    steps = ra.teaching.show_steps(made, data)
    assert steps.answer == made.aggregate(data).ranking.to_text()
    assert steps.answer in str(steps)


def test_steps_that_differ_from_the_rule_are_refused():
    """Steps that differ from the rule are refused, whichever of the two is wrong."""
    profile = ra.Profile.from_orders(["ABC", "ABC", "ACB"])
    other = ra.Profile.from_orders(["CBA", "CBA", "BCA", "CAB"])
    for rule in VOTES:
        right = rule().aggregate(profile)
        worked = work_out(rule(), rule().aggregate(other), Evidence(other))
        with pytest.raises(VerificationError, match="differ from the result"):
            worked.check(right)


def test_a_wrong_cost_is_refused():
    consensus = ra.Kemeny().aggregate(ra.datasets.load("condorcet_1785"))
    Worked((), cost=76).check(consensus)
    with pytest.raises(VerificationError, match="differ from the result"):
        Worked((), cost=75).check(consensus)


def test_a_proof_by_more_than_cycles_is_described():
    consensus = ra.Kemeny().aggregate(ra.datasets.load("condorcet_1785"))
    proof = Proof(positions=(0, 1, 2), nodes=(Enumeration(),))
    certificate = ra.Certificate.build(consensus.pairwise, (1, 2, 0), [proof])
    step, bound = _certificate_step(certificate, consensus.pairwise, consensus.cost)
    assert bound == 76
    assert step.rows == ()
    assert "more than cycles" in " ".join(step.sentences)


# -- refusals and looks ---------------------------------------------------------------------------

CYCLE = ra.Profile.from_orders(["ABC", "BCA", "CAB"], counts=[4, 3, 2])


NOT_SHOWN = [
    (ra.Borda, CYCLE, "such as Borda"),
    ("borda", CYCLE, "such as Borda"),
    (ra.Borda(), 3, "a ScoreTable"),
    (ra.Borda(), ra.Profile.from_orders(["ABCDEFGHI"]), "at most 8 items"),
    (ra.Kemeny(consensus_ties=True, tie_cost=0.5), CYCLE, "all strict orders"),
    (ra.Kemeny(constraints=ra.Constraints(above=[("A", "B")])), CYCLE, "all strict orders"),
    (ra.Mean(), CYCLE, "Mean needs scores"),
    (ra.MC4(), CYCLE, ", ".join(sorted(rule.__name__ for rule in STEPS))),
    (ra.InstantRunoff(tie_breaking="parallel"), CYCLE, "'together' or 'order'.*`outcomes`"),
]


def test_rules_and_data_without_steps_are_refused():
    for rule, data, message in NOT_SHOWN:
        with pytest.raises((InvalidInputError, InformationLostError), match=message):
            ra.teaching.show_steps(rule, data)


def test_six_items_are_proved_and_not_listed():
    profile = ra.Mallows("ABCDEF", theta=0.2).sample(9, rng=2)
    headings = [step.heading for step in ra.teaching.show_steps(ra.Kemeny(), profile).steps]
    assert not [heading for heading in headings if heading.startswith("The costs of all")]
    assert headings[-1].startswith("The proof")


@pytest.mark.parametrize("tie_cost", [0.0, 0.5, 1.0])
def test_tied_votes_cost_the_tie_cost(tie_cost):
    profile = ra.Profile.from_ranks([[0, 0, 2], [1, 0, 2], [2, 1, 0]], items="ABC")
    rule = ra.Kemeny(tie_cost=tie_cost)
    steps = ra.teaching.show_steps(rule, profile)
    assert table(steps, "The costs of all").cost.min() == rule.aggregate(profile).cost
    assert ("Votes that tie two items" in str(steps)) == (tie_cost > 0)


def test_long_tables_are_cut_with_the_number_of_rows():
    steps = ra.teaching.show_steps(ra.Kemeny(), ra.Profile.from_orders(["ABCDE"]))
    assert "... and 115 more rows" in steps.summary(rows=5)
    assert "more row" not in steps.summary(rows=None)
    assert "... and 60 more rows" in steps._repr_html_()
    assert all(step._repr_html_() in steps._repr_html_() for step in steps.steps)


def test_numbers_are_exact_beyond_float_precision():
    thirds = ra.ScoreTable([[0.1] * 3, [0.3, 0, 0]], systems="AB", higher_is_better=True)
    means = table(ra.teaching.show_steps(ra.Mean(), thirds), "The sums").set_index("system")
    assert means.loc["A", "sum"] == float(3 * Fraction(0.1))


# -- tables of steps ------------------------------------------------------------------------------

SOME = settings(max_examples=20, deadline=None)
WORDS = st.text(alphabet=st.sampled_from("abM模 -_/#&\\[*{>,é" + "\N{EN DASH}"), max_size=60)
NUMBERS = st.sampled_from(["", "0", "-3", "12.5", "0.123456", "1e-06", "none"])


def no_blanks(text):
    return "".join(text.split())


@st.composite
def tables(draw):
    """Tables with their kinds of columns: words, and numbers below any words."""
    texts = draw(st.lists(st.booleans(), min_size=1, max_size=9))
    number = draw(st.integers(0, 4))
    head = draw(st.tuples(*[WORDS] * len(texts)))
    rows = [draw(st.tuples(*[WORDS if is_text else NUMBERS for is_text in texts]))
            for _ in range(number)]  # fmt: skip
    return [head, *rows], texts


@SOME
@given(tables())
@example(([("",) * 9, ("", "", "0.123456", *[""] * 6), ("", "", "none", *[""] * 6)],
          [False] * 9))  # fmt: skip
@example(([("a>>>>", "a>>>>>>", "", "a>>>>>>>>", "", "", "a>>>>", "a>>>>>>>>>>", ""),
           ("", "", "0.123456", "", "a>>>>", "", "", "", ""), ("", "", "none", *[""] * 6)],
          [False, False, False, False, True, False, False, False, False]))  # fmt: skip
def test_blocks_fit_and_have_all_columns(case):
    rows, texts = case
    blocks = [list(block) for block in _column_blocks(rows, texts)]
    assert all(block[0] == 0 for block in blocks)
    assert [k for block in blocks for k in block[1:]] == list(range(1, len(texts)))
    lines = _text_table(rows, texts)
    assert all(len(line) <= WIDTH for line in lines)
    expected = "".join(row[k] for block in blocks for row in rows for k in block)
    assert sorted(no_blanks("".join(lines))) == sorted(no_blanks(expected))


def test_decimal_points_are_aligned():
    rows = [["a", "b"], ["x", "1.25"], ["y", "-3"], ["z", "none"]]
    assert _text_table(rows, [True, False]) == [
        "  a          b", "  x       1.25", "  y      -3", "  z    none",
    ]  # fmt: skip


def test_a_function_is_named_without_its_place_in_memory():
    def falling(n):
        return range(n, 0, -1)

    profile = ra.Profile.from_orders(["AB"])
    titles = [ra.teaching.show_steps(ra.Positional(points), profile).title
              for points in (falling, lambda n: [1] * n)]  # fmt: skip
    assert titles == [
        "Positional(weights=falling), step by step", "Positional(weights=a function), step by step",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["x" * 300, "a_b/c-d " * 9])
def test_steps_fit_the_width_for_any_names(name):
    items = [f"{k}{name}" for k in range(8)]
    profile = ra.Profile.from_orders([items, items[::-1], items[3:] + items[:3]])
    for rule in (ra.Borda(), ra.Schulze(), ra.InstantRunoff()):
        for line in str(ra.teaching.show_steps(rule, profile)).splitlines():
            # A sentence may hold a name that is longer than a line.
            assert letters(line) <= WIDTH or not line.startswith("  ")
