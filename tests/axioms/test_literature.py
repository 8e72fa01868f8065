"""The table of axioms against the literature, cell by cell.

"+" keeps, "-" breaks. Every "-" is shown by a profile that an independent brute force confirms;
for every "+" no profile up to the size searched breaks the axiom.
"""

import pytest

import rankagg as ra
from rankagg.axioms.references import REFERENCES, reference_for
from tests.axioms.brute_force import broken
from tests.axioms.test_search import NAMES, RULES, ballots, plain, table_of

# Of Fishburn (1977), doi:10.1137/0133030, Tideman (1987), doi:10.1007/BF00433944, Moulin (1988),
# doi:10.1016/0022-0531(88)90253-0 (whoever elects Condorcet winners breaks participation), Young
# (1975), doi:10.1137/0128067 (only positional rules reinforce), Young and Levenglick (1978),
# doi:10.1137/0135023 (only Kemeny's rule among those of Condorcet reinforces rankings), Woodall
# (1997), doi:10.1016/S0166-218X(96)00100-X (no rule that elects Condorcet winners, nor Borda's,
# leaves later preferences harmless), Schulze (2011), doi:10.1007/s00355-010-0475-4, Felsenthal
# (2012), doi:10.1007/978-3-642-20441-8_3, and Arrow, Gibbard and Satterthwaite for the last ones.
LITERATURE = {
    #                                                   Bo Bu Co Mi Sc RP Ke
    "condorcet winner":                                 "- - + + + + +",
    "condorcet loser":                                  "+ - + - + + +",
    "smith":                                            "- - + - + + +",
    "majority":                                         "- + + + + + +",
    "pareto":                                           "+ + + + + + +",
    "monotonicity":                                     "+ + + + + + +",
    "participation":                                    "+ - - - - - -",
    "reinforcement":                                    "+ - - - - - -",
    "reinforcement of rankings":                        "+ - - - - - +",
    "clone independence":                               "- - - - + + -",
    "reversal symmetry":                                "+ - + - + + +",
    "independence of irrelevant alternatives (winners)":  "- - - - - - -",
    "independence of irrelevant alternatives (rankings)": "- - - - - - -",
    "later-no-harm":                                    "- - - - - - -",
    "strategyproofness":                                "- - - - - - -",
    "group strategyproofness":                          "- - - - - - -",
}  # fmt: skip

# D loses to each of A, B and C by one ballot, and each of these to another by three.
CYCLE_ABOVE_A_LOSER = [
    *["DABC"] * 2, "DBCA", "DCAB", "ABCD", *["BCAD"] * 2, *["CABD"] * 2,
]  # fmt: skip
# Smallest ones are larger than what every run looks at.
LARGER = {
    ("Bucklin", "condorcet winner"): ["ABC", "ABC", "BAC", "BCA", "CAB"],
    ("Bucklin", "smith"): ["ABC", "ABC", "BAC", "BCA", "CAB"],
    ("Bucklin", "condorcet loser"): ["ABC", "ABC", "CBA", "CBA", "ACB", "CAB"],
    ("Minimax", "condorcet loser"): CYCLE_ABOVE_A_LOSER,
    ("Minimax", "smith"): CYCLE_ABOVE_A_LOSER,
    ("Minimax", "reversal symmetry"): [
        *["ADCB"] * 3, *["CBDA"] * 3, *["DBAC"] * 2, "BADC", "BCAD",
    ],
    ("Minimax", "clone independence"): [*["BACD"] * 2, *["CDBA"] * 2, "DABC"],
    ("Kemeny", "clone independence"): [
        *["ABCD"] * 2, *["CDBA"] * 2, "ABDC", "BDCA", "CDAB",
    ],
    ("Minimax", "participation"): [
        *["CDBA"] * 4, *["ABCD"] * 3, *["ADCB"] * 3, *["BACD"] * 2, *["BDCA"] * 2, "ABDC", "BDAC",
        "CABD", "DBAC", "DBCA", "DCBA",
    ],
    ("Schulze", "participation"): [
        *["DBAC"] * 3, *["ADCB"] * 2, *["CBAD"] * 2, *["CBDA"] * 2, "BADC",
    ],
    ("RankedPairs", "participation"): [
        *["ACDB"] * 6, *["BDAC"] * 6, *["CBDA"] * 3, "ADCB", "CBAD", "DBCA",
    ],
    ("Kemeny", "participation"): [*["BDAC"] * 6, *["CBDA"] * 4, *["ACDB"] * 3, "ADCB", "CBAD"],
    ("Copeland", "participation"): [*["BCDA"] * 3, *["DACB"] * 3, "ABCD", "ACDB"],
}  # fmt: skip


def said(rule):
    at = [plain(one) for one in RULES].index(plain(rule))
    return {axiom: row.split()[at] == "+" for axiom, row in LITERATURE.items()}


def check(rule, table):
    """Compare a table with the literature; return what is said to break and was not found."""
    missing = []
    for axiom, keeps in said(rule).items():
        witness = table[rule.name, axiom]
        if witness is None:
            missing += [] if keeps else [axiom]
            continue
        assert not keeps, f"{axiom}: {witness}"
        assert witness.verify()
        assert broken(axiom, plain(rule), ballots(witness.profile)), witness
    return missing


def test_the_table_has_all_axioms() -> None:
    assert list(LITERATURE) == NAMES


@pytest.mark.parametrize("rule", RULES, ids=plain)
def test_cells_are_those_of_the_literature(rule) -> None:
    for axiom in check(rule, table_of(rule)):
        profile = ra.Profile.from_orders(LARGER[plain(rule), axiom])
        witness = next(one for one in ra.axioms.AXIOMS if one.name == axiom).check(rule, profile)
        assert witness is not None, axiom
        assert witness.verify()
        assert broken(axiom, plain(rule), ballots(profile)), axiom


@pytest.mark.slow
@pytest.mark.parametrize(("n_items", "n_rankings"), [(3, 9), (4, 5)])
@pytest.mark.parametrize("rule", RULES, ids=plain)
def test_cells_are_those_of_the_literature_for_larger_profiles(rule, n_items, n_rankings) -> None:
    check(rule, ra.axiom_table([rule], n_items=n_items, n_rankings=n_rankings))


def test_what_is_cited_is_what_the_literature_says() -> None:
    rules = [plain(rule) for rule in RULES]
    for (rule, axiom), reference in REFERENCES.items():
        assert axiom in NAMES
        assert isinstance(getattr(ra, rule, None), type) or rule in {
            "InstantRunoff", "Plurality", "Veto",
        }  # fmt: skip
        if rule in rules:
            assert reference.holds == (LITERATURE[axiom].split()[rules.index(rule)] == "+")


@pytest.mark.parametrize("rule", [ra.Plurality(), ra.Veto(), ra.InstantRunoff()], ids=plain)
def test_no_profile_breaks_what_is_cited_as_kept(rule) -> None:
    cited = [name for (kind, name), one in REFERENCES.items() if kind == plain(rule) and one.holds]
    table = ra.axiom_table([rule], cited, n_items=3, n_rankings=3)
    assert not [name for name in cited if table[rule.name, name] is not None]


def test_citations_are_of_rules_and_axioms_as_they_are_by_default() -> None:
    loser = ra.axioms.CondorcetLoser()
    assert reference_for(ra.Copeland(), loser) is not None
    assert reference_for(ra.Copeland(alpha=1), loser) is None
    kelly = ra.axioms.Participation(extension="kelly")
    assert reference_for(ra.Borda(), ra.axioms.Participation()) is not None
    assert reference_for(ra.Borda(), kelly) is None
