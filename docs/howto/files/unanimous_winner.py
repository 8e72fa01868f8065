"""Unanimity about the first."""

from dataclasses import dataclass
from typing import ClassVar

from rankagg.axioms.base import Axiom, Case


@dataclass(frozen=True, kw_only=True)
class UnanimousWinner(Axiom):
    """An item that every ballot has first wins alone."""

    name: ClassVar[str] = "unanimous winner"
    definition: ClassVar[str] = "An item that every ballot has first wins alone."
    source: ClassVar[str] = "a special case of majority"

    def _cases(self, ballots, outcomes):
        firsts = {order[0] for order, count in ballots}
        if len(firsts) == 1:
            yield Case((ballots,), tuple(firsts))

    def _fault(self, case, outcomes):
        if outcomes.winners(case.ballots[0]) == frozenset(case.items):
            return None
        return f"All have {outcomes.listed(case.items)} first, and it does not win alone."
