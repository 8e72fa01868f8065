"""Every line of the table of words runs, or is a command of the program."""

import re
import shlex
from pathlib import Path

import click
import matplotlib.pyplot as plt
import numpy as np

import rankagg as ra
from rankagg.cli.app import app

DOCS = Path(__file__).resolve().parents[1] / "docs"
LINE = re.compile(r"``((?:ra\.|rankagg )[^`]+)``")


def test_lines_of_the_table_of_words_run(tmp_path, monkeypatch) -> None:
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
            list("abcd"), *np.array(pairs * 4).T, np.resize([1, 1, -1, 1, -1], 4 * len(pairs))
        ),
        "wins": [[0, 7, 9], [3, 0, 6], [1, 4, 0]],
        "first": ra.datasets.load("tennessee")[0],
        "second": ra.datasets.load("tennessee")[1],
    }
    lines = LINE.findall((DOCS / "words.rst").read_text("utf-8").replace('""', '"'))
    for line in lines:
        if line.startswith("ra."):
            assert eval(line, dict(names)) is not None, line
        else:
            command = app.get_command(click.Context(app), shlex.split(line)[1])
            assert command is not None, line
            command.make_context("rankagg", shlex.split(line)[2:])
    assert len(lines) > 25
    plt.close("all")
