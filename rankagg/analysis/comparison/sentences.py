"""What a comparison found, in sentences and as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd

from rankagg._typing import Label
from rankagg.aggregation import MOST_ITEMS, Consensus, Data
from rankagg.aggregation.base import votes_text
from rankagg.analysis.comparison.agreement import LATE, Alternatives, distances_to_optima
from rankagg.core import (
    PairwiseMatrix,
    Profile,
    ScoreSummary,
    ScoreTable,
    Words,
    amount,
    capital,
    counted,
    in_words,
    joined,
    level_of,
    listing,
    named,
    part_of,
    said,
    shortened,
    stated,
)
from rankagg.exceptions import OutOfTimeError, TooLargeError, visible

if TYPE_CHECKING:
    from rankagg.analysis.comparison.compare import RuleComparison
    from rankagg.inference import Decisions

# How the numbers of a column are printed.
FORMATS: Mapping[str, Callable[[Any], str]] = {
    **dict.fromkeys(("cost", "excess", "distance", "nearest", "farthest"), amount),
    "ratio": "{:z.4f}".format,
    "guarantee": "{:zg}".format,
    "runtime": "{:z.3f} s".format,
}
# Names that a sentence holds.
NAMES_LISTED = 3
# Pairs with as many votes for as against that are printed of each rule.
LEVEL_PAIRS = 3


def sentences_of(
    comparison: RuleComparison,
    known: Alternatives | None,
    decisions: Decisions | None,
    *,
    looked: bool,
) -> tuple[str, ...]:
    """Return what was compared and found, sentence by sentence."""
    exact, rules = comparison.exact, comparison.consensuses
    words = rules[0].evidence.words
    if exact is None or exact.certificate is None:
        told = [f"{c.rule.name} gives {c.ranking.to_text()}." for c in rules]
        told.append(
            "Without the exact rule (Kemeny) among them it is not known how far these rankings are "
            f"from the fewest {words.vote}s that one can contradict."
        )
    else:
        told = _exact_told(exact, known, words, looked=looked)
        told += [_other(comparison, exact, c, words, decisions) for c in rules if c is not exact]
    told.append("" if decisions is None else decided_of(decisions))
    gaps = rules[0].evidence.gaps()
    return _data(comparison), *(f"{capital(gap)}." for gap in gaps), *filter(None, told)


# -- what was compared ----------------------------------------------------------------------------


def _data(comparison: RuleComparison) -> str:
    data = comparison.consensuses[0].evidence.data
    rules = stated(len(comparison.rules), "rules", noun="rule")
    gaps, policy = "", f"; the policy for what is unranked is {comparison.unranked!r}"
    if isinstance(data, ScoreTable) and data.n_missing:
        of = part_of(data.n_missing, "cells missing", data.values.size, "cells", "score", form=",")
        gaps = said(", {} missing{}", of, policy)
    elif isinstance(data, Profile) and not data.is_complete:
        gaps = f", not all of them ranked by each{policy}"
    names = ", ".join(comparison.rules)
    return said("This compares {} ({}) on {}{}.", rules, names, _described(data), gaps)


def _described(data: Data) -> str:
    if isinstance(data, ScoreTable | ScoreSummary):
        tasks = stated(data.n_tasks, "tasks", ",", "task")
        return said("{} and {}", stated(data.n_systems, "items", ",", "system"), tasks)
    items = stated(len(data.items), "items", ",", "item")
    if isinstance(data, Profile):
        return said("{} of {}", stated(data.n_rankings, "rankings", ",", "ranking"), items)
    if isinstance(data, PairwiseMatrix):
        return said("votes on the pairs of {}", items)
    return said("{} of {}", stated(len(data), "comparisons", ",", "battle"), items)


# -- the exact rule -------------------------------------------------------------------------------


def _exact_told(
    exact: Consensus, known: Alternatives | None, words: Words, *, looked: bool
) -> list[str]:
    cost = votes_text(exact, exact.cost, "cost")
    which = f"that contradicts the fewest {words.vote}s" if exact.is_proved else "that was found"
    alone = known is not None and known.is_unique
    head = "The ranking" if alone and exact.is_proved else "A ranking"
    winners = None if known is None else known.winners
    told = "{} {} (the exact rule, {}) is {}: it contradicts {}."
    return [
        said(told, head, which, exact.rule.name, exact.ranking.to_text(), cost),
        said("{}.", first_of(exact, winners, words)),
        proof_of(exact, known, words, looked=looked),
    ]


def first_of(exact: Consensus, winners: tuple[Label, ...] | None, words: Words) -> str:
    """Say who is first in the exact consensus, or in one of them; without a stop."""
    fewest = f"an order that contradicts the fewest {words.vote}s"
    leaders = exact.buckets[0]
    lead = said("{} {}", listing(leaders, NAMES_LISTED), "leads" if len(leaders) == 1 else "lead")
    if not exact.is_proved:
        ranked = stated(len(exact.items), "items", ",", words.item)
        return said("{} the best order of {} that was found", lead, ranked)
    if winners is None:  # others may lead another
        return said("{} {}", lead, fewest)
    all_first = winners or leaders
    if len(leaders) > 1 and set(all_first) == set(leaders):
        return said("First place is shared by {}", listing(leaders, NAMES_LISTED))
    if len(all_first) > 1:
        each = listing(all_first, NAMES_LISTED)
        return said("First place is open: {} each lead {}", each, fewest)
    return f"{named(leaders[0])} is ranked first"


def proof_of(
    exact: Consensus,
    known: Alternatives | None,
    words: Words,
    *,
    looked: bool = True,
    group: str = "",
) -> str:
    """Say what is proved of the exact consensus."""
    if not exact.is_proved:
        certificate = exact.certificate
        assert certificate is not None, "an exact rule gives a certificate"
        gap = votes_text(exact, certificate.gap, "gap")
        return said("It is not proved optimal: another may contradict up to {} fewer.", gap)
    head = "The consensus is proved optimal"
    if not looked:
        return f"{head}; whether others are as good was not looked at."
    if known is None or known.is_unique is None:
        return f"{head}; whether others are as good was {LATE}."
    if known.is_unique:
        return f"{head}, and no other is as good."
    open_ones = [block for block in known.optima.blocks if len(block) > 1]
    where = f"the {group if len(open_ones) == 1 else in_words(len(open_ones), group)}"
    if not group:
        each = [listing(block, NAMES_LISTED) for block in open_ones[:NAMES_LISTED]]
        if left := len(open_ones) - len(each):
            each.append(said("and {}", stated(left, "groups not listed", noun="more group")))
        where = joined(each, "; ")
    others = "others are"
    if known.count is not None:
        others = stated(known.count - 1, "other optima", _others)
    return said("{}; {} as good, in another order inside {}.", head, others, where)


def _others(number: int) -> str:
    if number >= 1_000_000:
        power = len(str(number)) - 1
        if power < 9:
            return f"{number / 1e6:,.3g} million others are"
        raised = str(power).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
        return f"about {number / 10**power:.2g} \N{MULTIPLICATION SIGN} 10{raised} others are"
    return "one other is" if number == 1 else f"{in_words(number, 'other')} are"


# -- the other rules, and what is decided ---------------------------------------------------------


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
        more = said("{} {}", votes_text(exact, abs(excess), "excess of a rule"), than)
    n = len(pairs)
    otherwise = stated(n, "pairs ordered differently", ",", "pair")
    closest = _closest(exact, next(pairs.itertuples(index=False)))
    text = "{} contradicts {} and orders {} differently; the closest is {}"
    told = said(text, name, more, otherwise, closest)
    if decisions is None:
        return said("{}.", told)
    sure = int(pairs["decided"].ne("no").sum())
    of_them = stated(sure, "pairs ordered differently and decided", ",", of=n) if sure else "none"
    return said("{}; {} of them {} decided.", told, of_them, "is" if sure < 2 else "are")


def _closest(exact: Consensus, pair: Any) -> str:
    votes = votes_text(exact, pair.votes_for, "votes for the closest pair")
    against = votes_text(exact, pair.votes_against, "votes against the closest pair", noun="")
    names = named(pair.above), named(pair.below)
    return said("{} above {} ({} for, {} against)", *names, votes, against)


def units_of(decisions: Decisions) -> str:
    """Return what decisions rest on."""
    basis = decisions.basis
    if basis is None:
        return "the data"
    return stated(basis.n_units, "independent units", partial(in_words, noun=basis.word))


def decided_of(decisions: Decisions) -> str:
    """Say of how many pairs of items the order is decided; empty where there is no pair."""
    n, given, level = len(decisions.items), units_of(decisions), level_of(decisions.alpha)
    pairs, decided = n * (n - 1) // 2, int(decisions.above.sum())
    if decided:
        of = decisions.decided()
        if decided == pairs:
            every = stated(decided, "pairs decided", ",", "pair", of=pairs)
            of = said("all {}", every) if pairs > 1 else "the only pair"
        verb, about = "is" if decided == 1 else "are", "about " * decisions.is_approximate
        return said("With {}, {} {} decided at {}{}.", given, of, verb, about, level)
    if decisions.warning is not None:
        return said("{}.", capital(decisions.warning))
    if not pairs or decisions.basis is None:
        return ""
    return said("With {} no pair is decided at {}: they disagree too much.", given, level)


def comparison_text(
    comparison: RuleComparison,
    rows: int | None,
    *,
    alternatives: Alternatives | None = None,
    decisions: Decisions | None = None,
) -> str:
    """Return the whole text; `rows` limits items and disagreeing pairs, None does not."""
    parts = [
        "\n".join(head_of(comparison, alternatives, decisions)),
        _rules_text(comparison, alternatives),
        *details_of(comparison, rows, decisions),
    ]
    return visible("\n\n".join(parts))


def details_of(
    comparison: RuleComparison, rows: int | None, decisions: Decisions | None = None
) -> list[str]:
    """Return the ranks as text, and where rules differ."""
    return [_ranks_text(comparison, rows), _pairs_text(comparison, rows, decisions)]


def head_of(
    comparison: RuleComparison,
    alternatives: Alternatives | None = None,
    decisions: Decisions | None = None,
) -> list[str]:
    """Return what was compared, the proof and the notes, line by line."""
    lead = comparison.exact or comparison.consensuses[0]
    price, vote = lead.consensus_tie_cost, lead.evidence.words.vote
    tied = "" if price is None else f", a {vote} on a tied pair {price:g}"
    rules = stated(len(comparison.rules), "rules", noun="rule")
    items = stated(len(lead.items), "items", noun="item")
    policy = "" if comparison.unranked is None else f"unranked items: {comparison.unranked}; "
    told = "{} on {}; {}a tied {} costs {:g}{}"
    lines = [said(told, rules, items, policy, vote, lead.tie_cost, tied)]
    if not lead.evidence.counts_pairs:
        lines.append(f"cost         not counted for more than {MOST_ITEMS:,} items")
    elif comparison.exact is None or comparison.exact.certificate is None:
        lines.append("no exact rule among them: add Kemeny() for ratios and distances")
    else:
        lines.append(f"certificate  {comparison.exact.certificate.summary()}")
        if alternatives is not None:
            lines.append(f"optima       {alternatives.summary()}")
    if decisions is not None:
        lines.append(decisions.summary_parts()[0][0])
    lines += [f"note         {note}" for note in lead.evidence.gaps()]
    for rule, consensus in zip(comparison.rules, comparison.consensuses, strict=True):
        shared = consensus.evidence.gaps()
        own = [note for note in consensus.notes if note not in shared]
        lines += [said("note         {}: {}", rule, note) for note in own]
    return lines


def without_empty(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a comparison without the rankings, and without guarantees where there are none."""
    frame = frame.drop(columns="ranking")
    return frame.drop(columns="guarantee") if frame["guarantee"].isna().all() else frame


