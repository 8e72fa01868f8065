"""The guides for authors, followed to the letter: their files are written, their tests are run."""

import os
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

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


@pytest.mark.parametrize(
    ("guide", "least"),
    [
        ("own_rule", 20),
        ("own_distance", 7),
        ("own_distribution", 25),
        ("own_plot", 6),
        ("own_command", 10),
    ],
)
def test_a_guide_followed_literally_passes_its_contract(
    guide: str, least: int, tmp_path: Path
) -> None:
    files = files_of(guide)
    assert len(files) == 2
    for name, code in files.items():
        (tmp_path / name).write_text(code, encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error", "."],
        cwd=tmp_path, env={**os.environ, "MPLBACKEND": "Agg"}, text=True, capture_output=True,
        check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    passed = re.search(r"(\d+) passed", run.stdout)
    assert passed is not None
    assert int(passed[1]) >= least
    assert "failed" not in run.stdout
    assert "skipped" not in run.stdout
