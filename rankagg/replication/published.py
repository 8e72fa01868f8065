"""What the papers print, typed from them, with why a definition gives something else."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

__all__ = ["Erratum", "Published", "errata", "published"]

PAPERS = ("P1", "P2", "P3")


@dataclass(frozen=True)
class Erratum:
    """Why a print and its definition differ."""

    name: str
    paper: str
    title: str
    # The explanation, in sentences.
    text: str


@dataclass(frozen=True)
class Published:
    """A quantity that is printed, that the paper's words determine, or that is beyond it.

    Every reference was computed by other programs than this package; each may be empty.
    """

    # Where it stands, and what it is.
    paper: str
    item: str
    quantity: str
    printed: str
    # What the paper's words give, and nothing else.
    definition: str
    # What the authors' program gives on their file, with its quirks.
    authors: str
    # What it is where the paper's words say nothing about it.
    beyond: str
    # How far what comes out may be from its reference.
    tolerance: float
    # The same from the print; half a unit of its last digit is always allowed, but where
    # `is_exact`.
    slack: float
    # The leaderboards that are not bundled and have to be there.
    needs: tuple[str, ...]
    # So many the experiment has, where it is random; 0 otherwise.
    repetitions: int
    # Whether it is not computed here; the explanation says why.
    is_open: bool
    # The names of the explanations, joined by " + "; may be empty.
    erratum: str
    # Whether the print is the number itself and not a rounded one, as 1 for all of them. In the
    # file its slack is 0.
    is_exact: bool = False

    @property
    def reference(self) -> str:
        """What comes out is held against this; empty where there is nothing."""
        return self.definition or self.authors or self.beyond

    @property
    def errata(self) -> tuple[Erratum, ...]:
        """The explanations."""
        return tuple(errata()[name] for name in self.erratum.split(" + ") if name)

    @property
    def reason(self) -> str:
        """The explanations in one text; empty where there is none."""
        return " ".join(erratum.text for erratum in self.errata)


@cache
def errata() -> MappingProxyType[str, Erratum]:
    """Return all explanations by name."""
    found = [
        Erratum(paper=paper, **line)
        for paper in PAPERS
        for line in _lines(f"{paper.lower()}_errata.csv")
    ]
    names = {erratum.name: erratum for erratum in found}
    assert len(names) == len(found), "two explanations with one name"
    return MappingProxyType(names)


@cache
def published(paper: str) -> tuple[Published, ...]:
    """Return the quantities of a paper, in the order of its items."""
    return tuple(_entry(paper, line) for line in _lines(f"{paper.lower()}.csv"))


def _entry(paper: str, line: dict[str, str]) -> Published:
    needs, repetitions, slack = (line.pop(name) for name in ("needs", "repetitions", "slack"))
    return Published(
        paper=paper,
        tolerance=float(line.pop("tolerance") or 0),
        slack=float(slack or 0),
        needs=tuple(needs.split(" + ")) if needs else (),
        repetitions=int(repetitions or 0),
        is_open=line.pop("open") == "yes",
        is_exact=slack == "0",
        **line,
    )


def _lines(name: str) -> Iterator[dict[str, str]]:
    text = (files("rankagg.replication") / "published" / name).read_text(encoding="utf-8")
    return iter(csv.DictReader(text.splitlines(), strict=True))
