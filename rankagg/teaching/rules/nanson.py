"""The steps of Nanson's rule: whatever is not above the average goes out."""

from __future__ import annotations

from rankagg.aggregation.result import Consensus
from rankagg.teaching.rules.eliminations import sums_of_margins
from rankagg.teaching.rules.opening import (
    by_number,
    majority_step,
    margins_of,
    rankings_step,
    votes_step,
)
from rankagg.teaching.step import Step, number
from rankagg.teaching.worked import Worked

__all__ = ["nanson_steps"]


def nanson_steps(consensus: Consensus) -> Worked:
    """Add up the margins over the items that remain; 0 is the average."""
    votes = consensus.pairwise
    items, margins = votes.items, margins_of(votes)
    inside = list(range(len(items)))
    values = [0] * len(items)
    rounds = []
    text = [
        "Each round adds up an item's margins over the items that remain. The average is 0: what "
        "is not above it goes out, and stands below what stays, by its sum."
    ]
    while inside:
        sums = sums_of_margins(margins, inside)
        rounds.append(sums)
        out = [item for item in inside if sums[item] <= 0]
        # Lower than what stays, and than what goes out with a larger sum.
        for item in out:
            values[item] = len(items) - len(inside) + sum(sums[i] < sums[item] for i in out)
        stay = [item for item in inside if sums[item] > 0]
        names = ", ".join(str(items[item]) for item in out)
        if stay:
            said = f"{names} {'goes' if len(out) == 1 else 'go'} out"
        else:
            said = f"{names} remain{'s' if len(out) == 1 else ', and are tied'}"
        text.append(f"Round {len(rounds)}: {said}.")
        inside = stay
    rows = tuple(
        (str(item), *(number(sums[i]) if i in sums else "" for sums in rounds))
        for i, item in enumerate(items)
    )
    heads = [f"round {k}" for k in range(1, len(rounds) + 1)]
    step = Step("The rounds", tuple(text), ("item", *heads), rows)
    opening = (*rankings_step(consensus._evidence), votes_step(votes), majority_step(votes))
    return Worked((*opening, step), ranking=by_number(values, items))
