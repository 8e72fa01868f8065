"""The page of a data set: its parts in order, its proof for the browser, the file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from os import PathLike

from markupsafe import escape

from rankagg._typing import RNGLike, Tolerance, Unranked
from rankagg._validation import check_alpha, check_choice, check_flag, check_unranked
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.evidence import Data, Evidence
from rankagg.aggregation.result import Consensus
from rankagg.exceptions import InvalidInputError
from rankagg.inference.units import Unit
from rankagg.io.json_files import votes_to_dict
from rankagg.io.output_files import write_text
from rankagg.report.chapters_data import (
    certainty,
    colophon,
    missing_data,
    what_was_read,
    without_tasks,
)
from rankagg.report.chapters_result import majorities, methods, proof
from rankagg.report.findings import Findings
from rankagg.report.first_screen import first_screen
from rankagg.report.gates import GateVerdict, read_gates
from rankagg.report.sections import render_page


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
    gates: tuple[GateVerdict, ...] = ()

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
    data: Data,
    aggregators: Iterable[Aggregator] | None = None,
    *,
    title: str = "Ranking report",
    source: Iterable[str] = (),
    unranked: Unranked = "uniform",
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
    data : ScoreTable, ScoreSummary, Profile, PairwiseMatrix or Comparisons
        The data.
    aggregators : iterable of Aggregator, optional
        The methods to hold against the exact consensus, which is always there; by default those
        of `compare`.
    title : str
        The heading.
    source : iterable of str
        What readers should know of where the data come from, a line each.
    unranked : {"uniform", "ignore", "last"}, default "uniform"
        The policy for unranked items.
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
        If a method's policy differs from `unranked`, the unit does not suit the data, or a gate
        says nothing that can be judged.

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
    if not isinstance(title, str) or not title.strip():
        raise InvalidInputError("title", "a text", title)
    if unit is not None:
        check_choice(unit, ("ranking", "instance", "task"), "unit")
    asked = read_gates(gates, Evidence.of(data, tolerance).items)
    findings = Findings.of(
        data,
        aggregators,
        unranked=check_unranked(unranked),
        tolerance=tolerance,
        unit=unit,
        alpha=check_alpha(alpha),
        time_limit=time_limit,
        optima=check_flag(optima, "optima"),
        rng=rng,
    )
    check = proof_check(findings.exact)
    screen = first_screen(findings)
    is_ranked = len(findings.exact.items) > 1
    sections = [
        *([methods(findings), majorities(findings)] if is_ranked else []),
        *([certainty(findings), without_tasks(findings)] if is_ranked else []),
        proof(findings).text(check.sentence),
        missing_data(findings),
        what_was_read(findings, list(source)),
        colophon(findings),
    ]
    return Report(
        title,
        render_page(title, sections, screen=screen, scripts=check.scripts, blocks=check.blocks),
        is_proved=findings.is_proved,
        is_complete=findings.is_complete,
        interrupted=findings.interrupted,
        gates=tuple(gate.judge(findings) for gate in asked),
    )


# Votes of more items, and proofs of more characters, would make a page too heavy to open.
ITEMS, CHARACTERS = 500, 4_000_000

# Each uses what stands before it; the last one knows the page.
PARTS = ("reading", "votes", "cases", "parts", "statement")


@dataclass(frozen=True)
class ProofCheck:
    """What travels in a page so that it can be checked there."""

    # What the page says of it.
    sentence: str
    # The votes and the certificate as JSON, by the id of their element; empty where they stay
    # outside.
    blocks: dict[str, str] = field(default_factory=dict)
    # The checker; none where there is nothing to check.
    scripts: tuple[str, ...] = ()


def proof_check(exact: Consensus) -> ProofCheck:
    """Return what a page about an exact consensus needs to check its proof."""
    assert exact.certificate is not None, "an exact rule gives a certificate"
    n = len(exact.items)
    if n > ITEMS:
        return _outside(f"a page has room for the votes on {ITEMS} items, and there are {n:,}")
    blocks = {
        "proof-votes": _compact(votes_to_dict(exact.pairwise)),
        "proof-certificate": _compact(exact.certificate.to_dict()),
    }
    characters = sum(map(len, blocks.values()))
    if characters > CHARACTERS:
        return _outside(
            f"a page has room for {CHARACTERS:,} characters, and votes and certificate take "
            f"{characters:,}"
        )
    return ProofCheck(
        "Votes and certificate travel in this page, and the button "
        "\N{LEFT DOUBLE QUOTATION MARK}Check the proof\N{RIGHT DOUBLE QUOTATION MARK} above checks "
        "one against the other, here and in exact integers, and the order shown against both.",
        blocks,
        (checker_script(),),
    )


def _outside(why: str) -> ProofCheck:
    return ProofCheck(
        f"This page cannot check the proof itself: {why}. `rankagg solve` with --certificate and "
        "--votes writes both as files, which `rankagg verify` and the stand-alone program in the "
        "documentation check."
    )


def _compact(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


@cache
def checker_script(*, page: bool = True) -> str:
    """Return the checker as one script."""
    folder = files("rankagg.report") / "templates" / "checker"
    names = (*PARTS, *(["page"] if page else []))
    body = "\n".join((folder / f"{name}.js").read_text(encoding="utf-8") for name in names)
    return (
        f'const proofChecker = (() => {{\n"use strict";\n\n{body}\n'
        "return {check, Refused, BeyondBudget};\n})();\n"
    )
