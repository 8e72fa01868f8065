"""Examples use public names of rankagg alone, and the package imports nothing of them."""

import ast
import importlib
from pathlib import Path
from types import ModuleType

import pytest

import rankagg

ROOT = Path(__file__).parents[2]
# Measurements of the package itself, which exchange or call a part of it.
REACH_INSIDE = {"long/coverage/grid.py", "long/model_choice.py"}
FILES = sorted((ROOT / "examples").glob("**/*.py"))


def public(package: str) -> set[str]:
    """Return the public names of a package."""
    module = importlib.import_module(package)
    return set(getattr(module, "__all__", None) or [n for n in vars(module) if n[0] != "_"])


def is_package(name: str) -> bool:
    """Say whether a dotted name is a public package or module of rankagg."""
    room, _, rest = name.removeprefix("rankagg").lstrip(".").partition(".")
    return name == "rankagg" or (
        not rest and room in rankagg.__all__ and isinstance(getattr(rankagg, room), ModuleType)
    )


def faults(tree: ast.AST) -> list[str]:
    """Return what a file imports or takes of rankagg that is not public."""
    found, known = [], {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                if one.name.split(".")[0] == "rankagg":
                    known[one.asname or one.name.split(".")[0]] = (
                        one.name if one.asname else "rankagg"
                    )
                    found += [] if is_package(one.name) else [one.name]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "rankagg":
            package = node.module or ""
            if not is_package(package):
                found.append(package)
                continue
            for one in node.names:
                known[one.asname or one.name] = f"{package}.{one.name}"
                found += [] if one.name in public(package) else [f"{package}.{one.name}"]
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute):
            continue
        place = ast.unparse(node.value)
        head, _, rest = place.partition(".")
        package = ".".join(filter(None, (known.get(head, ""), rest)))
        if head in known and is_package(package) and node.attr not in public(package):
            found.append(f"{package}.{node.attr}")
        is_own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
        if node.attr.startswith("_") and not (is_own or node.attr.startswith("__")):
            # What notebooks show themselves by is a convention of theirs.
            found += [] if node.attr == "_repr_html_" else [ast.unparse(node)]
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT / "examples")))
def test_examples_use_public_names_alone(path) -> None:
    found = faults(ast.parse(path.read_text(encoding="utf-8")))
    assert bool(found) == (path.relative_to(ROOT / "examples").as_posix() in REACH_INSIDE), found


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("from rankagg.core import counted", "rankagg.core"),
        ("import rankagg._typing", "rankagg._typing"),
        ("from rankagg.teaching import quizzes", "rankagg.teaching.quizzes"),
        ("import rankagg as ra\nra.core.counted", "rankagg.core"),
        ("import rankagg as ra\nra.studies.nothing()", "rankagg.studies.nothing"),
        ("import rankagg as ra\nra.compare(x)._evidence", "ra.compare(x)._evidence"),
        ("from rankagg import plotting as p\np.hidden", "rankagg.plotting.hidden"),
        ("import rankagg\nrankagg.Bordda()", "rankagg.Bordda"),
    ],
)
def test_private_names_are_found(text, fault) -> None:
    assert faults(ast.parse(text)) == [fault]


def test_the_package_imports_nothing_of_the_examples() -> None:
    own = {path.stem for path in FILES} | {"examples"}
    for path in (ROOT / "rankagg").glob("**/*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            assert not own & {name.split(".")[0] for name in names}, path
