"""Guides for authors, followed to the letter, and that the reference has every public name."""

import os
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import pytest

import rankagg as ra

GUIDES = Path(__file__).parents[1] / "docs" / "howto"
FILE = re.compile(r"\.\. code-block:: python\n   :caption: (\S+)\n\n((?:   .*\n|\n)+)")
# The rule of its guide is an executed example of the page.
RULE = re.compile(r"\.\. testcode::\n\n((?:   .*\n|\n)+)")


def files_of(guide: str) -> dict[str, str]:
    text = (GUIDES / f"{guide}.rst").read_text(encoding="utf-8")
    files = {name: dedent(code) for name, code in FILE.findall(text)}
    if guide == "own_rule":
        files["own_black.py"] = dedent(RULE.findall(text)[0])
    return files


# The fewest tests that the contract of each has.
LEAST = {
    "own_rule": 20, "own_distance": 7, "own_distribution": 25, "own_axiom": 5, "own_result": 20,
    "own_reader": 7, "own_command": 10, "own_study": 4,
}  # fmt: skip


def test_every_guide_for_authors_is_followed() -> None:
    assert {path.stem for path in GUIDES.glob("own_*.rst")} == LEAST.keys()


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    """Follow all guides, each in a folder of its own, and run their tests: one start for all."""
    root = tmp_path_factory.mktemp("guides")
    for guide in LEAST:
        files = files_of(guide)
        assert len(files) == 2
        (root / guide).mkdir()
        for name, code in files.items():
            (root / guide / name).write_text(code, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "-W", "error", "."],
        cwd=root, env={**os.environ, "MPLBACKEND": "Agg"}, text=True, capture_output=True,
        check=False,
    )  # fmt: skip


@pytest.mark.parametrize(("guide", "least"), LEAST.items())
def test_a_guide_followed_literally_passes_its_contract(
    guide: str, least: int, run: subprocess.CompletedProcess[str]
) -> None:
    outcomes = re.findall(rf"^{guide}/test_\w+\.py::.* ([A-Z]+) +\[", run.stdout, re.MULTILINE)
    assert outcomes.count("PASSED") >= least, run.stdout + run.stderr
    assert set(outcomes) == {"PASSED"}, run.stdout


def test_nothing_else_happens_in_the_guides(run: subprocess.CompletedProcess[str]) -> None:
    assert run.returncode == 0, run.stdout + run.stderr
    assert "skipped" not in run.stdout.splitlines()[-1]


# -- the reference --------------------------------------------------------------------------------

STATED = re.compile(r"^\.\. (?:auto\w+|data):: (?:[\w.]+\.)?(\w+)", re.MULTILINE)


def public_names() -> dict[str, str]:
    """Return the last part of every public name by the whole of it."""
    found = {}
    for name in ra.__all__:
        value = getattr(ra, name)
        inside = getattr(value, "__all__", dir(value)) if isinstance(value, ModuleType) else None
        if inside is None:
            found[name] = name
        else:
            found.update({f"{name}.{one}": one for one in inside if not one.startswith("_")})
    return found


def test_every_public_name_stands_in_the_reference() -> None:
    pages = (GUIDES.parent / "reference").glob("*.rst")
    stated = {name for page in pages for name in STATED.findall(page.read_text(encoding="utf-8"))}
    names = public_names()
    assert len(names) > 250
    assert sorted(whole for whole, name in names.items() if name not in stated) == []
