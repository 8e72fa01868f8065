"""Every block of code in the pages runs somewhere; others give a reason, and parse."""

from __future__ import annotations

import re
import shlex
import warnings
from pathlib import Path
from textwrap import dedent

import click

import rankagg as ra
from rankagg.cli.app import app

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(
    path
    for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.rst")]
    # History is not changed, and what is built is not written.
    if path.name != "changelog.rst" and not {"_build", "gallery", "api"} & set(path.parts)
)
BLOCK = re.compile(
    r"^( *)\.\. code-block:: (\w+)\n((?:\1   :.*\n)*)\n((?:\1   .*\n|\n)+)", re.MULTILINE
)
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`(rankagg [a-z][^`]*)`")

# What shows something that is no code: output, files, other programs' settings.
SHOWN = {"none", "text", "json", "yaml", "diff"}
# Pages whose blocks of Python are files, which tests/test_guides.py writes and runs.
GUIDES = {
    path.relative_to(ROOT).as_posix()
    for pattern in ("own_*.rst", "every_study.rst")
    for path in (ROOT / "docs/howto").glob(pattern)
}
# Why a block of Python is not run, by its page and a line of it.
NOT_RUN = {
    ("docs/howto/bridges.rst", "from pref_voting"): "needs pref_voting",
    ("docs/howto/bridges.rst", "import prefsampling"): "needs prefsampling",
    ("docs/howto/bridges.rst", "from sklearn"): "needs scikit-learn",
    ("docs/howto/cluster.rst", "from distributed import Client"): "needs a cluster",
    ("docs/howto/cluster.rst", "result = study.run(journal="): "needs a cluster",
    ("docs/howto/large_data.rst", 'scattered="sort"'): "needs DuckDB, of the extra `big`",
}
# Lines of a terminal that are not this program.
OTHER_PROGRAMS = ("python", "pip", ".venv/bin/p", ". .venv", "pytest", "marimo", "gunzip", "curl")


def blocks():
    """Return page, language and text of every block that is shown and not tested by Sphinx."""
    found = []
    for path in PAGES:
        page, text = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        found += [(page, kind, dedent(code)) for _, kind, _, code in BLOCK.findall(text)]
        found += [(page, *fence) for fence in FENCE.findall(text)]
    return found


def commands():
    """Return page and line of every command of this program in a block for the terminal."""
    found = []
    for page, kind, code in blocks():
        if kind not in ("console", "bash"):
            continue
        for line in code.replace("\\\n", " ").splitlines():
            if kind == "console" and not line.startswith("$ "):
                continue  # what it prints
            for part in line.removeprefix("$ ").split(" && "):
                command = part.strip().removeprefix(".venv/bin/")
                if command and not command.startswith(OTHER_PROGRAMS):
                    found.append((page, command))
    return found


def parse(line):
    """Parse a command as the program does, and run nothing."""
    words = shlex.split(line, comments=True)
    assert words[0] == "rankagg"
    if ">" in words:
        words = words[: words.index(">")]
    command = app.get_command(click.Context(app), words[1])
    assert command is not None
    command.make_context(words[1], words[2:])


def test_every_block_is_of_a_tested_kind():
    kinds = {kind for _, kind, _ in blocks()}
    assert kinds <= {"python", "console", "bash", *SHOWN}
    assert len(blocks()) > 50


def test_blocks_of_python_run_elsewhere_or_give_a_reason():
    used = set()
    for page, kind, code in blocks():
        if kind != "python" or page in GUIDES or page == "README.md":  # tests/test_package.py
            continue
        compile(code, page, "exec")
        reasons = {(where, line) for where, line in NOT_RUN if where == page and line in code}
        assert reasons, f"{page} has a block that nothing runs: make it a testcode\n{code}"
        used |= reasons
    assert used == set(NOT_RUN)


def test_commands_in_blocks_are_commands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    wrong = {}
    for page, line in commands():
        try:
            parse(line)
        except click.ClickException as error:
            wrong[page, line] = error.format_message()
    assert not wrong
    assert len(commands()) >= 80


def test_options_in_sentences_exist():
    seen = 0
    for path in PAGES:
        if path.relative_to(ROOT).as_posix() in GUIDES:
            continue  # their command is the reader's
        for line in INLINE.findall(path.read_text(encoding="utf-8")):
            words = line.split()
            command = app.get_command(click.Context(app), words[1])
            assert command is not None, (path.name, line)
            known = {name for option in command.params for name in option.opts}
            stated = {word.partition("=")[0] for word in words if re.match(r"--[a-z]", word)}
            assert stated <= known | {"--help", "--version"}, (path.name, line)
            seen += 1
    assert seen > 10


# -- equations ------------------------------------------------------------------------------------

PAGE = Path(__file__).resolve().parents[1] / "docs" / "explanation" / "equations.rst"


def test_every_call_of_the_page_runs():
    table = ra.datasets.load("superglue_human")
    ranking = ra.Kemeny().aggregate(table).ranking
    names = {
        "ra": ra, "table": table, "profile": table.rankings(), "ranking": ranking,
        "other": ra.Borda().aggregate(table).ranking, "scores": table.values,
        "partial": ra.PartialRanking.from_order("AB", items="ABC"),
        "distribution": ra.Mallows(ranking, 1.0), "locations": [1.0, 2.0], "n": 100, "alpha": 0.05,
    }  # fmt: skip
    text = PAGE.read_text(encoding="utf-8")
    calls = [call for call in re.findall("``([^`]+)``", text) if "." in call]
    assert len(calls) > 35
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in calls:
            eval(call, names)
