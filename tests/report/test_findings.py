"""The page after a time limit or an interruption: its results, and what is missing."""

import itertools

import numpy as np
import pytest

import rankagg as ra
from rankagg.aggregation import deadline as deadlines
from rankagg.report import findings as computing
from tests.report.test_page import Page

LATE = "not computed in time"
# Four voters, 391 optima, and a proof that takes more than one linear program.
TANGLED = ra.Profile.from_ranks(
    np.argsort(np.random.default_rng(10).random((4, 13)), axis=1), items=range(13)
)


def stop_after(monkeypatch, looks: int) -> None:
    """Let the clock jump beyond any limit after so many readings."""
    count = itertools.count()
    monkeypatch.setattr(deadlines, "monotonic", lambda: 1e6 * (next(count) >= looks))


def sections(report: ra.Report) -> dict[str, str]:
    return Page(report.html).sections


def test_a_page_without_time_has_all_quick_results(monkeypatch) -> None:
    stop_after(monkeypatch, 2)
    report = ra.make_report(TANGLED, time_limit=60)
    assert (report.is_proved, report.is_complete, report.interrupted) == (False, False, False)
    texts = sections(report)
    assert "It is not proved optimal: another may contradict up to" in texts["exact"]
    assert f"was {LATE}" in texts["stability"]
    assert LATE not in texts["certainty"]
    assert LATE not in texts["majorities"]
    assert "not proved optimal in time" in texts["methods"]


def test_late_results_are_noted_in_their_sections(monkeypatch) -> None:
    monkeypatch.setattr(computing, "SECONDS_FOR_REMOVALS", 60.0)
    full = ra.make_report(TANGLED)
    assert (full.is_proved, full.is_complete) == (True, True)
    assert LATE not in full.html
    find = computing.Alternatives.of

    def late(*args, **options):
        stop_after(monkeypatch, 0)
        return find(*args, **options)

    monkeypatch.setattr(computing.Alternatives, "of", late)
    report = ra.make_report(TANGLED, time_limit=60)
    assert (report.is_proved, report.is_complete, report.interrupted) == (True, False, False)
    texts = sections(report)
    assert f"whether others are as good was {LATE}" in texts["exact"]
    assert f"was {LATE}" in texts["stability"]
    assert "All optima" not in texts["methods"]
    assert f"is proved optimal; whether others are as good was {LATE}." in report.html


def interrupt(*args: object, **options: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("name", "section"), [("Alternatives.of", "exact"), ("leave_each_out", "stability")]
)
def test_an_interrupted_report_has_the_results_so_far(monkeypatch, tmp_path, name, section) -> None:
    monkeypatch.setattr(f"{computing.__name__}.{name}", interrupt)
    report = ra.make_report(TANGLED)
    assert (report.is_proved, report.is_complete, report.interrupted) == (True, False, True)
    assert LATE in sections(report)[section]
    assert LATE in sections(report)["stability"]


def test_an_unfinished_page_ends_with_code_three(run, monkeypatch) -> None:
    late = ra.stability(TANGLED, time_limit=0)
    monkeypatch.setattr(computing, "leave_each_out", lambda *args, **options: late)
    run("report --dataset three_cycle", code=3)
