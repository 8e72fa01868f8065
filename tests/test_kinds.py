"""The table of kinds of data: commands, pages and lists follow from it and from readers."""

from inspect import signature
from pathlib import Path

import rankagg as ra
from rankagg.cli.data import NAMES, _options_of
from rankagg.kinds import KINDS, DataKind
from rankagg.report.page import KINDS as PAGES

# Parameters of readers that are typed otherwise, or not at all.
WITHOUT_OPTION = {
    *("higher_is_better", "task_weights", "task_families", "group", "items", "max_bytes"),
    *("alias", "spellings"),
}
# What some kinds take, by hand.
TAKEN = {
    "ballots": "count weight drop unranked decimal missing",
    "abif": "drop unranked",
    "blt": "drop unranked",
    "votes": "",
    "summary": "weight unranked",
    "lists": "ranking item rank drop unranked",
    "comparisons": "first second outcome outcome_is drop_outcome weight cluster side covariates",
}


def test_options_are_the_parameters_of_readers_and_of_their_data():
    for name, options in TAKEN.items():
        assert _options_of(KINDS[name]) == set(options.split()), name
    assert set().union(*map(_options_of, KINDS.values())) == set(NAMES)
    for kind in KINDS.values():
        _, *parameters = signature(kind.read).parameters
        assert set(parameters) - _options_of(kind) <= WITHOUT_OPTION


TABLES = {"scores", "ballots", "cast-votes", "comparisons", "lists"}


def test_every_kind_is_recognized_by_signs_or_by_columns_and_has_a_page():
    for name, kind in KINDS.items():
        assert name == kind.name
        assert kind.is_table == (name in TABLES)
        assert kind.page in {"", *PAGES}
    elections = [name for name, kind in KINDS.items() if kind.holds_ballots]
    assert elections == ["ballots", "cast-votes", "preflib", "blt", "abif"]


def test_options_without_meaning_name_the_kinds_that_they_are_for(refused):
    message = refused("rank --dataset tennessee --percent")
    assert "--percent has no meaning for ballots; it is for --format scores." in message


def test_one_entry_makes_commands_read_a_kind(monkeypatch, tmp_path, output):
    def read_lines(source, *, unranked="uniform") -> ra.Profile:
        _, *orders = Path(source).read_text(encoding="utf-8").splitlines()
        return ra.Profile.from_orders(orders).with_unranked(unranked)

    kind = DataKind("orders", "orders of letters", read_lines, lambda text: text[:6] == "orders")
    monkeypatch.setitem(KINDS, "orders", kind)
    path = tmp_path / "o.txt"
    path.write_text("orders\nABC\nACB\n", encoding="utf-8")
    assert ra.recognize(path).read() == ra.Profile.from_orders(["ABC", "ACB"])
    assert str(ra.recognize(path)) == "o.txt holds orders of letters: read_lines('o.txt')"
    assert "   1    A" in output(f"rank {path} --format orders --rule borda --unranked last")
    assert "orders of letters" in output("list formats")
    assert "--percent has no meaning for orders of" in output(f"rank {path} --percent", code=2)


def test_weights_of_ballots_are_a_column(output):
    Path("b.csv").write_text("A,B,w\n1,2,0.5\n2,1,1.5\n", encoding="utf-8")
    line = "rank b.csv --format ballots --weight w"
    assert "   1    B" in output(f"{line} --rule borda")
    assert "takes one --weight" in output(f"{line} --weight A", code=2)
