"""What the page says of the result: its proof, who beats whom, and the other methods."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from rankagg._typing import Bools, Label
from rankagg.aggregation.result import Consensus
from rankagg.analysis.comparison.agreement import LATE, Alternatives
from rankagg.core.names import joined, listing, named, part_of, said, stated
from rankagg.report.charts import flow_of, pair_map_of
from rankagg.report.findings import Findings
from rankagg.report.sections import PageTable, Section, bullets, table_of

PAIRS, GROUPS = 10, 20
VOTES = {"votes_for": "votes for", "votes_against": "votes against"}
# Methods that a heading names.
NAMED = 4


def _all_ranks(findings: Findings) -> PageTable:
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
    if findings.ranks is not None and findings.has_decisions:
        best, worst = findings.ranks.best, findings.ranks.worst
        frame[f"{findings.level} ranks"] = [_span(best[i], worst[i]) for i in at]
        words.append(f"{findings.level} ranks")
    for method in comparison.methods:
        if method != name:
            frame[method] = table[method]
    if findings.missing is not None and findings.missing.n_missing:
        frame["Missing"] = findings.missing.missing[at]
        meanings["Missing"] = f"{findings.missing.unit}s without this item"
    return table_of(frame, "Ranks by every method; 1 is best", meanings=meanings, text=words)


def _named(findings: Findings) -> list[tuple[Consensus, str]]:
    comparison = findings.comparison
    return list(zip(comparison.consensuses, comparison.methods, strict=True))


def _span(best: int, worst: int) -> str:
    return f"{best:,}" if best == worst else f"{best:,} to {worst:,}"


def proof(findings: Findings) -> Section:
    """Say what is proved of the exact consensus, and whether it is alone."""
    exact, known = findings.exact, findings.alternatives
    certificate = exact.certificate
    assert certificate is not None, "an exact rule gives a certificate"
    section = Section("exact", "The proof").told(_in_short(findings))
    section.text(
        "The Kemeny consensus is the ranking that contradicts the fewest votes. A certificate "
        "states what no ranking can undercut; it was verified against the votes, in whole numbers "
        "and without a solver."
    )
    cost = exact._votes_told(exact.cost, "cost", noun="")
    section.facts(
        [
            ("Certificate", certificate.summary()),
            ("Cost", said("{} (votes contradicted)", cost)),
            ("A tied vote costs", f"{exact.tie_cost:g}"),
            ("Seconds", f"{exact.runtime:.3f}"),
        ]
    )
    if not findings.is_proved:
        gap = exact._votes_told(certificate.gap, "gap")
        told = "The optimum is not proved in time: it may be cheaper by up to {}."
        return section.unknown(said(told + " A longer time limit may close the gap.", gap))
    if known is None and "alternatives" not in findings.late:
        return section.unknown("Whether other rankings are as good was not looked at.")
    if known is None or known.is_unique is None:
        return section.unknown(f"Whether other rankings are as good was {LATE}.")
    if known.is_unique:
        section.text("It is the only optimum.")
        if known.radius is not None:
            more = stated(known.radius, "rankings that overturn", ",", "more complete ranking")
            return section.text(said("At least {} would be needed to overturn it.", more))
        if not known.is_complete:
            section.unknown(f"How many more rankings would overturn it was {LATE}.")
        return section
    return _several(section, known)


def _in_short(findings: Findings) -> str:
    known = findings.alternatives
    if not findings.is_proved:
        return "not proved optimal"
    if known is None or known.is_unique is None:
        return "proved optimal"
    return "proved optimal, the only one" if known.is_unique else "proved optimal, not alone"


def _several(section: Section, known: Alternatives) -> Section:
    """Say how many optima there are, and where they differ."""
    optima = known.optima
    total = len(optima.items) * (len(optima.items) - 1) // 2
    if known.count is not None:
        number = said("{} are equally good", stated(known.count, "optima", ",", "ranking"))
    elif known.too_large:
        number = "More than one ranking is equally good (too many to count)"
    else:
        number = f"More than one ranking is equally good (how many was {LATE})"
    what = "pairs on which optima differ"
    pairs = part_of(optima.n_undecided_pairs, what, total, "pairs", "pair", form=",")
    told = (
        "{}; they differ on {}. The ranking above is one of them. Within each of these groups, "
        "which are shaded there, the votes leave the order open:"
    )
    section.text(said(told, number, pairs))
    groups, end = [], 0
    for block in optima.blocks:
        start, end = end + 1, end + len(block)
        if len(block) > 1:
            first, last = stated(start, "first place", ","), stated(end, "last place", ",")
            groups.append(said("places {} to {}: {}", first, last, listing(block)))
    return section.items(bullets(groups, GROUPS))


def methods(findings: Findings) -> Section:
    """Hold all methods against the exact optimum, pair by pair."""
    comparison, name = findings.comparison, findings.exact.aggregator.name
    section = Section("methods", "Comparison of methods")
    if len(comparison.methods) == 1:
        section.told("no other").text("No other method was asked for.")
        return section.table(_all_ranks(findings))
    section.told(_differing(findings)).add("flow", flow_of(comparison))
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
    section.table(_all_ranks(findings))
    agreeing = [
        method
        for method in comparison.methods
        if method != name and not _disagreement(section, findings, method)
    ]
    if agreeing:
        every = "orders" if len(agreeing) == 1 else "order"
        section.text(
            f"{listing(agreeing, len(agreeing))} {every} all pairs as the exact rule does."
        )
    return section.items(
        said("{}: {}", name, note) for c, name in _named(findings) for note in c.notes
    )


def _differing(findings: Findings) -> str:
    """Say on how many pairs the others differ, or how many do so where they are many."""
    name, comparison = findings.exact.aggregator.name, findings.comparison
    others = [method for method in comparison.methods if method != name]
    pairs = {method: len(comparison.disagreements(name, method)) for method in others}
    differing = {method: number for method, number in pairs.items() if number}
    if not differing:
        return "all in the same order" if len(others) > 1 else "in the same order"
    if len(differing) <= NAMED:
        what = "pairs ordered differently"
        told = [said("{} {}", name, stated(k, what, ",")) for name, k in differing.items()]
        return said("pairs ordered differently: {}", joined(told, ", "))
    most = max(differing, key=lambda method: differing[method])
    many = part_of(len(differing), "rules that differ", len(others), "other rules")
    number = stated(differing[most], "pairs ordered differently", ",")
    return said("{} order pairs differently, {} the most ({})", many, most, number)


def _disagreement(section: Section, findings: Findings, method: str) -> bool:
    """Say on which pairs a method differs, and whether there are any."""
    name = findings.exact.aggregator.name
    # Where nothing is decided, the section on certainty says so.
    ranks = findings.ranks if findings.has_decisions else None
    decisions = None if ranks is None else ranks.decisions
    frame = findings.comparison.disagreements(name, method, decisions=decisions)
    if frame.empty:
        return False
    number = stated(len(frame), "pairs ordered differently", ",", "pair")
    heading = said("{} differs on {}", method, number)
    frame = frame.drop(columns=["margin", "ties"] if frame["ties"].eq(0).all() else ["margin"])
    table = table_of(
        frame,
        f"Pairs that {method} orders otherwise, closest votes first",
        headings={"above": "Exact has above", "other": f"{method} has them", **VOTES},
        meanings={"decided": "see “Uncertainty”"},
        text=["above", "below", "other", "decided"],
        limit=PAIRS,
        what="pairs",
    )
    section.add("folded", (heading, table))
    return True


CIRCLES, AGAINST = 20, 10
# Members of a cycle whose majorities are all stated.
STATED, SHORT = 6, 32


def majorities(findings: Findings) -> Section:
    """Say who beats whom, and where there are Condorcet cycles."""
    graph, exact = findings.graph, findings.exact
    section, n = Section("majorities", "Who beats whom"), len(exact.items)
    winner, loser = graph.condorcet_winner, graph.condorcet_loser
    against = graph.feedback_arcs(exact.ranking)
    groups = graph.cyclic_components()
    pairs = n * (n - 1) // 2
    beaten = int(graph.beats.sum())
    what = "majorities against the consensus"
    contradicted = said("{} against the consensus", stated(len(against), what, ",", "majority"))
    section.told(contradicted if len(against) else "no cycles")
    if groups:
        section.text(
            "Condorcet cycles: majorities run in a circle, and no ranking agrees with all of them."
        )
        section.items(bullets([_circle(findings, group) for group in groups], CIRCLES))
    else:
        section.text("There is no Condorcet cycle: the exact consensus agrees with all majorities.")
    section.add("pairs", pair_map_of(findings))
    section.facts(
        [
            ("Condorcet winner", "none" if winner is None else winner),
            ("Condorcet loser", "none" if loser is None else loser),
            ("Smith set", listing(graph.smith_set())),
            ("Pairs with a majority", stated(beaten, "pairs with a majority", ",", of=pairs)),
            ("Pairs without a majority", stated(pairs - beaten, "pairs without a majority", ",")),
            ("Majorities against the consensus", stated(len(against), what, ",")),
        ]
    )
    return _against(section, against) if len(against) else section


def _circle(findings: Findings, group: Sequence[Label]) -> str:
    """Say who is on cycles, and state the shortest one with its votes."""
    items = findings.exact.items
    first = min(items.indices(list(group)))
    cycle = [items[k] for k in _shortest(findings.graph.beats, first)]
    many, names = stated(len(group), "items", ",", "item"), listing(group, width=SHORT)
    if len(cycle) > STATED:
        return said("{}: {}.", many, names)
    steps = [_beats(findings, a, b) for a, b in zip(cycle, [*cycle[1:], cycle[0]], strict=True)]
    circle = said("{}, and {}.", joined(steps[:-1], ", "), steps[-1])
    if len(group) == len(cycle):
        return circle
    return said("{} ({}); for example {}", many, names, circle)


def _shortest(beats: Bools, first: int) -> list[int]:
    """Return a shortest cycle through an item that is on one, as positions."""
    before = np.full(len(beats), -1)
    level, back = [first], np.array([], dtype=np.intp)
    while not len(back):
        following: list[int] = []
        for item in level:
            found = np.flatnonzero(beats[item] & (before < 0))
            before[found] = item
            following += found.tolist()
        level = following
        back = np.intersect1d(level, np.flatnonzero(beats[:, first]))
    cycle = [int(back[0])]
    while cycle[-1] != first:
        cycle.append(int(before[cycle[-1]]))
    return cycle[::-1]


def _beats(findings: Findings, winner: Label, loser: Label) -> str:
    wins, told = findings.comparison.votes.wins, findings.exact._votes_told
    i, j = findings.exact.items.indices([winner, loser])
    won = told(wins[i, j], "votes for a majority", noun="")
    lost = told(wins[j, i], "votes against a majority", noun="")
    return said("{} beats {} ({} to {})", named(winner, SHORT), named(loser, SHORT), won, lost)


def _against(section: Section, frame: pd.DataFrame) -> Section:
    """List the majorities that the consensus contradicts, the largest first."""
    ordered = frame.sort_values("margin", ascending=False, kind="stable")
    table = table_of(
        ordered[["above", "below", "votes_for", "votes_against"]],
        "Majorities that the consensus goes against, the largest first",
        headings={"above": "Majority has above", **VOTES},
        text=["above", "below"],
        limit=AGAINST,
        what="majorities",
    )
    return section.table(table)
