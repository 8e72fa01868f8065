"""Quizzes: their answers are the only right ones, found again without the rules."""

from itertools import combinations, permutations

import pytest

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from rankagg.teaching.quiz.topics import TOPICS

SEEDS = range(4)


def voters(quiz):
    """Return every ballot as a string, once for each voter."""
    return [
        "".join(ranking.order)
        for count, ranking in zip(quiz.profile.counts, quiz.profile, strict=True)
        for _ in range(count)
    ]


def lead(ballots, a, b):
    return sum(1 if ballot.index(a) < ballot.index(b) else -1 for ballot in ballots)


def first_by(scores):
    return {item for item, score in scores.items() if score == max(scores.values())}


def borda(ballots, items):
    return first_by({a: sum(len(items) - one.index(a) for one in ballots) for a in items})


def copeland(ballots, items):
    leads = {a: [lead(ballots, a, b) for b in items if b != a] for a in items}
    return first_by({a: sum((x > 0) - (x < 0) for x in leads[a]) for a in items})


def condorcet_winner(ballots, items):
    beats = {a for a in items if all(lead(ballots, a, b) > 0 for b in items if b != a)}
    return beats or {"none"}


def kemeny(ballots, items):
    return first_by(
        {
            "".join(order): sum(lead(ballots, a, b) for a, b in combinations(order, 2))
            for order in permutations(items)
        }
    )


def cycle(ballots, items):
    return {
        "".join(three)
        for three in permutations(items, 3)
        if all(lead(ballots, three[k], three[(k + 1) % 3]) > 0 for k in range(3))
    }


def kendall_distance(ballots, items):
    agree = [lead(ballots, a, b) != 0 for a, b in combinations(items, 2)]
    return {str(agree.count(False))}


def minimax(ballots, items):
    defeats = {a: sorted(min(lead(ballots, a, b), 0) for b in items if b != a) for a in items}
    return first_by(defeats)


def first_bucket(rule):
    return lambda ballots, items: set(
        rule.aggregate(ra.Profile.from_orders(ballots, items=items)).buckets[0]
    )


#: By their definitions where these are short; the steps of the others are tested by theirs.
RIGHT = {
    "borda": borda,
    "condorcet winner": condorcet_winner,
    "copeland": copeland,
    "cycle": cycle,
    "kemeny": kemeny,
    "kendall distance": kendall_distance,
    "minimax": minimax,
    "ranked pairs": first_bucket(ra.RankedPairs()),
    "schulze": first_bucket(ra.Schulze()),
}


def all_answers(quiz):
    """Return every answer that may be given."""
    items = quiz.profile.items
    if quiz.kind == "number":
        return {str(k) for k in range(11)}
    if quiz.kind == "item":
        return {*items, "none"}
    size = 3 if quiz.kind == "cycle" else len(items)
    return {"".join(order) for order in permutations(items, size)}


@pytest.mark.parametrize("topic", TOPICS)
def test_right_answers_are_right_and_no_others(topic):
    for seed in SEEDS:
        asked = ra.quiz(topic, rng=seed)
        right = RIGHT[topic](voters(asked), asked.profile.items)
        assert len(right) == (3 if topic == "cycle" else 1)
        assert {answer for answer in all_answers(asked) if asked.check(answer)} == right


@pytest.mark.parametrize("topic", TOPICS)
def test_a_seed_asks_the_same_and_another_something_else(topic):
    asked = [ra.quiz(topic, rng=seed) for seed in (1, 1, 2, 3)]
    assert asked[0] == asked[1]
    assert asked[0].to_dict() == asked[1].to_dict()
    assert len({str(one) for one in asked}) > 1


def test_both_answers_on_condorcet_winners_are_drawn():
    answers = {ra.quiz("condorcet winner", rng=seed).answer for seed in range(12)}
    assert () in answers
    assert len(answers) > 2


@pytest.mark.parametrize("topic", TOPICS)
def test_the_text_hides_the_solution_and_a_notebook_folds_it(topic):
    asked = ra.quiz(topic, rng=5)
    assert "Answer:" not in str(asked)
    assert asked.solution.title not in str(asked)
    shown, _, folded = asked._repr_html_().partition("<details>")
    assert asked.question in shown.replace("&quot;", '"')
    assert asked.solution.title in folded
    assert "Answer:" not in shown


def test_answers_may_be_written_in_many_ways():
    order = ra.quiz("kemeny", rng=1)
    best = order.answer
    ways = (" > ".join(best), ", ".join(best).lower(), list(best), ra.Permutation.from_order(best))
    assert all(order.check(way) for way in ways)
    assert not order.check(best[::-1])
    number = ra.quiz("kendall distance", rng=1)
    assert number.check(number.answer[0])
    assert number.check(f" {number.answer[0]} ")
    assert not number.check(number.answer[0] + 1)


@pytest.mark.parametrize(
    ("topic", "answer"),
    [
        ("kemeny", "AB"), ("kemeny", "AAB"), ("kemeny", "ABX"), ("kemeny", 3), ("kemeny", None),
        ("kemeny", "none"), ("kemeny", ra.PartialRanking.from_buckets(["AB", "C"])),
        ("borda", ""), ("borda", "AB"), ("borda", "X"), ("cycle", "AB"), ("cycle", "ABCD"),
        ("kendall distance", "two"), ("kendall distance", True), ("kendall distance", 2.0),
        ("kendall distance", "-1"),
    ],
)  # fmt: skip
def test_what_is_no_answer_is_refused(topic, answer):
    with pytest.raises(InvalidInputError, match="`answer` must be"):
        ra.quiz(topic, rng=1).check(answer)


@pytest.mark.parametrize("topic", ["bordda", 3, None])
def test_an_unknown_topic_is_refused_with_those_there_are(topic):
    with pytest.raises(InvalidInputError, match="kendall distance"):
        ra.quiz(topic)


def test_the_documentation_names_all_topics():
    text = ra.quiz.__doc__ or ""
    assert all(f'"{topic}"' in text for topic in TOPICS)
