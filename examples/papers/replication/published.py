"""Published quantities and verdicts: what a paper prints beside what comes out here."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final, TypeAlias

PAPERS = ("P1", "P2", "P3")
#: The folder of the printed numbers and of what explains them.
TABLES = Path(__file__).resolve().parents[1] / "published"


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
    def explanation(self) -> str:
        """The explanations in one text; empty where there is none."""
        return " ".join(erratum.text for erratum in self.errata)


@cache
def errata() -> MappingProxyType[str, Erratum]:
    """Return all explanations by name."""
    found = [
        Erratum(paper=paper, **line)
        for paper in PAPERS
        for line in _csv_lines(f"{paper.lower()}_errata.csv")
    ]
    names = {erratum.name: erratum for erratum in found}
    assert len(names) == len(found), "two explanations with one name"
    return MappingProxyType(names)


@cache
def published(paper: str) -> tuple[Published, ...]:
    """Return the quantities of a paper, in the order of its items."""
    return tuple(_entry(paper, line) for line in _csv_lines(f"{paper.lower()}.csv"))


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


def _csv_lines(name: str) -> Iterator[dict[str, str]]:
    text = (TABLES / name).read_text(encoding="utf-8")
    return iter(csv.DictReader(text.splitlines(), strict=True))


#: A number, or an order such as "A > B".
Value: TypeAlias = float | str
REACHED: Final = "reached"
AS_RUN: Final = "reached as the authors ran it"
EXPLAINED: Final = "differs as explained"
BEYOND: Final = "beyond the paper"
NO_VERDICT: Final = "no verdict"
NOT_JUDGED: Final = "not judged"
MISSED: Final = "not reached"

#: What the page says that each means.
VERDICTS = {
    REACHED: "by the paper's words it is as printed, or as they determine where nothing is printed",
    AS_RUN: "the print comes out the way the authors' program ran, and not by the paper's words",
    EXPLAINED: "here it is as the paper's words, or else its authors' program, have it; the print "
    "is not, and the reason is given",
    BEYOND: "the paper has no such number; it is held against an independent program",
    NO_VERDICT: "nothing to compare it with, or not computed here",
    NOT_JUDGED: "data are not there, or repetitions too few",
    MISSED: "a fault of this side",
}
#: What is said where there is nothing to explain.
PLAIN: Final = {
    REACHED: "as defined",
    AS_RUN: "as their program has it",
    BEYOND: "not in print; as an independent program has it",
}


@dataclass(frozen=True, kw_only=True)
class Row(Published):
    """A quantity with what comes out, and the verdict."""

    # What came out here; empty where it was not computed.
    here: str
    # One of `VERDICTS`.
    verdict: str
    reason: str

    @property
    def is_fault(self) -> bool:
        """Whether it should have been reached, and was not."""
        return self.verdict == MISSED


def judge(
    entry: Published, here: Value | None, as_run: Value | None = None, *, open_because: str = ""
) -> Row:
    """Compare a computed quantity with its references and the published value."""
    verdict, reason = _judged(entry, here, as_run, open_because)
    text = "" if here is None else as_text(here)
    return Row(**vars(entry), here=text, verdict=verdict, reason=reason)


def _judged(  # noqa: PLR0911
    entry: Published, here: Value | None, as_run: Value | None, open_because: str
) -> tuple[str, str]:
    if entry.is_open or not entry.reference:
        return NO_VERDICT, entry.explanation or "there is nothing to compare it with"
    if here is None or open_because:
        return NOT_JUDGED, open_because or "it was not computed"
    if not _agree(here, entry.reference, entry.tolerance):
        whose = "the authors'" if entry.authors and not entry.definition else "an independent"
        return MISSED, f"{whose} program gives {entry.reference}"
    if as_run is not None and not _agree(as_run, entry.authors, entry.tolerance):
        return MISSED, f"the authors' program gives {entry.authors}, and here it gave {as_run}"
    reached = REACHED if entry.definition else AS_RUN if entry.authors else BEYOND
    if not entry.printed:
        return reached, entry.explanation or PLAIN[reached]
    if _is_print(entry, here):
        return reached, entry.explanation or "as printed"
    if not entry.explanation:
        return MISSED, f"{entry.printed} is printed, and nothing explains the difference"
    ran = as_run is not None and _is_print(entry, as_run)
    return (AS_RUN if ran else EXPLAINED), entry.explanation


def _is_print(entry: Published, value: Value) -> bool:
    allowed = 0.0 if entry.is_exact else max(entry.slack, half_unit(entry.printed))
    return _agree(value, entry.printed, allowed)


def _agree(value: Value, expected: str, tolerance: float) -> bool:
    if isinstance(value, str):
        return value == expected
    try:
        apart = abs(value - float(expected))
    except ValueError:
        return False
    # The last bits of a decimal number are no difference.
    return apart <= tolerance + 1e-12 * max(1.0, abs(value))


def half_unit(printed: str) -> float:
    """Return half a unit of the last printed digit; 0 for texts.

    Examples
    --------
    >>> half_unit(".67"), half_unit("1430"), half_unit("A > B")
    (0.005, 0.5, 0.0)
    """
    try:
        float(printed)
    except ValueError:
        return 0.0
    return 0.5 * 10.0 ** -len(printed.partition(".")[2])


def as_text(value: Value) -> str:
    """Return a value as it stands in files: 12 significant digits, the same on every machine.

    Examples
    --------
    >>> as_text(2 / 3), as_text(7.0), as_text("A > B")
    ('0.666666666667', '7', 'A > B')
    """
    return value if isinstance(value, str) else f"{value + 0.0:.12g}"