def _rules_text(comparison: RuleComparison, alternatives: Alternatives | None) -> str:
    frame = without_empty(comparison.to_frame())
    if alternatives is not None and alternatives.is_unique is False:
        # Distances to the nearest and the farthest optimum, where they can be found.
        rankings = {c.rule.name: c.ranking for c in comparison.consensuses}
        with suppress(TooLargeError, OutOfTimeError):
            found = distances_to_optima(rankings, alternatives.optima)
            after = list(frame.columns).index("distance")
            frame.insert(after + 1, "nearest", found["nearest"].to_numpy())
            frame.insert(after + 2, "farthest", found["farthest"].to_numpy())
    return frame.to_string(
        index=False, na_rep="-", formatters=FORMATS, float_format="{:z.3f}".format
    )


def _ranks_text(comparison: RuleComparison, rows: int | None) -> str:
    frame = comparison.ranks()
    shown = (frame if rows is None else frame.head(rows)).astype(object).fillna("-")
    shown.index = pd.Index([shortened(label) for label in shown.index])
    width = max(map(len, shown.index))
    shown.index = shown.index.str.ljust(width)
    left = len(frame) - len(shown)
    text = "ranks\n" + shown.to_string()
    return f"{text}\n... and {counted(left, 'more item')}" if left else text


