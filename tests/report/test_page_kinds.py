"""A page for each kind of data: its words and no others, and what the user says of the data."""

import re

import numpy as np
import pandas as pd
import pytest

import rankagg as ra

NAN = float("nan")
RNG = np.random.default_rng(0)


def battles(m=300, n=5, **options):
    first = RNG.integers(0, n, m)
    second = (first + RNG.integers(1, n, m)) % n
    won = RNG.random(m) < 1 / (1 + np.exp((first - second) / 2))
    outcomes = np.where(RNG.random(m) < 0.1, 0, np.where(won, 1, -1))
    return ra.Comparisons("ABCDE"[:n], first, second, outcomes, **options)


def lists():
    orders = [RNG.permutation(12)[:5].tolist() for _ in range(6)]
    ranks = np.full((6, 12), -2, dtype=np.int32)
    for row, order in zip(ranks, orders, strict=True):
        row[order] = np.arange(5)
    items = ra.ItemSet([f"g{k}" for k in range(12)])
    return ra.Profile([ra.PartialRanking(row, items) for row in ranks])


def ballots():
    orders = ["ABC", "BCA", "CBA", "AB", "B", "C"]
    rows = [dict(zip(("1", "2", "3"), order, strict=False)) for order in orders]
    return ra.read_cast_votes(pd.DataFrame(rows * 3))


SCORES = ra.ScoreTable(
    RNG.random((4, 6)) + np.linspace(1, 0, 4)[:, None], systems=[f"s{k}" for k in range(4)],
    higher_is_better=True,
)  # fmt: skip
DATA = {
    "scores": (SCORES, {}),
    "scores with gaps": (
        ra.ScoreTable([[1.0, 2.0, 9.0], [2.0, NAN, 8.0]], systems="AB", higher_is_better=True), {},
    ),
    "battles": (battles(), {}),
    "battles of judges": (
        battles(clusters=RNG.integers(0, 40, 300), covariates={"length": RNG.normal(size=300)},
                sides=np.ones(300, dtype=int)),
        {"about": {"cluster": "judge"}},
    ),
    "battles without ratings": (ra.Comparisons("AB", [0] * 30, [1] * 30, [1] * 30), {}),
    "election": (ballots(), {}),
    "rankings as an election": (ra.datasets.load("tennessee"), {"kind": "election"}),
    "rankings": (ra.datasets.load("tennessee"), {}),
    "lists": (lists(), {}),
}  # fmt: skip
INFERRED = ("uncertain", "95 %", "decided at", "sample", "interval", "independent")
FOREIGN = {
    "scores": ("battle", "ballot", "candidate", "judge", "cluster", "voter", "list"),
    "battles": (
        "vote", "ranking", "ballot", "candidate", "task", "system", "score", "comparisons",
    ),
    "election": (
        "task", "system", "score", "battle", "rating", "judge", "cluster", "ranking", *INFERRED,
    ),
    "rankings": ("task", "system", "score", "battle", "ballot", "candidate", "cluster", "rating"),
    "lists": (
        "task", "system", "score", "battle", "ballot", "candidate", "ranking", "voter", *INFERRED,
    ),
}  # fmt: skip


def words_of(html):
    """Return what readers see of the data: without scripts, sources of methods and the title."""
    text = re.sub(r"<(script|style|svg|title|h1)\b.*?</\1>", " ", html, flags=re.DOTALL)
    text = re.sub(r'<section id="made".*?</section>', " ", text, flags=re.DOTALL)
    # A certificate speaks of itself in the words of its own kind.
    text = re.sub(r"<dt>Certificate</dt><dd>.*?</dd>", " ", text)
    told = re.findall(r'(?:aria-label|content)="([^"]*)"', text)
    return " ".join([*told, re.sub(r"<[^>]+>", " ", text)])


@pytest.mark.parametrize("name", DATA)
def test_no_word_of_another_kind_stands_on_a_page(name) -> None:
    data, options = DATA[name]
    kind = options.get("kind", name.split(" ")[0])
    text = words_of(ra.make_report(data, title="Page", **options).html)
    found = {
        word: text[max(match.start() - 60, 0) : match.end() + 30]
        for word in (*FOREIGN[kind], *(("cluster",) if "judge" in name else ()))
        if (match := re.search(rf"\b{word}", text, flags=re.IGNORECASE))
    }
    assert found == {}
