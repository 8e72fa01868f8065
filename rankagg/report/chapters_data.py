"""Chapters on the data and on their uncertainty."""

from __future__ import annotations

import platform
import re
from collections.abc import Sequence
from functools import partial
from importlib.metadata import version
from inspect import cleandoc
from itertools import groupby

from rankagg import __version__
from rankagg import _pandas as pd
from rankagg._typing import Label
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.evidence import PairData
from rankagg.analysis.comparison.agreement import LATE
from rankagg.analysis.missing import ASSUMPTIONS, MissingReport
from rankagg.core.comparisons import Comparisons
from rankagg.core.items import counted
from rankagg.core.names import (
    capital,
    in_words,
    joined,
    level_of,
    listing,
    named,
    part_of,
    percent,
    said,
    stated,
)
from rankagg.core.pairwise import PairwiseMatrix
from rankagg.core.profile import Profile
from rankagg.core.score_summary import ScoreSummary
from rankagg.core.scores import ScoreTable
from rankagg.inference.ranks.rank_results import RankIntervals
from rankagg.kernels.backend import described
from rankagg.report.findings import MOST_OPEN, TASKS, Findings
from rankagg.report.kinds.base import fact
from rankagg.report.sections import Section, bullets, table_of

MOST_BULLETS = 12
# Rows of the tables of items and tasks that lack some cells, and of what is missing together.
LACKING, TOGETHER = 200, 8


def what_was_read(findings: Findings, lines: Sequence[str]) -> Section:
    """Say what the data are, and what of them was left out."""
    data, noun = findings.data, findings.noun
    items = fact(f"{noun.capitalize()}s", len(findings.exact.items))
    facts = [items, *findings.kind.shape(findings)]
    if findings.kind.infers or (findings.missing is not None and findings.missing.n_missing):
        facts.append((f"Unranked {noun}s", _unranked(findings)))
    section = Section("data", "What was read and left out").facts(facts)
    if lines:
        section.items(lines)
    if isinstance(data, ScoreTable | ScoreSummary):
        lower = [task for task, higher in data.higher_is_better.items() if not higher]
        if len(lower) in (0, data.n_tasks):
            section.text(f"On every task a {'lower' if lower else 'higher'} score is better.")
        else:
            section.text(f"A lower score is better on {listing(lower)}; elsewhere a higher one.")
        weights = [
            said("{} {}", task, stated(w, "task weight", "g"))
            for task, w in data.task_weights.items()
            if w != 1
        ]
        if weights:
            section.text(said("Task weights other than 1: {}.", joined(weights, ", ")))
    return section


def _unranked(findings: Findings) -> str:
    policy = findings.comparison.unranked
    if isinstance(findings.data, Comparisons):
        return "none: of items that did not meet nothing is assumed"
    if findings.missing is None:
        return "not known: the votes were counted before"
    if not findings.missing.n_missing:
        return f"none, so the policy “{policy}” changes nothing"
    return f"policy “{policy}”: {ASSUMPTIONS[policy]}"


def missing_data(findings: Findings) -> Section:
    """Say who lacks what, and what the policy makes of it."""
    section, report = Section("missing", "Missing data"), findings.missing
    if isinstance(findings.data, Comparisons):
        return _who_never_met(section, findings.comparison.votes)
    if report is None:
        return section.unknown(
            "The data are counts of votes; what single rankings left out is not in them."
        )
    units = stated(report.n_units, "units", ",", report.unit)
    size = said("{}, {}", stated(len(report.items), "items", ",", "item"), units)
    if not report.n_missing and not findings.kind.infers:
        return section
    if not report.n_missing:
        return section.told("none").text(said("Nothing is missing: {}.", size))
    share, n = report.n_missing / report.n_cells, report.n_cells
    told = stated(share, "share of cells missing", percent, of=n)
    cells = part_of(report.n_missing, "cells missing", n, "cells", "cell", form=",")
    verb = "is" if report.n_missing == 1 else "are"
    section.told(told).text(said("{} {} missing ({}): {}.", cells, verb, told, size))
    _who_lacks(section, report)
    if report.never_compared:
        pairs = [f"{named(a)} and {named(b)}" for a, b in report.never_compared]
        all_pairs = len(report.items) * (len(report.items) - 1) // 2
        never = stated(len(pairs), "pairs never compared", ",", "pair", of=all_pairs)
        told = "The order of {} of items, never compared, rests on other pairs and on the policy:"
        section.unknown(said(told, never))
        section.items(bullets(pairs, MOST_BULLETS))
    if len(report.groups) > 1:
        section.unknown(
            "No chain of comparisons connects these groups; the order between them is an "
            "assumption:"
        )
        section.items(bullets([listing(group) for group in report.groups], MOST_BULLETS))
    section.add("heading", "What each policy assumes")
    return section.items(f"{policy}: {text}" for policy, text in ASSUMPTIONS.items())


