"""The bundled data sets: what they are, where they come from, what is known about them."""

from __future__ import annotations

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

COLOMBO = "Colombo, Noiry, Irurozki and Clémençon (2022), arXiv:2202.03799"
HIMMI = "Himmi, Irurozki, Noiry, Clémençon and Colombo (2023), arXiv:2305.10284"
SHAVRINA = "Shavrina and Malykh (2021), 'How not to Lie with a Benchmark'"


@dataclass(frozen=True)
class DatasetInfo:
    """What a bundled data set is.

    Attributes
    ----------
    name : str
        The name that `load` takes.
    title : str
        One line.
    source : str
        Where the numbers are printed.
    kind : {"scores", "ballots"}
        Whether `load` returns a ScoreTable or a Profile.
    known : mapping
        Known answers: `kemeny` (an optimal order), `kemeny_cost`, `n_optima`, `borda` (points),
        `mean` (best first; ties as lists), `condorcet_winner`, ..., each checked by the tests.
    note : str
        What to know before using it.
    higher_is_better : bool
        The direction of scores.
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


CATALOGUE = {
    entry.name: entry
    for entry in (
        DatasetInfo(
            "toy_tasks",
            "three systems on six tasks of very different scale",
            f"{COLOMBO}, Table 1",
            "scores",
            {
                "kemeny": ["C", "B", "A"],
                "kemeny_cost": 7,
                "n_optima": 1,
                "mean": ["A", "B", "C"],
                "borda": {"A": 5, "B": 6, "C": 7},
            },
            "The printed sums and ranks hold only if lower is better; the text says the reverse. "
            "The mean turns the ranking round, and pairwise majorities alone do not decide.",
            higher_is_better=False,
        ),
        DatasetInfo(
            "xtreme_gaps",
            "ten XTREME systems on four tasks, 18 of 40 scores missing",
            f"{HIMMI}, Table 5",
            "scores",
            {
                "borda_order": ["M0", "M3", "M2", "M1", "M7", "M5", "M4", "M8", "M6", "M9"],
                "mean": ["M7", "M4", "M0", "M6", "M9", ["M2", "M3"], "M1", "M8"],
            },
            "M5 has no score at all: the mean cannot rank it. Appendix C.1 prints the Borda order "
            "without M6, which stands between M8 and M9.",
        ),
        DatasetInfo(
            "glue_human",
            "humans and the five best GLUE models of May 2021 on ten tasks",
            f"{SHAVRINA}, Tables 1 and 7",
            "scores",
            {
                "kemeny_cost": 55,
                "n_optima": 18,
                "geometric_mean": {"Human": 86.906},
                "harmonic_mean": {"Human": 86.159},
            },
            "The paper compares means over these ten tasks for humans with means over eleven, "
            "the AX diagnostic among them, for models; on the same columns humans are last.",
        ),
        DatasetInfo(
            "superglue_human",
            "humans and five SuperGLUE models of May 2021 on ten tasks",
            f"{SHAVRINA}, Table 2",
            "scores",
            {
                "kemeny": ["Human", "DeBERTa", "T5 + Meena", "T5", "NEZHA Plus", "PAI Albert"],
                "kemeny_cost": 26,
                "n_optima": 1,
                "geometric_mean": {"Human": 88.729, "DeBERTa": 87.601, "NEZHA Plus": 82.294},
                "harmonic_mean": {"Human": 87.962, "DeBERTa": 86.893, "NEZHA Plus": 81.296},
            },
            "The sum of Human is 894.40, with variance 130.31 and standard deviation 11.42.",
        ),
        DatasetInfo(
            "glue_metrics",
            "the systems of glue_human on single metrics and the diagnostic AX",
            f"{SHAVRINA}, Table 7; AX from the leaderboard",
            "scores",
            {
                "kemeny": ["DeBERTa", "T5", "MacAlbert + DKM", "PING-AN", "ERNIE", "Human"],
                "kemeny_cost": 71.5,
                "n_optima": 1,
                "borda": {
                    "Human": 29,
                    "DeBERTa": 45 + 1 / 3,
                    "MacAlbert + DKM": 32.5,
                    "T5": 40 + 1 / 6,
                    "PING-AN": 33 + 2 / 3,
                    "ERNIE": 29 + 1 / 3,
                },
            },
            "Metrics of MRPC, STS-B and QQP are averaged before tasks are. AX is a column of the "
            "leaderboard that the table leaves out, though the printed means include it; humans "
            "have no score on it.",
        ),
        DatasetInfo(
            "superglue_metrics",
            "the systems of superglue_human on single metrics and the diagnostics",
            f"{SHAVRINA}, Tables 8 and 2 (AX-b, AX-g)",
            "scores",
            {
                "kemeny": ["Human", "DeBERTa", "T5 + Meena", "T5", "NEZHA Plus", "PAI Albert"],
                "kemeny_cost": 37,
                "n_optima": 1,
                "borda": {
                    "Human": 45.5,
                    "DeBERTa": 49,
                    "T5 + Meena": 45.5,
                    "T5": 31,
                    "PAI Albert": 13,
                    "NEZHA Plus": 11,
                },
            },
            "Metrics of CB, MultiRC and ReCoRD are averaged before tasks are. AX-g is the mean of "
            "two metrics; only the mean is printed.",
        ),
        DatasetInfo(
            "xtreme_human",
            "humans and five XTREME models of May 2021 on four task groups",
            f"{SHAVRINA}, Table 3",
            "scores",
            {
                "kemeny_cost": 7.5,
                "geometric_mean": {"Human": 93.214, "VECO": 81.696, "Polyglot": 78.562},
                "harmonic_mean": {"Human": 93.127, "VECO": 81.269, "Polyglot": 78.02},
            },
            "Humans were not scored on Sentence Retrieval; the table prints 0.00001 there, which "
            "is a missing score here.",
        ),
        DatasetInfo(
            "xglue",
            "the two XGLUE systems of May 2021 on nine understanding and two generation tasks",
            f"{SHAVRINA}, Table 4",
            "scores",
            {"kemeny": ["FILTER", "Unicoder Baseline"], "kemeny_cost": 1, "n_optima": 1},
            "FILTER has no scores on the generation tasks OG and NTG. The geometric mean of "
            "Unicoder there is 10.65, not 9.10 as printed.",
        ),
        DatasetInfo(
            "tennessee",
            "100 voters on the capital of Tennessee",
            "a textbook example; see Young (1988), doi:10.2307/1961757, for the method",
            "ballots",
            {
                "kemeny": ["Nashville", "Chattanooga", "Knoxville", "Memphis"],
                "kemeny_cost": 207,
                "n_optima": 1,
                "borda": {"Memphis": 126, "Nashville": 194, "Chattanooga": 173, "Knoxville": 107},
                "condorcet_winner": "Nashville",
            },
            "The largest group of voters lives in Memphis, which every other voter ranks last.",
        ),
        DatasetInfo(
            "condorcet_1785",
            "sixty voters with a Condorcet cycle",
            "Condorcet (1785), Essai; discussed by Young (1988), doi:10.2307/1961757",
            "ballots",
            {
                "kemeny": ["B", "C", "A"],
                "kemeny_cost": 76,
                "n_optima": 1,
                "borda": {"A": 58, "B": 69, "C": 53},
                "condorcet_winner": None,
            },
            "A beats B 33 to 27, B beats C 42 to 18, C beats A 35 to 25.",
        ),
        DatasetInfo(
            "three_cycle",
            "three voters, three candidates, and no majority ranking",
            "the textbook form of Condorcet's paradox",
            "ballots",
            {
                "kemeny_cost": 4,
                "n_optima": 3,
                "borda": {"A": 3, "B": 3, "C": 3},
                "condorcet_winner": None,
            },
        ),
        DatasetInfo(
            "borda_fails_condorcet",
            "five voters: a majority puts A first, Borda puts B first",
            "a textbook example",
            "ballots",
            {
                "kemeny": ["A", "B", "C"],
                "kemeny_cost": 4,
                "n_optima": 1,
                "borda": {"A": 6, "B": 7, "C": 2},
                "condorcet_winner": "A",
            },
        ),
    )
}


def names() -> tuple[str, ...]:
    """Return the names of the bundled data sets."""
    return tuple(CATALOGUE)


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
    return CATALOGUE[check_choice(name, names(), "name")]


def load(name: str) -> ScoreTable | Profile:
    """Return a bundled data set.

    Parameters
    ----------
    name : str
        One of `names()`.

    Returns
    -------
    ScoreTable or Profile
        As `info(name).kind` says.

    Examples
    --------
    >>> from rankagg import datasets
    >>> datasets.load("xtreme_gaps")
    <ScoreTable of 10 systems x 4 tasks, 18 of 40 scores missing>
    """
    entry = info(name)
    suffix = "csv" if entry.kind == "scores" else "soc"
    text = (files("rankagg.datasets") / "data" / f"{name}.{suffix}").read_text(encoding="utf-8")
    if entry.kind == "scores":
        return read_scores(StringIO(text), higher_is_better=entry.higher_is_better)
    return read_preflib(StringIO(text), unranked="uniform")
