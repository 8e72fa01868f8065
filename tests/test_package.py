"""The package as a whole: lazy, typed, and true to its README and examples."""

import ast
import contextlib
import io
import pkgutil
import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import metadata, requires, version
from pathlib import Path
from types import ModuleType

import pytest

import rankagg as ra
from rankagg import _lazy

ROOT = Path(__file__).resolve().parents[1]
HEAVY = (
    "matplotlib", "networkx", "pulp", "statsmodels", "pandas", "pyarrow", "scipy", "highspy",
    "click",
)  # fmt: skip


def modules_after(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return {name.split(".")[0] for name in done.stdout.split()}


def test_import_loads_nothing_heavy_until_a_name_is_used() -> None:
    loaded = modules_after("import rankagg")
    assert not loaded & set(HEAVY)
    assert "rankagg" in loaded


def test_rankings_need_numpy_only() -> None:
    loaded = modules_after("import rankagg; rankagg.Permutation.from_order('AB')")
    assert not loaded & set(HEAVY)


def test_using_a_rule_loads_what_it_needs() -> None:
    assert "pulp" not in modules_after("import rankagg; rankagg.Kemeny()")
    solve = 'import rankagg as ra; ra.Kemeny().aggregate(ra.datasets.load("three_cycle"))'
    assert "pulp" in modules_after(solve)


@pytest.mark.parametrize("name", ra.__all__)
def test_every_public_name_resolves_and_is_documented(name: str) -> None:
    value = getattr(ra, name)
    if name.isupper() or name.startswith("__"):
        return
    assert (value.__doc__ or "").strip()


@pytest.mark.parametrize(
    ("package", "name", "remedy"),
    [
        (ra, "Plurallity", "Did you mean 'Plurality'?"),
        (ra, "kemmeny", "Did you mean 'Kemeny'?"),
        (ra, "xyz", ""),
        (ra.axioms, "Monotonocity", "Did you mean 'Monotonicity'?"),
        (ra.plotting, "stile", "Did you mean 'style'?"),
    ],
)
def test_an_unknown_name_is_an_attribute_error_with_the_nearest_one(
    package: ModuleType, name: str, remedy: str
) -> None:
    with pytest.raises(AttributeError) as told:
        getattr(package, name)
    assert str(told.value) == f"{package.__name__} has no '{name}'. {remedy}".rstrip()


@pytest.mark.parametrize(("old", "new"), sorted(_lazy.MOVED.items()))
def test_a_name_that_moved_says_where_it_is_now(old: str, new: str) -> None:
    assert old not in ra.__all__
    with pytest.warns(FutureWarning, match=f"rankagg.{old} goes .* rankagg.{re.escape(new)} now"):
        value = getattr(ra, old)
    place = new.split("(", maxsplit=1)[0].replace(".", ":", 1)
    assert getattr(value, "func", value) is pkgutil.resolve_name(f"rankagg.{place}")


@pytest.mark.slow
def test_all_names_may_be_loaded_at_once() -> None:
    # SPEC 1 has this for those who want errors early.
    script = "import os; os.environ['EAGER_IMPORT'] = '1'; import rankagg"
    assert {"pandas", "scipy"} <= modules_after(script)


def test_version_is_that_of_the_metadata() -> None:
    assert version("rankagg") == ra.__version__


def test_typing_marker_and_data_are_installed() -> None:
    package = Path(ra.__file__).parent
    assert (package / "py.typed").exists()
    assert (package / "__init__.pyi").exists()


def declared(extra: str = "") -> set[str]:
    """Return the names of what is required, always or with an extra."""
    rows = [row for row in requires("rankagg") if "extra" not in row or f'"{extra}"' in row]
    return {re.split(r"[\s<>=!;\[]", row)[0].lower() for row in rows}


# What an extra brings is imported in these files alone, when it is there.
OPTIONAL = {
    "rankagg/kernels/loops.py": "fast",
    "rankagg/io/cluster.py": "big",
    "rankagg/io/scan/count.py": "big",
    "rankagg/io/scan/scan_scores.py": "big",
    "rankagg/classroom.py": "teach",
    **{
        path.relative_to(ROOT).as_posix(): "teach"
        for folder in ("apps", "lectures")
        for path in (ROOT / "rankagg" / folder).glob("*.py")
    },
}


def _run(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a module, but for what is there for type checkers alone."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        yield node
        yield from _run(node)


@pytest.mark.parametrize("extra", ["", "test", "fast", "big", "teach"])
def test_every_third_party_import_is_declared(extra: str) -> None:
    """Contract suites may import what the extra for tests installs, and so on; the rest not."""
    if extra and extra not in (metadata("rankagg").get_all("Provides-Extra") or []):
        pytest.skip(f"rankagg was installed before {extra!r} was declared: pip install -e .")
    imported = set()
    for path in (ROOT / "rankagg").rglob("*.py"):
        place = path.relative_to(ROOT).as_posix()
        needed = "test" if path.parent.name == "testing" else OPTIONAL.get(place, "")
        if needed != extra:
            continue
        for node in _run(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module or ""]
            imported |= {name.split(".")[0] for name in names}
    third_party = imported - set(sys.stdlib_module_names) - {"rankagg"}
    assert third_party <= declared(extra)


def fenced(language: str) -> str:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.search(rf"```{language}\n(.*?)```", text, re.DOTALL)[1]


def test_readme_prints_what_it_shows() -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(fenced("python"), "README.md", "exec"), {})
    assert printed.getvalue().rstrip() == fenced("text").rstrip()


@pytest.mark.parametrize("script", sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.stem)
def test_example_prints_what_is_kept_beside_it(script: Path) -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        runpy.run_path(str(script), run_name="__main__")
    assert printed.getvalue() == script.with_suffix(".txt").read_text(encoding="utf-8")


def test_the_coverage_study_prints_what_is_kept_of_it() -> None:
    # All rows are there, so that nothing is computed again.
    folder = ROOT / "examples" / "long" / "coverage"
    done = subprocess.run(
        [sys.executable, str(folder / "run.py")], capture_output=True, text=True, check=True
    )
    assert done.stdout == (folder / "coverage.txt").read_text(encoding="utf-8")
