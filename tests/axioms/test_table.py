"""Tables of axioms, smallest disagreements, and the command that prints both."""

import json

import pytest

import rankagg as ra
from rankagg.axioms.references import PROVED, Theorem
from rankagg.cli import main
from rankagg.exceptions import InvalidInputError
from tests.axioms.brute_force import winners
from tests.axioms.rules import RULES, all_profiles, ballots, plain, some_slow
from tests.axioms.test_references import PAGE


def run(capsys, *args, code=0) -> str:
    with pytest.raises(SystemExit) as ended:
        main(["axioms", *args])
    captured = capsys.readouterr()
    assert ended.value.code == code, captured.err
    return captured.out if code == 0 else captured.err


def test_every_cell_is_a_witness_or_what_was_searched() -> None:
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


def test_a_larger_profile_stands_where_none_of_those_looked_at_breaks() -> None:
    axiom = "condorcet loser"
    table = ra.axioms.axiom_table([ra.Minimax(), ra.Copeland()], [axiom], n_items=2, n_rankings=1)
    assert table.witnesses == ((None, None),)
    larger = table["Minimax", axiom]
    assert larger is table.larger[0][0]
    assert larger.profile.n_items == 4
    assert larger.verify()
    assert table["Copeland", axiom] is None
    shown = table.to_frame().set_index("rule")["shown"]
    assert shown["Minimax"] == f"{larger.sentence} (none among {table.searched})"
    assert shown["Copeland"] == f"none among {table.searched}"
    assert "condorcet loser      1*    keeps" in table.summary()
    cells = table.to_dict()["cells"]
    assert [cell["witness"] for cell in cells] == [None, None]
    assert cells[0]["larger"]["winners"] == [["D"]]


def test_a_proof_that_a_witness_contradicts_is_not_hidden(monkeypatch) -> None:
    monkeypatch.setitem(PROVED, (ra.Borda, "majority"), Theorem(True, "wishful thinking"))
    table = ra.axioms.axiom_table([ra.Borda()], ["majority"], n_rankings=3)
    assert "majority  1 (keeps)" in table.summary()


def test_a_wide_table_is_printed_in_blocks() -> None:
    rules = [ra.Positional([100 + k, 2, 1]) for k in range(6)]
    text = ra.axioms.axiom_table(rules, ["pareto"], n_items=1, n_rankings=1).summary()
    rows = [line for line in text.splitlines() if line.startswith("pareto ")]
    assert len(rows) > 1
    assert sum(len(row.split()) - 1 for row in rows) == len(rules)


@pytest.mark.parametrize(
    ("aggregators", "axioms", "message"),
    [
        ([], ["majority"], "at least one aggregator"),
        (3, ["majority"], "`aggregators` must be"),
        (["Borda"], ["majority"], "`aggregators` must be an aggregator object"),
        ([ra.Borda(), ra.Borda()], ["majority"], "rules of different names"),
        ([ra.Borda()], [], "at least one, each once"),
        ([ra.Borda()], ["smith", "smith"], "at least one, each once"),
        ([ra.Borda()], 3, "`axioms` must be axioms or their names"),
        ([ra.Borda()], ["smit"], "Did you mean 'smith'"),
    ],
)
def test_what_makes_no_table_is_refused(aggregators, axioms, message) -> None:
    with pytest.raises(InvalidInputError, match=message):
        ra.axioms.axiom_table(aggregators, axioms)


@pytest.mark.parametrize("other", some_slow("Copeland", "Kemeny")[1:])
def test_no_smaller_profile_parts_two_rules(other) -> None:
    found = ra.axioms.smallest_disagreement(ra.Borda(), other, n_items=3, n_rankings=3)
    sizes = [
        (n, m)
        for n in (2, 3)
        for m in (1, 2, 3)
        if any(winners("Borda", b) != winners(plain(other), b) for b in all_profiles(n, m))
    ]
    assert found is not None
    cast = ballots(found.profile)
    assert (found.profile.n_items, len(cast)) == sizes[0]
    assert [frozenset(labels) for labels in found.winners] == [
        winners("Borda", cast), winners(plain(other), cast)
    ]  # fmt: skip


def test_rankings_part_where_winners_do_not() -> None:
    rules = ra.Minimax(), ra.Schulze()
    assert ra.axioms.smallest_disagreement(*rules, n_items=3, n_rankings=2) is None
    found = ra.axioms.smallest_disagreement(*rules, n_items=3, n_rankings=2, on="rankings")
    assert found is not None
    assert found.winners[0] == found.winners[1]
    assert found.rankings[0] != found.rankings[1]
    with pytest.raises(InvalidInputError, match="'winners' or 'rankings'"):
        ra.axioms.smallest_disagreement(ra.Borda(), ra.Copeland(), on="order")


def test_the_command_prints_the_table_and_one_witness(capsys) -> None:
    both = ["--method", "borda", "--method", "copeland", "--rankings", "3"]
    text = run(capsys, *both, "--axiom", "majority")
    rules = [ra.Borda(unranked="uniform"), ra.Copeland(unranked="uniform")]
    assert text == ra.axioms.axiom_table(rules, ["majority"], n_rankings=3).summary() + "\n"
    plain_data = json.loads(run(capsys, *both, "--axiom", "majority", "--json"))
    assert plain_data["schema"] == "rankagg.axiom_table"
    assert plain_data["cells"][0]["witness"]["winners"] == [["A", "B"]]
    one = ["--method", "borda", "--axiom", "majority"]
    assert "Borda breaks" in run(capsys, *one)
    assert "none among all profiles of up to 3 items and 2 rankings" in run(
        capsys, *one, "--rankings", "2"
    )
    drawn = run(capsys, *one, "--rankings", "2", "--samples", "5", "--json")
    assert json.loads(drawn)["n_samples"] == 5
    assert json.loads(drawn)["witness"] is None


def test_the_command_takes_eliminations_in_parallel_and_says_what_is_ahead(capsys) -> None:
    words = ["axioms", "--method", "instant-runoff", "--axiom", "majority"]
    for more in (["--rankings", "3"], ["--items", "4", "--rankings", "7", "--time-limit", "0"]):
        with pytest.raises(SystemExit) as ended:
            main([*words, *more])
        captured = capsys.readouterr()
        if "--time-limit" not in more:
            assert ended.value.code == 0
            assert not captured.err
            assert "InstantRunoff(tie_breaking='parallel'): none among all" in captured.out
        else:
            assert ended.value.code == 3
            assert not captured.out
            first, second = captured.err.splitlines()
            assert first == "looking at up to 110,068 profiles under the method"
            assert second.startswith("Not searched in time: 0 of 110,068 profiles")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--samples 5", "--samples needs one --method and one --axiom"),
        ("--items 7", "`--items` must be at most 6"),
        ("--items 5 --rankings 9", "`--rankings` must be so small"),
        ("--axiom majorty", "Did you mean 'majority'"),
        ("--method mean --axiom majority", "needs scores"),
    ],
)
def test_the_command_says_what_is_wrong(capsys, words, message) -> None:
    told = " ".join(run(capsys, *words.split(), code=2).split())
    assert message in told


@pytest.mark.slow
def test_the_table_of_the_page_is_what_is_printed() -> None:
    table = ra.axioms.axiom_table(RULES, n_items=4, n_rankings=4)
    assert PAGE.read_text(encoding="utf-8") == table.summary(rows=None) + "\n"