def _pairs_text(comparison: RuleComparison, rows: int | None, decisions: Decisions | None) -> str:
    if comparison.exact is None:
        return ""
    base = comparison.exact.rule.name
    parts = []
    for rule in (name for name in comparison.rules if name != base):
        frame = comparison.disagreements(base, rule, decisions=decisions)
        if frame.empty:
            parts.append(f"{rule} orders every pair as {base} does")
            continue
        against = (frame["other"] == "reversed") & (frame["margin"] > 0)
        ordered = pd.concat([frame[against].iloc[::-1], frame[~against]])
        shown = ordered
        if rows is not None:
            # One level pair looks like another.
            level = ordered.index[~against[ordered.index] & (ordered["margin"] == 0)]
            shown = ordered.drop(level[LEVEL_PAIRS:]).head(rows)
        pairs = stated(len(frame), "pairs ordered differently", noun="pair")
        told = "{} disagrees with {} on {}, against majorities first, then the closest:"
        head = said(told, rule, base, pairs)
        rows_shown = shown.itertuples(index=False)
        lines = [head, *(_pair_line(comparison.exact, pair, rule) for pair in rows_shown)]
        if len(frame) > len(shown):
            left = stated(len(frame) - len(shown), "pairs not listed", noun="more pair")
            lines.append(said("  ... and {}", left))
        parts.append(joined(lines, "\n"))
    return joined(parts, "\n\n")


def _pair_line(exact: Consensus, pair: Any, rule: str) -> str:
    sure = {"as above": ", decided", "reversed": ", decided the other way", "no": ", not decided"}
    hints = {"tied": f" ({rule} ties them)", "above": f" (only {rule} has an order)"}
    hint = hints.get(pair.other, "") + sure.get(getattr(pair, "decided", ""), "")
    names = shortened(pair.above), shortened(pair.below)
    votes = votes_text(exact, pair.votes_for, "votes for a pair")
    against = votes_text(exact, pair.votes_against, "votes against a pair", noun="")
    tied = votes_text(exact, pair.ties, "votes that tie a pair", noun="")
    ties = said(", {} tied", tied) if pair.ties else ""
    return said("  {} above {}: {} for, {} against{}{}", *names, votes, against, ties, hint)
