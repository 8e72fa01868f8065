"""What the page says of the result: the consensus, its proof, and the other methods."""

from __future__ import annotations

import numpy as np
import pandas as pd

from rankagg.aggregation.positional import Borda
from rankagg.aggregation.result import Consensus
from rankagg.analysis.comparison.alternatives import LATE, Alternatives
from rankagg.core.items import counted, listed, shortened
from rankagg.core.rankings import PartialRanking
from rankagg.plotting.rankings.bump import bump_chart
from rankagg.plotting.rankings.overlap import overlap_plot
from rankagg.plotting.votes.heatmap import compared_shares, share_matrix
from rankagg.plotting.votes.tournament import tournament_plot
from rankagg.report.figures import Figure, figure_of
from rankagg.report.findings import Findings
from rankagg.report.sections import Section
from rankagg.report.tables import bullets, table_of

__all__ = ["consensus_table", "lead", "majorities", "methods", "proof"]

# Items that a flow chart, and a square of pairs, can show.
IN_FLOW, IN_SQUARE = 30, 40
# All majorities among so few are drawn; among more only those that stand out.
FEW = 8
PAIRS, GROUPS = 10, 20


def consensus_table(findings: Findings) -> Section:
    """Return every item's rank: exact, over all optima, by other methods, with its interval."""
    comparison, exact, known = findings.comparison, findings.exact, findings.alternatives
    table = comparison.ranks().reset_index()
    name = exact.aggregator.name
    frame = pd.DataFrame({"Rank": table[name], "Item": [str(item) for item in table["item"]]})
    meanings = {"Rank": "in the exact Kemeny consensus"}
    words = ["Item"]
    at = exact.items.indices(list(table["item"]))
    if known is not None and known.is_unique is False and known.ranks is not None:
        best, worst = known.ranks
        frame["All optima"] = [_span(best[i], worst[i]) for i in at]
        meanings["All optima"] = "the ranks that the item has in any exact optimum"
        words.append("All optima")
    if findings.ranks is not None and findings.ranks.decisions.above.any():
        level = f"{100 * (1 - findings.ranks.decisions.alpha):g} %"
        best, worst = findings.ranks.best, findings.ranks.worst
        frame[f"{level} ranks"] = [_span(best[i], worst[i]) for i in at]
        meanings[f"{level} ranks"] = "simultaneous confidence interval for the rank by Borda points"
        words.append(f"{level} ranks")
    for method in comparison.methods:
        if method != name:
            frame[method] = table[method]
            meanings[method] = f"rank by {method}"
    if findings.missing is not None and findings.missing.n_missing:
        frame["Missing"] = findings.missing.missing[at]
        meanings["Missing"] = f"{findings.missing.unit}s without this item"
    section = Section("consensus", "The consensus")
    section.table(
        table_of(
            frame,
            "Ranks, 1 is best; a click on a heading sorts",
            meanings=meanings,
            text=words,
            # The check of the proof compares what stands there with the order that is proved.
            marks={"Rank": "data-rank", "Item": "data-item"},
        )
    )
    notes = [f"{name}: {note}" for c, name in _named(findings) for note in c.notes]
    return section.items(notes)


def _named(findings: Findings) -> list[tuple[Consensus, str]]:
    comparison = findings.comparison
    return list(zip(comparison.consensuses, comparison.methods, strict=True))


def _span(best: int, worst: int) -> str:
    return str(best) if best == worst else f"{best} to {worst}"


def proof(findings: Findings) -> Section:
    """Say what is proved of the exact consensus, and whether it is alone."""
    exact, known = findings.exact, findings.alternatives
    certificate = exact.certificate
    assert certificate is not None, "an exact rule gives a certificate"
    section = Section("exact", "The exact optimum")
    section.text(
        "The Kemeny consensus is the ranking that contradicts the fewest votes. A certificate "
        "states what no ranking can undercut; it was verified against the votes, in whole numbers "
        "and without a solver."
    )
    section.facts(
        [
            ("Certificate", certificate.summary()),
            ("Cost", f"{exact.cost:g} (votes contradicted)"),
            ("A tied vote costs", f"{exact.tie_cost:g}"),
            ("Seconds", f"{exact.runtime:.3f}"),
        ]
    )
    if not findings.is_proved:
        return section.unknown(
            "The optimum is not proved in time: it may be cheaper by up to "
            f"{counted(certificate.gap, 'vote', 'g')}. A longer time limit may close the gap."
        )
    if known is None and "alternatives" not in findings.late:
        return section.unknown("Whether other rankings are as good was not looked at.")
    if known is None or known.is_unique is None:
        return section.unknown(f"Whether other rankings are as good was {LATE}.")
    if known.is_unique:
        section.text("It is the only optimum.")
        if known.radius is not None:
            return section.text(
                f"At least {counted(known.radius, 'more complete ranking')} would be needed to "
                "overturn it."
            )
        if not known.is_complete:
            section.unknown(f"How many more rankings would overturn it was {LATE}.")
        return section
    return _several(section, known)


