"""The table of axioms against the literature, cell by cell.

"+" keeps, "-" breaks. Every "-" is shown by a profile that an independent brute force confirms;
for every "+" no profile up to the size searched breaks the axiom.
"""

import re
from pathlib import Path

import pytest

import rankagg as ra
from rankagg.axioms.references import PROVED, theorem_on
from rankagg.axioms.table import LARGER, larger_witness
from tests.axioms.brute_force import broken
from tests.axioms.rules import NAMES, RULES, ballots, of, plain

PAGE = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "axioms.txt"

# Of Fishburn (1974), doi:10.2307/1959850 (no points elect all Condorcet winners), Fishburn and
# Gehrlein (1976), Public Choice 28 (only Borda's avoid Condorcet losers), Fishburn (1977),
# doi:10.1137/0133030, Smith (1973), doi:10.2307/1914033 (runoffs are not monotonic, points are
# separable), Tideman (1987), doi:10.1007/BF00433944, Moulin (1988),
# doi:10.1016/0022-0531(88)90253-0 (who elects Condorcet winners one at a time fails participation),
# Fishburn and Brams (1983), doi:10.2307/2689808 (so do runoffs), Young (1975),
# doi:10.1137/0128067 (only positional rules reinforce), Young and Levenglick (1978),
# doi:10.1137/0135023 (only Kemeny's rule among those of Condorcet reinforces rankings), Woodall
# (1997), doi:10.1016/S0166-218X(96)00100-X (later-no-harm), Brandt (2009),
# doi:10.1002/malq.200810017 (Dodgson), Schulze (2011), doi:10.1007/s00355-010-0475-4, Felsenthal
# (2012), doi:10.1007/978-3-642-20441-8_3, and Arrow, Gibbard and Satterthwaite for the last ones.
# What is simple is proved in `rankagg.axioms.references`.
# Zavist and Tideman (1989), doi:10.1007/BF00303170 (ranked pairs, with equal majorities in every
# order, depend on clones in rare cases).
HEAD = "Bo Pl Ve Do Ap Bu IR Co Ba Na Bl Cp Mi Sc RP Yo Dg Ke"
LITERATURE = {
    #                          Bo Pl Ve Do Ap Bu IR Co Ba Na Bl Cp Mi Sc RP Yo Dg Ke
    "condorcet winner":       "-  -  -  -  -  -  -  -  +  +  +  +  +  +  +  +  +  +",
    "condorcet loser":        "+  -  -  -  -  -  +  +  +  +  +  +  -  +  +  -  -  +",
    "smith":                  "-  -  -  -  -  -  -  -  +  +  -  +  -  +  +  -  -  +",
    "majority":               "-  +  -  -  -  +  +  +  +  +  +  +  +  +  +  +  +  +",
    "pareto":                 "+  +  -  +  -  +  +  +  +  +  +  +  +  +  +  +  +  +",
    "monotonicity":           "+  +  +  +  +  +  -  -  -  -  +  +  +  +  +  +  -  +",
    "participation":          "+  +  +  +  +  -  -  -  -  -  -  -  -  -  -  -  -  -",
    "reinforcement":          "+  +  +  +  +  -  -  -  -  -  -  -  -  -  -  -  -  -",
    "reinforcement of rankings":
                              "+  +  +  +  +  -  -  -  -  -  -  -  -  -  -  -  -  +",
    "clone independence":     "-  -  -  -  -  -  +  -  -  -  -  -  -  +  -  -  -  -",
    "reversal symmetry":      "+  -  -  -  -  -  -  -  -  +  +  +  -  +  +  -  -  +",
    "independence of irrelevant alternatives (winners)":
                              "-  -  -  -  -  -  -  -  -  -  -  -  -  -  -  -  -  -",
    "independence of irrelevant alternatives (rankings)":
                              "-  -  -  -  -  -  -  -  -  -  -  -  -  -  -  -  -  -",
    "later-no-harm":          "-  +  -  -  -  -  +  -  -  -  -  -  -  -  -  -  -  -",
    "strategyproofness":      "-  -  -  -  -  -  -  -  -  -  -  -  -  -  -  -  -  -",
    "group strategyproofness":
                              "-  -  -  -  -  -  -  -  -  -  -  -  -  -  -  -  -  -",
}  # fmt: skip


# Ranked pairs break monotonicity where equal majorities are taken together: see test_margins.
SHOWN = [cell for cell in LARGER if cell != ("RankedPairs", "monotonicity")]


def said(rule):
    at = [plain(one) for one in RULES].index(plain(rule))
    return {axiom: row.split()[at] == "+" for axiom, row in LITERATURE.items()}


def voters(text):
    """Return one order per voter of "2 x A > B, 1 x B > A" or "2 AB, 1 BA"."""
    rows = [re.fullmatch(r"(\d+) (?:x )?(.*)", row).groups() for row in text.split(", ")]
    return [tuple(order.replace(" > ", "")) for count, order in rows for _ in range(int(count))]


def read_page():
    """Return the marks of the printed table by rule and axiom, and its witnesses."""
    short = {name.replace("independence of irrelevant alternatives", "IIA"): name for name in NAMES}
    table, _, below = PAGE.read_text(encoding="utf-8").partition("\n1. ")
    marks, heads = {}, []
    for line in table.splitlines():
        label = next((name for name in short if re.match(re.escape(name) + r"  ", line)), None)
        if label is not None:
            cells = line[len(label) :].split()
            marks |= {(r, short[label]): c for r, c in zip(heads, cells, strict=True)}
        elif line.startswith("  "):
            heads = line.split()
    found = {}
    for line in ("1. " + below).splitlines():
        if match := re.fullmatch(r"(\d+)\. (\w+), (.*?): (.*?)\. .*", line):
            number, rule, axiom, cast = match.groups()
            found[number] = (rule, short[axiom], voters(cast))
    return marks, found


