"""Which lectures and apps there are, in the order in which they are taught."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import rankagg

__all__ = ["APPS", "HEADS", "LECTURES", "Notebook", "notebooks"]

HEADS = {"lecture": "Lectures", "app": "Things to click"}

# The file of a lecture is lectures/NAME.py: its title, and what it is about.
LECTURES = {
    "paradoxes": (
        "Voting rules and paradoxes",
        "Many rules, many winners: what each rule gives up, shown on the smallest profiles.",
    ),
    "consensus": (
        "Distances and consensus",
        "How far rankings are apart, and rankings that are nearest to all.",
    ),
    "computing": (
        "Computing Kemeny",
        "Integer programs, cuts and certificates: why the hard problem is solved, and proved.",
    ),
    "borda": (
        "Borda as an approximation",
        "How near the sum of ranks comes to the optimum, and where it does not.",
    ),
    "models": (
        "Rankings at random",
        "Mallows, Plackett-Luce and cultures: how probable a ranking, a winner, a cycle is.",
    ),
    "benchmarks": (
        "Benchmarks, missing scores and how sure one is",
        "From a table of scores to ranks with intervals.",
    ),
}

# The file of an app is apps/NAME.py.
APPS = {
    "laboratory": (
        "The voting laboratory",
        "Edit ballots, and see what every rule makes of them, Borda against Kemeny.",
    ),
    "cycle": (
        "The Condorcet cycle",
        "Three groups of voters, and majorities that form a cycle.",
    ),
    "manipulate": (
        "Manipulate me",
        "One voter tries every ballot: which one pays?",
    ),
    "leaderboard": (
        "How sure is a leaderboard?",
        "Draw the tasks of a leaderboard again: which ranks stay?",
    ),
    "mallows": (
        "Mallows and Plackett-Luce",
        "Slide the parameter, and see the probability of every ranking.",
    ),
}


@dataclass(frozen=True)
class Notebook:
    """A lecture or an app: one marimo file of the package."""

    # The stem of its file, and where it is served.
    name: str
    # Text with exercises, or one thing to click.
    kind: str
    title: str
    what: str
    path: Path


def notebooks() -> dict[str, Notebook]:
    """Return the lectures and then the apps, by name.

    Examples
    --------
    >>> from rankagg.classroom.catalog import notebooks
    >>> notebooks()["cycle"].title
    'The Condorcet cycle'
    """
    root = Path(rankagg.__file__).parent
    found = {}
    for kind, table in (("lecture", LECTURES), ("app", APPS)):
        for name, (title, what) in table.items():
            path = root / f"{kind}s" / f"{name}.py"
            found[name] = Notebook(name, kind, title, what, path)
    return found
