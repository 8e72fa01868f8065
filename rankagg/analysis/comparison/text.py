"""A comparison as text: what was compared, the figures, the ranks, and where rules differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from rankagg.analysis.comparison.agreement import distances_to_optima
from rankagg.analysis.comparison.alternatives import Alternatives
from rankagg.core.items import counted, shortened
from rankagg.core.names import joined, said, stated
from rankagg.exceptions import BlockTooLargeError, OutOfTimeError, visible

if TYPE_CHECKING:
    from rankagg.aggregation.result import Consensus
    from rankagg.analysis.comparison.comparison import Comparison
    from rankagg.inference.decisions import Decisions

__all__ = ["details_of", "head_of", "text_of"]


def text_of(
    comparison: Comparison,
    rows: int | None,
    *,
    alternatives: Alternatives | None = None,
    decisions: Decisions | None = None,
) -> str:
    """Return the whole text; `rows` limits items and disagreeing pairs, None does not."""
    parts = [
        "\n".join(head_of(comparison, alternatives, decisions)),
        _methods_text(comparison, alternatives),
        *details_of(comparison, rows, decisions),
    ]
    return visible("\n\n".join(parts))


def details_of(
    comparison: Comparison, rows: int | None, decisions: Decisions | None = None
) -> list[str]:
    """Return the ranks as text, and where rules differ."""
    return [_ranks_text(comparison, rows), _pairs_text(comparison, rows, decisions)]


def head_of(
    comparison: Comparison,
    alternatives: Alternatives | None = None,
    decisions: Decisions | None = None,
) -> list[str]:
    """Return what was compared, the proof and the notes, line by line."""
    tie_cost = 0.0 if comparison.exact is None else comparison.exact.tie_cost
    price = None if comparison.exact is None else comparison.exact.consensus_tie_cost
    tied = "" if price is None else f", a vote on a tied pair {price:g}"
    methods = stated(len(comparison.methods), "rules", noun="method")
    items = stated(comparison.votes.n_items, "items", noun="item")
    told = "{} on {}; unranked items: {}; a tied vote costs {:g}{}"
    lines = [said(told, methods, items, comparison.unranked, tie_cost, tied)]
    if comparison.exact is None or comparison.exact.certificate is None:
        lines.append("no exact method among them: add Kemeny() for ratios and distances")
    else:
        lines.append(f"certificate  {comparison.exact.certificate.summary()}")
        if alternatives is not None:
            lines.append(f"optima       {alternatives.summary()}")
    if decisions is not None:
        lines.append(decisions._facts()[0])
    for method, consensus in zip(comparison.methods, comparison.consensuses, strict=True):
        lines += [f"note         {method}: {note}" for note in consensus.notes]
    return lines


def _methods_text(comparison: Comparison, alternatives: Alternatives | None) -> str:
    frame = comparison._figures()
    if alternatives is not None and alternatives.is_unique is False:
        frame = _with_distances(frame, comparison, alternatives)
    formats = {name: look.format for name, look in comparison._formats.items()}
    return frame.to_string(
        index=False, na_rep="-", formatters=formats, float_format="{:z.3f}".format
    )


def _with_distances(
    frame: pd.DataFrame, comparison: Comparison, alternatives: Alternatives
) -> pd.DataFrame:
    """Add the distances to the nearest and the farthest optimum where they can be found."""
    try:
        found = distances_to_optima(comparison._rankings, alternatives.optima)
    except (BlockTooLargeError, OutOfTimeError):
        return frame
    after = frame.columns.get_loc("distance")
    assert isinstance(after, int), "one column has that name"
    frame.insert(after + 1, "nearest", found["nearest"].to_numpy())
    frame.insert(after + 2, "farthest", found["farthest"].to_numpy())
    return frame


def _ranks_text(comparison: Comparison, rows: int | None) -> str:
    frame = comparison.ranks()
    shown = (frame if rows is None else frame.head(rows)).astype(object).fillna("-")
    shown.index = pd.Index([shortened(label) for label in shown.index])
    width = max(map(len, shown.index))
    shown.index = shown.index.str.ljust(width)
    left = len(frame) - len(shown)
    text = "ranks\n" + shown.to_string()
    return f"{text}\n... and {counted(left, 'more item')}" if left else text


def _pairs_text(comparison: Comparison, rows: int | None, decisions: Decisions | None) -> str:
    if comparison.exact is None:
        return ""
    base = comparison.exact.aggregator.name
    parts = []
    for method in comparison.methods:
        if method == base:
            continue
        frame = comparison.disagreements(base, method, decisions=decisions)
        if frame.empty:
            parts.append(f"{method} orders every pair as {base} does")
            continue
        shown = frame if rows is None else frame.head(rows)
        pairs = stated(len(frame), "pairs ordered otherwise", noun="pair")
        head = said("{} disagrees with {} on {}, closest votes first:", method, base, pairs)
        told = (
            _pair_line(comparison.exact, pair, method) for pair in shown.itertuples(index=False)
        )
        lines = [head, *told]
        if len(frame) > len(shown):
            left = stated(len(frame) - len(shown), "pairs not listed", noun="more pair")
            lines.append(said("  ... and {}", left))
        parts.append(joined(lines, "\n"))
    return joined(parts, "\n\n")


def _pair_line(exact: Consensus, pair: Any, method: str) -> str:
    sure = {"as above": ", decided", "reversed": ", decided the other way", "no": ", not decided"}
    hints = {"tied": f" ({method} ties them)", "above": f" (only {method} has an order)"}
    hint = hints.get(pair.other, "") + sure.get(getattr(pair, "decided", ""), "")
    names = shortened(pair.above), shortened(pair.below)
    votes = exact._votes_told(pair.votes_for, "votes for a pair", "g")
    against = exact._votes_told(pair.votes_against, "votes against a pair", "g", "")
    tied = exact._votes_told(pair.ties, "votes that tie a pair", "g", "")
    ties = said(", {} tied", tied) if pair.ties else ""
    return said("  {} above {}: {} for, {} against{}{}", *names, votes, against, ties, hint)
