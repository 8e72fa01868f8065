"""What is proved of rules and axioms for every size, by the literature or by a proof."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields

from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.condorcet import Copeland, Minimax, Schulze
from rankagg.aggregation.kemeny.aggregator import Kemeny
from rankagg.aggregation.positional import Borda, Bucklin
from rankagg.aggregation.ranked_pairs import RankedPairs
from rankagg.aggregation.voting.elimination_rules import (
    Baldwin,
    Coombs,
    Elimination,
    InstantRunoff,
    Nanson,
)
from rankagg.aggregation.voting.nearest_winner import Black, Dodgson, Young
from rankagg.aggregation.voting.positional_rules import (
    Approval,
    Dowdall,
    Plurality,
    Positional,
    Veto,
)
from rankagg.axioms.base import Axiom

__all__ = ["OF_POINTS", "OF_RULES", "TAKEN_TOGETHER", "Reference", "reference_for"]

Statements = dict[str, tuple[bool, str]]

BRANDT = "Brandt (2009), https://doi.org/10.1002/malq.200810017"
FELSENTHAL = "Felsenthal (2012), https://doi.org/10.1007/978-3-642-20441-8_3"
FISHBURN = "Fishburn (1977), https://doi.org/10.1137/0133030"
FISHBURN_BRAMS = "Fishburn and Brams (1983), https://doi.org/10.2307/2689808"
FISHBURN_GEHRLEIN = "Fishburn and Gehrlein (1976), Public Choice 28, 79-88"
MOULIN = "Moulin (1988), https://doi.org/10.1016/0022-0531(88)90253-0"
SCHULZE = "Schulze (2011), https://doi.org/10.1007/s00355-010-0475-4"
SMITH = "Smith (1973), https://doi.org/10.2307/1914033"
TIDEMAN = "Tideman (1987), https://doi.org/10.1007/BF00433944"
WOODALL = "Woodall (1997), https://doi.org/10.1016/S0166-218X(96)00100-X"
YOUNG = "Young (1975), https://doi.org/10.1137/0128067"
YOUNG_LEVENGLICK = "Young and Levenglick (1978), https://doi.org/10.1137/0135023"

# Moulin's theorem is of one winner; that sets of winners break it too is shown by profiles.
NO_SHOW = f"so does every choice of one of its tied winners; {MOULIN}"
ZAVIST = "Zavist and Tideman (1989), https://doi.org/10.1007/BF00303170"

FROM_SMITH = "it keeps smith"
FROM_CONDORCET = "it keeps condorcet winner"
TURNED_POINTS = "points change sides of their mean, and who wins alone has more than the mean"

#: Of positional rules, whatever the points.
OF_POINTS: Statements = {
    "monotonicity": (True, "who rises gets no fewer points, and no other gets more"),
    "participation": (True, f"a ballot gives the most to what it has highest; {MOULIN}"),
    "reinforcement": (True, f"points add up; {YOUNG}"),
    "reinforcement of rankings": (True, f"points add up; {SMITH}"),
}

# Eliminations by Borda counts never lose the Smith set.
LAST_OF_SMITH = (
    "the last item of the Smith set that remains beats all others that do, so that its count is "
    f"above the average; {FISHBURN}"
)

#: Of ranked pairs, however they take equal majorities.
OF_RANKED_PAIRS: Statements = {
    "condorcet winner": (True, FROM_SMITH),
    "condorcet loser": (True, FROM_SMITH),
    "smith": (True, "no majority leads back into the Smith set, so that those out of it lock"),
    "majority": (True, FROM_CONDORCET),
    "pareto": (True, "what all agree on has no cycle, and is locked first"),
    "participation": (False, NO_SHOW),
}

#: Of ranked pairs that take equal majorities together.
TAKEN_TOGETHER: Statements = {
    **OF_RANKED_PAIRS,
    "clone independence": (
        True, "a path through clones is one through any of them, so that outside of them the "
        "same majorities lock however many there are",
    ),
    "reversal symmetry": (
        True, "all arrows turn round, and what alone none leads to has one that leaves it",
    ),
}  # fmt: skip

OF_RULES: dict[type[Aggregator], Statements] = {
    Borda: {
        **OF_POINTS,
        "condorcet loser": (True, FISHBURN_GEHRLEIN),
        "pareto": (True, FELSENTHAL),
        "reversal symmetry": (True, TURNED_POINTS),
    },
    Bucklin: {
        "majority": (True, FELSENTHAL),
        "monotonicity": (True, FELSENTHAL),
        "pareto": (
            True, "who is above another on all ballots has more than half at a smaller depth",
        ),
    },
    Copeland: {
        "condorcet winner": (True, FISHBURN),
        "condorcet loser": (True, FELSENTHAL),
        "smith": (True, FISHBURN),
        "majority": (True, FELSENTHAL),
        "monotonicity": (True, FELSENTHAL),
        "pareto": (True, FELSENTHAL),
        "participation": (False, NO_SHOW),
        "reversal symmetry": (True, TURNED_POINTS),
    },
    Minimax: {
        "condorcet winner": (True, FISHBURN),
        "majority": (True, FELSENTHAL),
        "condorcet loser": (False, FELSENTHAL),
        "smith": (False, FISHBURN),
        "monotonicity": (True, "who rises loses to nobody by more, and no other loses by less"),
        "pareto": (
            True, "who is below another on all ballots loses by all, and somebody does not",
        ),
        "participation": (False, NO_SHOW),
    },
    Schulze: {
        "condorcet winner": (True, SCHULZE),
        "condorcet loser": (True, SCHULZE),
        "smith": (True, SCHULZE),
        "majority": (True, SCHULZE),
        "pareto": (True, SCHULZE),
        "monotonicity": (True, SCHULZE),
        "clone independence": (True, SCHULZE),
        "reversal symmetry": (True, SCHULZE),
        "participation": (False, NO_SHOW),
    },
    RankedPairs: {
        **OF_RANKED_PAIRS,
        "monotonicity": (
            True, "who comes out first still does, as its majorities grow and no path between "
            f"others passes it; {TIDEMAN}",
        ),
        "clone independence": (False, ZAVIST),
        "reversal symmetry": (
            True, "an order that comes out does in reverse of the reverse ballots, and who is "
            "first in all is last in none",
        ),
    },
    Kemeny: {
        "condorcet winner": (True, YOUNG_LEVENGLICK),
        "reinforcement of rankings": (True, YOUNG_LEVENGLICK),
        "condorcet loser": (True, FELSENTHAL),
        "majority": (True, FELSENTHAL),
        "smith": (True, FISHBURN),
        "monotonicity": (True, FELSENTHAL),
        "pareto": (True, FELSENTHAL),
        "clone independence": (False, TIDEMAN),
        "participation": (False, NO_SHOW),
        "reversal symmetry": (True, "optima turn round, and who is first in all is last in none"),
    },
    Plurality: {
        "majority": (True, FELSENTHAL),
        "pareto": (True, "who is below another on all ballots has no first place"),
        "later-no-harm": (True, WOODALL),
    },
    Veto: {
        "condorcet loser": (False, FISHBURN_GEHRLEIN),
    },
    Dowdall: {
        "condorcet loser": (False, FISHBURN_GEHRLEIN),
        "pareto": (True, "a place above has more points"),
    },
    InstantRunoff: {
        "condorcet loser": (True, "in the last round of two items it loses"),
        "majority": (True, FELSENTHAL),
        "pareto": (
            True, "who is below another on all ballots has no first place while that remains, and "
            "what has none goes out before what has some",
        ),
        "monotonicity": (False, SMITH),
        "participation": (False, FISHBURN_BRAMS),
        "clone independence": (True, TIDEMAN),
        "later-no-harm": (True, WOODALL),
    },
    Coombs: {
        "condorcet loser": (True, "who has a majority of first places beats some item"),
        "majority": (True, FELSENTHAL),
        "pareto": (
            True, "who is above another on all ballots is last on none while that remains",
        ),
    },
    Baldwin: {
        "smith": (True, LAST_OF_SMITH),
        "condorcet winner": (True, FROM_SMITH),
        "condorcet loser": (True, FROM_SMITH),
        "majority": (True, FROM_SMITH),
        "pareto": (True, "who is above another on all ballots has the higher count, and stays on"),
        "participation": (False, NO_SHOW),
    },
    Nanson: {
        "smith": (True, LAST_OF_SMITH),
        "condorcet winner": (True, FROM_SMITH),
        "condorcet loser": (True, FROM_SMITH),
        "majority": (True, FROM_SMITH),
        "pareto": (True, "who is above another on all ballots has the higher count, and stays on"),
        "reversal symmetry": (
            True, "who wins alone is above the average at first, and so below it after",
        ),
        "monotonicity": (False, FISHBURN),
        "participation": (False, NO_SHOW),
    },
    Black: {
        "condorcet winner": (True, FISHBURN),
        "condorcet loser": (True, FELSENTHAL),
        "majority": (True, FROM_CONDORCET),
        "pareto": (True, FELSENTHAL),
        "monotonicity": (True, FELSENTHAL),
        "smith": (False, FISHBURN),
        "participation": (False, NO_SHOW),
        "reversal symmetry": (
            True, f"a Condorcet winner becomes the Condorcet loser; else {TURNED_POINTS}",
        ),
    },
    Young: {
        "condorcet winner": (True, FISHBURN),
        "majority": (True, FROM_CONDORCET),
        "pareto": (True, "who is below another on all ballots can keep none"),
        "monotonicity": (True, "who rises can keep what it kept, and no other can keep more"),
        "smith": (False, FISHBURN),
        "participation": (False, NO_SHOW),
    },
    Dodgson: {
        "condorcet winner": (True, FISHBURN),
        "majority": (True, FROM_CONDORCET),
        "pareto": (
            True, "who is above another on all ballots gets wherever that does with fewer swaps",
        ),
        "condorcet loser": (False, BRANDT),
        "monotonicity": (False, FISHBURN),
        "clone independence": (False, BRANDT),
        "smith": (False, FISHBURN),
        "participation": (False, NO_SHOW),
    },
}  # fmt: skip


POSITIONAL = (Approval, Dowdall, Plurality, Positional, Veto)
# They change no outcome of complete strict ballots that is found.
WITHOUT_EFFECT = frozenset(["unranked", "time_limit", "verify", "n_jobs", "backend"])


@dataclass(frozen=True)
class Reference:
    """What is proved: whether a rule keeps an axiom, and why or who says so."""

    # Whether the rule keeps the axiom.
    holds: bool
    # Where that is shown, or the proof.
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
