"""What the page says of how sure the result is."""

from __future__ import annotations

from rankagg.analysis.alternatives import LATE
from rankagg.analysis.comparison_text import counted
from rankagg.core.items import listed
from rankagg.core.pairwise import PairwiseMatrix
from rankagg.core.scores import ScoreTable
from rankagg.plotting.forest import forest_plot
from rankagg.plotting.robustness import robustness_plot
from rankagg.report.figures import figure_of
from rankagg.report.findings import TASKS, Findings
from rankagg.report.sections import Section
from rankagg.report.tables import bullets, table_of

__all__ = ["certainty", "without_tasks"]

GROUPS, ROWS = 12, 20


def certainty(findings: Findings) -> Section:
    """Say which pairs and places the data decide, and on what assumption."""
    section, ranks = Section("certainty", "How sure it is"), findings.ranks
    if "ranks" in findings.late:
        return section.unknown(f"How sure it is was {LATE}.")
    if ranks is None:
        return section.unknown(
            "The data are counts of votes for pairs; without the single rankings nothing can be "
            "said of their uncertainty."
        )
    decisions = ranks.decisions
    n = len(decisions.items)
    pairs = n * (n - 1) // 2
    section.text(
        f"The data decide {int(decisions.above.sum())} of {pairs} pairs, by {decisions.how}; the "
        f"chance that any of these is wrong is at most {decisions.delta:g}."
    )
    section.assumed(
        f"This takes the {findings.unit}s as independent draws from all that there could be. "
        + _caveat(findings)
    )
    section.items(ranks.notes)
    if not decisions.above.any():
        return section.text(
            "No pair is decided, so every place is possible for every item: there are too few "
            f"{findings.unit}s for so many items."
        )
    together = [listed(group) for group in decisions.groups if len(group) > 1]
    if together:
        section.text("These cannot be told apart, directly or through others:")
        section.items(bullets(together, GROUPS))
    frame = ranks.to_frame()
    section.figure(
        figure_of(
            lambda: forest_plot(ranks),
            f"Intervals for the places of {n} items by mean Borda points; the table of the "
            "consensus has the numbers.",
            f"{ranks.describe()}.",
        )
    )
    exact = int((frame["best"] == frame["worst"]).sum())
    return section.text(f"{exact} of {n} places are determined.") if exact else section


def _caveat(findings: Findings) -> str:
    if findings.unit == "instance":
        return (
            "Scores of different tasks on one instance may depend on each other; they are averaged "
            "first. The tasks themselves are taken as given."
        )
    if isinstance(findings.data, ScoreTable):
        return (
            "If these tasks are all that matters, there is nothing to infer; if tasks resemble "
            "each other, as those of one benchmark do, the true uncertainty is larger."
        )
    return "Voters who follow each other would make the true uncertainty larger."


def without_tasks(findings: Findings) -> Section:
    """Say what single tasks, or rankings, change."""
    section, result = Section("stability", "What it hangs on"), findings.stability
    if "stability" in findings.late:
        return section.unknown(f"The consensus without single tasks or rankings was {LATE}.")
    if result is None:
        why = "without the single rankings it cannot be computed"
        if not isinstance(findings.data, PairwiseMatrix):
            why = f"that is done for 2 to {TASKS} of them"
        return section.unknown(
            f"The consensus was not computed without single tasks or rankings: {why}."
        )
    influence = result.influence()
    decided = influence[influence["winner"].notna()]
    if decided.empty:
        return section.unknown(
            f"What leaving out one of the {len(influence)} {result.noun} changes was {LATE}: it is "
            "known only where both consensuses are proved."
        )
    changed, others = decided[decided["distance"] > 0], decided[decided["top1"] == 0]
    section.text(
        f"Leaving out one of the {len(influence)} {result.noun} changes the order of some items in "
        f"{counted(len(changed), 'case')}, and who is first in {len(others)}."
    )
    if result.undecided:
        section.unknown(
            f"What leaving out {result.undecided} of the {result.noun} changes was {LATE}."
        )
    section.items(result.notes)
    section.figure(
        figure_of(
            lambda: robustness_plot(result),
            f"How many pairs change when single {result.noun} are left out.",
            f"Pairs in another order in the exact consensus without each of the {result.noun}.",
        )
    )
    frame = influence.sort_values("distance", ascending=False, kind="stable").reset_index()
    section.table(
        table_of(
            frame[["left_out", "distance", "tau", "winner"]],
            "The exact consensus without one of them, the most influential first",
            formats={"tau": ".3f"},
            headings={"left_out": "Left out", "distance": "pairs changed", "winner": "first is"},
            text=["left_out", "winner"],
            limit=ROWS,
            what=result.noun,
        )
    )
    return section
