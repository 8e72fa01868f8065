"""The steps of rules that take the lowest item out, round by round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from rankagg.aggregation.result import Consensus
from rankagg.aggregation.voting.coombs import Coombs
from rankagg.aggregation.voting.eliminations import Elimination
from rankagg.teaching.rules.ends import ends
from rankagg.teaching.rules.opening import (
    distinct_rankings,
    majority_step,
    margins_of,
    rankings_step,
    votes_step,
)
from rankagg.teaching.rules.rounds import Decide, Decided, lowest, worked_rounds
from rankagg.teaching.step import Step
from rankagg.teaching.worked import Worked

__all__ = ["baldwin_steps", "coombs_steps", "instant_runoff_steps", "sums_of_margins"]

SHARES = {
    "uniform": "A ballot that ranks k of s remaining items gives k/s to its first ones and 1/s to "
    "each that it does not rank.",
    "ignore": "A ballot gives a vote to its first ones, and takes 1/k from each of the k that it "
    "ranks.",
    "last": "Items that a ballot does not rank are below all others, together.",
}


def instant_runoff_steps(consensus: Consensus) -> Worked:
    """Count first places among the items that remain."""
    evidence, policy = consensus._evidence, consensus.unranked
    assert policy is not None, "the rule has one"
    ranks, weights = distinct_rankings(evidence.profile)

    def decide(inside: tuple[int, ...]) -> Decided:
        firsts = ends(ranks, weights, inside, policy).got
        return Decided({"first places": firsts}, lowest(firsts, inside))

    text = (
        "Each round counts first places among the items that remain; the item with fewest goes out."
    )
    return _worked(consensus, decide, text, rankings_step(evidence))


def coombs_steps(consensus: Consensus) -> Worked:
    """Count last places among the items that remain, and first ones for a majority."""
    rule, evidence, policy = consensus.aggregator, consensus._evidence, consensus.unranked
    assert isinstance(rule, Coombs), "the registry says so"
    assert policy is not None, "the rule has one"
    ranks, weights = distinct_rankings(evidence.profile)

    def decide(inside: tuple[int, ...]) -> Decided:
        counts: dict[str, Mapping[int, Fraction]] = {}
        if rule.majority:
            firsts, whole = ends(ranks, weights, inside, policy, plain=True)
            counts["first places"] = firsts
            if len(inside) == 1:
                return Decided(counts, inside)
            most = [item for item in inside if 2 * firsts[item] > whole]
            if most:
                return Decided(counts, tuple(most), first=True)
        lasts = ends(ranks, weights, inside, policy, last=True).got
        counts["last places"] = lasts
        return Decided(counts, lowest({item: -lasts[item] for item in inside}, inside))

    text = "Each round counts last places among the items that remain; the item with most goes out"
    text += ", unless an item has more than half of the first places." if rule.majority else "."
    return _worked(consensus, decide, text, rankings_step(evidence))


def baldwin_steps(consensus: Consensus) -> Worked:
    """Add up the margins over the items that remain."""
    votes = consensus.pairwise
    margins = margins_of(votes)

    def decide(inside: tuple[int, ...]) -> Decided:
        sums = sums_of_margins(margins, inside)
        return Decided({"sums of margins": sums}, lowest(sums, inside))

    text = "Each round adds up an item's margins over the items that remain; the lowest goes out."
    opening = (*rankings_step(consensus._evidence), votes_step(votes), majority_step(votes))
    return _worked(consensus, decide, text, opening)


def sums_of_margins(
    margins: Sequence[Sequence[Fraction]], inside: Sequence[int]
) -> dict[int, Fraction]:
    """Return the sum of each remaining item's margins over the others."""
    return {i: sum((margins[i][j] for j in inside), Fraction(0)) for i in inside}


def _worked(consensus: Consensus, decide: Decide, text: str, opening: tuple[Step, ...]) -> Worked:
    rule, evidence, policy = consensus.aggregator, consensus._evidence, consensus.unranked
    assert isinstance(rule, Elimination), "the registry says so"
    if rule.needs == "rankings" and policy is not None and not evidence.is_complete_and_strict:
        text += f" Tied items share a place. {SHARES[policy]}"
    steps, ranking = worked_rounds(decide, evidence.items, rule.tie_breaking, text)
    return Worked((*opening, *steps), ranking=ranking)
