"""Every call on the page that maps equations to calls runs."""

import re
import warnings
from pathlib import Path

import rankagg as ra

PAGE = Path(__file__).resolve().parents[1] / "docs" / "explanation" / "equations.rst"


def test_every_call_of_the_page_runs():
    table = ra.datasets.load("superglue_human")
    ranking = ra.Kemeny().aggregate(table).ranking
    names = {
        "ra": ra, "table": table, "profile": table.rankings(), "ranking": ranking,
        "other": ra.Borda().aggregate(table).ranking, "scores": table.values,
        "partial": ra.PartialRanking.from_order("AB", items="ABC"),
        "distribution": ra.Mallows(ranking, 1.0), "locations": [1.0, 2.0], "n": 100, "alpha": 0.05,
    }  # fmt: skip
    text = PAGE.read_text(encoding="utf-8")
    calls = [call for call in re.findall("``([^`]+)``", text) if "." in call]
    assert len(calls) > 35
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in calls:
            eval(call, names)