def _several(section: Section, known: Alternatives) -> Section:
    """Say how many optima there are, and where they differ."""
    optima = known.optima
    total = len(optima.items) * (len(optima.items) - 1) // 2
    if known.count is not None:
        number = f"{counted(known.count, 'ranking', ',')} are equally good"
    elif known.too_large:
        number = "More than one ranking is equally good (too many to count)"
    else:
        number = f"More than one ranking is equally good (how many was {LATE})"
    section.text(
        f"{number}; they differ on {optima.n_undecided_pairs} of {counted(total, 'pair')}. The "
        "table above shows one of them. Within each of these groups the votes leave the order "
        "open:"
    )
    groups = [listed(block) for block in optima.blocks if len(block) > 1]
    return section.items(bullets(groups, GROUPS))


def methods(findings: Findings) -> Section:
    """Hold all methods against the exact optimum, pair by pair."""
    comparison, name = findings.comparison, findings.exact.aggregator.name
    section = Section("methods", "Comparison of methods")
    if len(comparison.methods) == 1:
        return section.text("No other method was asked for.")
    frame = comparison.to_frame().drop(columns="ranking")
    if frame["guarantee"].isna().all():
        frame = frame.drop(columns="guarantee")
    bound = "" if findings.is_proved else ", which is not proved"
    tops = {c: f"top {c[3:]}" for c in map(str, frame.columns) if c.startswith("top")}
    section.table(
        table_of(
            frame,
            f"Cost relative to the optimum{bound}",
            formats={
                "cost": ".6g",
                "excess": ".4g",
                "ratio": ".4f",
                "tau": ".3f",
                "runtime": ".4f",
                **dict.fromkeys(tops, ".2f"),
            },
            headings={"method": "Method", "runtime": "seconds", **tops},
            meanings={
                "cost": "votes contradicted",
                "excess": "votes contradicted beyond the optimum",
                "ratio": "cost over that of the optimum",
                "guarantee": "what the ratio is proved never to exceed",
                "distance": "pairs in another order than in the exact consensus, ties half",
                "tau": "Kendall's tau-b with the exact consensus",
                **{column: "expected overlap of the first ones" for column in tops},
            },
            text=["method"],
        )
    )
    section.figure(_flow(findings))
    for method in comparison.methods:
        if method != name:
            _disagreement(section, findings, method)
    if len(findings.exact.items) > 10:
        section.figure(
            figure_of(
                lambda: overlap_plot(comparison),
                "For every k, the share of the exact first k that each other method has too.",
                "How much of the exact top k the other methods share.",
            )
        )
    return section


def _flow(findings: Findings) -> Figure:
    comparison = findings.comparison
    n = comparison.votes.n_items
    top = IN_FLOW if n > IN_SQUARE else None
    which = f"The first {top} of {counted(n, 'item')}. " if top else ""
    name = findings.exact.aggregator.name
    moved = [
        f"{method} orders {counted(len(comparison.disagreements(name, method)), 'pair')} otherwise"
        for method in comparison.methods
        if method != name
    ]
    return figure_of(
        lambda: bump_chart(comparison, top=top),
        f"{which}Ranks from method to method. Against the exact consensus {'; '.join(moved)}.",
        f"{which}Lines that cross are items that two methods order differently; gray items keep "
        "their order against all others; bars join ties.",
    )


def _disagreement(section: Section, findings: Findings, method: str) -> None:
    name = findings.exact.aggregator.name
    decisions = None if findings.ranks is None else findings.ranks.decisions
    if decisions is not None and not decisions.above.any():
        decisions = None  # the section on certainty says that nothing is decided
    frame = findings.comparison.disagreements(name, method, decisions=decisions)
    if frame.empty:
        section.text(f"{method} orders every pair as the exact consensus does.")
        return
    section.heading(f"{method} differs on {counted(len(frame), 'pair')}")
    frame = frame.drop(columns=["margin", "ties"] if frame["ties"].eq(0).all() else ["margin"])
    section.table(
        table_of(
            frame,
            f"Pairs that {method} orders otherwise, closest votes first",
            formats=dict.fromkeys(("votes_for", "votes_against", "ties"), ".4g"),
            headings={
                "above": "Exact has above", "below": "below", "other": f"{method} has them",
                "votes_for": "votes for", "votes_against": "votes against",
                "decided": "decided",
            },
            meanings={"decided": "see “Uncertainty”"},
            text=["above", "below", "other", "decided"],
            limit=PAIRS,
            what="pairs",
        )
    )  # fmt: skip


