"""A published quantity beside what comes out here, and what that says about the print."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from rankagg.replication.published import Published

__all__ = ["BEYOND", "EXPLAINED", "LOST", "MISSED", "OPEN", "REACHED", "Row", "Value", "judge"]

#: A number, or an order such as "A > B".
Value: TypeAlias = float | str
Verdict = Literal[
    "reached", "differs as explained", "not reproducible", "not judged", "not reached",
    "beyond the papers",
]  # fmt: skip
REACHED: Final = "reached"
EXPLAINED: Final = "differs as explained"
LOST: Final = "not reproducible"
OPEN: Final = "not judged"
MISSED: Final = "not reached"
BEYOND: Final = "beyond the papers"


@dataclass(frozen=True)
class Row:
    """A quantity: where it is printed, what is printed, what comes out, and the verdict.

    Attributes
    ----------
    paper, item, quantity : str
        Where it is printed, and what it is.
    printed : str
        As in print; empty where the paper has no number for it.
    definition : str
        What the paper's definition gives, from an independent computation; empty where there is
        none.
    here : str
        What came out here; empty where it was not computed.
    verdict : str
        "reached" is as printed, "differs as explained" as defined but not as printed, "not
        reproducible" neither, with the reason; "not judged" was not computed in full; "not
        reached" is a fault of this side; "beyond the papers" has nothing to be held against.
    reason : str
        Why.
    erratum : str
        The name of the explanation, for links; empty where there is none.
    """

    paper: str
    item: str
    quantity: str
    printed: str
    definition: str
    here: str
    verdict: Verdict
    reason: str
    erratum: str = ""

    @property
    def is_fault(self) -> bool:
        """Whether it should have been reached, and was not."""
        return self.verdict == MISSED


def judge(entry: Published, here: Value | None, *, open_because: str = "") -> Row:
    """Hold what came out against the definition and the print.

    Parameters
    ----------
    entry : Published
        The quantity.
    here : float, str or None
        What came out; None where it was not computed.
    open_because : str, optional
        Why it cannot be judged.

    Returns
    -------
    Row
    """
    verdict, reason = _verdict(entry, here, open_because)
    return Row(
        entry.paper, entry.item, entry.quantity, entry.printed, entry.definition,
        "" if here is None else as_text(here), verdict, reason, entry.erratum,
    )  # fmt: skip


def _verdict(entry: Published, here: Value | None, open_because: str) -> tuple[Verdict, str]:
    if here is None or open_because:
        return _not_judged(entry, here, open_because)
    if entry.definition and not _agree(here, entry.definition, entry.tolerance):
        return MISSED, f"the definition gives {entry.definition}"
    if entry.printed:
        return _beside_print(entry, here)
    if entry.definition:
        return REACHED, entry.reason or "as defined"
    return BEYOND, entry.reason or "not in print"


def _not_judged(entry: Published, here: Value | None, open_because: str) -> tuple[Verdict, str]:
    if here is None and entry.is_lost:
        return LOST, entry.reason
    return OPEN, open_because or "it was not computed"


def _beside_print(entry: Published, here: Value) -> tuple[Verdict, str]:
    allowed = 0.0 if entry.is_exact else max(entry.slack, half_unit(entry.printed))
    if _agree(here, entry.printed, allowed):
        return REACHED, entry.reason or "as printed"
    if entry.reason:
        return (LOST if entry.is_lost else EXPLAINED), entry.reason
    return MISSED, f"{entry.printed} is printed, and nothing explains the difference"


def _agree(here: Value, expected: str, tolerance: float) -> bool:
    if isinstance(here, str):
        return here == expected
    # The last bits of a decimal number are no difference.
    return abs(here - float(expected)) <= tolerance + 1e-12 * max(1.0, abs(here))


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