def _who_never_met(section: Section, votes: PairwiseMatrix) -> Section:
    """Say which items no comparison brought together."""
    n, total = len(votes.never_compared), votes.n_items * (votes.n_items - 1) // 2
    pairs = [f"{named(a)} and {named(b)}" for a, b in votes.never_compared]
    if not pairs:
        every = said("All {} of items met", stated(total, "pairs", ",", "pair"))
        met = "The two items met" if votes.n_items == 2 else every
        return section.told("none").text(said("{} in some comparison.", met))
    never = part_of(n, "pairs never compared", total, "pairs", "pair", form=",")
    told = (
        "The order of {} of items that never met rests on comparisons with others, as far as "
        "chains of these connect them:"
    )
    section.told(said("{} never met", never))
    section.unknown(said(told, stated(n, "pairs never compared", ",", "pair", of=total)))
    return section.items(bullets(pairs, MOST_BULLETS))


def _who_lacks(section: Section, report: MissingReport) -> None:
    """Say which items lack how much, and in which tasks, or which are missing together."""
    frame = report.to_frame()
    lacking = frame[frame["missing"] > 0].sort_values("missing", ascending=False, kind="stable")
    lacking = lacking.reset_index()[["item", "observed", "missing", "share", "compared_with"]]
    strips = gaps_of(report, lacking["item"].tolist()[:LACKING])
    drawn = {}
    if strips:
        where = f"where, in the order of the {counted(len(report.tasks or ()), 'task')}"
        lacking[where] = ""
        drawn = {where: strips}
    section.table(
        table_of(
            lacking,
            "Items that are missing somewhere, those that lack the most first",
            formats={"share": ".1%"},
            headings={"item": "Item", "compared_with": "compared with"},
            meanings={"compared_with": "other items that it was ever compared with"},
            text=["item", *drawn],
            bars=[] if drawn else ["missing"],
            drawn=drawn,
            limit=LACKING,
            what="items",
        )
    )
    if report.missing_by_task is not None and report.task_sizes is not None:
        cells = report.task_sizes * len(report.items)
        tasks = pd.DataFrame(
            {
                "Task": list(map(str, report.tasks or ())),
                "missing": report.missing_by_task.sum(axis=0),
            }
        )
        tasks["share"] = tasks["missing"] / cells
        tasks = tasks[tasks["missing"] > 0]
        section.table(
            table_of(
                tasks.sort_values("missing", ascending=False, kind="stable"),
                "Tasks in which something is missing",
                formats={"share": ".1%"},
                text=["Task"],
                bars=["missing"],
                limit=LACKING,
                what="tasks",
            )
        )
        return
    together = report.patterns()
    together = together[together["missing"].map(len) > 0]
    together["missing"] = together["missing"].map(listing)
    section.table(
        table_of(
            together,
            "Missing together, the most frequent first",
            headings={"units": f"{report.unit}s", "missing": "without"},
            text=["missing"],
            limit=TOGETHER,
            what="sets of items",
        )
    )


def colophon(findings: Findings) -> Section:
    """Say how the page was made, and how to cite what it rests on."""
    rules = [c.aggregator for c in findings.comparison.consensuses]
    section = Section("made", "Methods, versions, citation")
    rows = [
        {"Method": rule.name, "Parameters": repr(rule), "Source": _references(rule)}
        for rule in rules
    ]
    caption = "Methods, with all parameters"
    section.table(table_of(pd.DataFrame(rows), caption, text=["Method", "Parameters", "Source"]))
    names = ("numpy", "scipy", "highspy", "networkx", "statsmodels")
    packages = [(name, version(name)) for name in names]
    section.add("heading", "Versions")
    section.facts(
        [
            ("rankagg", __version__),
            ("Python", platform.python_version()),
            *packages,
            ("inner loops", described()),
        ]
    )
    section.add("heading", "To cite")
    return section.text(
        f"rankagg {__version__}: rank aggregation with classical rules, the exact Kemeny consensus "
        "and its proof. Cite the sources of the methods that you report, too."
    )


def _references(rule: Aggregator) -> str | None:
    """Return the references that the class itself states."""
    text = cleandoc(type(rule).__doc__ or "")
    found = re.search(r"References\n-+\n(.*?)(?:\n\n|\Z)", text, flags=re.DOTALL)
    return None if found is None else " ".join(found[1].split())


GROUPS, ROWS = 12, 20


