"""Profiles that break an axiom and are larger than what is mostly looked at, found by searches."""

from __future__ import annotations

from rankagg.aggregation.base import Aggregator
from rankagg.axioms.base import Axiom
from rankagg.axioms.witness import Witness
from rankagg.core.profiles.profile import Profile

__all__ = ["LARGER", "larger_witness"]

# D loses to each of A, B and C by one ballot, and each of these to another by three, or by five.
CYCLE_ABOVE_A_LOSER = "2 DABC, 1 DBCA, 1 DCAB, 1 ABCD, 2 BCAD, 2 CABD"
WIDER_CYCLE = "2 DABC, 3 ABCD, 2 DBCA, 3 BCAD, 3 DCAB, 2 CABD"
# Each of A, B, C and D loses to another in a cycle.
LONG_CYCLE = "1 ABCD, 1 BCDA, 1 CDAB"

#: By the class of a rule and the name of an axiom; `larger_witness` asks the rule again.
LARGER: dict[tuple[str, str], str] = {
    ("Bucklin", "condorcet loser"): "2 ABC, 2 CBA, 1 ACB, 1 CAB",
    ("Bucklin", "condorcet winner"): "2 ABC, 1 BAC, 1 BCA, 1 CAB",
    ("Bucklin", "smith"): "2 ABC, 1 BAC, 1 BCA, 1 CAB",
    ("Copeland", "participation"): "2 ABCD, 1 BCDA, 1 CDAB",
    ("Minimax", "clone independence"): LONG_CYCLE,
    ("Minimax", "condorcet loser"): CYCLE_ABOVE_A_LOSER,
    ("Minimax", "participation"): (
        "4 CDBA, 3 ABCD, 3 ADCB, 2 BACD, 2 BDCA, 1 ABDC, 1 BDAC, 1 CABD, 1 DBAC, 1 DBCA, 1 DCBA"
    ),
    ("Minimax", "reversal symmetry"): "3 ADCB, 3 CBDA, 2 DBAC, 1 BADC, 1 BCAD",
    ("Minimax", "smith"): CYCLE_ABOVE_A_LOSER,
    ("Schulze", "participation"): "3 DBAC, 2 ADCB, 2 CBAD, 2 CBDA, 1 BADC",
    # A > D > E > B > F can lock with both clones; with one of them A > D > E > A is a cycle.
    ("RankedPairs", "clone independence"): (
        "4 EGCABFD, 3 ABDGFCE, 2 DFCGEAB, 2 ECABGDF, 2 FDECGAB, 1 ABGCFDE, 1 ABGDFCE, 1 CGFABDE, "
        "1 DECFABG, 1 DFCEABG, 1 DFECABG, 1 EGABFCD, 1 GCABFDE"
    ),
    # Taken together; in every order none breaks it.
    ("RankedPairs", "monotonicity"): "2 ACBD, 3 BADC, 1 CBAD, 3 DCBA",
    ("RankedPairs", "participation"): "3 ADCB, 2 BCAD, 2 DBAC, 1 CBDA, 1 DCBA",
    ("Kemeny", "clone independence"): LONG_CYCLE,
    ("Kemeny", "participation"): LONG_CYCLE,
    ("Dowdall", "condorcet loser"): "2 ABC, 1 ACB, 2 BCA, 2 CBA",
    ("Dowdall", "condorcet winner"): "2 ABC, 1 BAC, 1 BCA, 1 CAB",
    ("Dowdall", "majority"): "4 ABC, 3 BCA",
    ("Dowdall", "smith"): "2 ABC, 1 BAC, 1 BCA, 1 CAB",
    ("InstantRunoff", "monotonicity"): "3 ABC, 3 BAC, 2 CAB, 1 CBA",
    ("InstantRunoff", "participation"): "2 ABC, 1 BAC, 2 CBA",
    ("InstantRunoff", "reversal symmetry"): "2 ABC, 2 BCA, 1 CAB",
    ("Coombs", "condorcet winner"): "3 ABC, 1 ACB, 1 BCA, 2 CAB, 2 CBA",
    ("Coombs", "monotonicity"): "1 ABCD, 1 ABDC, 1 BCDA, 1 CADB",
    ("Coombs", "participation"): "2 ABDC, 2 CBAD, 1 DACB, 2 DCAB",
    ("Coombs", "reversal symmetry"): "1 ABCD, 1 BCAD, 1 CADB, 1 DBCA",
    ("Coombs", "smith"): "3 ABC, 1 ACB, 1 BCA, 2 CAB, 2 CBA",
    ("Baldwin", "clone independence"): "2 ABCD, 1 CDAB, 1 DABC",
    ("Baldwin", "monotonicity"): "2 ABC, 1 BCA, 1 CAB, 1 CBA",
    ("Baldwin", "participation"): "2 ABCD, 1 BCDA, 1 CDAB, 1 DCAB",
    ("Baldwin", "reversal symmetry"): "2 ABC, 2 BCA, 1 CAB",
    ("Nanson", "monotonicity"): "1 ABDC, 1 BCAD, 2 CDBA, 1 DBCA",
    ("Nanson", "participation"): "1 ACBD, 2 BDAC, 2 DABC",
    ("Black", "participation"): "2 ABCD, 1 BCDA, 1 CABD",
    ("Black", "reinforcement"): "2 ABC, 1 BAC, 1 BCA, 1 CAB",
    ("Black", "reinforcement of rankings"): "2 ABC, 1 BAC, 1 BCA, 1 CAB",
    ("Black", "smith"): "3 CBDA, 4 ADCB, 1 DACB",
    ("Young", "clone independence"): "1 ABCD, 1 BCAD, 1 DCAB",
    ("Young", "condorcet loser"): "1 ABCD, 1 BCAD, 1 DCAB",
    ("Young", "participation"): "1 ABCD, 2 ACBD, 1 CABD, 1 CBAD, 1 CDAB, 1 CDBA, 3 DBAC",
    ("Young", "reversal symmetry"): "1 ABCD, 1 ACDB, 1 DBCA",
    ("Young", "smith"): "1 ABCD, 1 BCAD, 1 DCAB",
    ("Dodgson", "condorcet loser"): WIDER_CYCLE,
    ("Dodgson", "monotonicity"): "1 CBAD, 1 CDAB, 1 BCDA, 3 ABCD",
    ("Dodgson", "participation"): "2 ABCD, 1 BCDA, 1 CDAB",
    ("Dodgson", "reversal symmetry"): "2 ABCD, 2 CADB, 1 DBAC, 2 DBCA",
    ("Dodgson", "smith"): WIDER_CYCLE,
}


def larger_witness(aggregator: Aggregator, axiom: Axiom) -> Witness | None:
    """Return a witness of which the rule was asked, where a profile for it is known."""
    ballots = LARGER.get((type(aggregator).__name__, axiom.name))
    if ballots is None:
        return None
    rows = [row.split() for row in ballots.split(", ")]
    counts, orders = zip(*rows, strict=True)
    return axiom.check(aggregator, Profile.from_orders(orders, counts=list(map(int, counts))))
