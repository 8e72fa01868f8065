"""A page about what scores add up to."""

import re

import numpy as np

import rankagg as ra
from tests.io.scan_files import drawn


def text_of(report):
    without = re.sub(r"<(script|style|svg).*?</\1>", "", report.html, flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", without))


def test_it_says_what_sums_tell_and_what_not():
    table = drawn(1, n=5, m=60)
    text = text_of(ra.make_report(ra.ScoreSummary.from_scores(table)))
    full = text_of(ra.make_report(table, unit="ranking"))
    for part in (r"Cost [\d.]+ \(votes", r"TwoLevel\(Borda, Borda\) [\d.]+", r"Scores \d+ of 300"):
        assert re.search(part, text)[0] == re.search(part, full)[0]
    assert "what the scores add up to, not the scores themselves" in text
    left_out = re.search(r"Leaving out one of the 3 tasks changes.*?first is", text)
    assert left_out[0] in full
    assert "Every instance of every task counts as independent" in text
    assert "hoeffding (Bonferroni)" in text


def test_many_tasks_have_no_map():
    table = ra.ScoreTable(
        np.where(np.eye(3, 61) > 0, np.nan, np.arange(183.0).reshape(3, 61)),
        tasks=[f"t{t}" for t in range(61)], instances=[0] * 61, higher_is_better=True,
    )  # fmt: skip
    text = text_of(ra.make_report(ra.ScoreSummary.from_scores(table)))
    assert "map of missing cells is left out: there are more than 60 tasks" in text
