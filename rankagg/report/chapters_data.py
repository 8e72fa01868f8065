"""Chapters on the data and the uncertainty."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterable, Sequence
from functools import partial
from importlib.metadata import version
from inspect import cleandoc
from typing import Any

import pandas as pd

from rankagg import __version__
from rankagg.aggregation import PairData
from rankagg.analysis.comparison.agreement import LATE
from rankagg.analysis.missing import ASSUMPTIONS, MissingReport
from rankagg.core import (
    PairwiseMatrix,
    Profile,
    capital,
    in_words,
    joined,
    level_of,
    listing,
    named,
    part_of,
    percent,
    plural,
    quantity,
    sentence,
)
from rankagg.inference import RankIntervals
from rankagg.inference.decisions import TIERS
from rankagg.kernels.local_search import described
from rankagg.report.findings import MOST_OPEN, TASKS, Findings
from rankagg.report.sections import Section, fact, page_table

# Most bullets of a list, and most rows of the tables of missing cells and of removals.
MOST_BULLETS, MISSING_ROWS, REMOVAL_ROWS = 12, 200, 20


def what_was_read(findings: Findings, lines: Sequence[str]) -> Section:
    """Describe the data, and what was left out."""
    noun, missing = findings.noun, findings.missing
    items = fact(f"{noun.capitalize()}s", len(findings.exact.items))
    facts = [items, *findings.kind.shape(findings)]
    policy = findings.comparison.unranked
    if missing is not None and missing.n_missing and policy is not None:
        facts.append((f"Unranked {noun}s", f"policy “{policy}”: {ASSUMPTIONS[policy]}"))
    return Section("data", "What was read and left out").facts(facts).items(lines)


def missing_data(findings: Findings) -> Section:
    """Report missing cells, and the policies for them."""
    section, report = Section("missing", "Missing data"), findings.missing
    if report is None:
        return _never_compared(section, findings.comparison.votes, "other pairs")
    if not report.n_missing:
        return section
    units = quantity(report.n_units, "units", ",", report.unit)
    size = sentence("{}, {}", quantity(len(report.items), "items", ",", findings.noun), units)
    share, n = report.n_missing / report.n_cells, report.n_cells
    missing = quantity(share, "share of cells missing", percent, of=n)
    cells = part_of(report.n_missing, "cells missing", n, "cells", "cell", form=",")
    verb = "is" if report.n_missing == 1 else "are"
    section.headline(missing).text(sentence("{} {} missing ({}): {}.", cells, verb, missing, size))
    items = report.to_frame().reset_index()[["item", "observed", "missing", "share"]]
    items["compared with"] = report.to_frame()["compared_with"].to_numpy()
    _missing_table(section, items.rename(columns={"item": "Item"}), "item")
    if report.missing_by_task is not None and report.task_sizes is not None:
        tasks = pd.DataFrame({"Task": list(map(str, report.tasks or ()))})
        tasks["missing"] = report.missing_by_task.sum(axis=0)
        tasks["share"] = tasks["missing"] / (report.task_sizes * len(report.items))
        _missing_table(section, tasks, "task")
    _never_compared(section, report, "other pairs and on the policy")
    if len(report.groups) > 1:
        section.unknown(
            "No comparisons connect these groups; the order between them is an assumption:"
        )
        section.items(map(listing, report.groups), MOST_BULLETS)
    section.add("heading", "What each policy assumes")
    return section.items(f"{policy}: {text}" for policy, text in ASSUMPTIONS.items())


def _missing_table(section: Section, frame: pd.DataFrame, noun: str) -> None:
    """Add a table of the items, or tasks, with missing cells."""
    table = page_table(
        frame[frame["missing"] > 0].sort_values("missing", ascending=False, kind="stable"),
        f"{noun.capitalize()}s with missing cells, the most missing first",
        formats={"share": ".1%"},
        meanings={"compared with": "number of other items that it was ever compared with"},
        text=[noun.capitalize()],
        bars=["missing"],
        limit=MISSING_ROWS,
        what=f"{noun}s",
    )
    section.table(table)


def _never_compared(section: Section, votes: PairwiseMatrix | MissingReport, rests: str) -> Section:
    """List the pairs never compared, and the assumption behind their order."""
    pairs = [f"{named(a)} and {named(b)}" for a, b in votes.never_compared]
    total = len(votes.items) * (len(votes.items) - 1) // 2
    if not pairs:
        return section
    never = quantity(len(pairs), "pairs never compared", ",", "pair", of=total)
    text = "The order of {} of items that were never compared rests on {}:"
    section.unknown(sentence(text, never, rests))
    return section.items(pairs, MOST_BULLETS)


def colophon(rules: Iterable[Any]) -> Section:
    """List methods with their sources, versions, and the citation."""
    section = Section("made", "Methods, versions, citation")
    # The call of an election is in words in the count.
    rows = [
        {
            "Method": rule.name,
            "Call": None if hasattr(rule, "rule") else repr(rule),
            "Source": rule_references(rule),
        }
        for rule in rules
    ]
    if rows:
        caption = "Methods, calls and sources; parameters not named have their defaults"
        section.table(page_table(pd.DataFrame(rows), caption, text=list(rows[0])))
    names = ("numpy", "scipy", "highspy", "networkx", "statsmodels")
    versions = {"rankagg": __version__, "Python": platform.python_version()}
    versions |= {name: version(name) for name in names} | {"inner loops": described()}
    section.add("heading", "Versions").facts(versions.items())
    section.add("heading", "To cite")
    return section.text(
        f"rankagg {__version__}: rank aggregation with classical rules, the exact Kemeny consensus "
        "and its proof. Cite the sources of the methods that you report, too."
    )


def rule_references(rule: object) -> str | None:
    """Return the references in the docstring of a class."""
    text = cleandoc(type(getattr(rule, "rule", rule)).__doc__ or "")
    section = re.search(r"References\n-+\n(.*?)(?:\n\n|\Z)", text, flags=re.DOTALL)
    return None if section is None else " ".join(section[1].split())


def certainty(findings: Findings) -> Section:
    """State decided pairs, tiers, and assumptions."""
    section, ranks = Section("certainty", "Uncertainty"), findings.ranks
    if "ranks" in findings.late:
        return section.unknown(f"The uncertainty was {LATE}.")
    if ranks is None:
        return section.unknown("The uncertainty of votes on pairs is unknown without the rankings.")
    section.headline(sentence("{} decided at {}", ranks.decisions.decided(), findings.level))
    section.text(joined(filter(None, (_who_is_first(ranks), _decided(findings, ranks)))))
    assumed = capital(ranks.assumes or "the data are independent draws from all that could be")
    section.add("assumed", f"{assumed}. {findings.kind.caveat(findings)}")
    # The warning is in the text above.
    section.items(note for note in ranks.notes if note != ranks.decisions.warning)
    if findings.has_decisions and findings.is_exact:
        section.text(
            f"Intervals for ranks are by {ranks.by}: no method is known for the ranks in the "
            "exact consensus."
        )
    if not findings.has_bars:
        return section
    tiers = ranks.decisions.tiers
    if 1 < len(tiers) < len(ranks.items):
        section.text(f"In tiers, {TIERS}:")
        section.items((listing(tier, MOST_BULLETS) for tier in tiers), MOST_BULLETS)
    return section


def _who_is_first(ranks: RankIntervals) -> str:
    """State who may be first, by a test of the first place; empty if all may."""
    level, first = level_of(ranks.decisions.alpha), listing(ranks.first, MOST_BULLETS)
    if len(ranks.first) == len(ranks.items):
        return ""
    only = "only " if len(ranks.first) == 1 else ""
    text = f"In a test of the first place alone, {only}{{}} may be first by {{}} at {{}}."
    return sentence(text, first, ranks.by, level)


def _decided(findings: Findings, ranks: RankIntervals) -> str:
    """State how many pairs are decided, or why none is."""
    decisions, basis = ranks.decisions, ranks.decisions.basis
    if decisions.above.any():
        bound = "about" if decisions.is_approximate else "at most"
        rate = quantity(decisions.alpha, "alpha", "g")
        text = "The data decide {}, by {}; family-wise error rate {} {}."
        text = sentence(text, ranks.decisions.decided(), decisions.how, bound, rate)
        if findings.openness <= MOST_OPEN:
            return text
        n, mean = len(ranks.items), float((ranks.worst - ranks.best + 1).mean())
        open_ranks = quantity(mean, "mean ranks left open", ",.1f", of=n)
        every = quantity(n, "items", ",", "rank")
        return sentence("{} That leaves an item {} of {} on average.", text, open_ranks, every)
    if decisions.warning is not None:
        return sentence("{}: any rank is possible.", capital(decisions.warning))
    text = f"No pair is decided, by {decisions.how}, so any rank is possible"
    if basis is None or basis.decidable_from is None:
        return f"{text}."
    units = quantity(basis.n_units, "independent units", ",")
    why = "{}: these {} {} could decide some, but disagree too much."
    return sentence(why, text, units, plural(basis.word))


def without_tasks(findings: Findings) -> Section:
    """Report the effect of each task or ranking, and the fewest removals."""
    section, removal = Section("stability", "Robustness"), findings.removal
    is_sample = findings.kind.is_sample
    if removal is not None and removal.first:
        lines = [sentence("{}.", capital(line)) for line in removal.lines]
        if not findings.is_exact:
            lines = [sentence("By pairs (the exact rule), {}.", line) for line in removal.lines]
        if removal.is_proved:
            section.text(*lines)
        elif is_sample:
            section.unknown(joined(lines))
    elif is_sample and ("removal" in findings.late or removal is not None):
        section.unknown(f"The fewest removals that put another first were {LATE}.")
    if is_sample and not isinstance(findings.data, PairData):
        _left_out(findings, section)
    return section


def _left_out(findings: Findings, section: Section) -> None:
    """Report the effect of leaving out each task."""
    result, kind, data = findings.stability, findings.kind, findings.data
    if result is None:
        is_late = "stability" in findings.late
        why = LATE if is_late else f"not computed, as it is for 2 to {TASKS} of them"
        section.unknown(f"The effect of leaving out single {kind.words.unit}s was {why}.")
        return
    influence, noun = result.influence(), kind.unit_word(result.noun.removesuffix("s"))
    plural = f"{noun}s"
    if result.undecided:
        section.unknown(f"The effect of leaving out {result.undecided} {plural} was {LATE}.")
    if result.undecided == len(influence):
        return
    changed, others = influence[influence["distance"] > 0], influence[influence["top1"] == 0]
    of = len(influence)
    if len(others):
        first = quantity(
            len(others), "units that change the first", partial(in_words, noun=noun), of=of
        )
        section.headline(
            sentence("another is first without {}{}", "one of " * (len(others) > 1), first)
        )
    elif not result.undecided:
        section.headline(f"no single {noun} decides who is first")
    units = quantity(of, "units left out one by one")
    cases = quantity(len(changed), "units that change an order", noun="case", of=of)
    led = quantity(len(others), "units that change the first", of=of)
    text = "Without one of the {} {} the order of some items changes in {}, the first in {}."
    section.text(sentence(text, units, plural, cases, led))
    section.items(result.notes)
    if changed.empty:
        return
    frame = influence.sort_values("distance", ascending=False, kind="stable").reset_index()
    if isinstance(data, Profile) and data.groups is None:
        frame["left_out"] = [_ballot(data, int(row)) for row in frame["left_out"]]
    section.table(
        page_table(
            frame[["left_out", "distance", "tau", "winner"]],
            "The exact consensus without one of them, the largest change first",
            formats={"tau": ".3f"},
            headings={"left_out": "Left out", "distance": "pairs changed", "winner": "first"},
            text=["left_out", "winner"],
            bars=["distance"],
            limit=REMOVAL_ROWS,
            what=plural,
        )
    )


def _ballot(profile: Profile, row: int) -> str:
    """Return a ranking as text, with its count above 1."""
    copies = int(profile.counts[row])
    return f"{copies:,} x {profile[row].to_text()}" if copies > 1 else profile[row].to_text()
