"""The steps of rules that take the lowest item out, round by round."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rankagg._typing import Floats, Ranks
from rankagg.aggregation.result import Consensus
from rankagg.aggregation.voting.eliminations import Elimination
from rankagg.core.rankings import as_ranking
from rankagg.exceptions import Described, InvalidInputError
from rankagg.teaching.rules.opening import distinct_rankings, rankings_step
from rankagg.teaching.step import Step, number
from rankagg.teaching.worked import Worked

__all__ = ["instant_runoff_steps"]


def instant_runoff_steps(consensus: Consensus) -> Worked:
    """Count first places among the items that remain."""
    return _rounds(consensus, _first_places, "first places")


def _first_places(ranks: Ranks, weights: Floats) -> Floats:
    """Return the weight of the rankings that have each of the remaining items first."""
    firsts = ranks.argmin(axis=1)
    return np.array([weights[firsts == k].sum() for k in range(ranks.shape[1])])


def _rounds(consensus: Consensus, count: Callable[[Ranks, Floats], Floats], what: str) -> Worked:
    rule, evidence = consensus.aggregator, consensus._evidence
    assert isinstance(rule, Elimination), "the registry says so"
    if rule.tie_breaking not in ("together", "order") or not evidence.is_complete_and_strict:
        raise InvalidInputError(
            "data", f"complete strict rankings, for steps of {type(rule).__name__} that break "
            "ties 'together' or by 'order'", Described(rule.name),
        )  # fmt: skip
    ranks, weights = distinct_rankings(evidence.profile)
    items, inside = evidence.items, list(range(len(evidence.items)))
    places = np.zeros(len(items), dtype=np.int32)
    columns: list[dict[int, float]] = []
    text = [f"Each round counts {what} among the items that remain; the lowest goes out."]
    while inside:
        got = dict(zip(inside, count(ranks[:, inside], weights).tolist(), strict=True))
        out = [item for item in inside if got[item] == min(got.values())]
        if rule.tie_breaking == "order":
            out = out[-1:]
        columns.append(got)
        inside = [item for item in inside if item not in out]
        places[out] = len(inside)
        names = ", ".join(str(items[item]) for item in out)
        text.append(f"Round {len(columns)}: {names} {'goes out' if inside else 'remains'}.")
    rows = [
        (str(item), *(number(got[i]) if i in got else "" for got in columns))
        for i, item in enumerate(items)
    ]
    heads = [f"round {k + 1}" for k in range(len(columns))]
    step = Step("The rounds", tuple(text), ("item", *heads), tuple(rows))
    return Worked((*rankings_step(evidence), step), ranking=as_ranking(places, items))
