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
    """Why a print and its definition differ.

    Attributes
    ----------
    name : str
        What rows refer to.
    paper : str
        "P1", "P2" or "P3".
    title : str
        A few words.
    text : str
        The explanation, in sentences.
    """

    name: str
    paper: str
    title: str
    text: str


@dataclass(frozen=True)
class Published:
    """A quantity that is printed, or that a definition of the paper determines.

    Attributes
    ----------
    paper, item, quantity : str
        Where it stands, and what it is.
    printed, definition : str
        As in print, and by definition from an independent computation; either may be empty.
    tolerance : float
        How far what comes out may be from the definition.
    slack : float
        The same from the print; half a unit of its last digit is always allowed, but where
        `is_exact`.
    needs : tuple of str
        The leaderboards that are not bundled and have to be there.
    repetitions : int
        So many the experiment has, where it is random; 0 otherwise.
    is_lost : bool
        Whether it cannot be reproduced.
    erratum : str
        The name of the explanation; may be empty.
    is_exact : bool
        Whether the print is the number itself and not a rounded one, as 1 for all of them. In the
        file its slack is 0.
    """

    paper: str
    item: str
    quantity: str
    printed: str
    definition: str
    tolerance: float
    slack: float
    needs: tuple[str, ...]
    repetitions: int
    is_lost: bool
    erratum: str
    is_exact: bool = False

    @property
    def reason(self) -> str:
        """The explanation; empty where there is none."""
        return errata()[self.erratum].text if self.erratum else ""


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
    return Published(
        paper=paper,
        item=line["item"],
        quantity=line["quantity"],
        printed=line["printed"],
        definition=line["definition"],
        tolerance=float(line["tolerance"] or 0),
        slack=float(line["slack"] or 0),
        needs=tuple(line["needs"].split(" + ")) if line["needs"] else (),
        repetitions=int(line["repetitions"] or 0),
        is_lost=line["lost"] == "yes",
        erratum=line["erratum"],
        is_exact=line["slack"] == "0",
    )


def _lines(name: str) -> Iterator[dict[str, str]]:
    text = (files("rankagg.replication") / "published" / name).read_text(encoding="utf-8")
    return iter(csv.DictReader(text.splitlines(), strict=True))
