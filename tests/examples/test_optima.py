"""The table of proved optima: made of any folder, and stated as the page has it."""

import csv
import importlib.util
import os
import sys
from pathlib import Path

import pytest

import rankagg as ra

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "explanation"
DATA = Path(os.environ.get("RANKAGG_DATA", ROOT.parent / "shared" / "data")) / "preflib"


def rows_of(path):
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


@pytest.fixture(scope="module")
def optima():
    spec = importlib.util.spec_from_file_location("optima", ROOT / "examples" / "optima.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["optima"] = module  # where dataclasses look for their types
    spec.loader.exec_module(module)
    yield module
    del sys.modules["optima"]


def test_optima_of_a_folder_of_ballots_are_counted(optima, tmp_path, monkeypatch, capsys):
    head = "# NUMBER ALTERNATIVES: 3\n" + "".join(
        f"# ALTERNATIVE NAME {i}: {name}\n" for i, name in enumerate("ABC", start=1)
    )
    (tmp_path / "cycle.soc").write_text(f"{head}3: 1,2,3\n2: 2,3,1\n2: 3,1,2\n", encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["optima.py", str(tmp_path), "-o", str(tmp_path / "o.csv")])
    optima.main()
    (row,) = rows_of(tmp_path / "o.csv")
    assert [row[k] for k in ("file", "items", "voters", "cost", "bound", "optima")] == [
        "cycle.soc", "3", "7", "8", "8", "1",
    ]  # fmt: skip
    assert "mean excess" in capsys.readouterr().out


def test_soft_condorcet_puts_a_condorcet_winner_first(optima):
    ballots = ra.datasets.load("tennessee")
    assert optima.SoftCondorcet().aggregate(ballots).order[0] == "Nashville"


def test_the_page_states_the_means_of_its_table():
    rows = rows_of(PAGE / "optima.csv")
    text = (PAGE / "optima.rst").read_text(encoding="utf-8")
    assert all(row["cost"] == row["bound"] for row in rows)
    for name in ("Borda", "Copeland", "KwikSort", "SoftCondorcet", "InsertionSearch"):
        mean = sum(float(row[f"{name} %"]) for row in rows) / len(rows)
        assert f"{mean:.2f} %" in text, name


@pytest.mark.skipif(not DATA.exists(), reason="the PrefLib files are not here")
def test_rows_of_the_page_are_reproduced(optima):
    rows = {row["file"]: row for row in rows_of(PAGE / "optima.csv")}
    for name in ("00006-00000032.soc", "00032-00000006.toi", "00009-00000001.soc"):
        again = optima.row_of(DATA / name, 60)
        for column in ("items", "voters", "policy", "cost", "undecided pairs"):
            assert (
                f"{again[column]:g}"
                if column == "cost"
                else str(again[column]) == rows[name][column]
            )
