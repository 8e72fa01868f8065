"""What the page says of the data: what was read, what is missing, how it was all made."""

from __future__ import annotations

import platform
import re
from collections.abc import Sequence
from importlib.metadata import version
from inspect import cleandoc

import pandas as pd

from rankagg import __version__
from rankagg.aggregation.base import Aggregator
from rankagg.analysis.missing import ASSUMPTIONS, MissingReport
from rankagg.core.comparisons import Comparisons
from rankagg.core.items import counted
from rankagg.core.names import listing, named, part_of, percent, said, stated
from rankagg.core.pairwise import PairwiseMatrix
from rankagg.core.profile import Profile
from rankagg.core.score_summary import ScoreSummary
from rankagg.core.scores import ScoreTable
from rankagg.kernels.backend import described
from rankagg.report.findings import Findings
from rankagg.report.pairs import gaps_of
from rankagg.report.sections import Section
from rankagg.report.tables import bullets, table_of

__all__ = ["colophon", "missing_data", "what_was_read"]

PACKAGES = ("numpy", "scipy", "highspy", "networkx", "statsmodels")
SHOWN = 12
# Rows of the tables of items and tasks that lack some cells, and of what is missing together.
LACKING, TOGETHER = 200, 8


def what_was_read(findings: Findings, lines: Sequence[str]) -> Section:
    """Say what the data are, and what of them was left out."""
    data = findings.data
    section = Section("data", "What was read and left out").facts(_shape(findings))
    if lines:
        section.items(lines)
    if isinstance(data, ScoreTable | ScoreSummary):
        lower = [task for task, higher in data.higher_is_better.items() if not higher]
        if len(lower) in (0, data.n_tasks):
            section.text(f"On every task a {'lower' if lower else 'higher'} score is better.")
        else:
            section.text(f"A lower score is better on {listing(lower)}; elsewhere a higher one.")
        weights = [f"{task} {w:g}" for task, w in data.task_weights.items() if w != 1]
        if weights:
            section.text(f"Task weights other than 1: {', '.join(weights)}.")
    return section


def _shape(findings: Findings) -> list[tuple[str, object]]:
    data = findings.data
    facts: list[tuple[str, object]] = []
    if isinstance(data, ScoreTable):
        facts += [("Systems", data.n_systems), ("Tasks", data.n_tasks)]
        if data.is_instance_level:
            facts.append(("Instances", _instances(findings, data.n_units)))
        facts.append(("Scores", _scores(data.values.size, data.n_missing)))
    elif isinstance(data, ScoreSummary):
        facts += [("Systems", data.n_systems), ("Tasks", data.n_tasks)]
        facts.append(("Instances", _instances(findings, data.n_units)))
        facts.append(("Scores", _scores(data.n_units * data.n_systems, data.n_missing)))
        if data.n_empty:
            facts.append(("Instances without any score", f"{data.n_empty:,}, left out"))
        facts.append(("Held", "what the scores add up to, not the scores themselves"))
    elif isinstance(data, Profile):
        facts += [("Items", data.n_items), ("Rankings", f"{data.n_rankings:,}")]
        if len(data) < data.n_rankings:
            facts.append(("Different rankings", f"{len(data):,}"))
        facts.append(("Complete", "yes" if data.is_complete else "no: some leave items out"))
        facts.append(("Strict", "yes" if data.is_strict else "no: some tie items"))
    elif isinstance(data, PairwiseMatrix):
        facts += [("Items", data.n_items), ("Votes", "counts for pairs only")]
    elif isinstance(data, Comparisons):
        facts += [("Items", data.n_items), ("Comparisons", f"{len(data):,}")]
        facts.append(("Ties", f"{data.n_ties:,}"))
        if data.clusters is not None:
            facts.append(("Clusters", f"{data.n_clusters:,}"))
    facts.append(("Unranked items", _unranked(findings)))
    return facts


def _scores(total: int, missing: int) -> str:
    there = part_of(total - missing, "cells there", total, "cells", form=",")
    return said("{}; {} missing", there, stated(missing, "cells missing", ",", of=total))


def _instances(findings: Findings, number: int) -> str:
    """Say how many rows of scores there are, and of how many instances where tasks share them."""
    text = f"{number:,} in all tasks together"
    basis = None if findings.ranks is None else findings.ranks.decisions.basis
    if basis is None or basis.word != "instance" or basis.n_units == number:
        return text
    return f"{text}, of {basis.n_units:,} different ones"


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
        section.items(bullets(pairs, SHOWN))
    if len(report.groups) > 1:
        section.unknown(
            "No chain of comparisons connects these groups; the order between them is an "
            "assumption:"
        )
        section.items(bullets([listing(group) for group in report.groups], SHOWN))
    section.heading("What each policy assumes")
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
    return section.items(bullets(pairs, SHOWN))


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
    section.table(
        table_of(
            _methods(rules), "Methods, with all parameters", text=["Method", "Parameters", "Source"]
        )
    )
    packages = [(name, version(name)) for name in PACKAGES]
    section.heading("Versions")
    section.facts(
        [
            ("rankagg", __version__),
            ("Python", platform.python_version()),
            *packages,
            ("inner loops", described()),
        ]
    )
    section.heading("To cite")
    return section.text(
        f"rankagg {__version__}: rank aggregation with classical rules, the exact Kemeny consensus "
        "and its proof. Cite the sources of the methods that you report, too."
    )


def _methods(rules: Sequence[Aggregator]) -> pd.DataFrame:
    rows = [
        {"Method": rule.name, "Parameters": repr(rule), "Source": _source(rule)} for rule in rules
    ]
    return pd.DataFrame(rows)


def _source(rule: Aggregator) -> str | None:
    """Return the references that the class itself states."""
    text = cleandoc(type(rule).__doc__ or "")
    found = re.search(r"References\n-+\n(.*?)(?:\n\n|\Z)", text, flags=re.DOTALL)
    return None if found is None else " ".join(found[1].split())
