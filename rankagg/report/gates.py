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
from rankagg.inference.ranks.rank_results import RankIntervals
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

    def judge(self, findings: Findings) -> GateVerdict:
        """Say whether it holds."""
        check, _ = CONDITIONS[self.kind]
        unknown = _no_intervals(findings) if "decided" in self.kind else None
        if self.kind in ("unique", "first", "above"):
            unknown = _not_known_of_optima(findings)
        verdict = check(findings, *self.items) if unknown is None else (False, unknown)
        return GateVerdict(self.condition, *verdict)


def read_gates(conditions: Iterable[str], items: ItemSet) -> tuple[Gate, ...]:
    """Return the gates that some texts name; raise where one names none."""
    if isinstance(conditions, str):
        raise InvalidInputError("gates", "a list of texts such as ['proved']", conditions)
    return tuple(Gate.read(condition, items) for condition in conditions)


# -- what they ask ----------------------------------------------------------------------------


def _is_proved(findings: Findings) -> Judged:
    exact, certificate = findings.exact, findings.exact.certificate
    assert certificate is not None, "an exact rule gives a certificate"
    if findings.is_proved:
        return True, said("no ranking costs less than {}", exact._votes_told(exact.cost, "cost"))
    told = "the exact consensus is not proved, a ranking may be cheaper by up to {}"
    return False, said(told, exact._votes_told(certificate.gap, "gap"))


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
    always, at = _in_every_optimum(findings), findings.exact.items.index(item)
    if always[at].sum() == len(always) - 1:
        return True, f"{item} is first in every optimum"
    others = [other for other in findings.winners if other != item]
    if item in findings.winners or not others:
        return False, f"another is first in a ranking that is equally good ({listed(others)})"
    return False, f"{listed(others)} {'is' if len(others) == 1 else 'can be'} first"


def _is_above(findings: Findings, upper: Label, lower: Label) -> Judged:
    always = _in_every_optimum(findings)
    i, j = (findings.exact.items.index(item) for item in (upper, lower))
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
    may = ranks.top(1)
    if len(may) != 1:
        many = stated(len(may), "items that may be first", noun="item", of=len(ranks.items))
        return False, said("{} may be first {}", many, level)
    (only,) = may
    unknown = _not_known_of_optima(findings)
    is_first, why = _is_first(findings, only) if unknown is None else (False, unknown)
    but = "and" if is_first else "but in the exact consensus"
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
