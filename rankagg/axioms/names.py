"""The axioms by their names."""

from __future__ import annotations

from rankagg.axioms.agendas import (
    CloneIndependence,
    LaterNoHarm,
    Monotonicity,
    RankingIndependence,
    ReversalSymmetry,
    WinnerIndependence,
)
from rankagg.axioms.base import Axiom
from rankagg.axioms.majorities import CondorcetLoser, CondorcetWinner, Majority, Pareto, Smith
from rankagg.axioms.voters import (
    GroupStrategyproofness,
    Participation,
    RankingReinforcement,
    Reinforcement,
    Strategyproofness,
)
from rankagg.exceptions import InvalidInputError, nearest

__all__ = ["AXIOMS", "as_axiom"]

#: Each axiom as it is unless another convention is asked for.
AXIOMS: tuple[Axiom, ...] = (
    CondorcetWinner(),
    CondorcetLoser(),
    Smith(),
    Majority(),
    Pareto(),
    Monotonicity(),
    Participation(),
    Reinforcement(),
    RankingReinforcement(),
    CloneIndependence(),
    ReversalSymmetry(),
    WinnerIndependence(),
    RankingIndependence(),
    LaterNoHarm(),
    Strategyproofness(),
    GroupStrategyproofness(),
)
NAMES = {axiom.name: axiom for axiom in AXIOMS}


def as_axiom(value: object, parameter: str = "axiom") -> Axiom:
    """Return an axiom given as itself or by its name."""
    if isinstance(value, Axiom):
        return value
    if isinstance(value, str) and value.casefold() in NAMES:
        return NAMES[value.casefold()]
    raise InvalidInputError(
        parameter, "an axiom or the name of one", value,
        nearest(value, NAMES) or f"The names are {', '.join(NAMES)}.",
    )  # fmt: skip
