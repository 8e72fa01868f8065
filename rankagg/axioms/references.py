"""What is proved of rules and axioms for every size, by the literature or by a proof."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import NamedTuple, TypeAlias

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
# Eliminations by Borda counts never lose the Smith set.
LAST_OF_SMITH = (
    "the last item of the Smith set that remains beats all others that do, so that its count is "
    f"above the average; {FISHBURN}"
)

#: Ranked pairs that take equal majorities together; the class stands for those in every order.
TAKEN_TOGETHER = RankedPairs(tie_breaking="together")
RANKED_PAIRS = (RankedPairs, TAKEN_TOGETHER)
#: Positional rules, whatever the points.
OF_POINTS = (Approval, Borda, Dowdall, Plurality, Positional, Veto)

Proofs: TypeAlias = dict[str, dict[str, tuple[type[Aggregator] | Aggregator, ...]]]

#: Of every axiom the proofs that rules keep it.
KEPT: Proofs = {
    "condorcet winner": {
        FISHBURN: (Black, Copeland, Dodgson, Minimax, Young),
        SCHULZE: (Schulze,),
        YOUNG_LEVENGLICK: (Kemeny,),
        FROM_SMITH: (Baldwin, Nanson, *RANKED_PAIRS),
    },
    "condorcet loser": {
        FELSENTHAL: (Black, Copeland, Kemeny),
        FISHBURN_GEHRLEIN: (Borda,),
        SCHULZE: (Schulze,),
        FROM_SMITH: (Baldwin, Nanson, *RANKED_PAIRS),
        "who has a majority of first places beats some item": (Coombs,),
        "in the last round of two items it loses": (InstantRunoff,),
    },
    "smith": {
        FISHBURN: (Copeland, Kemeny),
        SCHULZE: (Schulze,),
        LAST_OF_SMITH: (Baldwin, Nanson),
        "no majority leads back into the Smith set, so that those out of it lock": RANKED_PAIRS,
    },
    "majority": {
        FELSENTHAL: (Bucklin, Coombs, Copeland, InstantRunoff, Kemeny, Minimax, Plurality),
        SCHULZE: (Schulze,),
        FROM_SMITH: (Baldwin, Nanson),
        FROM_CONDORCET: (Black, Dodgson, Young, *RANKED_PAIRS),
    },
    "pareto": {
        FELSENTHAL: (Black, Borda, Copeland, Kemeny),
        SCHULZE: (Schulze,),
        "who is above another on all ballots has more than half at a smaller depth": (Bucklin,),
        "who is below another on all ballots loses by all, and somebody does not": (Minimax,),
        "what all agree on has no cycle, and is locked first": RANKED_PAIRS,
        "who is below another on all ballots has no first place": (Plurality,),
        "a place above has more points": (Dowdall,),
        "who is below another on all ballots has no first place while that remains, and what has "
        "none goes out before what has some": (InstantRunoff,),
        "who is above another on all ballots is last on none while that remains": (Coombs,),
        "who is above another on all ballots has the higher count, and stays on": (Baldwin, Nanson),
        "who is below another on all ballots can keep none": (Young,),
        "who is above another on all ballots gets wherever that does with fewer swaps": (Dodgson,),
    },
    "monotonicity": {
        FELSENTHAL: (Black, Bucklin, Copeland, Kemeny),
        SCHULZE: (Schulze,),
        "who rises gets no fewer points, and no other gets more": OF_POINTS,
        "who rises loses to nobody by more, and no other loses by less": (Minimax,),
        "who rises can keep what it kept, and no other can keep more": (Young,),
        "who comes out first still does, as its majorities grow and no path between others passes "
        f"it; {TIDEMAN}": (RankedPairs,),
    },
    "participation": {f"a ballot gives the most to what it has highest; {MOULIN}": OF_POINTS},
    "reinforcement": {f"points add up; {YOUNG}": OF_POINTS},
    "reinforcement of rankings": {
        f"points add up; {SMITH}": OF_POINTS,
        YOUNG_LEVENGLICK: (Kemeny,),
    },
    "clone independence": {
        SCHULZE: (Schulze,),
        TIDEMAN: (InstantRunoff,),
        "a path through clones is one through any of them, so that outside of them the same "
        "majorities lock however many there are": (TAKEN_TOGETHER,),
    },
    "reversal symmetry": {
        SCHULZE: (Schulze,),
        TURNED_POINTS: (Borda, Copeland),
        f"a Condorcet winner becomes the Condorcet loser; else {TURNED_POINTS}": (Black,),
        "who wins alone is above the average at first, and so below it after": (Nanson,),
        "optima turn round, and who is first in all is last in none": (Kemeny,),
        "an order that comes out does in reverse of the reverse ballots, and who is first in all "
        "is last in none": (RankedPairs,),
        "all arrows turn round, and what alone none leads to has one that leaves it": (
            TAKEN_TOGETHER,
        ),
    },
    "later-no-harm": {WOODALL: (InstantRunoff, Plurality)},
}

#: Of every axiom the proofs that rules break it.
BROKEN: Proofs = {
    "condorcet loser": {
        FELSENTHAL: (Minimax,),
        FISHBURN_GEHRLEIN: (Dowdall, Veto),
        BRANDT: (Dodgson,),
    },
    "smith": {FISHBURN: (Black, Dodgson, Minimax, Young)},
    "monotonicity": {SMITH: (InstantRunoff,), FISHBURN: (Dodgson, Nanson)},
    "participation": {
        FISHBURN_BRAMS: (InstantRunoff,),
        NO_SHOW: (
            *RANKED_PAIRS,
            *(Baldwin, Black, Copeland, Dodgson, Kemeny, Minimax, Nanson, Schulze, Young),
        ),
    },
    "clone independence": {ZAVIST: (RankedPairs,), TIDEMAN: (Kemeny,), BRANDT: (Dodgson,)},
}

# They change no outcome of complete strict ballots that is found.
WITHOUT_EFFECT = frozenset(["unranked", "time_limit", "verify", "n_jobs", "backend"])


class Theorem(NamedTuple):
    """What is proved: whether a rule keeps an axiom, and why or who says so."""

    holds: bool
    source: str


PROVED = {
    (rule, axiom): Theorem(holds, source)
    for holds, proofs in ((True, KEPT), (False, BROKEN))
    for axiom, sources in proofs.items()
    for source, rules in sources.items()
    for rule in rules
}


def theorem_on(aggregator: Aggregator, axiom: Axiom) -> Theorem | None:
    """Return what is proved of a rule and an axiom, both as they are by default.

    But eliminations follow parallel universes, ranked pairs take equal majorities in every order
    or together, and places may have any points.
    """
    if axiom != type(axiom)() or not _is_usual(aggregator):
        return None
    together = isinstance(aggregator, RankedPairs) and aggregator.tie_breaking == "together"
    return PROVED.get((TAKEN_TOGETHER if together else type(aggregator), axiom.name))


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
