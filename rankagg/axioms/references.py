"""What is proved of rules and axioms for every size: by the literature, or in a line."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields

from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.ranked_pairs import RankedPairs
from rankagg.aggregation.voting.approval import Approval
from rankagg.aggregation.voting.dowdall import Dowdall
from rankagg.aggregation.voting.eliminations import Elimination
from rankagg.aggregation.voting.plurality import Plurality
from rankagg.aggregation.voting.positional import Positional
from rankagg.aggregation.voting.veto import Veto
from rankagg.axioms.base import Axiom
from rankagg.axioms.proved import OF_POINTS, OF_RULES, TAKEN_TOGETHER

__all__ = ["Reference", "reference_for"]

POSITIONAL = (Approval, Dowdall, Plurality, Positional, Veto)
# They change no outcome of complete strict ballots that is found.
WITHOUT_EFFECT = frozenset(["unranked", "time_limit", "verify", "n_jobs", "backend"])


@dataclass(frozen=True)
class Reference:
    """What is proved: whether a rule keeps an axiom, and why or who says so.

    Attributes
    ----------
    holds : bool
        Whether the rule keeps the axiom.
    source : str
        Where that is shown, or the proof.
    """

    holds: bool
    source: str


def reference_for(aggregator: Aggregator, axiom: Axiom) -> Reference | None:
    """Return what is proved of a rule and an axiom.

    Axioms are as they are by default, and so are rules; but eliminations follow parallel
    universes, ranked pairs take equal majorities in every order or together, and places may have
    any points.
    """
    kind = type(aggregator)
    if axiom != type(axiom)():
        return None
    stated = None
    if kind in POSITIONAL:
        stated = OF_POINTS.get(axiom.name)
    if stated is None and _is_usual(aggregator):
        together = isinstance(aggregator, RankedPairs) and aggregator.tie_breaking == "together"
        stated = (TAKEN_TOGETHER if together else OF_RULES.get(kind, {})).get(axiom.name)
    return None if stated is None else Reference(*stated)


def _is_usual(aggregator: Aggregator) -> bool:
    usual = {
        field.name: field.default
        for field in fields(aggregator)
        if field.compare and field.default is not MISSING and field.name not in WITHOUT_EFFECT
    }
    if isinstance(aggregator, Elimination):
        usual["tie_breaking"] = "parallel"
    if isinstance(aggregator, RankedPairs):
        del usual["tie_breaking"]
    return all(getattr(aggregator, name) == value for name, value in usual.items())
