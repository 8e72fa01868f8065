"""Chapters on the result: its proof, majorities, other rules, and their charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd

from rankagg._typing import Label
from rankagg.aggregation import Consensus
from rankagg.aggregation.base import votes_text
from rankagg.analysis.comparison.agreement import LATE, flow_slots
from rankagg.core import capital, joined, letters, listing, named, part_of, quantity, sentence
from rankagg.exceptions import TooLargeError
from rankagg.report.findings import Findings
from rankagg.report.first_screen import span
from rankagg.report.sections import UNKNOWN, PageTable, Section, page_table

# Most rows of pairs ordered differently, rules in a heading, and rows of neighbors.
PAIRS, NAMED, NEIGHBORS = 10, 4, 200
# Time limit of the second program.
SECONDS_TO_VERIFY = 10.0
# Most groups with cycles, and most majorities against the order; majorities of an item among which
# a short cycle is searched; longest cycle written out; width of names in it.
CYCLES, AGAINST, TRIED, STATED, SHORT = 20, 10, 50, 6, 32
# Most items of the chart of ranks, and most colored ones.
MOST_LINES, COLORED = 30, 6
# Pixels: the height of a row, and the top of the first.
ROW, TOP = 22, 44
# Pixels: the width of a letter, of all rule names in one row, and between columns with steep names.
LETTER, LEVEL, STEP = 8.2, 430.0, 44.0
# Most items of the map of pairs, and most with numbers in it.
MOST_IN_MAP, NUMBERED = 40, 14


def _vote_headings(findings: Findings) -> dict[str, str]:
    votes = f"{findings.kind.words.vote}s"
    return {"votes_for": f"{votes} for", "votes_against": f"{votes} against"}


def _all_ranks(findings: Findings) -> PageTable:
    """Return the ranks of items by each rule, over all optima, and their intervals."""
    comparison, known = findings.comparison, findings.alternatives
    table = comparison.ranks().reset_index()
    name = findings.lead.rule.name
    table = table.sort_values(name, kind="stable")
    heading = findings.noun.capitalize()
    frame = pd.DataFrame({"Rank": table[name], heading: [str(item) for item in table["item"]]})
    meanings, words = {"Rank": f"by {name}"}, [heading]
    at = findings.exact.items.indices(list(table["item"]))
    if known is not None and known.is_unique is False and known.ranks is not None:
        best, worst = known.ranks
        frame["All optima"] = [span(best[i], worst[i], " to ") for i in at]
        meanings["All optima"] = f"ranks of the {findings.noun} over all exact optima"
        words.append("All optima")
    if findings.ranks is not None and findings.has_decisions:
        best, worst = findings.ranks.best, findings.ranks.worst
        frame[f"{findings.level} ranks"] = [span(best[i], worst[i], " to ") for i in at]
        words.append(f"{findings.level} ranks")
    for method in comparison.rules:
        if method != name:
            frame[method] = table[method]
    if findings.missing is not None and findings.missing.n_missing:
        frame["Missing"] = findings.missing.missing[at]
        meanings["Missing"] = f"{findings.missing.unit}s without this {findings.noun}"
    return page_table(frame, "Ranks by rule; 1 is best", meanings=meanings, text=words)


def proof(findings: Findings) -> Section:
    """State the proof of the exact consensus, and whether it is unique."""
    exact, known, vote = findings.exact, findings.alternatives, findings.kind.words.vote
    assert exact.certificate is not None, "an exact rule gives a certificate"
    unique = {None: "", True: ", the only one", False: ", one of several"}
    proved = "proved optimal" if findings.is_proved else "not proved optimal"
    section = Section("exact", "The proof")
    section.headline(proved + unique[None if known is None else known.is_unique])
    section.text(
        f"The Kemeny consensus is the order that contradicts the fewest {vote}s. A "
        f"certificate states a cost that no order can undercut; {_verified(exact, vote)}"
    )
    if not findings.is_exact:
        section.add("proved", (vote, tuple(map(str, exact.order))))
    cost = votes_text(exact, exact.cost, "cost", noun="")
    section.facts(
        [
            ("Certificate", exact.certificate.summary()),
            ("Cost", sentence("{} ({}s contradicted)", cost, vote)),
            (f"A tied {vote} costs", f"{exact.tie_cost:g}"),
            ("Seconds", f"{exact.runtime:.3f}"),
        ]
    )
    if known is None or known.is_unique is None:
        return section.unknown(findings.proof_sentence())
    section.text(findings.proof_sentence())
    if not known.is_unique:
        n, what = len(exact.items), "pairs on which optima differ"
        of = n * (n - 1) // 2
        pairs = part_of(known.optima.n_undecided_pairs, what, of, "pairs", "pair", form=",")
        section.text(sentence("They differ on {}; the one shown is one of them.", pairs))
    elif known.radius is not None and findings.is_exact:
        unit = f"more {findings.kind.complete_unit}"
        more = quantity(known.radius, "rankings that overturn", ",", unit)
        section.text(sentence("At least {} would be needed to overturn it.", more))
    elif not known.is_complete:
        section.unknown(f"The number that would overturn it was {LATE}.")
    return section


def _verified(exact: Consensus, vote: str) -> str:
    """Verify the certificate by a program without a solver, and state the outcome."""
    assert exact.certificate is not None, "an exact rule gives a certificate"
    try:
        exact.certificate.verify(exact.pairwise, time_limit=SECONDS_TO_VERIFY)
    except TooLargeError:
        return "a second program could not verify it within its limits of time and memory."
    return f"a second program verified it against the {vote}s in exact integers, without a solver."


def neighbors(findings: Findings) -> Section:
    """Compare each item with the one a place above, by wins and losses."""
    order, items = findings.order, findings.exact.items
    word, wins, ties = findings.kind.duels(findings)
    shared = findings.has_shared_votes
    upper, lower = np.array(list(pairwise(order.tolist()))).T
    is_against = wins[upper, lower] < wins[lower, upper]
    is_against &= findings.places[upper] < findings.places[lower]
    section = Section("why", "Why this order?")
    frame = findings.rows()[1:].reset_index(drop=True)
    frame["against"] = [str(item) for item in items.at(upper)]
    for name, at in (("lost", (upper, lower)), ("won", (lower, upper))):
        frame[f"{word}s {name}"] = wins[at]
    if ties.any():
        frame[f"{word}s tied"] = ties[upper, lower]
    words = [findings.noun.capitalize(), "against", "although"]
    if findings.has_decisions and findings.ranks is not None:
        frame["decided"] = np.where(findings.ranks.decisions.above[upper, lower], "yes", "no")
        words.append("decided")
    if is_against.any():
        frame["although"] = [
            _reason_above(findings, *pair) if turned else ""
            for *pair, turned in zip(upper.tolist(), lower.tolist(), is_against, strict=True)
        ]
        places = quantity(int(is_against.sum()), "neighbors against a majority", ",", "place")
        section.headline(sentence("{} against a majority", places))
    section.text(
        f"Each {findings.noun} and the one before it: {word}s lost to it, and won against it."
        + f" Where either is missing, it is a share of a {word} (policy “uniform”)." * shared
    )
    table = page_table(
        frame,
        "Neighbors in the order of the page",
        formats=dict.fromkeys([f"{word}s lost", f"{word}s won"], ".2f") if shared else None,
        text=words,
        meanings={"decided": f"whether the order of the two is decided at {findings.level}"},
        limit=NEIGHBORS,
        what="places",
    )
    return section.table(table)


def _reason_above(findings: Findings, upper: int, lower: int) -> str:
    """Explain a place above an item that won more."""
    if not findings.is_exact:
        return findings.kind.why_above(upper, lower)
    cycle = findings.graph.shortest_cycle(*findings.graph.items.at([upper, lower]))
    if not cycle:
        return "the complete order contradicts fewer"
    names = (*cycle, cycle[0])
    return f"majorities run in a circle: {' > '.join(listing([name], 1, 24) for name in names)}"


def methods(findings: Findings) -> Section:
    """Compare all rules with the exact optimum, pair by pair."""
    comparison, name = findings.comparison, findings.lead.rule.name
    vote = findings.kind.words.vote
    section = Section("methods", "Comparison of rules")
    if len(comparison.rules) == 1:
        section.headline("no other").text("There is no other rule to compare.")
        return section.table(_all_ranks(findings))
    section.headline(_differing(findings)).add("flow", _flow_chart(findings))
    frame = comparison.to_frame().drop(columns="ranking")
    if frame["guarantee"].isna().all():
        frame = frame.drop(columns="guarantee")
    bound = "" if findings.is_proved else ", which is not proved"
    tops = {c: f"top {c[3:]}" for c in map(str, frame.columns) if c.startswith("top")}
    section.table(
        page_table(
            frame,
            f"Cost relative to the optimum{bound}",
            formats={"ratio": ".4f", "tau": ".3f", "runtime": ".4f", **dict.fromkeys(tops, ".2f")},
            headings={"rule": "Rule", "runtime": "seconds", **tops},
            meanings={
                "cost": f"{vote}s contradicted",
                "excess": f"{vote}s contradicted beyond the optimum",
                "ratio": "cost over that of the optimum",
                "guarantee": "proved upper bound of the ratio",
                "distance": "Kendall distance to the exact consensus; ties in one count half",
                "tau": "Kendall's tau-b with the exact consensus",
                **dict.fromkeys(tops, "expected overlap with the first items of the optimum"),
            },
            text=["rule"],
        )
    )
    section.table(_all_ranks(findings))
    agreeing = [
        method
        for method in comparison.rules
        if method != name and not _disagreement(section, findings, method)
    ]
    if agreeing:
        every = "orders" if len(agreeing) == 1 else "order"
        section.text(
            f"{listing(agreeing, len(agreeing))} {every} all pairs as {_order_name(findings)} does."
        )
    return section.items(
        sentence("{}: {}", method, note)
        for method in comparison.rules
        for note in comparison[method].notes
    )


def _order_name(findings: Findings) -> str:
    return findings.kemeny if findings.is_exact else f"the order by {findings.kind.leader_name}"


def _differing(findings: Findings) -> str:
    """State on how many pairs the other rules differ."""
    name, comparison = findings.lead.rule.name, findings.comparison
    others = [method for method in comparison.rules if method != name]
    pairs = {method: len(comparison.disagreements(name, method)) for method in others}
    differing = {method: number for method, number in pairs.items() if number}
    if not differing:
        return "all in the same order" if len(others) > 1 else "in the same order"
    what = "pairs ordered differently"
    numbers = [sentence("{} {}", name, quantity(k, what, ",")) for name, k in differing.items()]
    more = [f"and {len(numbers) - NAMED} more"] if len(numbers) > NAMED else []
    return sentence("pairs ordered differently: {}", joined([*numbers[:NAMED], *more], ", "))


def _disagreement(section: Section, findings: Findings, method: str) -> bool:
    """Add the pairs that a rule orders differently; return whether there are any."""
    # The section on uncertainty states whether nothing is decided.
    ranks = findings.ranks if findings.has_decisions else None
    decisions = None if ranks is None else ranks.decisions
    frame = findings.comparison.disagreements(findings.lead.rule.name, method, decisions=decisions)
    if frame.empty:
        return False
    number = quantity(len(frame), "pairs ordered differently", ",", "pair")
    heading = sentence("{} differs on {}", method, number)
    frame = frame.drop(columns=["margin", "ties"] if frame["ties"].eq(0).all() else ["margin"])
    order, is_tied = capital(_order_name(findings)), frame["other"].eq("above")
    headings = {"above": f"{order} has above", "other": f"{method} has them"}
    if is_tied.any():
        frame.insert(2, "order", np.where(is_tied, "tied", "above"))
        item = findings.noun.capitalize()
        headings |= {"above": item, "below": "compared with", "order": f"{order} has them"}
    table = page_table(
        frame,
        f"Pairs that {method} orders differently, the closest first",
        headings=headings | _vote_headings(findings),
        meanings={"decided": "see “Uncertainty”"},
        text=["above", "below", "order", "other", "decided"],
        limit=PAIRS,
        what="pairs",
    )
    section.add("folded", (heading, table))
    return True


def majorities(findings: Findings) -> Section:
    """Report majorities and Condorcet cycles."""
    graph, exact = findings.graph, findings.exact
    section, n = Section("majorities", "Who beats whom"), len(exact.items)
    winner, loser = graph.condorcet_winner, graph.condorcet_loser
    against = graph.feedback_arcs(findings.lead.ranking)
    groups = graph.cyclic_components()
    pairs = n * (n - 1) // 2
    beaten = int(graph.beats.sum())
    what, order = "majorities against the order of the page", "the order of the page"
    contradicted = sentence("{} against {}", quantity(len(against), what, ",", "majority"), order)
    section.headline(contradicted if groups or len(against) else "no cycles")
    if groups:
        section.text(
            "Condorcet cycles: majorities run in a circle, and no order agrees with all of them."
        )
        section.items((_circle(findings, group) for group in groups), CYCLES)
    else:
        section.text("There is no Condorcet cycle: the exact consensus agrees with all majorities.")
    section.add("pairs", _pair_map(findings))
    section.facts(
        [
            ("Condorcet winner", "none" if winner is None else winner),
            ("Condorcet loser", "none" if loser is None else loser),
            ("Smith set", listing(graph.smith_set())),
            ("Pairs with a majority", quantity(beaten, "pairs with a majority", ",", of=pairs)),
            ("Pairs without a majority", quantity(pairs - beaten, "pairs without a majority", ",")),
            (f"Majorities against {order}", quantity(len(against), what, ",")),
        ]
    )
    if not len(against):
        return section
    ordered = against.sort_values("margin", ascending=False, kind="stable")
    table = page_table(
        ordered[["above", "below", "votes_for", "votes_against"]],
        "Majorities against the order of the page, the largest first",
        headings={"above": "Majority has above", **_vote_headings(findings)},
        text=["above", "below"],
        limit=AGAINST,
        what="majorities",
    )
    return section.table(table)


def _circle(findings: Findings, group: Sequence[Label]) -> str:
    """State the items on cycles, and a short cycle with its votes."""
    graph = findings.graph
    first, *others = sorted(graph.items.indices(list(group)))
    beaten = graph.items.at([k for k in others if graph.beats[first, k]][:TRIED])
    start = graph.items[first]
    cycle = min((graph.shortest_cycle(start, other) for other in beaten), key=len)
    many = quantity(len(group), "items", ",", findings.noun)
    names = listing(group, width=SHORT)
    if len(cycle) > STATED:
        return sentence("{}: {}.", many, names)
    steps = [_beats(findings, a, b) for a, b in zip(cycle, (*cycle[1:], cycle[0]), strict=True)]
    circle = sentence("{}, and {}.", joined(steps[:-1], ", "), steps[-1])
    if len(group) == len(cycle):
        return circle
    return sentence("{} ({}); for example {}", many, names, circle)


def _beats(findings: Findings, winner: Label, loser: Label) -> str:
    wins, text = findings.comparison.votes.wins, partial(votes_text, findings.exact)
    i, j = findings.exact.items.indices([winner, loser])
    won = text(wins[i, j], "votes for a majority", noun="")
    lost = text(wins[j, i], "votes against a majority", noun="")
    return sentence("{} beats {} ({} to {})", named(winner, SHORT), named(loser, SHORT), won, lost)


# -- charts ---------------------------------------------------------------------------------------


class _Line(NamedTuple):
    """Line of an item: look, height in each column, texts at both ends."""

    look: str
    heights: tuple[float, ...]
    left: str
    right: str


class _Flow(NamedTuple):
    """Chart of ranks, with a line for each item and a column for each rule."""

    # Positions of columns in per cent, and their names.
    methods: tuple[tuple[float, str], ...]
    # Height of steep names in pixels; 0 for names in one row.
    head: float
    # Size in pixels.
    width: float
    height: float
    lines: tuple[_Line, ...]
    # Bars that join ties: column in per cent, and ends.
    ties: tuple[tuple[float, float, float], ...]
    alternative: str
    caption: str

    @property
    def has_short_names(self) -> bool:
        """Whether each name and rank fits in half of the margin."""
        return max(letters(line.left) for line in self.lines) <= 14

    def steps(self, line: _Line) -> Iterator[tuple[float, float, float, float]]:
        """Return the ends of the segments of a line."""
        points = [(x, y) for (x, _), y in zip(self.methods, line.heights, strict=True)]
        return ((*start, *end) for start, end in pairwise(points))


def _flow_chart(findings: Findings) -> _Flow:
    """Return the chart of the first items by each rule."""
    comparison = findings.comparison
    names, total = comparison.rules, comparison.votes.n_items
    order = findings.order[:MOST_LINES]
    ranks = np.stack([comparison[name].ranking.ranks[order] for name in names])
    slots = flow_slots(ranks)
    # Movement as drawn: a line can leave a tie without a slope.
    moved = np.ptp(slots, axis=0).astype(np.intp)
    widths = [LETTER * letters(name) for name in names]
    apart = max((a + b) / 2 + LETTER for a, b in pairwise([*widths, 0.0]))
    row = apart * (len(names) - 1)
    # At 45 degrees names are as high as they are wide.
    head = 0.7 * max(widths) if row > LEVEL else 0.0
    heights = head + TOP + ROW * slots
    colored = [int(i) for i in np.argsort(-moved, kind="stable")[:COLORED] if moved[i]]
    items = [str(item) for item in findings.exact.items.at(order)]
    lines = [
        _Line(
            look=f"m{colored.index(k) + 1}" if k in colored else "quiet",
            heights=tuple(heights[:, k].tolist()),
            left=f"{named(item, 22)} \N{EN SPACE}{_rank(ranks[0, k])}",
            right=f"{_rank(ranks[-1, k])} \N{EN SPACE}{named(item, 22)}",
        )
        for k, item in enumerate(items)
    ]
    columns = tuple((100 * k / max(len(names) - 1, 1), name) for k, name in enumerate(names))
    which, who = "", "No item moves."
    if total > len(order):
        drawn = part_of(len(order), "items drawn", total, "items", "item", form=",")
        which = sentence("The first {}. ", drawn)
    if colored:
        most = listing([items[k] for k in colored], COLORED)
        by = quantity(int(moved[colored[0]]), "places moved", noun="place")
        who = sentence("Colored: those that move most, by up to {}: {}.", by, most)
    text = sentence("{}Ranks by rule. {}", which, who)
    ties = tuple(
        (x, float(tied.min()), float(tied.max()))
        for (x, _), places, height in zip(columns, ranks, heights, strict=True)
        for place in np.unique(places[places >= 0])
        if len(tied := height[places == place]) > 1
    )
    return _Flow(
        methods=columns,
        head=head,
        width=min(row, max(LEVEL, STEP * (len(names) - 1))),
        height=float(heights.max()) + ROW,
        lines=tuple(sorted(lines, key=lambda line: line.look != "quiet")),
        ties=ties,
        alternative=text,
        caption=sentence("{}{}", text, " Thick bars join ties." * bool(ties)),
    )


def _rank(rank: int) -> str:
    return UNKNOWN if rank < 0 else f"{rank + 1:,}"


class _PairCell(NamedTuple):
    """Pair of items: step of color (empty: no votes), share, whether it is decided."""

    step: str
    text: str
    is_decided: bool = False


class _PairRow(NamedTuple):
    """An item against all others."""

    place: int
    name: str
    cells: tuple[_PairCell, ...]


class _PairMap(NamedTuple):
    """Map of pairs, in the order of the page."""

    rows: tuple[_PairRow, ...]
    # Whether numbers are visible; screen readers read them anyway.
    is_numbered: bool
    alternative: str
    caption: str


def _pair_map(findings: Findings) -> _PairMap:
    """Return the map of pairs of the first items."""
    exact, n = findings.exact, len(findings.exact.items)
    order, vote = findings.order[:MOST_IN_MAP], findings.kind.words.vote
    shares, places = findings.shares[np.ix_(order, order)], findings.places[order]
    above = np.zeros(shares.shape, dtype=bool)
    if findings.ranks is not None:
        above = findings.ranks.decisions.above[np.ix_(order, order)]
    rows = list[_PairRow]()
    for k, i in enumerate(order.tolist()):
        pairs = zip(shares[k].tolist(), above[k].tolist(), strict=True)
        cells = [_cell(share, is_decided=decided) for share, decided in pairs]
        cells[k] = _PairCell("self", "")
        rows.append(_PairRow(int(places[k]), str(exact.items[i]), tuple(cells)))
    drawn = part_of(MOST_IN_MAP, "items drawn", n, "items", "item")
    which = sentence("The first {}. ", drawn) if n > MOST_IN_MAP else ""
    outlined = sentence(" Outlined: pairs whose order is decided at {}.", findings.level)
    never = " Empty: never compared." if np.isnan(shares).sum() > len(order) else ""
    against = (shares < 0.5) & (places[:, None] < places)
    number = quantity(int(against.sum()), "majorities against the order drawn", noun="pair")
    below = sentence("In {} the order is against a majority.", number)
    caption = "{}Per cent of {}s with the row above the column, in the order of the page. {}{}{}"
    return _PairMap(
        rows=tuple(rows),
        is_numbered=len(order) <= NUMBERED,
        alternative=sentence(
            "{}Share of {}s for the row against the column. {}", which, vote, below
        ),
        caption=sentence(caption, which, vote, below, outlined if above.any() else "", never),
    )


def _cell(share: float, *, is_decided: bool) -> _PairCell:
    """Return a share in whole per cent, with its color; only one half reads as 50."""
    if np.isnan(share):
        return _PairCell("", "")
    # Rounded alike on both sides of one half, with eight steps of color on each.
    lead = round(share - 0.5, 9)
    step, rounded = round(16 * lead), 50 + round(100 * lead)
    side = 1 if share > 0.5 else -1
    if share not in (0, 0.5, 1):
        step = step or side
        rounded = min(max(50 + side if rounded == 50 else rounded, 1), 99)
    return _PairCell(f"{'l' if step < 0 else 'w'}{abs(step)}", str(rounded), is_decided)
