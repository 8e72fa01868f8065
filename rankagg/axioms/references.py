"""What the literature has proved of rules and axioms, for profiles of every size."""

from __future__ import annotations

from dataclasses import dataclass

from rankagg.aggregation.base import Aggregator
from rankagg.axioms.base import Axiom

__all__ = ["Reference", "reference_for"]


@dataclass(frozen=True)
class Reference:
    """A statement of the literature: whether a rule keeps an axiom, and who says so.

    Attributes
    ----------
    holds : bool
        Whether the rule keeps the axiom.
    source : str
        Where that is shown.
    """

    holds: bool
    source: str


FISHBURN_GEHRLEIN = "Fishburn and Gehrlein (1976), https://doi.org/10.1007/BF01718459"
FISHBURN = "Fishburn (1977), https://doi.org/10.1137/0133030"
YOUNG = "Young (1975), https://doi.org/10.1137/0128067"
YOUNG_LEVENGLICK = "Young and Levenglick (1978), https://doi.org/10.1137/0135023"
MOULIN = "Moulin (1988), https://doi.org/10.1016/0022-0531(88)90253-0"
TIDEMAN = "Tideman (1987), https://doi.org/10.1007/BF00433944"
ZAVIST_TIDEMAN = "Zavist and Tideman (1989), https://doi.org/10.1007/BF00303170"
SCHULZE = "Schulze (2011), https://doi.org/10.1007/s00355-010-0475-4"
WOODALL = "Woodall (1997), https://doi.org/10.1016/S0166-218X(96)00100-X"
FELSENTHAL = "Felsenthal (2012), https://doi.org/10.1007/978-3-642-20441-8_3"

#: By the class of a rule with its parameters as they are by default, and the name of an axiom.
REFERENCES: dict[tuple[str, str], Reference] = {
    ("Borda", "condorcet loser"): Reference(True, FISHBURN_GEHRLEIN),
    ("Borda", "reinforcement"): Reference(True, YOUNG),
    ("Borda", "participation"): Reference(True, MOULIN),
    ("Borda", "monotonicity"): Reference(True, FELSENTHAL),
    ("Borda", "pareto"): Reference(True, FELSENTHAL),
    ("Bucklin", "majority"): Reference(True, FELSENTHAL),
    ("Bucklin", "monotonicity"): Reference(True, FELSENTHAL),
    ("Copeland", "condorcet winner"): Reference(True, FISHBURN),
    ("Copeland", "condorcet loser"): Reference(True, FELSENTHAL),
    ("Copeland", "smith"): Reference(True, FISHBURN),
    ("Copeland", "majority"): Reference(True, FELSENTHAL),
    ("Copeland", "monotonicity"): Reference(True, FELSENTHAL),
    ("Copeland", "pareto"): Reference(True, FELSENTHAL),
    ("Minimax", "condorcet winner"): Reference(True, FISHBURN),
    ("Minimax", "majority"): Reference(True, FELSENTHAL),
    ("Minimax", "condorcet loser"): Reference(False, FELSENTHAL),
    ("Minimax", "smith"): Reference(False, FISHBURN),
    ("Kemeny", "condorcet winner"): Reference(True, YOUNG_LEVENGLICK),
    ("Kemeny", "reinforcement of rankings"): Reference(True, YOUNG_LEVENGLICK),
    ("Kemeny", "condorcet loser"): Reference(True, FELSENTHAL),
    ("Kemeny", "majority"): Reference(True, FELSENTHAL),
    ("Kemeny", "smith"): Reference(True, FISHBURN),
    ("Kemeny", "monotonicity"): Reference(True, FELSENTHAL),
    ("Kemeny", "pareto"): Reference(True, FELSENTHAL),
    ("Kemeny", "clone independence"): Reference(False, TIDEMAN),
    ("RankedPairs", "condorcet winner"): Reference(True, TIDEMAN),
    ("RankedPairs", "condorcet loser"): Reference(True, TIDEMAN),
    ("Schulze", "condorcet winner"): Reference(True, SCHULZE),
    ("Schulze", "condorcet loser"): Reference(True, SCHULZE),
    ("Schulze", "smith"): Reference(True, SCHULZE),
    ("Schulze", "majority"): Reference(True, SCHULZE),
    ("Schulze", "pareto"): Reference(True, SCHULZE),
    ("Schulze", "monotonicity"): Reference(True, SCHULZE),
    ("Schulze", "clone independence"): Reference(True, SCHULZE),
    ("Schulze", "reversal symmetry"): Reference(True, SCHULZE),
    ("InstantRunoff", "majority"): Reference(True, FELSENTHAL),
    ("InstantRunoff", "later-no-harm"): Reference(True, WOODALL),
    ("InstantRunoff", "monotonicity"): Reference(False, FELSENTHAL),
    ("Plurality", "majority"): Reference(True, FELSENTHAL),
    ("Plurality", "monotonicity"): Reference(True, FELSENTHAL),
    ("Plurality", "participation"): Reference(True, MOULIN),
    ("Plurality", "reinforcement"): Reference(True, YOUNG),
    ("Plurality", "later-no-harm"): Reference(True, WOODALL),
    ("Veto", "participation"): Reference(True, MOULIN),
    ("Veto", "reinforcement"): Reference(True, YOUNG),
}


def reference_for(aggregator: Aggregator, axiom: Axiom) -> Reference | None:
    """Return what the literature says of a rule and an axiom, both as they are by default."""
    if aggregator.name != type(aggregator).__name__ or axiom != type(axiom)():
        return None
    return REFERENCES.get((aggregator.name, axiom.name))
