"""Quizzes: their answers are the only right ones, found again without the rules."""

from collections import Counter
from itertools import chain, combinations, permutations, product

import pytest

from quizzes import TOPICS, quiz
from tests.conftest import slow_but
from tests.teaching.ballots import lead

SEEDS = range(4)


def voters(asked):
    """Return every ballot as a string, once for each voter."""
    return [
        "".join(ranking.order)
        for count, ranking in zip(asked.profile.counts, asked.profile, strict=True)
        for _ in range(count)
    ]


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
    """By the worst defeat alone, as the textbooks have it."""
    return first_by({a: min(min(lead(ballots, a, b), 0) for b in items if b != a) for a in items})


def instant_runoff(ballots, inside):
    """Whoever of those with the fewest first places goes out."""
    if len(inside) == 1:
        return set(inside)
    firsts = [min(inside, key=ballot.index) for ballot in ballots]
    lowest = min(map(firsts.count, inside))
    out = [item for item in inside if firsts.count(item) == lowest]
    return set().union(*(instant_runoff(ballots, set(inside) - {item}) for item in out))


def schulze(ballots, items):
    strength = {(a, b): max(lead(ballots, a, b), 0) for a, b in permutations(items, 2)}
    for via in items:
        for a, b in permutations(set(items) - {via}, 2):
            strength[a, b] = max(strength[a, b], min(strength[a, via], strength[via, b]))
    return {a for a in items if all(strength[a, b] >= strength[b, a] for b in items if b != a)}


def ranked_pairs(ballots, items):
    """Whoever is first by some order in which equal majorities are locked in."""
    arcs = [(a, b) for a, b in permutations(items, 2) if lead(ballots, a, b) > 0]
    sizes = sorted({lead(ballots, *arc) for arc in arcs}, reverse=True)
    first = set()
    equal = [permutations([arc for arc in arcs if lead(ballots, *arc) == size]) for size in sizes]
    for ways in product(*equal):
        agree = list(permutations(items))
        for a, b in chain.from_iterable(ways):
            agree = [order for order in agree if order.index(a) < order.index(b)] or agree
        first |= {order[0] for order in agree}
    return first


#: By their definitions. If a rule leaves the choice open, every answer of some choice.
RIGHT = {
    "borda": borda,
    "condorcet winner": condorcet_winner,
    "copeland": copeland,
    "cycle": cycle,
    "instant runoff": instant_runoff,
    "kemeny": kemeny,
    "kendall distance": kendall_distance,
    "minimax": minimax,
    "ranked pairs": ranked_pairs,
    "schulze": schulze,
}


def all_answers(asked):
    """Return every answer that may be given."""
    items = asked.profile.items
    if asked.kind == "number":
        return {str(k) for k in range(11)}
    if asked.kind == "item":
        return {*items, "none"}
    size = 3 if asked.kind == "cycle" else len(items)
    return {"".join(order) for order in permutations(items, size)}


def check_question(topic, asked):
    """Hold that one answer is right, and that nothing gives it away."""
    ballots, items = voters(asked), asked.profile.items
    right = RIGHT[topic](ballots, items)
    assert len(right) == (3 if topic == "cycle" else 1)
    assert {answer for answer in all_answers(asked) if asked.check(answer)} == right
    assert asked.profile.is_strict
    assert asked.profile.is_complete
    assert len(set(ballots)) == len(asked.profile.counts)
    # The steps end with an answer to what was asked.
    *others, last = asked.solution.answer.split(" > ")
    assert asked.check(" ".join([*others, last][: 3 if topic == "cycle" else None]))
    assert topic != "cycle" or last == others[0]
    assert str(asked.solution).endswith(f"Answer: {asked.solution.answer}")
    if topic == "kendall distance":
        return
    assert len(set(ballots)) == 3
    assert 2 * max(asked.profile.counts) < len(ballots)
    # Whatever a draw is worth: there is none.
    assert all(lead(ballots, a, b) for a, b in combinations(items, 2))
    if topic in ("minimax", "ranked pairs", "schulze"):
        assert condorcet_winner(ballots, items) == {"none"}
    if topic == "instant runoff":
        firsts = [ballot[0] for ballot in ballots]
        assert first_by({item: firsts.count(item) for item in items}) != right


@pytest.mark.parametrize("topic", TOPICS)
def test_exactly_the_right_answers_are_accepted(topic):
    for seed in SEEDS:
        check_question(topic, quiz(topic, rng=seed))


@pytest.mark.slow
@pytest.mark.parametrize("topic", TOPICS)
def test_a_thousand_questions_have_one_answer_each_and_differ(topic):
    answers, texts = Counter(), set()
    for seed in range(1000):
        asked = quiz(topic, rng=seed)
        check_question(topic, asked)
        answers[asked.answer] += 1
        texts.add(str(asked))
    assert len(texts) > 400
    # No answer is a good guess.
    assert answers.most_common(1)[0][1] < (600 if topic == "condorcet winner" else 400)
    if topic == "condorcet winner":
        assert 400 < answers[()] < 600


@pytest.mark.parametrize("topic", slow_but([*TOPICS][::2], TOPICS))
def test_a_seed_asks_the_same_and_another_something_else(topic):
    asked = [quiz(topic, rng=seed) for seed in (1, 1, 2, 3)]
    assert asked[0] == asked[1]
    assert str(asked[0].solution) == str(asked[1].solution)
    assert len({str(one) for one in asked}) > 1


def test_both_answers_on_condorcet_winners_are_drawn():
    answers = {quiz("condorcet winner", rng=seed).answer for seed in range(12)}
    assert () in answers
    assert len(answers) > 2


@pytest.mark.parametrize("topic", TOPICS)
def test_the_text_hides_the_solution_and_a_notebook_folds_it(topic):
    asked = quiz(topic, rng=5)
    assert "Answer:" not in str(asked)
    assert asked.solution.title not in str(asked)
    shown, _, folded = asked._repr_html_().partition("<details>")
    assert asked.question in shown.replace("&quot;", '"')
    assert asked.solution.title in folded
    assert "Answer:" not in shown


def test_answers_may_be_written_in_many_ways():
    order = quiz("kemeny", rng=1)
    best = order.answer
    ways = (" > ".join(best), ", ".join(best).lower(), "".join(best))
    assert all(order.check(way) for way in ways)
    assert not order.check("".join(best[::-1]))
    number = quiz("kendall distance", rng=1)
    assert number.check(f" {number.answer[0]} ")
    assert not number.check(str(number.answer[0] + 1))


@pytest.mark.parametrize(
    ("topic", "answer"),
    [
        ("kemeny", "AB"), ("kemeny", "AAB"), ("kemeny", "ABX"), ("kemeny", "none"),
        ("borda", ""), ("borda", "AB"), ("borda", "X"), ("cycle", "AB"), ("cycle", "ABCD"),
        ("kendall distance", "two"), ("kendall distance", "2.0"), ("kendall distance", "-1"),
    ],
)  # fmt: skip
def test_malformed_answers_are_refused(topic, answer):
    with pytest.raises(ValueError, match="An answer is"):
        quiz(topic, rng=1).check(answer)