def test_the_table_has_all_axioms() -> None:
    assert list(LITERATURE) == NAMES
    assert len(HEAD.split()) == len(RULES)


def test_the_printed_table_is_that_of_the_literature_cell_by_cell() -> None:
    marks, found = read_page()
    assert set(marks) == {(plain(rule), name) for rule in RULES for name in NAMES}
    shown = set()
    for rule in RULES:
        for axiom, keeps in said(rule).items():
            mark = marks[plain(rule), axiom]
            if keeps:
                assert mark == "keeps", (rule, axiom)
                continue
            number = mark.rstrip("*")
            named, of_axiom, cast = found[number]
            assert (named, of_axiom) == (plain(rule), axiom)
            assert broken(axiom, named, cast), (axiom, named, cast)
            large = len(cast) > 4 or len(cast[0]) > 4
            assert mark.endswith("*") == large
            shown.add(number)
    assert shown == set(found)


def test_what_is_proved_is_what_the_literature_says() -> None:
    for rule in RULES:
        for axiom in ra.axioms.AXIOMS:
            keeps = said(rule)[axiom.name]
            reference = theorem_on(rule, axiom)
            if keeps or reference is not None:
                assert reference is not None, (rule, axiom)
                assert reference.holds == keeps, (rule, axiom)
    kinds = {kind if isinstance(kind, type) else type(kind) for kind, _ in PROVED}
    assert {type(rule) for rule in RULES} | {ra.Positional} == kinds
    assert {axiom for _, axiom in PROVED} <= set(NAMES)


def test_larger_profiles_break_what_they_are_said_to_break() -> None:
    cheap = [cell for cell in SHOWN if cell[0] not in ("Young", "Dodgson", "Kemeny")]
    for rule, name in cheap:
        axiom = next(one for one in ra.axioms.AXIOMS if one.name == name)
        witness = larger_witness(of(rule), axiom)
        assert witness is not None
        assert broken(name, rule, ballots(witness.profile))
    assert larger_witness(ra.Borda(), ra.axioms.Majority()) is None
    # Asked of a rule under which it shows nothing, a profile is no witness.
    witness = larger_witness(ra.RankedPairs(), ra.axioms.Monotonicity())
    assert witness is not None
    assert witness.verify()
    assert larger_witness(of("RankedPairs"), ra.axioms.Monotonicity()) is None
    assert larger_witness(ra.InstantRunoff(), ra.axioms.Participation()) is None


@pytest.mark.slow
@pytest.mark.parametrize("cell", SHOWN, ids=" ".join)
def test_all_larger_profiles_do(cell) -> None:
    rule, name = cell
    axiom = next(one for one in ra.axioms.AXIOMS if one.name == name)
    witness = larger_witness(of(rule), axiom)
    assert witness is not None
    assert witness.verify()
    assert broken(name, rule, voters(LARGER[cell]))


@pytest.mark.slow
@pytest.mark.parametrize(("n_items", "n_rankings"), [(3, 9), (4, 5)])
@pytest.mark.parametrize("rule", RULES, ids=plain)
def test_no_profile_breaks_what_is_kept(rule, n_items, n_rankings) -> None:
    if n_items == 4 and plain(rule) in ("Young", "Dodgson", "Kemeny"):
        pytest.skip("four items and five ballots take minutes with an integer program each")
    table = ra.axioms.axiom_table([rule], n_items=n_items, n_rankings=n_rankings)
    for axiom, keeps in said(rule).items():
        witness = table[rule.name, axiom]
        assert (witness is None) == keeps, (axiom, witness)
        if witness is not None:
            assert witness.verify()
            assert broken(axiom, plain(rule), ballots(witness.profile)), witness


def test_proofs_are_of_rules_and_axioms_as_they_are_by_default() -> None:
    loser = ra.axioms.CondorcetLoser()
    assert theorem_on(ra.Copeland(), loser) is not None
    assert theorem_on(ra.Copeland(alpha=1), loser) is None
    kelly = ra.axioms.Participation(extension="kelly")
    assert theorem_on(ra.Borda(), ra.axioms.Participation()) is not None
    assert theorem_on(ra.Borda(), kelly) is None
    # What changes no outcome of complete ballots changes no proof.
    assert theorem_on(ra.Kemeny(time_limit=9), loser) is not None
    assert theorem_on(ra.Borda(unranked="last"), loser) is not None
    # Ranked pairs are proved both ways, and each has proofs that the other has not.
    clones, rises = ra.axioms.CloneIndependence(), ra.axioms.Monotonicity()
    assert theorem_on(ra.RankedPairs(), loser) == theorem_on(of("RankedPairs"), loser)
    assert theorem_on(ra.RankedPairs(), clones).holds
    assert not theorem_on(of("RankedPairs"), clones).holds
    assert theorem_on(ra.RankedPairs(), rises) is None
    assert theorem_on(of("RankedPairs"), rises).holds
    # Ties broken together can make a Condorcet loser win; points may be any.
    assert theorem_on(ra.InstantRunoff(), loser) is None
    assert theorem_on(ra.Positional([3, 1, 0]), ra.axioms.Reinforcement()) is not None
    assert theorem_on(ra.Positional([3, 1, 0]), loser) is None


def test_a_rule_of_the_same_name_has_no_proofs() -> None:
    mine = type("Borda", (ra.Borda,), {})()
    assert mine.name == "Borda"
    assert theorem_on(mine, ra.axioms.CondorcetLoser()) is None
