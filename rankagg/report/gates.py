"""Gates: conditions on what is found, and whether they hold."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from rankagg._typing import Bools, Label
from rankagg.aggregation.base import votes_text
from rankagg.analysis.comparison.agreement import LATE
from rankagg.core import ItemSet, listed, raw_text, said, stated
from rankagg.exceptions import InvalidInputError, nearest
from rankagg.inference import RankIntervals
from rankagg.report.findings import Findings

#: Whether a gate holds, and why.
_Judged = tuple[bool, str]


@dataclass(frozen=True)
class GateVerdict:
    """Whether a condition holds; False too where that was not computed."""

    condition: str
    holds: bool
    reason: str

    def __str__(self) -> str:
        verdict = "holds" if self.holds else "fails"
        return said("gate {} {}: {}.", self.condition, verdict, self.reason)


@dataclass(frozen=True)
class _Gate:
    """A condition such as "first=NAME": what stands before the "=", and the items behind it."""

    condition: str
    kind: str
    items: tuple[Label, ...]

    def judge(self, findings: Findings) -> GateVerdict:
        """Say whether it holds."""
        check, _ = _CONDITIONS[self.kind]
        unknown = _no_intervals(findings) if "decided" in self.kind else None
        if self.kind == "unique" or (findings.is_exact and self.kind in ("first", "above")):
            unknown = _not_known_of_optima(findings)
        verdict = check(findings, *self.items) if unknown is None else (False, unknown)
        return GateVerdict(self.condition, *verdict)


def read_gates(conditions: Iterable[str], items: ItemSet) -> tuple[_Gate, ...]:
    """Return the gates that some texts name; raise where one names none."""
    if isinstance(conditions, str):
        raise InvalidInputError("gates", "a list of texts such as ['proved']", conditions)
    return tuple(_gate_of(condition, items) for condition in conditions)


def _gate_of(condition: str, items: ItemSet) -> _Gate:
    if not isinstance(condition, str):
        raise InvalidInputError("gates", "texts such as 'proved'", condition)
    kind, sign, rest = condition.partition("=")
    kind = kind.strip()
    forms = {name: name + ("", "=ITEM", "=ITEM,ITEM")[k] for name, (_, k) in _CONDITIONS.items()}
    number = _CONDITIONS[kind][1] if kind in _CONDITIONS else -1
    if number < 0 or bool(sign) != bool(number):
        what = "no item" if sign else "what it is about"
        remedy = nearest(kind, _CONDITIONS) if number < 0 else f'"{kind}" names {what}.'
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
    return _Gate(condition, kind, tuple(known[name] for name in names))


# -- what they ask ----------------------------------------------------------------------------


def _is_proved(findings: Findings) -> _Judged:
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


def _is_unique(findings: Findings) -> _Judged:
    known = findings.alternatives
    assert known is not None, "it is known of all optima"
    if known.is_unique:
        return True, "there is one optimum only"
    if known.count is None:
        return False, "more than one ranking is equally good"
    return False, said("{} are equally good", stated(known.count, "optima", ",", "ranking"))


def _is_first(findings: Findings, item: Label) -> _Judged:
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


def _is_above(findings: Findings, upper: Label, lower: Label) -> _Judged:
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


def _is_first_decided(findings: Findings) -> _Judged:
    ranks, level = _ranks_at(findings)
    may, level = ranks.first, said("{}{}", level, ranks.first_note)
    if len(may) != 1:
        many = stated(len(may), "items that may be first", noun="item", of=len(ranks.items))
        return False, said("{} may be first {}", many, level)
    (only,) = may
    unknown = _not_known_of_optima(findings) if findings.is_exact else None
    is_first, why = _is_first(findings, only) if unknown is None else (False, unknown)
    but = "and" if is_first else f"but in {findings.kemeny}" if findings.is_exact else "but here"
    return is_first, said("only {} may be first {}, {} {}", only, level, but, why)


def _is_decided(findings: Findings, upper: Label, lower: Label) -> _Judged:
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
_CONDITIONS: dict[str, tuple[Callable[..., _Judged], int]] = {
    "proved": (_is_proved, 0),
    "unique": (_is_unique, 0),
    "first-decided": (_is_first_decided, 0),
    "first": (_is_first, 1),
    "above": (_is_above, 2),
    "decided": (_is_decided, 2),
}
