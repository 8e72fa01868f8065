"""A page about what scores add up to."""

import re

import numpy as np

import rankagg as ra
from rankagg.report import chapters_data
from tests.io.scan.scan_files import drawn


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


def test_many_tasks_have_no_strips(monkeypatch):
    table = ra.ScoreTable(
        np.where(np.eye(3, 11) > 0, np.nan, np.arange(33.0).reshape(3, 11)),
        tasks=[f"t{t}" for t in range(11)], instances=[0] * 11, higher_is_better=True,
    )  # fmt: skip
    summary = ra.ScoreSummary.from_scores(table)
    where = "where, in the order of the 11 tasks"
    assert where in text_of(ra.make_report(summary))
    monkeypatch.setattr(chapters_data, "MOST_STRIPS", 10)
    text = text_of(ra.make_report(summary))
    assert where not in text
    assert "Tasks in which something is missing" in text
