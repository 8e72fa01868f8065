"""The complete package: lazy, typed, and in agreement with its README and examples."""

import ast
import re
import runpy
import subprocess
import sys
from importlib.metadata import distribution, metadata, requires, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import rankagg as ra

ROOT = Path(__file__).resolve().parents[1]
HEAVY = (
    "matplotlib", "networkx", "pulp", "statsmodels", "pandas", "pyarrow", "scipy", "highspy",
    "click",
)  # fmt: skip


def modules_after(*steps):
    """Run lines of code one after the other; return what is loaded after each."""
    listing = "print(*(name for name in sys.modules if name.count('.') < 2))"
    script = "\n".join(["import sys", *(f"{step}\n{listing}" for step in steps)])
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return [set(line.split()) for line in done.stdout.splitlines()]


def test_modules_are_loaded_only_when_used():
    bare, ranking, rule, solved = modules_after(
        "import rankagg as ra",
        "ra.Permutation.from_order('AB')",
        "ra.Kemeny()",
        'ra.Kemeny().aggregate(ra.datasets.load("three_cycle"))',
    )
    assert "rankagg" in bare
    assert not bare & set(HEAVY)
    assert not ranking & {"matplotlib", "networkx", "pulp", "statsmodels", "highspy", "click"}
    assert "pulp" in solved - rule
    # Small tables are compared and ranked without what loads slowly.
    scores = "ra.ScoreTable([[1, 2, 3, 4], [2, 3, 1, 5], [3, 1, 2, 2]], higher_is_better=True)"
    _, ranks, compared = modules_after(
        f"import rankagg as ra; table = {scores}", "ra.rank_intervals(table)", "ra.compare(table)"
    )
    unused = {"networkx", "matplotlib", "scipy.sparse", "scipy.stats"}
    assert not ranks & {*unused, "pulp"}
    assert not compared & unused


@pytest.mark.slow
def test_all_names_may_be_loaded_at_once():
    # SPEC 1 has this for those who want errors early.
    (loaded,) = modules_after("import os; os.environ['EAGER_IMPORT'] = '1'; import rankagg")
    assert {"pandas", "scipy"} <= loaded


def test_every_public_name_resolves_and_is_documented():
    values = {name: getattr(ra, name) for name in ra.__all__}
    shown = {name for name in values if not (name.isupper() or name.startswith("__"))}
    assert not [name for name in shown if not (values[name].__doc__ or "").strip()]


def test_version_is_that_of_the_metadata():
    assert version("rankagg") == ra.__version__


def test_links_of_the_readme_lead_to_files_here_and_to_the_documentation_on_an_index():
    here = re.findall(r"\]\((.+?)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert all((ROOT / link).is_file() for link in here)
    site = dict(url.split(", ") for url in metadata("rankagg").get_all("Project-URL"))
    found = distribution("rankagg")
    text = found.read_text("METADATA") or found.read_text("PKG-INFO") or ""
    there = re.findall(r"\]\((.+?)\)", text)
    folder = f"{site['Documentation']}/"
    assert all(link.startswith(folder) for link in there)
    ends = [link.removeprefix("docs/").replace(".rst", ".html") for link in here]
    assert [link.removeprefix(folder) for link in there] == ends


def test_typing_marker_and_data_are_installed():
    package = Path(ra.__file__).parent
    assert (package / "py.typed").exists()
    assert (package / "__init__.pyi").exists()


def declared(extra=""):
    """Return the names of what is required, always or with an extra."""
    rows = [row for row in requires("rankagg") if "extra" not in row or f'"{extra}"' in row]
    return {re.split(r"[\s<>=!;\[]", row)[0].lower() for row in rows}


def test_the_versions_of_the_replication_are_all_that_is_required_and_allowed():
    text = (ROOT / "docs" / "replication" / "versions.txt").read_text(encoding="utf-8")
    pinned = dict(line.split("==") for line in text.split())
    for row in map(Requirement, requires("rankagg")):
        if row.marker is None:
            assert row.specifier.contains(pinned[row.name.lower().replace("_", "-")])


# What an extra brings is imported in these files alone, when it is there.
OPTIONAL = {
    "rankagg/kernels/loops.py": "fast",
    "rankagg/io/scan/scan_scores.py": "big",
}


def _run(tree):
    """Yield the statements of a module, but for what is there for type checkers alone."""
    left = [tree]
    while left:
        node = left.pop()
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            continue
        yield node
        left += [part for part in ast.iter_child_nodes(node) if not isinstance(part, ast.expr)]


def _imported(text):
    """Yield the modules that a module imports, by the first part of their names."""
    for node in _run(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield (node.module or "").split(".")[0]


def test_every_third_party_import_is_declared():
    """Contract suites may import what the extra for tests installs, and so on; the rest not."""
    # jinja2 cannot do without the last.
    ours = {*sys.stdlib_module_names, "rankagg", "markupsafe"}
    known = {extra: ours | declared(extra) for extra in ("", "test", "fast", "big")}
    for path in (ROOT / "rankagg").rglob("*.py"):
        place, text = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        allowed = known["test" if path.parent.name == "testing" else OPTIONAL.get(place, "")]
        # Lines that look like imports, some of them in texts: few files have others.
        if not set(re.findall(r"^ *(?:import|from) (\w+)", text, re.MULTILINE)) <= allowed:
            assert set(_imported(text)) <= allowed, place


def fenced(language):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.search(rf"```{language}\n(.*?)```", text, re.DOTALL)[1]


def test_readme_prints_the_output_that_it_shows(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # it writes a file
    exec(compile(fenced("python"), "README.md", "exec"), {})
    assert capsys.readouterr().out.rstrip() == fenced("text").rstrip()


# These draw for some seconds.
LONG = ("04_uncertainty", "06_laboratory")
EXAMPLES = [
    pytest.param(path, id=path.stem, marks=[pytest.mark.slow] * (path.stem in LONG))
    for path in sorted((ROOT / "examples").glob("[0-9]*.py"))
]


@pytest.mark.parametrize("script", EXAMPLES)
def test_example_prints_its_stored_output(script, capsys):
    runpy.run_path(str(script), run_name="__main__")
    assert capsys.readouterr().out == script.with_suffix(".txt").read_text(encoding="utf-8")
