"""Numbers in sentences: all use `counted`, which handles the singular."""

import ast
import re
import shlex
from pathlib import Path

import click
import matplotlib.pyplot as plt
import numpy as np
import pytest

import rankagg
import rankagg as ra
from rankagg.cli.app import app
from rankagg.core.items import counted

ROOT = Path(rankagg.__file__).parent
NOUNS = (
    "alternatives", "blocks", "cases", "cells", "comparisons", "completions", "consensuses",
    "counts", "cycles", "data sets", "groups", "instances", "items", "labels", "majorities",
    "methods", "numbers", "pairs", "policies", "rankings", "resamples", "rows", "rules", "scores",
    "steps", "subsets", "systems", "tasks", "times", "units", "voters", "votes",
)  # fmt: skip
FOLLOWS = re.compile(rf" (?:more |other |exact )?(?:{'|'.join(NOUNS)})\b")
#: What a text has that holds such an f-string, perhaps in two parts.
MAY_COUNT = re.compile(rf"}}[\s\"'f]*{FOLLOWS.pattern}")


def uncounted(source):
    """Return the f-strings in which a value precedes a noun in the plural.

    Constants in capitals are numbers that the author knows.
    """
    found = []
    for node in ast.walk(ast.parse(source)) if MAY_COUNT.search(source) else ():
        if not isinstance(node, ast.JoinedStr):
            continue
        for value, text in zip(node.values, node.values[1:], strict=False):
            if not isinstance(value, ast.FormattedValue) or not isinstance(text, ast.Constant):
                continue
            known = isinstance(value.value, ast.Name) and value.value.id.isupper()
            if FOLLOWS.match(text.value) and not known:
                found.append(f"line {node.lineno}: {ast.unparse(node)}")
    return found


def test_no_sentence_formats_counts_by_itself():
    found = {str(path): uncounted(path.read_text("utf-8")) for path in ROOT.rglob("*.py")}
    assert not [lines for lines in found.items() if lines[1]]


def test_counts_formatted_by_themselves_are_found():
    assert len(uncounted("""f"{n} items, {len(x)} more pairs, {LARGEST} rows, {n} of {m}" """)) == 2
    assert uncounted("""(f"{n}"\n    f" more items")""")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (counted(1, "task"), "1 task"),
        (counted(0, "task"), "0 tasks"),
        (counted(2, "more majority"), "2 more majorities"),
        (counted(2, "consensus"), "2 consensuses"),
        (counted(1.0, "vote", "g"), "1 vote"),
        (counted(1.04, "vote", ".2g"), "1 vote"),
        (counted(1200, "ranking", ","), "1,200 rankings"),
    ],
)
def test_one_has_no_plural(words, expected):
    assert words == expected


def test_a_module_has_one_docstring_without_repetition():
    for path in ROOT.rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        texts = [
            node
            for node in tree.body
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        ]
        parts = (ast.get_docstring(tree) or "").split("\n\n")
        assert len(texts) == 1, path
        assert "\n" not in parts[0], path
        assert len(set(parts)) == len(parts), path


# -- the table of words ---------------------------------------------------------------------------

DOCS = Path(__file__).resolve().parents[1] / "docs"
LINE = re.compile(r"``((?:ra\.|rankagg )[^`]+)``")


def test_calls_in_the_table_of_words_run(tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(ra.rank_shares.__kwdefaults__, "n_resamples", 20)
    monkeypatch.chdir(tmp_path)
    shown = DOCS / "howto" / "files" / "election.soi"
    (tmp_path / "election.soi").write_text(shown.read_text("utf-8"), "utf-8")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "results_a.json").write_text(
        '{"model_name": "a", "results": {"arc": {"acc,none": 0.5}}, "versions": {"arc": 1.0},'
        ' "higher_is_better": {"arc": {"acc": true}}}',
        "utf-8",
    )
    pairs = [(i, j) for i in range(4) for j in range(4) if i != j]
    names = {
        "ra": ra,
        "table": ra.datasets.load("superglue_human"),
        "votes": ra.datasets.load("tennessee"),
        "lists": ra.Profile.from_orders(["ABCD", "BCAD", "CABD"]),
        "battles": ra.Comparisons(
            list("abcd"),
            *np.array(pairs * 40).T,
            np.random.default_rng(0).choice([1, 1, -1], 40 * len(pairs)),
            clusters=np.arange(40 * len(pairs)) % 20,
        ),
        "wins": [[0, 7, 9], [3, 0, 6], [1, 4, 0]],
        "first": ra.datasets.load("tennessee")[0],
        "second": ra.datasets.load("tennessee")[1],
    }
    lines = LINE.findall((DOCS / "words.csv").read_text("utf-8").replace('""', '"'))
    for line in lines:
        if line.startswith("ra."):
            assert eval(line, dict(names)) is not None, line
        else:
            command = app.get_command(click.Context(app), shlex.split(line)[1])
            assert command is not None, line
            command.make_context("rankagg", shlex.split(line)[2:])
    assert len(lines) > 25
    plt.close("all")