def certainty(findings: Findings) -> Section:
    """Say which pairs and ranks the data decide, and on what assumption."""
    section, ranks = Section("certainty", "Uncertainty"), findings.ranks
    if "ranks" in findings.late:
        return section.unknown(f"The uncertainty was {LATE}.")
    if ranks is None:
        return section.unknown(
            "The data are counts of votes for pairs; without the single rankings nothing can be "
            "said of their uncertainty."
        )
    n, decided = len(ranks.items), int(ranks.decisions.above.sum())
    section.told(said("{} decided at {}", ranks.decisions._of_pairs(), findings.level))
    section.text(*_who_is_first(ranks), _decided(findings, ranks))
    section.add("assumed", f"{_assumption(ranks)} {findings.kind.caveat(findings)}")
    section.items(note for note in ranks.notes if note != ranks.decisions.warning)
    if decided and findings.lead is findings.exact:
        section.text(
            f"Intervals for ranks are by {ranks.by}: no method is known that bounds the ranks "
            "of the exact consensus."
        )
    if not findings.has_bars:
        return section
    together = [listing(group, GROUPS) for group in ranks.decisions.groups if len(group) > 1]
    if len(ranks.decisions.groups) > 1 and together:
        section.text("These cannot be told apart, directly or through others:")
        section.items(bullets(together, GROUPS))
    exact = int((ranks.best == ranks.worst).sum())
    if exact:
        verb = "is" if exact == 1 else "are"
        known = part_of(exact, "ranks determined", n, "items", "rank", form=",")
        section.text(said("{} {} determined.", known, verb))
    return section


def _who_is_first(ranks: RankIntervals) -> list[str]:
    """Say who may be first, unless that is everybody; and who, asked of the first place alone."""
    if len(ranks.first) == len(ranks.items):
        return []
    leaders = [item for item, rank in zip(ranks.items, ranks.rank, strict=True) if rank == 1]
    others = [item for item in ranks.first if item not in leaders]
    level, by = level_of(ranks.decisions.alpha), ranks.by
    alone = ""
    if set(ranks.first) != set(ranks.top(1)):
        alone = (
            " That is asked of the first place alone; the intervals above hold for all places at "
            "once, and are wider."
        )
    if not others:
        only = listing(ranks.first)
        return [said("At {}, first by {} can only be {}.{}", level, by, only, alone)]
    verb = "is" if len(leaders) == 1 else "are"
    head = f"First by {by} {verb} {listing(leaders)}, but" if leaders else f"By {by},"
    too, noun = ("be first too", "other") if leaders else ("be first", "item")
    many = stated(len(others), "others that may be first", ",", noun)
    may = "another item" if leaders and len(others) == 1 else many
    who = listing(others, GROUPS)
    return [said("{} {} may {} at {}: {}.{}", head, may, too, level, who, alone)]


def _decided(findings: Findings, ranks: RankIntervals) -> str:
    """Say how many pairs are decided, and why none is."""
    decisions, basis = ranks.decisions, ranks.decisions.basis
    if decisions.above.any():
        bound = "about" if decisions.is_approximate else "at most"
        rate = stated(decisions.alpha, "alpha", "g")
        told = "The data decide {}, by {}; family-wise error rate {} {}."
        text = said(told, ranks.decisions._of_pairs(), decisions.how, bound, rate)
        if findings.openness <= MOST_OPEN:
            return text
        n, mean = len(ranks.items), float((ranks.worst - ranks.best + 1).mean())
        open_ranks = part_of(mean, "mean ranks left open", n, "items", "rank", form=",.0f")
        return said("{} That leaves an item {} on average.", text, open_ranks)
    if decisions.warning is not None:
        return said("{}: any rank is possible.", capital(decisions.warning))
    text = f"No pair is decided, by {decisions.how}, so any rank is possible"
    if basis is None or basis.decidable_from is None:
        return f"{text}."
    units = stated(basis.n_units, "independent units", ",")
    told = "{}: these {} {}s could decide some, but disagree too much."
    return said(told, text, units, basis.word)


def _assumption(ranks: RankIntervals) -> str:
    if ranks.assumes is None:
        return "What was observed are independent draws from all that there could be."
    return f"{capital(ranks.assumes)}."


def _ballot(profile: Profile, row: int) -> str:
    """Return what a ranking says, and how often it was cast where that is not once."""
    copies = int(profile.counts[row])
    return f"{copies:,} x {profile[row]._arrows()}" if copies > 1 else profile[row]._arrows()


def without_tasks(findings: Findings) -> Section:
    """Say what single tasks, or rankings, change, and how few have to go for another first."""
    section = Section("stability", "Robustness")
    _fewest(findings, section)
    return _left_out(findings, section) if findings.kind.is_sample else section


