"""The bundled data sets, with their sources and known answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from io import StringIO
from textwrap import fill
from typing import Any

from rankagg._validation import check_choice
from rankagg.core import Profile, ScoreTable
from rankagg.io.preflib import read_preflib
from rankagg.io.scores import read_scores

__all__ = ["DatasetInfo", "info", "load", "names"]

_DATA = files("rankagg.datasets") / "data"


@dataclass(frozen=True)
class DatasetInfo:
    """Description of a bundled data set.

    Attributes
    ----------
    name : str
        The name for `load`.
    title : str
        A title of one line.
    source : str
        The publication of the numbers.
    kind : {"scores", "ballots"}
        Whether `load` returns a ScoreTable or a Profile.
    known : mapping
        Known answers: `kemeny` (an optimal order), `kemeny_cost`, `n_optima`, `borda` (points),
        `mean` (best first; ties as lists), `condorcet_winner`, ..., each checked by the tests.
    note : str
        A note for users.
    higher_is_better : bool
        The direction of the scores.
    """

    name: str
    title: str
    source: str
    kind: str
    known: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    higher_is_better: bool = True

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.title}", f"  kind    {self.kind}"]
        if self.kind == "scores":
            lines[-1] += f", {'higher' if self.higher_is_better else 'lower'} is better"
        lines.append(f"  source  {self.source}")
        lines += [f"  known   {key}: {value}" for key, value in self.known.items()]
        if self.note:
            lines.append(
                fill(self.note, 96, initial_indent="  note    ", subsequent_indent=" " * 10)
            )
        return "\n".join(lines)


_ENTRIES = json.loads((_DATA / "catalogue.json").read_text(encoding="utf-8"))
_CATALOGUE = {entry["name"]: DatasetInfo(**entry) for entry in _ENTRIES}


def names() -> tuple[str, ...]:
    """Return the names of the bundled data sets."""
    return tuple(_CATALOGUE)


def info(name: str) -> DatasetInfo:
    """Return source, direction and known answers of a bundled data set.

    Parameters
    ----------
    name : str
        One of `names()`.

    Returns
    -------
    DatasetInfo

    Examples
    --------
    >>> from rankagg import datasets
    >>> datasets.info("tennessee").known["kemeny_cost"]
    207
    """
    return _CATALOGUE[check_choice(name, names(), "name")]


def load(name: str) -> ScoreTable | Profile:
    """Return a bundled data set.

    Parameters
    ----------
    name : str
        One of `names()`.

    Returns
    -------
    ScoreTable or Profile
        The type that `info(name).kind` names.

    Examples
    --------
    >>> from rankagg import datasets
    >>> datasets.load("xtreme_gaps")
    <ScoreTable of 10 systems x 4 tasks, 18 of 40 scores missing>
    """
    entry = info(name)
    suffix = "csv" if entry.kind == "scores" else "soc"
    text = (_DATA / f"{name}.{suffix}").read_text(encoding="utf-8")
    if entry.kind == "scores":
        return read_scores(StringIO(text), higher_is_better=entry.higher_is_better)
    return read_preflib(StringIO(text), unranked="uniform")