def majorities(findings: Findings) -> Section:
    """Say who beats whom, and where there are Condorcet cycles."""
    graph, votes, exact = findings.graph, findings.comparison.votes, findings.exact
    section, n = Section("majorities", "Majority graph"), len(exact.items)
    winner, loser = graph.condorcet_winner, graph.condorcet_loser
    smith = graph.smith_set()
    section.facts(
        [
            ("Condorcet winner", "none" if winner is None else winner),
            ("Condorcet loser", "none" if loser is None else loser),
            ("Smith set", listed(smith)),
            ("Pairs with a majority", int(graph.beats.sum())),
            ("Pairs without a majority", n * (n - 1) // 2 - int(graph.beats.sum())),
            ("Majorities against the consensus", len(graph.feedback_arcs(exact.ranking))),
        ]
    )
    cycles = [listed(group) for group in graph.cyclic_components()]
    if cycles:
        section.text(
            "Condorcet cycles among these items: no ranking agrees with all majorities there."
        )
        section.items(bullets(cycles, GROUPS))
    else:
        section.text("There is no Condorcet cycle: the exact consensus agrees with all majorities.")
    if (majorities_plot := _majorities_plot(findings)) is not None:
        section.figure(majorities_plot)
    elif n > IN_SQUARE:
        section.text(f"The graph is not drawn: there are more than {IN_SQUARE} items.")
    kept = exact.ranking if n <= IN_SQUARE else _first(findings)
    at, shares = exact.items.indices(list(kept.items)), compared_shares(votes)
    above = None if findings.ranks is None else findings.ranks.decisions.above[np.ix_(at, at)]
    which = "" if n <= IN_SQUARE else f" The first {IN_SQUARE} of {counted(n, 'item')}."
    section.figure(
        figure_of(
            lambda: share_matrix(shares[np.ix_(at, at)], kept, above=above),
            "For each two items the share of votes for the row, in the order of the consensus."
            + which,
            "Share of votes with the row above the column. A frame: the consensus goes against a "
            "majority. A dot: the pair is decided by the data. Hatched: never compared." + which,
        )
    )
    return section


def _majorities_plot(findings: Findings) -> Figure | None:
    """Return the plot of majorities, where there are few items or something to see."""
    graph, exact, other = findings.graph, findings.exact, _other(findings)
    n, against = len(exact.items), len(graph.feedback_arcs(exact.ranking))
    differ = 0 if other is None else len(graph.disagreements(exact.ranking, other.ranking))
    if n > IN_SQUARE or (n > FEW and not against and not differ):
        return None
    marked = ""
    if other is not None:
        marked = f"; {counted(differ, 'pair')} that {other.aggregator.name} has otherwise "
        marked += "is marked" if differ == 1 else "are marked"
    return figure_of(
        lambda: tournament_plot(graph, exact, against=other),
        f"The majority graph of {counted(n, 'item')} in the order of the exact consensus: "
        f"{against} go against it{marked}.",
        f"The majority graph, and where it goes against the order of the consensus{marked}.",
    )


def _other(findings: Findings) -> Consensus | None:
    """Return the consensus to hold against the exact one: Borda's where it is there."""
    others = [c for c in findings.comparison.consensuses if c is not findings.exact]
    return next(
        (c for c in others if isinstance(c.aggregator, Borda)), others[0] if others else None
    )


def _first(findings: Findings) -> PartialRanking:
    ranking = findings.exact.ranking
    order = np.argsort(ranking.ranks, kind="stable")[:IN_SQUARE]
    return ranking.restrict(ranking.items.at(order))


def lead(findings: Findings) -> list[str]:
    """Return the result in a few sentences."""
    n = len(findings.exact.items)
    names = listed([shortened(str(item), 80) for item in findings.winners])
    if not findings.is_proved:
        first = (
            f"{names} leads the best ranking of {counted(n, 'item')} that was found; it is "
            "not proved optimal."
        )
    elif len(findings.winners) > 1:
        first = (
            f"Several rankings of {counted(n, 'item')} are optimal by the exact Kemeny rule, "
            f"which is proved; each of these leads one of them: {names}."
        )
    else:
        first = (
            f"{names} leads the exact Kemeny consensus of {counted(n, 'item')}. {_alone(findings)}"
        )
    name = findings.exact.aggregator.name
    told = []
    for method in findings.comparison.methods:
        if method != name:
            pairs = len(findings.comparison.disagreements(name, method))
            told.append(f"{method} on {counted(pairs, 'pair') if pairs else 'none'}")
    return [first, f"Pairs that other methods order differently: {', '.join(told)}."] if told else [
        first
    ]  # fmt: skip


def _alone(findings: Findings) -> str:
    known = findings.alternatives
    if known is None or known.is_unique is None or known.winners is None:
        return "It is proved optimal."
    if known.is_unique:
        return "It is proved optimal, and the only optimum."
    return "It is proved optimal; others are equally good, and all have the same leader."
