"""Tables of axioms: each cell against the literature, and the command.

"+" keeps, "-" breaks. Every "-" is shown by a profile that an independent brute force confirms;
for every "+" no profile up to the size searched breaks the axiom.
"""

import json
import re
from pathlib import Path

import pytest

import rankagg as ra
from rankagg.analysis.rules import RULES as ALL_RULES
from rankagg.axioms.table import _find_theorem, _larger_witness
from rankagg.cli import main
from rankagg.exceptions import InvalidInputError
from tests.axioms.brute_force import (
    NAMES,
    RULES,
    ballots,
    broken,
    of,
    plain,
)

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
# What is simple is proved by the rules themselves.
# Ranked pairs take equal majorities together, so that clones never matter and rising may.
HEAD = "Bo Pl Ve Do Ap Bu IR Co Ba Na Bl Cp Mi Sc RP Yo Dg Ke"
LITERATURE = {
    #                          Bo Pl Ve Do Ap Bu IR Co Ba Na Bl Cp Mi Sc RP Yo Dg Ke
    "condorcet winner":       "-  -  -  -  -  -  -  -  +  +  +  +  +  +  +  +  +  +",
    "condorcet loser":        "+  -  -  -  -  -  +  +  +  +  +  +  -  +  +  -  -  +",
    "smith":                  "-  -  -  -  -  -  -  -  +  +  -  +  -  +  +  -  -  +",
    "majority":               "-  +  -  -  -  +  +  +  +  +  +  +  +  +  +  +  +  +",
    "pareto":                 "+  +  -  +  -  +  +  +  +  +  +  +  +  +  +  +  +  +",
    "monotonicity":           "+  +  +  +  +  +  -  -  -  -  +  +  +  +  -  +  -  +",
    "participation":          "+  +  +  +  +  -  -  -  -  -  -  -  -  -  -  -  -  -",
    "reinforcement":          "+  +  +  +  +  -  -  -  -  -  -  -  -  -  -  -  -  -",
    "reinforcement of rankings":
                              "+  +  +  +  +  -  -  -  -  -  -  -  -  -  -  -  -  +",
    "clone independence":     "-  -  -  -  -  -  +  -  -  -  -  -  -  +  +  -  -  -",
    "reversal symmetry":      "+  -  -  -  -  -  -  -  -  +  +  +  -  +  +  -  -  +",
    "independence of irrelevant alternatives (winners)":
                              "-  -  -  -  -  -  -  -  -  -  -  -  -  -  -  -  -  -",
    "independence of irrelevant alternatives (rankings)":
                              "-  -  -  -  -  -  -  -  -  -  -  -  -  -  -  -  -  -",
    "later-no-harm":          "-  +  -  -  -  -  +  -  -  -  -  -  -  -  -  -  -  -",
    "strategyproofness":      "-  -  -  -  -  -  -  -  -  -  -  -  -  -  -  -  -  -",
}  # fmt: skip


PROGRAMS = ("Young", "Dodgson", "Kemeny")
CELLS = [(plain(rule), axiom) for rule in RULES for axiom in rule.counterexamples]


def axioms_kept(rule):
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
        for axiom, keeps in axioms_kept(rule).items():
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


def test_stated_theorems_agree_with_the_literature() -> None:
    for rule in RULES:
        for axiom in ra.axioms.AXIOMS:
            keeps = axioms_kept(rule)[axiom.name]
            reference = _find_theorem(rule, axiom)
            if keeps or reference is not None:
                assert reference is not None, (rule, axiom)
                assert reference.holds == keeps, (rule, axiom)
    stated = {kind for kind in ALL_RULES if "keeps" in vars(kind)}
    assert {type(rule) for rule in RULES} | {ra.Positional} == stated


@pytest.mark.parametrize(
    "cell",
    [
        pytest.param(cell, marks=pytest.mark.slow if cell[0] in PROGRAMS else (), id=" ".join(cell))
        for cell in CELLS
    ],
)
def test_stored_larger_profiles_break_their_axioms(cell) -> None:
    rule, name = cell
    axiom = next(one for one in ra.axioms.AXIOMS if one.name == name)
    witness = _larger_witness(of(rule), axiom)
    assert witness is not None
    assert witness.verify()
    assert broken(name, rule, ballots(witness.profile))
    assert sorted(voters(of(rule).counterexamples[name])) == sorted(ballots(witness.profile))


def test_a_stored_profile_is_a_witness_only_if_it_breaks_the_axiom() -> None:
    assert _larger_witness(ra.Borda(), ra.axioms.Majority()) is None
    assert _larger_witness(ra.InstantRunoff(), ra.axioms.Participation()) is None


@pytest.mark.slow
@pytest.mark.parametrize(("n_items", "n_rankings"), [(3, 9), (4, 5)])
@pytest.mark.parametrize("rule", RULES, ids=plain)
def test_no_profile_breaks_an_axiom_that_is_kept(rule, n_items, n_rankings) -> None:
    if n_items == 4 and plain(rule) in PROGRAMS:
        pytest.skip("four items and five ballots take minutes with an integer program each")
    table = ra.axioms.axiom_table([rule], n_items=n_items, n_rankings=n_rankings)
    for axiom, keeps in axioms_kept(rule).items():
        witness = table[rule.name, axiom]
        assert (witness is None) == keeps, (axiom, witness)
        if witness is not None:
            assert witness.verify()
            assert broken(axiom, plain(rule), ballots(witness.profile)), witness