def _one_of(number: int, noun: str, total: int) -> str:
    form = partial(in_words, noun=noun)
    many = stated(number, "units that change the first", form, of=total)
    return many if number == 1 else said("one of {}", many)


def _fewest(findings: Findings, section: Section) -> None:
    """Say how few tasks or rankings have to go before another is first."""
    if "removal" in findings.late and findings.kind.is_sample:
        section.unknown(f"How many have to go before another is first was {LATE}.")
    if findings.removal is None:
        return
    if not findings.removal.first and findings.kind.is_sample:
        section.unknown(
            f"How many {findings.removal.noun} have to go before another is first was {LATE}."
        )
        return
    told = [said("{}.", capital(line)) for line in findings.removal.lines]
    if findings.lead is not findings.exact:
        told = [said("By pairs (the exact rule), {}.", line) for line in findings.removal.lines]
    if findings.removal.is_proved:
        section.text(*told)
    elif findings.kind.is_sample:
        section.unknown(joined(told))


def _left_out(findings: Findings, section: Section) -> Section:
    """Say what leaving out each of the tasks changes."""
    result, kind = findings.stability, findings.kind
    if "stability" in findings.late:
        return section.unknown(f"The consensus without single {kind.words.unit}s was {LATE}.")
    if result is None:
        unit = kind.words.unit
        if isinstance(findings.data, Comparisons):
            return section.unknown(
                f"Who is first without some of the {unit}s was not looked at; the chapter on "
                "uncertainty says what chance alone may change."
            )
        why = "they are not known one by one"
        if not isinstance(findings.data, PairData):
            why = f"that is done for 2 to {TASKS} of them"
        return section.unknown(f"The consensus was not computed without single {unit}s: {why}.")
    influence, plural = result.influence(), kind.in_words(result.noun)
    decided = influence[influence["winner"].notna()]
    if decided.empty:
        return section.unknown(
            f"What leaving out one of the {len(influence)} {plural} changes was {LATE}: it is "
            "known only where both consensuses are proved."
        )
    changed, others = decided[decided["distance"] > 0], decided[decided["top1"] == 0]
    noun = plural.removesuffix("s")
    if len(others):
        section.told(
            said("another is first without {}", _one_of(len(others), noun, len(influence)))
        )
    elif not result.undecided:
        section.told(f"no single {noun} decides who is first")
    units = stated(len(influence), "units left out one by one")
    if changed.empty and not result.undecided:
        section.text(said("Leaving out one of the {} {} changes nothing.", units, plural))
    else:
        cases = stated(len(changed), "units that change an order", noun="case", of=len(influence))
        none = "none" if others.empty else "{}"
        led = stated(len(others), "units that change the first", none.format, of=len(influence))
        told = "changes the order of some items in {}, and who is first in {}."
        section.text(said("Leaving out one of the {} {} " + told, units, plural, cases, led))
    if result.undecided:
        section.unknown(f"What leaving out {result.undecided} of the {plural} changes was {LATE}.")
    section.items(map(kind.in_words, result.notes))
    if changed.empty and not result.undecided:
        return section
    frame = influence.sort_values("distance", ascending=False, kind="stable").reset_index()
    data = findings.data
    if isinstance(data, Profile) and data.groups is None:
        frame["left_out"] = [_ballot(data, int(row)) for row in frame["left_out"]]
    section.table(
        table_of(
            frame[["left_out", "distance", "tau", "winner"]],
            "The exact consensus without one of them, the most influential first",
            formats={"tau": ".3f"},
            headings={"left_out": "Left out", "distance": "pairs changed", "winner": "first is"},
            text=["left_out", "winner"],
            bars=["distance"],
            limit=ROWS,
            what=plural,
        )
    )
    return section


# Tasks that are drawn, side by side.
MOST_STRIPS = 200


def gaps_of(
    report: MissingReport, items: Sequence[Label]
) -> list[tuple[tuple[float, float, str], ...]]:
    """Return for every item where it is missing; nothing where there are no tasks, or too many."""
    if report.missing_by_task is None or not 0 < len(report.tasks or ()) <= MOST_STRIPS:
        return []
    some, every = report.missing_by_task > 0, report.absent
    looks = [
        ["all" if every[i, t] else "part" if some[i, t] else "" for t in range(some.shape[1])]
        for i in report.items.indices(items)
    ]
    return [_runs(row) for row in looks]


def _runs(looks: Sequence[str]) -> tuple[tuple[float, float, str], ...]:
    """Join neighbors that look alike."""
    width, start, found = 100 / len(looks), 0, []
    for look, run in groupby(looks):
        end = start + len(list(run))
        if look:
            found.append((start * width, end * width, look))
        start = end
    return tuple(found)
