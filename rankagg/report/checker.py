"""What a page needs to check its own proof: the votes, the certificate, and a script."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from rankagg.aggregation.result import Consensus
from rankagg.io.votes import votes_to_dict

__all__ = ["ProofCheck", "checker_script", "proof_check"]

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
