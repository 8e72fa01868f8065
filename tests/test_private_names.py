"""Private names: no file imports or uses a name with an underscore from another file."""

import ast
import re
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "rankagg"
PRIVATE = re.compile(r"_[^_]\w*")
# Names with an underscore that are documented: of named tuples, and of notebooks.
DOCUMENTED = {"_replace", "_asdict", "_fields", "_repr_html_"}
# What optima were found for, and what Matplotlib has for the ticks that are drawn.
ALLOWED = {
    "analysis/robustness/sensitivity.py": {"_problem"},
    "testing/plots.py": {"_update_ticks"},
}


def own_names(tree):
    """Yield the private names that a file defines: functions, classes, fields, attributes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.AnnAssign | ast.Assign):
            targets = [node.target] if isinstance(node, ast.AnnAssign) else node.targets
            yield from (target.id for target in targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("self", "cls"):
            yield node.attr


def reaches(text):
    """Return the private names of other files that a file imports or uses."""
    tree = ast.parse(text)
    own, found = {*own_names(tree), *DOCUMENTED}, set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module != "rankagg":
            found |= {one.name for one in node.names if PRIVATE.fullmatch(one.name)}
        if isinstance(node, ast.Attribute) and PRIVATE.fullmatch(node.attr):
            is_super = isinstance(node.value, ast.Call) and ast.unparse(node.value) == "super()"
            found |= set() if is_super or node.attr in own else {node.attr}
    return found


def test_files_use_no_private_name_of_another():
    files = {str(path.relative_to(PACKAGE)): path for path in PACKAGE.rglob("*.py")}
    assert len(files) > 200
    found = {name: reaches(path.read_text(encoding="utf-8")) for name, path in files.items()}
    assert {name: names for name, names in found.items() if names} == ALLOWED


def test_use_of_private_names_is_found():
    assert reaches("from rankagg.a import _b\nx._c\n") == {"_b", "_c"}
    assert not reaches("from rankagg import _validation\ndef _c(x): x._c; super()._d\n")
    assert not reaches("class A:\n    _x: int\n    def f(self, other): other._x; self._y\n")
