"""Chapter on the changes since an earlier version of a table."""

from __future__ import annotations

from rankagg._typing import Tolerance
from rankagg.aggregation import Deadline
from rankagg.aggregation.kemeny import Kemeny
from rankagg.analysis.comparison.agreement import LATE
from rankagg.analysis.table_changes import CAUSES, TableChanges, compare_tables
from rankagg.core import ScoreTable, level_of, listing, p_text, part_of, quantity, sentence
from rankagg.report.sections import Section, page_table

# Most names that came or went, and most pairs that changed places.
MOST_NAMES, PAIRS = 20, 50
# Headings and meanings of the causes of moves.
MEANINGS = {
    "gone": ("systems gone", "systems that went"),
    "own_scores": ("own scores", "scores of its own that changed"),
    "other_scores": ("others' scores", "scores of others that changed"),
    "tasks": ("tasks", "tasks that came, went or have another weight"),
    "came": ("systems new", "systems that came"),
}


def changes_since(
    before: ScoreTable, after: ScoreTable, alpha: float, deadline: Deadline
) -> TableChanges:
    """Compare two versions by the exact rule; the rankings share the time."""
    rule, rankings = Kemeny(), after.n_systems + len(CAUSES)
    if deadline.time_limit is not None:
        rule = Kemeny(time_limit=deadline.share(2).seconds_left() / rankings)
    return compare_tables(before, after, rule, alpha=alpha)


def table_changes(
    changes: TableChanges | None, tolerance: Tolerance, time_limit: float | None
) -> Section:
    """Report systems that came, went and moved, causes, and decided moves."""
    section = Section("changes", "Changes since the last version")
    if changes is None:
        return section.headline("not known").unknown(f"What changed was {LATE}.")
    frame = changes.to_frame().reset_index()
    moved = frame[frame["moved"] != 0]
    number = part_of(len(moved), "systems that moved", len(frame), "systems in both", "system")
    section.headline(
        sentence("{} moved", quantity(len(moved), "systems that moved", ",", "system"))
    )
    section.text(
        sentence("{} in both versions moved, by the exact rule.", number)
        + " Scores are compared without the tolerance of the page." * bool(tolerance)
        + " Time was limited: some rankings may not be proved." * bool(time_limit)
        + "".join(f" {note[0].upper()}{note[1:]}." for note in changes.notes)
    ).facts(
        [
            (name, listing(labels, MOST_NAMES) if labels else "none")
            for name, labels in (
                ("Systems that came", changes.came),
                ("Systems that went", changes.gone),
                ("Tasks that came", changes.new_tasks),
                ("Tasks that went", changes.lost_tasks),
            )
        ]
        + [("Scores that changed", quantity(changes.n_scores, "scores that changed", ","))]
    )
    if len(moved):
        table = page_table(
            moved.drop(columns="decided").assign(system=moved["system"].map(str)),
            "Systems that moved: ranks before and after, and places due to each cause",
            headings={"system": "System", **{name: MEANINGS[name][0] for name in CAUSES}},
            meanings={"moved": "up is positive", **{name: MEANINGS[name][1] for name in CAUSES}},
            text=["system"],
        )
        section.table(table)
    if len(turned := changes.turned()):
        turned["decided"] = turned["decided"].map({True: "yes", False: "no"})
        turned["p"] = [p_text(p) for p in turned.pop("p_value")]
        level = f"whether the pair is decided now at {level_of(changes.alpha)}, for all pairs"
        table = page_table(
            turned,
            "Pairs that changed places",
            headings={"above": "now above", "below": "now below"},
            meanings={"decided": level, "p": "of the paired test on this version"},
            text=["above", "below", "decided", "p"],
            limit=PAIRS,
            what="pairs",
        )
        section.table(table)
    return section
