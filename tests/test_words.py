"""Plain English in docstrings, comments, messages and sentences of the package.

`python -m tests.test_words [ROOM]` prints how often each shape occurs and where.
"""

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import pytest

import rankagg

ROOT = Path(rankagg.__file__).parent

#: A shape that hides who does what, and how often it may occur where it is the right English.
SHAPES = {
    "told": (r"\btold\b", 5),
    "of which": (r"\bof (?:which|whom)\b", 10),
    "the whole": (r"\bthe whole\b", 10),
    "stands": (r"\bstands?\b", 10),
    "beside": (r"\bbeside\b", 5),
    "what is": (r"\bwhat(?:ever)? (?:is|was|are|were|has|had|have|it|they|there)\b", 30),
    "is so": (r"\b(?:is|are) so\b", 5),
    "held against": (r"\b(?:held|hold|holds|holding) (?:against|beside|it against)\b", 2),
    "comes out": (r"\b(?:comes?|came|coming) out\b", 3),
    "look at": (r"\blook(?:s|ed|ing)? (?:at|for)\b", 10),
    "goes on": (r"\b(?:go|goes|went|going|gone) on\b", 3),
    "by whose": (r"\bby whose\b", 0),
    "as asked": (r"\b(?:as it is asked|what is asked|which is asked|is asked for)\b", 2),
    "none can be": (r"\bof (?:which|whom) (?:none|no|each|all|one)\b", 3),
}
#: Names that end in what says nothing of what they hold.
NAMES = re.compile(r"(?:^|_)(?:told|said)(?:$|_)")
FIRST_LINE = 88
MESSAGE = 25


def prose(path: Path) -> Iterator[tuple[int, str, str]]:
    """Yield line, kind and text of docstrings, comments and strings with a space in a file."""
    source = path.read_text("utf-8")
    if path.suffix != ".py":
        for number, line in enumerate(source.splitlines(), 1):
            yield number, "template", line
        return
    tree = ast.parse(source)
    first = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            kind = "docstring" if id(node) in first else "string"
            yield node.lineno, kind, " ".join(node.value.split())
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], "comment", token.string


@cache
def texts(room: str = "") -> list[tuple[str, int, str, str]]:
    """Return file, line, kind and text of all prose below a folder of the package."""
    files = [p for s in ("*.py", "*.html", "*.js") for p in sorted((ROOT / room).rglob(s))]
    if room.endswith(".py"):
        files = [ROOT / room]
    return [(str(p.relative_to(ROOT)), *part) for p in files for part in prose(p)]


def names() -> list[str]:
    """Return the names of the package that no reader knows."""
    found = []
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            name = getattr(node, "name", None) or getattr(node, "arg", None)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                name = node.id
            if isinstance(name, str) and NAMES.search(name):
                found.append(f"{path.relative_to(ROOT)} {name}")
    return sorted(set(found))


def long_first_lines(room: str = "") -> list[str]:
    """Return first lines of docstrings that are too long."""
    return [
        f"{path}:{line} {len(text)}"
        for path, line, kind, text in first_lines(room)
        if kind == "docstring" and len(text) > FIRST_LINE
    ]


def first_lines(room: str = "") -> Iterator[tuple[str, int, str, str]]:
    """Yield the first lines of docstrings."""
    for path in sorted((ROOT / room).rglob("*.py")) if not room.endswith(".py") else [ROOT / room]:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                text = ast.get_docstring(node)
                if text:
                    line = getattr(node, "lineno", 1)
                    yield str(path.relative_to(ROOT)), line, "docstring", text.split("\n")[0]


def long_messages(room: str = "") -> list[str]:
    """Return sentences of raised messages and warnings with too many words."""
    found = []
    for path in sorted((ROOT / room).rglob("*.py")) if not room.endswith(".py") else [ROOT / room]:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            called = ast.unparse(node.func).rsplit(".", 1)[-1]
            if not re.search(r"Error$|Warning$|^warn|Refus|^refuse", called):
                continue
            for part in [*node.args, *(word.value for word in node.keywords)]:
                for sentence in re.split(r"(?<=[.;:])\s+", _text(part)):
                    if len(sentence.split()) > MESSAGE:
                        found.append(f"{path.relative_to(ROOT)}:{node.lineno} {sentence}")
    return found


def _text(node: ast.expr) -> str:
    """Return the text of a string, a value as one word."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(value) or "X" for value in node.values)
    if isinstance(node, ast.BinOp):
        return _text(node.left) + _text(node.right)
    return ""


@pytest.mark.parametrize("shape", SHAPES)
def test_each_hidden_shape_is_rare(shape: str) -> None:
    pattern, most = SHAPES[shape]
    count = sum(len(re.findall(pattern, text, re.I)) for *_, text in texts())
    assert count <= most


def test_no_name_ends_in_told_or_said() -> None:
    assert not names()


def test_first_lines_fit() -> None:
    assert not long_first_lines()


def test_sentences_of_messages_are_short() -> None:
    assert not long_messages()


def show(what: str, count: int, most: int, places: list[str]) -> None:
    """Print a count, its limit and the places."""
    click.echo("\n       ".join([f"{count:5d}  at most {most:3d}  {what}", *places]))


def main(room: str = "") -> None:
    """Print the counts, and each place with its text where a room is given."""
    for shape, (pattern, most) in SHAPES.items():
        found = [
            f"{path}:{line} {kind}: {text[max(0, hit.start() - 50) : hit.end() + 50]}"
            for path, line, kind, text in texts(room)
            for hit in re.finditer(pattern, text, re.I)
        ]
        show(shape, len(found), most, found if room else [])
    for what, most, found in (
        ("names", 0, [name for name in names() if name.startswith(room)]),
        ("long first lines", 0, long_first_lines(room)),
        ("long sentences of messages", 0, long_messages(room)),
    ):
        show(what, len(found), most, found if room else [])


if __name__ == "__main__":
    main(*sys.argv[1:])
