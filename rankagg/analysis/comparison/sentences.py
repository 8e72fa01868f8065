"""The results of a comparison in sentences."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from rankagg._typing import Label
from rankagg.aggregation import Consensus, Data
from rankagg.aggregation.base import votes_text
from rankagg.analysis.comparison.agreement import LATE, Alternatives
from rankagg.core import (
    PairwiseMatrix,
    Profile,
    ScoreSummary,
    ScoreTable,
    Words,
    capital,
    in_words,
    joined,
    level_of,
    listing,
    named,
    part_of,
    quantity,
    sentence,
)

if TYPE_CHECKING:
    from rankagg.analysis.comparison.compare import RuleComparison
    from rankagg.inference import Decisions

# Names that a sentence holds.
NAMES_LISTED = 3


def sentences_of(
    comparison: RuleComparison,
    known: Alternatives | None,
    decisions: Decisions | None,
    *,
    searched: bool,
) -> tuple[str, ...]:
    """Return sentences on the data and the results."""
    exact, rules = comparison.exact, comparison.consensuses
    words = rules[0].evidence.words
    if exact is None or exact.certificate is None:
        results = [f"{c.rule.name} gives {c.ranking.to_text()}." for c in rules]
        results.append(
            f"Without the exact rule (Kemeny), the fewest {words.vote}s that one can contradict "
            "are not known."
        )
    else:
        results = _exact_sentences(exact, known, words, searched=searched)
        results += [_other(comparison, exact, c, words, decisions) for c in rules if c is not exact]
    results.append("" if decisions is None else decided_of(decisions))
    gaps = rules[0].evidence.gaps()
    return _data(comparison), *(f"{capital(gap)}." for gap in gaps), *filter(None, results)


# -- the data -------------------------------------------------------------------------------------


def _data(comparison: RuleComparison) -> str:
    data = comparison.consensuses[0].evidence.data
    rules = quantity(len(comparison.rules), "rules", noun="rule")
    gaps, policy = "", f"; the policy for unranked items is {comparison.unranked!r}"
    if isinstance(data, ScoreTable) and data.n_missing:
        of = part_of(data.n_missing, "cells missing", data.values.size, "cells", "score", form=",")
        gaps = sentence(", {} missing{}", of, policy)
    elif isinstance(data, Profile) and not data.is_complete:
        gaps = f", not all of them ranked by each{policy}"
    names = ", ".join(comparison.rules)
    return sentence("This compares {} ({}) on {}{}.", rules, names, _described(data), gaps)


def _described(data: Data) -> str:
    if isinstance(data, ScoreTable | ScoreSummary):
        tasks = quantity(data.n_tasks, "tasks", ",", "task")
        return sentence("{} and {}", quantity(data.n_systems, "items", ",", "system"), tasks)
    items = quantity(len(data.items), "items", ",", "item")
    if isinstance(data, Profile):
        return sentence("{} of {}", quantity(data.n_rankings, "rankings", ",", "ranking"), items)
    if isinstance(data, PairwiseMatrix):
        return sentence("votes on the pairs of {}", items)
    return sentence("{} of {}", quantity(len(data), "comparisons", ",", "battle"), items)


# -- the exact rule -------------------------------------------------------------------------------


def _exact_sentences(
    exact: Consensus, known: Alternatives | None, words: Words, *, searched: bool
) -> list[str]:
    cost = votes_text(exact, exact.cost, "cost")
    which = f"that contradicts the fewest {words.vote}s" if exact.is_proved else "that was found"
    alone = known is not None and known.is_unique
    head = "The ranking" if alone and exact.is_proved else "A ranking"
    winners = None if known is None else known.winners
    text = "{} {} (the exact rule, {}) is {}: it contradicts {}."
    return [
        sentence(text, head, which, exact.rule.name, exact.ranking.to_text(), cost),
        sentence("{}.", first_of(exact, winners, words)),
        proof_of(exact, known, words, searched=searched),
    ]


def first_of(exact: Consensus, winners: tuple[Label, ...] | None, words: Words) -> str:
    """Return a clause on the winner of the exact consensus, or of one of them."""
    fewest = f"an order that contradicts the fewest {words.vote}s"
    leaders = exact.buckets[0]
    lead = sentence(
        "{} {}", listing(leaders, NAMES_LISTED), "leads" if len(leaders) == 1 else "lead"
    )
    if not exact.is_proved:
        ranked = quantity(len(exact.items), "items", ",", words.item)
        return sentence("{} the best order of {} that was found", lead, ranked)
    if winners is None:  # others may lead in another optimum
        return sentence("{} {}", lead, fewest)
    all_first = winners or leaders
    if len(leaders) > 1 and set(all_first) == set(leaders):
        return sentence("First place is shared by {}", listing(leaders, NAMES_LISTED))
    if len(all_first) > 1:
        each = listing(all_first, NAMES_LISTED)
        return sentence("First place is open: {} each lead {}", each, fewest)
    return f"{named(leaders[0])} is ranked first"


def proof_of(
    exact: Consensus,
    known: Alternatives | None,
    words: Words,
    *,
    searched: bool = True,
    group: str = "",
) -> str:
    """Return a sentence on the proof of the exact consensus."""
    if not exact.is_proved:
        certificate = exact.certificate
        assert certificate is not None, "an exact rule gives a certificate"
        gap = votes_text(exact, certificate.gap, "gap")
        return sentence("It is not proved optimal: another may contradict up to {} fewer.", gap)
    head = "The consensus is proved optimal"
    if not searched:
        return f"{head}; other optima were not searched for."
    if known is None or known.is_unique is None:
        return f"{head}; whether others are as good was {LATE}."
    if known.is_unique:
        return f"{head}, and no other is as good."
    open_ones = [block for block in known.optima.blocks if len(block) > 1]
    where = f"the {group if len(open_ones) == 1 else in_words(len(open_ones), group)}"
    if not group:
        each = [listing(block, NAMES_LISTED) for block in open_ones[:NAMES_LISTED]]
        if left := len(open_ones) - len(each):
            each.append(sentence("and {}", quantity(left, "groups not listed", noun="more group")))
        where = joined(each, "; ")
    others = "others are"
    if known.count is not None:
        others = quantity(known.count - 1, "other optima", _others)
    return sentence("{}; {} as good, in another order inside {}.", head, others, where)


def _others(number: int) -> str:
    if number >= 1_000_000:
        power = len(str(number)) - 1
        if power < 9:
            return f"{number / 1e6:,.3g} million others are"
        raised = str(power).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
        return f"about {number / 10**power:.2g} \N{MULTIPLICATION SIGN} 10{raised} others are"
    return "one other is" if number == 1 else f"{in_words(number, 'other')} are"


# -- the other rules and the decided pairs --------------------------------------------------------


def _other(
    comparison: RuleComparison,
    exact: Consensus,
    other: Consensus,
    words: Words,
    decisions: Decisions | None,
) -> str:
    name = other.rule.name
    pairs = comparison.disagreements(exact.rule.name, name, decisions=decisions)
    if pairs.empty:
        return f"{name} orders every pair as {exact.rule.name} does."
    cost = exact.cost_of
    excess = cost(other.ranking, comparison.votes) - cost(exact.ranking, comparison.votes)
    more = f"as many {words.vote}s"
    if excess:
        than = "more" if excess > 0 else "fewer"
        more = sentence("{} {}", votes_text(exact, abs(excess), "excess of a rule"), than)
    n = len(pairs)
    otherwise = quantity(n, "pairs ordered differently", ",", "pair")
    closest = _closest(exact, next(pairs.itertuples(index=False)))
    text = "{} contradicts {} and orders {} differently; the closest is {}"
    result = sentence(text, name, more, otherwise, closest)
    if decisions is None:
        return sentence("{}.", result)
    sure = int(pairs["decided"].ne("no").sum())
    of_them = quantity(sure, "pairs ordered differently and decided", ",", of=n) if sure else "none"
    return sentence("{}; {} of them {} decided.", result, of_them, "is" if sure < 2 else "are")


def _closest(exact: Consensus, pair: Any) -> str:
    votes = votes_text(exact, pair.votes_for, "votes for the closest pair")
    against = votes_text(exact, pair.votes_against, "votes against the closest pair", noun="")
    names = named(pair.above), named(pair.below)
    return sentence("{} above {} ({} for, {} against)", *names, votes, against)


def units_of(decisions: Decisions) -> str:
    """Return the independent units of decisions as text."""
    basis = decisions.basis
    if basis is None:
        return "the data"
    return quantity(basis.n_units, "independent units", partial(in_words, noun=basis.word))


def decided_of(decisions: Decisions) -> str:
    """Return a sentence on the number of decided pairs; empty if there is no pair."""
    n, given, level = len(decisions.items), units_of(decisions), level_of(decisions.alpha)
    pairs, decided = n * (n - 1) // 2, int(decisions.above.sum())
    if decided:
        of = decisions.decided()
        if decided == pairs:
            every = quantity(decided, "pairs decided", ",", "pair", of=pairs)
            of = sentence("all {}", every) if pairs > 1 else "the only pair"
        verb, about = "is" if decided == 1 else "are", "about " * decisions.is_approximate
        return sentence("With {}, {} {} decided at {}{}.", given, of, verb, about, level)
    if decisions.warning is not None:
        return sentence("{}.", capital(decisions.warning))
    if not pairs or decisions.basis is None:
        return ""
    return sentence("With {} no pair is decided at {}: they disagree too much.", given, level)
