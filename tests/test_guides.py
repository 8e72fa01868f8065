"""Guides for authors, followed literally; the reference has every public name."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import pytest

import rankagg as ra

GUIDES = Path(__file__).parents[1] / "docs" / "howto"
FILE = re.compile(r"\.\. code-block:: python\n   :caption: (\S+)\n\n((?:   .*\n|\n)+)")
INCLUDED = re.compile(r"\.\. literalinclude:: (files/\S+\.py)\n")
# The rule of its guide is an executed example of the page.
RULE = re.compile(r"\.\. testcode::\n\n((?:   .*\n|\n)+)")


def files_of(guide):
    text = (GUIDES / f"{guide}.rst").read_text(encoding="utf-8")
    files = {name: dedent(code) for name, code in FILE.findall(text)}
    for name in INCLUDED.findall(text):
        files[Path(name).name] = (GUIDES / name).read_text(encoding="utf-8")
    if guide == "own_rule":
        files["own_black.py"] = dedent(RULE.findall(text)[0])
    return files


# The fewest tests that the contract of each has.
LEAST = {
    "own_rule": 15, "own_distance": 7, "own_distribution": 20, "own_axiom": 5, "own_result": 20,
    "own_reader": 10, "own_command": 10, "own_study": 4, "own_corruption": 5, "own_removal": 5,
    "every_study": 1,
}  # fmt: skip


def test_every_guide_for_authors_is_tested():
    assert {path.stem for path in GUIDES.glob("own_*.rst")} == LEAST.keys() - {"every_study"}


# Slow tests run the programs that take a table through every study, as often as stated.
@pytest.mark.parametrize(
    ("left_out", "n_programs", "often"),
    [("every_study", 0, 2), pytest.param("no_guide", 3, None, marks=pytest.mark.slow)],
)
def test_guides_followed_literally_pass_their_contracts(left_out, n_programs, often, tmp_path):
    """Follow each guide in a folder of its own, and run the tests of all: one start for all."""
    for guide in LEAST:
        files = files_of(guide)
        assert len(files) == 2 or guide == "every_study"
        assert all(len(code.splitlines()) <= 30 for code in files.values()) or guide[:4] == "own_"
        (tmp_path / guide).mkdir()
        for name, code in files.items():
            text = re.sub(r"\b(often|n_repetitions)=\d+", rf"\1={often}", code) if often else code
            (tmp_path / guide / name).write_text(text, encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "-W", "error",
         "--assert=plain", "-k", f"not {left_out}", "."],
        cwd=tmp_path, env={**os.environ, "MPLBACKEND": "Agg"},
        text=True, capture_output=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    for guide, least in (LEAST | {"every_study": n_programs}).items():
        outcomes = re.findall(rf"^{guide}/test_\w+\.py::.* ([A-Z]+) +\[", run.stdout, re.MULTILINE)
        assert len(outcomes) >= least, guide
        assert set(outcomes) == ({"PASSED"} if least else set()), guide


# -- in the package itself ------------------------------------------------------------------------

PATCH = re.compile(r"\.\. code-block:: diff\n   :caption: (\S+)\n\n((?:   .*\n)+)")
CHECK = """
import rankagg as ra
from rankagg.analysis.rules import named_rules
data = ra.datasets.load("borda_fails_condorcet")
rule = named_rules()["median-rank"]
assert rule == ra.MedianRank()
assert "MedianRank" in ra.analysis.capabilities().rule.tolist()
found = ra.compare(data, [rule, ra.Borda()])
assert found.agreement(ra.distances.spearman_distance).to_numpy().max() > 0
"""


def copied(root, folder):
    shutil.copytree(root / folder, Path(folder), ignore=shutil.ignore_patterns("__pycache__"))


def test_guides_add_a_rule_and_a_distance_to_the_package(tmp_path, monkeypatch):
    root = GUIDES.parents[1]
    monkeypatch.chdir(tmp_path)
    for folder in ("rankagg", "tests/aggregation", "tests/distances", "docs/reference"):
        copied(root, folder)
    texts = {guide: (GUIDES / f"{guide}.rst").read_text() for guide in ("own_rule", "own_distance")}
    rule = dedent(RULE.findall(texts["own_rule"])[1]).partition("\n\n\n")[2]
    distance = files_of("own_distance")["spearman_distance.py"].partition("\n\n\n")[2]
    for path, code in (("positional", rule), ("../distances/unweighted", distance)):
        file = Path(f"rankagg/aggregation/{path}.py")
        file.write_text(f"{file.read_text()}\n\n{code}")
    patches = [patch for text in texts.values() for patch in PATCH.findall(text)]
    assert len(patches) == 7
    for name, patch in patches:
        lines = dedent(patch).splitlines()
        old, new = (
            "".join(f"{line[1:]}\n" for line in lines if line[0] in signs) for signs in (" ", " +")
        )
        text = Path(name).read_text()
        assert text.count(old) == 1, name
        Path(name).write_text(text.replace(old, new))
    run = subprocess.run([sys.executable, "-c", CHECK], text=True, capture_output=True, check=False)
    assert run.returncode == 0, run.stderr
    command = [sys.executable, "-m", "rankagg", "rank", "--dataset", "tennessee", "--rule"]
    run = subprocess.run([*command, "median-rank"], text=True, capture_output=True, check=False)
    assert "MedianRank consensus of 4 items" in run.stdout, run.stderr


# -- the reference --------------------------------------------------------------------------------

REFERENCE = GUIDES.parent / "reference" / "index.rst"
LISTED = re.compile(r"^(?:   |\.\. data:: )(?:rankagg\.)?([A-Za-z][\w.]*)$", re.MULTILINE)


def public_names():
    """Return the public names of every module, by the shortest path."""
    top = {name for name in ra.__all__ if not isinstance(getattr(ra, name), ModuleType)}
    found = {*top}
    for module in {*ra.__all__} - top:
        value = getattr(ra, module)
        names = getattr(value, "__all__", dir(value))
        found |= {f"{module}.{name}" for name in names if name[0] != "_" and name not in top}
    return found


def test_the_top_level_has_at_most_100_names():
    assert len(ra.__all__) <= 100


def test_the_reference_lists_every_public_name_once():
    listed = LISTED.findall(REFERENCE.read_text(encoding="utf-8"))
    assert len(listed) == len({*listed})
    assert len(public_names()) > 240
    assert sorted(public_names() - {*listed}) == []
