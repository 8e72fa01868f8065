"""What a comparison found, in sentences: for a paper, for a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankagg._typing import Label
from rankagg.aggregation.result import Consensus
from rankagg.analysis.comparison.alternatives import LATE, Alternatives
from rankagg.core.comparisons.comparisons import Comparisons
from rankagg.core.items import counted
from rankagg.core.names import amount, in_words, listing, named
from rankagg.core.profiles.profile import Profile
from rankagg.core.scores.table import ScoreTable
from rankagg.core.votes.pairwise import PairwiseMatrix

if TYPE_CHECKING:
    from rankagg.aggregation.evidence import Data
    from rankagg.analysis.comparison.comparison import Comparison
    from rankagg.inference.decisions import Decisions

__all__ = ["decided_of", "first_of", "proof_of", "sentences_of"]

# Names that a sentence holds.
NAMES = 3


def sentences_of(
    comparison: Comparison, known: Alternatives | None, decisions: Decisions | None, *, looked: bool
) -> tuple[str, ...]:
    """Return what was compared and found, sentence by sentence.

    Parameters
    ----------
    comparison : Comparison
        What was found.
    known : Alternatives or None
        What is known of all optima.
    decisions : Decisions or None
        What is decided of the same items.
    looked : bool
        Whether somebody looked at the optima.

    Returns
    -------
    tuple of str
    """
    told = [_data(comparison)]
    exact = comparison.exact
    if exact is None or exact.certificate is None:
        told += [
            f"{c.aggregator.name} gives {c.ranking._arrows()}." for c in comparison.consensuses
        ]
        told.append(
            "Without the exact rule (Kemeny) among them it is not known how far these rankings are "
            "from the fewest votes that one can contradict."
        )
    else:
        told += _exact(exact, known, looked=looked)
        others = [c for c in comparison.consensuses if c is not exact]
        told += [_other(comparison, exact, other, decisions) for other in others]
    if decisions is not None:
        told.append(decided_of(decisions))
    return tuple(sentence for sentence in told if sentence)


# -- what was compared ----------------------------------------------------------------------------


def _data(comparison: Comparison) -> str:
    data = comparison.consensuses[0]._evidence.data
    rules = f"{counted(len(comparison.methods), 'rule')} ({', '.join(comparison.methods)})"
    gaps = ""
    if isinstance(data, ScoreTable) and data.n_missing:
        gaps = f", {data.n_missing:,} of {counted(data.values.size, 'score', ',')} missing"
    elif isinstance(data, Profile) and not data.is_complete:
        gaps = ", not all of them ranked by each"
    policy = f"; the policy for what is unranked is {comparison.unranked!r}" if gaps else ""
    return f"This compares {rules} on {_described(data)}{gaps}{policy}."


def _described(data: Data) -> str:
    if isinstance(data, Profile):
        n = int(data.counts.sum())
        return f"{counted(n, 'ranking', ',')} of {counted(data.n_items, 'item', ',')}"
    if isinstance(data, PairwiseMatrix):
        return f"votes on the pairs of {counted(data.n_items, 'item', ',')}"
    if isinstance(data, Comparisons):
        return f"comparisons of pairs of {counted(len(data.items), 'item', ',')}"
    return f"{counted(data.n_systems, 'system', ',')} and {counted(data.n_tasks, 'task', ',')}"


# -- the exact rule -------------------------------------------------------------------------------


def _exact(exact: Consensus, known: Alternatives | None, *, looked: bool) -> list[str]:
    cost = counted(amount(exact.cost), "vote")
    which = "that contradicts the fewest votes" if exact.is_proved else "that was found"
    alone = known is not None and known.is_unique
    head = "The ranking" if alone and exact.is_proved else "A ranking"
    winners = None if known is None else known.winners
    return [
        f"{head} {which} (the exact rule, {exact.aggregator.name}) is {exact.ranking._arrows()}: "
        f"it contradicts {cost}.",
        f"{first_of(exact, winners, 'item')}.",
        proof_of(exact, known, looked=looked),
    ]


def first_of(exact: Consensus, winners: tuple[Label, ...] | None, noun: str) -> str:
    """Say who is first in the exact consensus, or in one of them; without a stop."""
    leaders = exact.buckets[0]
    lead = f"{listing(leaders, NAMES)} {'leads' if len(leaders) == 1 else 'lead'}"
    if not exact.is_proved:
        ranked = counted(len(exact.items), noun, ",")
        return f"{lead} the best ranking of {ranked} that was found"
    if winners is None:  # others may lead another
        return f"{lead} a ranking that contradicts the fewest votes"
    all_first = winners or leaders
    if len(leaders) > 1 and set(all_first) == set(leaders):
        return f"Place 1 is shared by {listing(leaders, NAMES)}"
    if len(all_first) > 1:
        each = listing(all_first, NAMES)
        return f"Place 1 is open: {each} each lead a ranking that contradicts the fewest votes"
    return f"Place 1 goes to {named(leaders[0])}"


def proof_of(
    exact: Consensus, known: Alternatives | None, *, looked: bool = True, group: str = ""
) -> str:
    """Say what is proved of the exact consensus.

    Parameters
    ----------
    exact : Consensus
        It.
    known : Alternatives or None
        What is known of all optima; None where nobody looked, or there was no time.
    looked : bool, default True
        Whether somebody did.
    group : str, optional
        What a picture calls items that change places from one optimum to the next; their names
        are told by default.

    Returns
    -------
    str
    """
    if not exact.is_proved:
        certificate = exact.certificate
        assert certificate is not None, "an exact rule gives a certificate"
        gap = counted(amount(certificate.gap), "vote")
        return f"It is not proved optimal: another may contradict up to {gap} fewer."
    head = "The consensus ranking is proved optimal"
    if not looked:
        return f"{head}; whether others are as good was not looked at."
    if known is None or known.is_unique is None:
        return f"{head}; whether others are as good was {LATE}."
    if known.is_unique:
        return f"{head}, and no other is as good."
    open_ones = [block for block in known.optima.blocks if len(block) > 1]
    where = f"the {group if len(open_ones) == 1 else in_words(len(open_ones), group)}"
    if not group:
        each = [listing(block, NAMES) for block in open_ones[:NAMES]]
        left = len(open_ones) - len(each)
        where = "; ".join([*each, *([f"and {counted(left, 'more group')}"] if left else [])])
    others = "others are" if known.count is None else _others(known.count - 1)
    return f"{head}; {others} as good, in another order inside {where}."


def _others(number: int) -> str:
    if number >= 1_000_000:
        power = len(str(number)) - 1
        if power < 9:
            return f"{number / 1e6:,.3g} million others are"
        return (
            f"about {number / 10**power:.2g} \N{MULTIPLICATION SIGN} 10{_raised(power)} others are"
        )
    return "one other is" if number == 1 else f"{in_words(number, 'other')} are"


def _raised(power: int) -> str:
    return str(power).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


# -- the other rules, and what is decided ---------------------------------------------------------


def _other(
    comparison: Comparison, exact: Consensus, other: Consensus, decisions: Decisions | None
) -> str:
    name = other.aggregator.name
    pairs = comparison.disagreements(exact.aggregator.name, name, decisions=decisions)
    if pairs.empty:
        return f"{name} orders every pair as {exact.aggregator.name} does."
    excess = comparison._cost_of(other) - comparison._cost_of(exact)
    more = "as many votes"
    if excess:
        more = f"{counted(amount(abs(excess)), 'vote')} {'more' if excess > 0 else 'fewer'}"
    told = (
        f"{name} contradicts {more} and orders {counted(len(pairs), 'pair', ',')} otherwise; the "
        f"closest is {_closest(next(pairs.itertuples(index=False)))}"
    )
    if decisions is None:
        return f"{told}."
    sure = int(pairs["decided"].ne("no").sum())
    of_them = f"{sure:,}" if sure else "none"
    return f"{told}; {of_them} of them {'is' if sure < 2 else 'are'} decided."


def _closest(pair: Any) -> str:
    votes = f"{counted(amount(pair.votes_for), 'vote')} for, {amount(pair.votes_against)} against"
    return f"{named(pair.above)} above {named(pair.below)} ({votes})"


def decided_of(decisions: Decisions) -> str:
    """Say of how many pairs of items the order is decided; empty where there is no pair."""
    n, basis = len(decisions.items), decisions.basis
    pairs, decided = n * (n - 1) // 2, int(decisions.above.sum())
    level = f"{100 * (1 - decisions.alpha):g} %"
    if decided:
        given = "the data" if basis is None else in_words(basis.n_units, basis.word)
        about = "about " if decisions.is_approximate else ""
        text = f"With {given}, {decided:,} of {counted(pairs, 'pair', ',')}"
        if decided == pairs:
            every = f"all {counted(pairs, 'pair', ',')}" if pairs > 1 else "the only pair"
            text = f"With {given}, {every}"
        return f"{text} {'is' if decided == 1 else 'are'} decided at {about}{level}."
    if decisions.warning is not None:
        return f"{decisions.warning[0].upper()}{decisions.warning[1:]}."
    if not pairs or basis is None:
        return ""
    return (
        f"With {in_words(basis.n_units, basis.word)} no pair is decided at {level}: they disagree "
        "too much."
    )
