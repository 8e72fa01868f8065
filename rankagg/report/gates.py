"""Gates: what a pipeline insists on before it goes on."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from rankagg._typing import Bools, Label
from rankagg.analysis.comparison.agreement import LATE
from rankagg.core.items import ItemSet, listed, raw_text
from rankagg.core.names import said, stated
from rankagg.exceptions import InvalidInputError, nearest
from rankagg.report.findings import Findings

#: Whether a gate holds, and why.
Judged = tuple[bool, str]


@dataclass(frozen=True)
class GateVerdict:
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
class Gate:
    """A condition on what is found about a data set."""

    condition: str
    # What stands before the "=", if anything does.
    kind: str
    # What stands behind it.
    items: tuple[Label, ...] = ()

    @classmethod
    def read(cls, condition: str, items: ItemSet) -> Gate:
        """Return a gate from a text such as "first=NAME"; raise where it says nothing."""
        if not isinstance(condition, str):
            raise InvalidInputError("gates", "texts such as 'proved'", condition)
        kind, sign, rest = condition.partition("=")
        kind = kind.strip()
        forms = {name: name + FORMS[number] for name, (_, number) in CHECKS.items()}
        number = CHECKS[kind][1] if kind in CHECKS else -1
        if number < 0 or bool(sign) != bool(number):
            what = "no item" if sign else "what it is about"
            remedy = nearest(kind, CHECKS) if number < 0 else f'"{kind}" names {what}.'
            allowed = f"one of {', '.join(forms.values())}"
            raise InvalidInputError("gates", allowed, condition, remedy)
        known = {raw_text(label): label for label in items}
        names = [rest] * number if number < 2 else _between_commas(rest)
        if len(names) != number or len(set(names)) < len(names):
            allowed = f"{forms[kind]} with different items"
            remedy = "Quotation marks hold together a name that has a comma."
            raise InvalidInputError("gates", allowed, condition, remedy)
        for name in names:
            if name not in known:
                allowed = f"about items of the data ({listed(items.labels)})"
                raise InvalidInputError("gates", allowed, condition, nearest(name, items))
        return cls(condition, kind, tuple(known[name] for name in names))

    def judge(self, findings: Findings) -> GateVerdict:
        """Say whether it holds."""
        check, _ = CHECKS[self.kind]
        return GateVerdict(self.condition, *check(findings, *self.items))


def read_gates(conditions: Iterable[str], items: ItemSet) -> tuple[Gate, ...]:
    """Return the gates that some texts name; raise where one names none."""
    if isinstance(conditions, str):
        raise InvalidInputError("gates", "a list of texts such as ['proved']", conditions)
    return tuple(Gate.read(condition, items) for condition in conditions)


def _between_commas(text: str) -> list[str]:
    """Return names between commas; quotation marks hold together one that has a comma."""
    rows = list(csv.reader([text], skipinitialspace=True))
    return [name.strip() for name in rows[0]] if rows else []


# -- what they ask ----------------------------------------------------------------------------


def _proved(findings: Findings) -> Judged:
    exact, certificate = findings.exact, findings.exact.certificate
    assert certificate is not None, "an exact rule gives a certificate"
    if findings.is_proved:
        return True, said("no ranking costs less than {}", exact._votes_told(exact.cost, "cost"))
    told = "the exact consensus is not proved, a ranking may be cheaper by up to {}"
    return False, said(told, exact._votes_told(certificate.gap, "gap"))


def _open(findings: Findings) -> str | None:
    """Say why nothing is known of all optima; None where it is."""
    if not findings.is_proved:
        return _proved(findings)[1]
    if findings.alternatives is None and "alternatives" not in findings.late:
        return "other optima were not looked at"
    if findings.alternatives is None or findings.alternatives.is_unique is None:
        return f"what the other optima are was {LATE}"
    return None


def _always(findings: Findings) -> Bools:
    """Return which items stand before which in every optimum."""
    assert findings.alternatives is not None, "it is known of all optima"
    return findings.alternatives.optima.relation()


def _unique(findings: Findings) -> Judged:
    unknown = _open(findings)
    if unknown is not None:
        return False, unknown
    known = findings.alternatives
    assert known is not None, "it is known of all optima"
    if known.is_unique:
        return True, "there is one optimum only"
    if known.count is None:
        return False, "more than one ranking is equally good"
    return False, said("{} are equally good", stated(known.count, "optima", ",", "ranking"))


def _first(findings: Findings, item: Label) -> Judged:
    unknown = _open(findings)
    if unknown is not None:
        return False, unknown
    always = _always(findings)
    at = findings.exact.items.index(item)
    if always[at].sum() == len(always) - 1:
        return True, f"{item} is first in every optimum"
    others = [other for other in findings.winners if other != item]
    if item in findings.winners or not others:
        return False, f"another is first in a ranking that is equally good ({listed(others)})"
    return False, f"{listed(others)} {'is' if len(others) == 1 else 'can be'} first"


def _above(findings: Findings, upper: Label, lower: Label) -> Judged:
    unknown = _open(findings)
    if unknown is not None:
        return False, unknown
    always = _always(findings)
    i, j = (findings.exact.items.index(item) for item in (upper, lower))
    if always[i, j]:
        return True, f"{upper} is above {lower} in every optimum"
    if always[j, i]:
        return False, f"{lower} is above {upper} in every optimum"
    return False, "rankings that are equally good differ on the two"


def _first_decided(findings: Findings) -> Judged:
    ranks = findings.ranks
    if ranks is None:
        return False, _no_intervals(findings)
    level = said("at {}, by {}", findings.level, ranks.by)
    may = ranks.top(1)
    if len(may) != 1:
        many = stated(len(may), "items that may be first", noun="item", of=len(ranks.items))
        return False, said("{} may be first {}", many, level)
    (only,) = may
    is_first, why = _first(findings, only)
    but = "and" if is_first else "but in the exact consensus"
    return is_first, said("only {} may be first {}, {} {}", only, level, but, why)


def _decided(findings: Findings, upper: Label, lower: Label) -> Judged:
    ranks = findings.ranks
    if ranks is None:
        return False, _no_intervals(findings)
    level = said("at {}, by {}", findings.level, ranks.by)
    i, j = (ranks.items.index(item) for item in (upper, lower))
    if ranks.decisions.above[i, j]:
        return True, said("{} is above {} {}", upper, lower, level)
    if ranks.decisions.above[j, i]:
        return False, said("{} is above {} {}", lower, upper, level)
    return False, said("which of the two is above is not decided {}", level)


def _no_intervals(findings: Findings) -> str:
    if "ranks" in findings.late:
        return f"the uncertainty was {LATE}"
    return "counts of votes without their rankings leave the uncertainty unknown"


#: What gates check, and how many items they name.
CHECKS: dict[str, tuple[Callable[..., Judged], int]] = {
    "proved": (_proved, 0),
    "unique": (_unique, 0),
    "first-decided": (_first_decided, 0),
    "first": (_first, 1),
    "above": (_above, 2),
    "decided": (_decided, 2),
}
FORMS = ("", "=ITEM", "=ITEM,ITEM")
