"""A comparison in words says what its tables say."""

import re

import pytest
from hypothesis import given, settings

import rankagg as ra
from rankagg.core.names import NUMBER_WORDS
from rankagg.exceptions import InvalidInputError, ItemMismatchError
from tests.strategies import profiles


def test_the_paragraph_of_a_known_example():
    ballots = ra.datasets.load("tennessee")
    decisions = ra.rank_intervals(ballots).decisions
    comparison = ra.compare(ballots, [ra.Borda(), ra.Copeland(), ra.Kemeny()])
    assert comparison.sentences(decisions=decisions) == (
        "This compares 3 rules (Borda, Copeland, Kemeny) on 100 rankings of 4 items.",
        "The ranking that contradicts the fewest votes (the exact rule, Kemeny) is Nashville > "
        "Chattanooga > Knoxville > Memphis: it contradicts 207 votes.",
        "Nashville is ranked first.",
        "The consensus is proved optimal, and no other is as good.",
        "Borda contradicts 16 votes more and orders 1 pair differently; the closest is Knoxville "
        "above Memphis (58 votes for, 42 against); none of them is decided.",
        "Copeland orders every pair as Kemeny does.",
        "With 100 rankings, 3 of 6 pairs are decided at 95 %.",
    )


@settings(max_examples=10)
@given(profile=profiles())
def test_sentences_say_what_the_tables_say(profile):
    comparison = ra.compare(profile, [ra.Borda(), ra.Copeland(), ra.Kemeny()])
    sentences = comparison.sentences()
    text = " ".join(sentences)
    exact = comparison.exact
    assert ("no other is as good" in text) is exact.optima.is_unique
    number = exact.optima.count() - 1
    if number:
        spelled = re.search(r"proved optimal; (\w[\w,]*) others? (?:is|are) as good", text)
        assert spelled[1] == (NUMBER_WORDS[number] if number <= 12 else f"{number:,}")
    assert ("First place is open" in text) is (len(exact.optima.winners()) > 1)
    for method in ("Borda", "Copeland"):
        frame = comparison.disagreements("Kemeny", method)
        told = next(s for s in sentences if s.startswith(f"{method} "))
        if frame.empty:
            assert told == f"{method} orders every pair as Kemeny does."
        else:
            assert f"orders {len(frame)} pair{'s' * (len(frame) > 1)} differently" in told
            row = comparison.to_frame().set_index("rule").loc[method]
            more = re.search(r"contradicts (as many|[\d.,]+) votes?", told)[1]
            assert (more == "as many") == (row["excess"] == 0)


def test_what_is_not_known_is_said():
    ballots = ra.datasets.load("tennessee")
    plain = ra.compare(ballots, [ra.Borda(), ra.Copeland()]).sentences()
    assert plain[-1].startswith(
        "Without the exact rule (Kemeny) among them it is not known how far"
    )
    assert plain[1].startswith("Borda gives Nashville > ")
    comparison = ra.compare(ballots)
    assert comparison.sentences(optima=False)[1].startswith("A ranking that contradicts the fewest")
    assert comparison.sentences(optima=False)[2] == (
        "Nashville leads an order that contradicts the fewest votes."
    )
    assert "whether others are as good was not looked at" in comparison.sentences(optima=False)[3]
    with pytest.raises(InvalidInputError, match="optima"):
        comparison.sentences(optima="yes")
    other = ra.rank_intervals(ra.datasets.load("glue_human")).decisions
    with pytest.raises(ItemMismatchError):
        comparison.sentences(decisions=other)


def test_gaps_of_scores_and_the_policy_are_told():
    table = ra.datasets.load("xtreme_gaps")
    assert ra.compare(table).sentences()[0] == (
        "This compares 4 rules (Mean, Borda, Copeland, Kemeny) on 10 systems and 4 tasks, 18 of "
        "40 scores missing; the policy for what is unranked is 'uniform'."
    )


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (ra.datasets.load("tennessee").pairwise(), "votes on the pairs of 4 items"),
        (ra.Comparisons.from_arrays("AAB", "BCC", [1, 1, 0]), "3 battles of 3 items"),
        (ra.Profile.from_orders(["A"]), "1 ranking of 1 item"),
    ],
)
def test_every_kind_of_data_has_its_words(data, words):
    told = ra.compare(data, [ra.Borda(), ra.Kemeny()]).sentences()
    assert words in told[0]
    assert re.search(r"^First place |is ranked first", told[2])


def test_an_unproved_consensus_is_no_optimum():
    ballots = ra.datasets.load("tennessee")
    comparison = ra.compare(ballots, [ra.Kemeny()], time_limit=1e-9)
    told = comparison.sentences()
    assert comparison.exact.is_proved or "not proved optimal" in told[3]


@settings(max_examples=10)
@given(profile=profiles())
def test_a_consensus_with_ties_has_words_too(profile):
    weak = ra.Kemeny(consensus_ties=True, tie_cost=0.5)
    comparison = ra.compare(profile, [ra.Borda(), weak])
    first, winners = comparison.exact.buckets[0], comparison.exact.optima.winners()
    # Notes on items that nothing joins come before it.
    told = " ".join(comparison.sentences())
    if len(first) > 1 and set(first) == set(winners):
        assert "First place is shared by " in told
    else:
        assert ("First place is open" if len(winners) > 1 else " is ranked first") in told
