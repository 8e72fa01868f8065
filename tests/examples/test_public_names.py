"""Examples use public names only: those of `public_surface.txt`, and those that pages name."""

import ast
import re
from importlib import import_module
from inspect import ismodule
from pathlib import Path

import pytest

import rankagg as ra
from tests.test_public_surface import PACKAGES

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("examples/**/*.py"))
# What authors of extensions use: a page of the reference or a guide has the full path.
LISTED = re.compile(r"^   ([a-z]\w*\.[\w.]+)$", re.MULTILINE)
IMPORTED = re.compile(r"^ *from (rankagg[\w.]*) import (.+)$", re.MULTILINE)
#: Long runs that examine how the package itself works, and what each of them uses.
INSIDE = {
    "examples/long/coverage/grid.py": {
        "rankagg.inference.ranks.rank_intervals",
        "rankagg.inference.ranks.rank_intervals.sign_flips",
    },
}


def public_names():
    """Return every public name with its whole path."""
    packages = [f"rankagg.{name}".rstrip(".") for name in (*PACKAGES, "exceptions")]
    found = {*packages}
    for package in packages:
        module = import_module(package)
        names = getattr(module, "__all__", None) or [n for n in dir(module) if n[0] != "_"]
        found |= {f"{package}.{name}" for name in names}
    guides = (*ROOT.glob("docs/howto/own_*.rst"), *ROOT.glob("docs/howto/files/*.py"))
    for page in (*ROOT.glob("docs/reference/*.rst"), *guides):
        text = page.read_text(encoding="utf-8")
        found |= {f"rankagg.{name}" for name in LISTED.findall(text)}
        for module, names in IMPORTED.findall(text):
            found |= {f"{module}.{name.strip()}" for name in names.split(",")}
    return found | {"rankagg.__version__"}


PUBLIC = public_names()


def whole_path(node, called):
    """Return what a chain of attributes is called from the package on; "" of anything else."""
    if isinstance(node, ast.Name):
        return called.get(node.id, "")
    base = whole_path(node.value, called) if isinstance(node, ast.Attribute) else ""
    # What belongs to a class or a function is that of its public methods.
    return f"{base}.{node.attr}" if base and is_room(base) else ""


def is_room(path):
    """Say whether a path leads to a module of the package."""
    value = ra
    for name in path.split(".")[1:]:
        value = getattr(value, name, None)
    return ismodule(value)


def used_inside(text):
    """Return what a program uses of the package that is not public."""
    tree, called, found = ast.parse(text), {}, set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                if one.name.split(".")[0] == "rankagg":
                    found.add(one.name)
                    called[one.asname or "rankagg"] = one.name if one.asname else "rankagg"
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "rankagg":
            for one in node.names:
                found.add(f"{node.module}.{one.name}")
                called[one.asname or one.name] = f"{node.module}.{one.name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            found.add(whole_path(node, called) or "rankagg")
            own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            if node.attr.startswith("_") and not node.attr.endswith("_") and not own:
                found.add(ast.unparse(node))
    return found - PUBLIC


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_use_public_names_only(example):
    text = (ROOT / example).read_text(encoding="utf-8")
    # How much of a path is seen depends on what is loaded already.
    assert used_inside(text) <= INSIDE.get(example, set())


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("import rankagg as ra\nra.studies.CycleStudy(models=[ra.Mallows])", set()),
        ("from rankagg import plotting\nplotting.style()", set()),
        ("from rankagg.exceptions import RankaggError", set()),
        ("from rankagg.plotting.sheet import PlotSheet", set()),
        ("import rankagg as ra\nra.core.items", {"rankagg.core", "rankagg.core.items"}),
        ("import rankagg as ra\nra.studies.study.ROUNDING", {"rankagg.studies.study"}),
        ("import rankagg\nrankagg.nothing(1)", {"rankagg.nothing"}),
        ("from rankagg import core", {"rankagg.core"}),
        ("import rankagg.io.tables", {"rankagg.io.tables"}),
        ("from rankagg.core import counted", {"rankagg.core.counted"}),
        ("from rankagg import _typing", {"rankagg._typing"}),
        ("def f(result):\n    return result._frame", {"result._frame"}),
        ("class A:\n    def f(self):\n        return self._frame", set()),
    ],
)
def test_private_names_are_found(text, inside):
    assert used_inside(text) >= inside
    assert bool(used_inside(text)) == bool(inside)