def test_theorems_apply_to_default_parameters_only() -> None:
    loser = ra.axioms.CondorcetLoser()
    assert _find_theorem(ra.Copeland(), loser) is not None
    assert _find_theorem(ra.Copeland(draw_points=1), loser) is None
    mine = type("Borda", (ra.Borda,), {})()
    assert mine.name == "Borda"
    assert _find_theorem(mine, loser) is None  # the same name is not the same rule
    assert _find_theorem(ra.Borda(), ra.axioms.Participation()) is not None
    # What changes no outcome of complete ballots changes no proof.
    assert _find_theorem(ra.Kemeny(time_limit=9), loser) is not None
    # Ties broken together can make a Condorcet loser win; points may be any.
    assert _find_theorem(ra.InstantRunoff(), loser) is None
    assert _find_theorem(ra.Positional([3, 1, 0]), ra.axioms.Reinforcement()) is not None
    assert _find_theorem(ra.Positional([3, 1, 0]), loser) is None


def run(capsys, *args, code=0) -> str:
    with pytest.raises(SystemExit) as ended:
        main(["axioms", *args])
    captured = capsys.readouterr()
    assert ended.value.code == code, captured.err
    return captured.out if code == 0 else captured.err


def test_every_cell_has_a_witness_or_the_searched_range() -> None:
    table = ra.axioms.axiom_table(RULES[:2], ["majority", "reinforcement"], n_rankings=3)
    frame = table.to_frame()
    assert len(frame) == 4
    for row in frame.itertuples():
        witness = table[row.rule, row.axiom]
        assert row.broken == (witness is not None)
        if witness is None:
            assert row.shown == "none among all profiles of up to 3 items and 3 rankings"
        else:
            assert row.shown == witness.sentence
    text = table.summary()
    assert all(
        f"{at}. " in text for at in range(1, int(frame["broken"].sum()) + 1)
    )  # fmt: skip
    with pytest.raises(KeyError):
        _ = table["Kemeny", "majority"]


def test_a_stored_larger_profile_is_shown_if_the_search_finds_none() -> None:
    axiom = "condorcet loser"
    table = ra.axioms.axiom_table([ra.Minimax(), ra.Copeland()], [axiom], n_items=2, n_rankings=1)
    larger = table["Minimax", axiom]
    assert table.witnesses == ((larger, None),)
    assert larger.profile.n_items == 4
    assert larger.verify()
    assert table["Copeland", axiom] is None
    shown = table.to_frame().set_index("rule")["shown"]
    assert shown["Minimax"] == f"{larger.sentence} (none among {table.searched})"
    assert shown["Copeland"] == f"none among {table.searched}"
    assert "condorcet loser      1*    keeps" in table.summary()


def test_a_proof_that_a_witness_contradicts_is_not_hidden(monkeypatch) -> None:
    monkeypatch.setattr(ra.Borda, "keeps", {"majority": "wishful thinking"})
    table = ra.axioms.axiom_table([ra.Borda()], ["majority"], n_rankings=3)
    assert "majority  1 (keeps)" in table.summary()


@pytest.mark.parametrize(
    ("rules", "axioms", "message"),
    [
        ([], ["majority"], "at least one rule"),
        (3, ["majority"], "`rules` must be"),
        (["Borda"], ["majority"], "`rules` must be a rule object"),
        ([ra.Borda(), ra.Borda()], ["majority"], "rules of different names"),
        ([ra.Borda()], [], "at least one, each once"),
        ([ra.Borda()], ["smith", "smith"], "at least one, each once"),
        ([ra.Borda()], 3, "`axioms` must be axioms or their names"),
        ([ra.Borda()], ["smit"], "Did you mean 'smith'"),
    ],
)
def test_bad_rules_and_axioms_are_refused(rules, axioms, message) -> None:
    with pytest.raises(InvalidInputError, match=message):
        ra.axioms.axiom_table(rules, axioms)


def test_the_command_prints_the_table_and_one_witness(capsys) -> None:
    both = ["--rule", "borda", "--rule", "copeland", "--rankings", "3"]
    text = run(capsys, *both, "--axiom", "majority")
    rules = [ra.Borda(), ra.Copeland()]
    assert text == ra.axioms.axiom_table(rules, ["majority"], n_rankings=3).summary() + "\n"
    plain_data = json.loads(run(capsys, *both, "--axiom", "majority", "--json"))
    assert plain_data["schema"] == "rankagg.axiom_table"
    assert plain_data["cells"][0]["ballots"] == "2 x A > B > C, 1 x B > C > A"
    one = ["--rule", "borda", "--axiom", "majority"]
    assert "1. Borda, majority: 2 x A > B > C, 1 x B > C > A." in run(capsys, *one)
    (cell,) = json.loads(run(capsys, *one, "--rankings", "2", "--json"))["cells"]
    assert cell["shown"] == "none among all profiles of up to 3 items and 2 rankings"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--items 7", "`--items` must be a whole number from 1 to 6"),
        ("--items 5 --rankings 9", "`--rankings` must be so small"),
        ("--axiom majorty", "Did you mean 'majority'"),
        ("--rule mean --axiom majority", "needs scores"),
    ],
)
def test_the_command_refuses_bad_input(capsys, words, message) -> None:
    output = " ".join(run(capsys, *words.split(), code=2).split())
    assert message in output


@pytest.mark.slow
def test_the_table_of_the_page_equals_the_printed_one() -> None:
    table = ra.axioms.axiom_table(RULES, n_items=4, n_rankings=4)
    assert PAGE.read_text(encoding="utf-8") == table.summary(rows=None) + "\n"
