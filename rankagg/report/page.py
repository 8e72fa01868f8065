"""The page of a data set: its parts in order, its proof for the browser, the file, and gates."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from os import PathLike
from typing import Any

import pandas as pd
from markupsafe import escape

from rankagg._typing import Bools, Label, RNGLike, Tolerance
from rankagg._validation import check_alpha, check_choice, check_flag
from rankagg.aggregation import Aggregator, Consensus, Data, Evidence
from rankagg.aggregation.base import votes_text
from rankagg.aggregation.evidence import as_data
from rankagg.aggregation.voting.transfers import STV
from rankagg.analysis.comparison.agreement import LATE
from rankagg.core import ItemSet, listed, raw_text, said, stated
from rankagg.exceptions import InvalidInputError, nearest
from rankagg.inference import RankIntervals
from rankagg.inference.units import Unit
from rankagg.io.cast_votes import CastVotes
from rankagg.io.json_files import votes_to_dict
from rankagg.io.output_files import write_text
from rankagg.report.chapters_data import (
    certainty,
    colophon,
    missing_data,
    what_was_read,
    without_tasks,
)
from rankagg.report.chapters_items import neighbors
from rankagg.report.chapters_result import majorities, methods, proof
from rankagg.report.findings import Findings
from rankagg.report.first_screen import first_screen
from rankagg.report.kinds.choice import kind_of, told_of
from rankagg.report.sections import render_page

#: Whether a gate holds, and why.
Judged = tuple[bool, str]
# Each uses what stands before it; the last one knows the page.
PARTS = ("reading", "votes", "cases", "parts", "statement")


@dataclass(frozen=True)
class _GateVerdict:
    """Whether what was insisted on is so."""

    # The gate as it was written.
    condition: str
    # Whether it is known to be so; False too where that was not computed.
    holds: bool
    reason: str

    def __str__(self) -> str:
        verdict = "holds" if self.holds else "fails"
        return said("gate {} {}: {}.", self.condition, verdict, self.reason)


@dataclass(frozen=True)
class _Gate:
    """A condition on what is found about a data set."""

    condition: str
    # What stands before the "=", if anything does.
    kind: str
    # What stands behind it.
    items: tuple[Label, ...] = ()

    @classmethod
    def read(cls, condition: str, items: ItemSet) -> _Gate:
        """Return a gate from a text such as "first=NAME"; raise where it says nothing."""
        if not isinstance(condition, str):
            raise InvalidInputError("gates", "texts such as 'proved'", condition)
        kind, sign, rest = condition.partition("=")
        kind = kind.strip()
        forms = {name: name + ("", "=ITEM", "=ITEM,ITEM")[k] for name, (_, k) in CONDITIONS.items()}
        number = CONDITIONS[kind][1] if kind in CONDITIONS else -1
        if number < 0 or bool(sign) != bool(number):
            what = "no item" if sign else "what it is about"
            remedy = nearest(kind, CONDITIONS) if number < 0 else f'"{kind}" names {what}.'
            allowed = f"one of {', '.join(forms.values())}"
            raise InvalidInputError("gates", allowed, condition, remedy)
        known = {raw_text(label): label for label in items}
        names = [rest] * number
        if number == 2:
            # Quotation marks hold together a name that has a comma.
            rows = csv.reader([rest], skipinitialspace=True)
            names = [name.strip() for row in rows for name in row]
        if len(names) != number or len(set(names)) < len(names):
            allowed = f"{forms[kind]} with different items"
            remedy = "Quotation marks hold together a name that has a comma."
            raise InvalidInputError("gates", allowed, condition, remedy)
        for name in names:
            if name not in known:
                allowed = f"about items of the data ({listed(items.labels)})"
                raise InvalidInputError("gates", allowed, condition, nearest(name, items))
        return cls(condition, kind, tuple(known[name] for name in names))

    def judge(self, findings: Findings) -> _GateVerdict:
        """Say whether it holds."""
        check, _ = CONDITIONS[self.kind]
        unknown = _no_intervals(findings) if "decided" in self.kind else None
        if self.kind == "unique" or (findings.is_exact and self.kind in ("first", "above")):
            unknown = _not_known_of_optima(findings)
        verdict = check(findings, *self.items) if unknown is None else (False, unknown)
        return _GateVerdict(self.condition, *verdict)


def _read_gates(conditions: Iterable[str], items: ItemSet) -> tuple[_Gate, ...]:
    """Return the gates that some texts name; raise where one names none."""
    if isinstance(conditions, str):
        raise InvalidInputError("gates", "a list of texts such as ['proved']", conditions)
    return tuple(_Gate.read(condition, items) for condition in conditions)


# -- what they ask ----------------------------------------------------------------------------


def _is_proved(findings: Findings) -> Judged:
    exact, certificate = findings.exact, findings.exact.certificate
    assert certificate is not None, "an exact rule gives a certificate"
    if findings.is_proved:
        return True, said("no ranking costs less than {}", votes_text(exact, exact.cost, "cost"))
    told = "the exact consensus is not proved, a ranking may be cheaper by up to {}"
    return False, said(told, votes_text(exact, certificate.gap, "gap"))


def _not_known_of_optima(findings: Findings) -> str | None:
    """Say why nothing is known of all optima; None where it is."""
    known = findings.alternatives
    if not findings.is_proved:
        return _is_proved(findings)[1]
    if known is None and "alternatives" not in findings.late:
        return "other optima were not looked at"
    if known is None or known.is_unique is None:
        return f"what the other optima are was {LATE}"
    return None


def _no_intervals(findings: Findings) -> str | None:
    """Say why nothing is known of ranks; None where it is."""
    if findings.ranks is not None:
        return None
    if "ranks" in findings.late:
        return f"the uncertainty was {LATE}"
    return "counts of votes without their rankings leave the uncertainty unknown"


def _is_unique(findings: Findings) -> Judged:
    known = findings.alternatives
    assert known is not None, "it is known of all optima"
    if known.is_unique:
        return True, "there is one optimum only"
    if known.count is None:
        return False, "more than one ranking is equally good"
    return False, said("{} are equally good", stated(known.count, "optima", ",", "ranking"))


def _is_first(findings: Findings, item: Label) -> Judged:
    if not findings.is_exact:
        first = findings.lead.buckets[0]
        return first == (item,), f"{listed(first)} is first by {findings.kind.leads}"
    always, at = _in_every_optimum(findings), findings.exact.items.index(item)
    if always[at].sum() == len(always) - 1:
        return True, f"{item} is first in every optimum"
    others = [other for other in findings.winners if other != item]
    if item in findings.winners or not others:
        return False, f"another is first in a ranking that is equally good ({listed(others)})"
    return False, f"{listed(others)} {'is' if len(others) == 1 else 'can be'} first"


def _is_above(findings: Findings, upper: Label, lower: Label) -> Judged:
    i, j = (findings.exact.items.index(item) for item in (upper, lower))
    if not findings.is_exact:
        ranks, by = findings.lead.ranking.ranks, findings.kind.leads
        is_above = bool(ranks[i] < ranks[j])
        how = "" if is_above else "not "
        return is_above, f"{upper} is {how}above {lower} by {by}"
    always = _in_every_optimum(findings)
    if always[i, j]:
        return True, f"{upper} is above {lower} in every optimum"
    if always[j, i]:
        return False, f"{lower} is above {upper} in every optimum"
    return False, "rankings that are equally good differ on the two"


def _in_every_optimum(findings: Findings) -> Bools:
    """Return which items stand before which in every optimum."""
    assert findings.alternatives is not None, "it is known of all optima"
    return findings.alternatives.optima.relation()


def _is_first_decided(findings: Findings) -> Judged:
    ranks, level = _ranks_at(findings)
    may, level = ranks.first, said("{}{}", level, ranks._alone)
    if len(may) != 1:
        many = stated(len(may), "items that may be first", noun="item", of=len(ranks.items))
        return False, said("{} may be first {}", many, level)
    (only,) = may
    unknown = _not_known_of_optima(findings) if findings.is_exact else None
    is_first, why = _is_first(findings, only) if unknown is None else (False, unknown)
    but = "and" if is_first else f"but in {findings.kemeny}" if findings.is_exact else "but here"
    return is_first, said("only {} may be first {}, {} {}", only, level, but, why)


def _is_decided(findings: Findings, upper: Label, lower: Label) -> Judged:
    ranks, level = _ranks_at(findings)
    i, j = (ranks.items.index(item) for item in (upper, lower))
    if ranks.decisions.above[i, j]:
        return True, said("{} is above {} {}", upper, lower, level)
    if ranks.decisions.above[j, i]:
        return False, said("{} is above {} {}", lower, upper, level)
    return False, said("which of the two is above is not decided {}", level)


def _ranks_at(findings: Findings) -> tuple[RankIntervals, str]:
    """Return the intervals, and their level and rule as the end of a sentence."""
    assert findings.ranks is not None, "it is known of the ranks"
    return findings.ranks, said("at {}, by {}", findings.level, findings.ranks.by)


#: What gates check, and how many items they name.
CONDITIONS: dict[str, tuple[Callable[..., Judged], int]] = {
    "proved": (_is_proved, 0),
    "unique": (_is_unique, 0),
    "first-decided": (_is_first_decided, 0),
    "first": (_is_first, 1),
    "above": (_is_above, 2),
    "decided": (_is_decided, 2),
}


@dataclass(frozen=True)
class Report:
    """A self-contained page about a data set.

    Made by `make_report`. It holds results as text and pictures; the numbers are in these.

    Attributes
    ----------
    title : str
        Its heading.
    html : str
        The page; it asks nothing of the network.
    is_proved : bool
        Whether the exact consensus on it is proved optimal.
    is_complete : bool
        Whether there was time for everything else that stands on it.
    interrupted : bool
        Whether the user cut it short.
    gates : tuple of GateVerdict
        For each gate that was asked for its `condition`, whether it `holds`, and the `reason`.
    """

    title: str
    html: str
    is_proved: bool
    is_complete: bool = True
    interrupted: bool = False
    gates: tuple[_GateVerdict, ...] = ()

    def save(self, target: str | PathLike[str]) -> None:
        """Write the page to a file.

        Parameters
        ----------
        target : path
            The file; an existing one is replaced once the new one is whole.

        Raises
        ------
        OutputError
            If it cannot be written.
        """
        write_text(target, self.html)

    def __repr__(self) -> str:
        return f"<Report {self.title!r}: {len(self.html):,} characters of HTML>"

    def _repr_html_(self) -> str:
        # In a frame of its own, so that neither page touches the other.
        page = escape(self.html)
        return (
            f'<iframe sandbox="allow-scripts" width="100%" height="700" srcdoc="{page}"></iframe>'
        )


def make_report(
    data: Data | CastVotes,
    rules: Iterable[Aggregator] | None = None,
    *,
    kind: str | STV | None = None,
    title: str = "Ranking report",
    about: Mapping[str, Any] | None = None,
    about_items: pd.DataFrame | None = None,
    source: Iterable[str] = (),
    tolerance: Tolerance = 0.0,
    unit: Unit | None = None,
    alpha: float = 0.05,
    time_limit: float | None = None,
    optima: bool = True,
    gates: Iterable[str] = (),
    rng: RNGLike = None,
) -> Report:
    """Make one page about a data set: the exact consensus, other methods, how sure it all is.

    Parameters
    ----------
    data : ScoreTable, ScoreSummary, Comparisons, CastVotes, Profile or PairwiseMatrix
        The data.
    rules : iterable of Aggregator, optional
        The methods to hold against the exact consensus, which is always there; by default those
        of `compare`.
    kind : {"scores", "battles", "election", "rankings", "lists", "votes"} or STV, optional
        What the data are, which the page is made for: a type of data says it, and a Profile is of
        "lists" where some leave items unlisted and they are no more than the items, else of
        "rankings", a sample. "election" is for a complete count of ballots, from which nothing is
        inferred; `CastVotes` are one. With `STV(seats)` it is counted so, else by instant runoff
        with ties broken by the order of the items.
    title : str
        The heading.
    about : mapping, optional
        What readers should know of the data, by name: a "date", "version", "licence", "link" or
        whatever else stands below the heading. "cluster" is what clusters of battles are called,
        such as "judge", and "categories" a mapping from tasks to the categories that columns of
        scores are filtered by.
    about_items : DataFrame, optional
        A row for each item, by its label, and a column for whatever is said of them; "link" is
        where names lead, and the others stand beside the names.
    source : iterable of str
        What readers should know of where the data come from, a line each.
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by no more are tied.
    unit : {"ranking", "instance", "task"}, optional
        What is independent, for the intervals; by default instances where there are some, else
        rankings.
    alpha : float, default 0.05
        The family-wise error rate of the decided pairs.
    time_limit : float, optional
        Seconds for everything that is computed: half of them at most for the exact consensus, the
        rest for other optima and for leaving out tasks; drawing comes on top. Without a proof the
        page says how far it may be off, and what was not computed in time. Ctrl-C does the same.
        With thousands of items the votes, the certificate and the costs alone take longer than a
        few seconds; see :doc:`/explanation/cost` for that, and for what a page leaves out then.
    optima : bool, default True
        Look for all other optima; for large problems with many that takes long.
    gates : iterable of str
        What to judge besides, for `Report.gates`: "proved", "unique", "first-decided",
        "first=ITEM", "above=ITEM,ITEM", "decided=ITEM,ITEM". What was not computed fails.
    rng : int, numpy.random.Generator or None, optional
        A seed or a generator, for randomized methods.

    Returns
    -------
    Report

    Raises
    ------
    InvalidInputError
        If the kind or the unit does not suit the data, or a gate says nothing that can be judged.

    Examples
    --------
    >>> import rankagg as ra
    >>> capital = ra.datasets.load("tennessee")
    >>> page = ra.make_report(capital, title="The capital", gates=["first=Nashville"])
    >>> page.is_proved
    True
    >>> print(page.gates[0])
    gate first=Nashville holds: Nashville is first in every optimum.
    >>> page.save("tennessee.html")  # doctest: +SKIP
    """
    data = as_data(data)
    if not isinstance(title, str) or not title.strip():
        raise InvalidInputError("title", "a text", title)
    if unit is not None:
        check_choice(unit, ("ranking", "instance", "task"), "unit")
    chosen = kind_of(data, kind)
    items = Evidence.of(chosen.data, tolerance).items
    chosen = replace(chosen, told=told_of(about, about_items, items))
    asked, lines = _read_gates(gates, items), list(source)
    if isinstance(data, CastVotes):
        lines += data.lines()
    findings = Findings.of(
        chosen,
        rules,
        tolerance=tolerance,
        unit=unit,
        alpha=check_alpha(alpha),
        time_limit=time_limit,
        optima=check_flag(optima, "optima"),
        rng=rng,
    )
    check = _proof_check(findings.exact, chosen.words.vote)
    screen = first_screen(findings)
    is_ranked = len(findings.exact.items) > 1
    sections = [
        *(chosen.opening(findings) if is_ranked else []),
        *([neighbors(findings), majorities(findings)] if is_ranked else []),
        *([certainty(findings)] if is_ranked and chosen.infers else []),
        *([methods(findings), without_tasks(findings)] if is_ranked else []),
        proof(findings).text(check.sentence),
        *([missing_data(findings)] if chosen.lacks else []),
        what_was_read(findings, lines),
        colophon(c.rule for c in findings.comparison.consensuses),
    ]
    html = render_page(
        title,
        [section for section in sections if section.parts],
        screen=screen,
        facts=chosen.told.facts,
        scripts=check.scripts,
        blocks=check.blocks,
    )
    return Report(
        title,
        html,
        is_proved=findings.is_proved,
        is_complete=findings.is_complete,
        interrupted=findings.interrupted,
        gates=tuple(gate.judge(findings) for gate in asked),
    )


# Votes of more items, and proofs of more characters, would make a page too heavy to open.
ITEMS, CHARACTERS = 500, 4_000_000


@dataclass(frozen=True)
class _ProofCheck:
    """What travels in a page so that it can be checked there."""

    # What the page says of it.
    sentence: str
    # The votes and the certificate as JSON, by the id of their element; empty where they stay
    # outside.
    blocks: dict[str, str] = field(default_factory=dict)
    # The checker; none where there is nothing to check.
    scripts: tuple[str, ...] = ()


def _proof_check(exact: Consensus, vote: str = "vote") -> _ProofCheck:
    """Return what a page about an exact consensus needs to check its proof, in its word."""
    assert exact.certificate is not None, "an exact rule gives a certificate"
    n = len(exact.items)
    if n > ITEMS:
        return _outside(f"a page has room for the {vote}s on {ITEMS} items, and there are {n:,}")
    blocks = {
        "proof-votes": _compact(votes_to_dict(exact.pairwise)),
        "proof-certificate": _compact(exact.certificate.to_dict()),
    }
    characters = sum(map(len, blocks.values()))
    if characters > CHARACTERS:
        return _outside(
            f"a page has room for {CHARACTERS:,} characters, and {vote}s and certificate take "
            f"{characters:,}"
        )
    return _ProofCheck(
        f"The {vote}s and the certificate travel in this page, and the button "
        "\N{LEFT DOUBLE QUOTATION MARK}Check the proof\N{RIGHT DOUBLE QUOTATION MARK} above checks "
        "one against the other, here and in exact integers, and the order shown against both.",
        blocks,
        (_checker_script(),),
    )


def _outside(why: str) -> _ProofCheck:
    return _ProofCheck(
        f"This page cannot check the proof itself: {why}. `rankagg solve` with --certificate and "
        "--votes writes both as files, which `rankagg verify` and the stand-alone program in the "
        "documentation check."
    )


def _compact(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


@cache
def _checker_script(*, page: bool = True) -> str:
    """Return the checker as one script."""
    folder = files("rankagg.report") / "templates" / "checker"
    names = (*PARTS, *(["page"] if page else []))
    body = "\n".join((folder / f"{name}.js").read_text(encoding="utf-8") for name in names)
    return (
        f'const proofChecker = (() => {{\n"use strict";\n\n{body}\n'
        "return {check, Refused, BeyondBudget};\n})();\n"
    )
