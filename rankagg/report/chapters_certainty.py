"""What the page says of how sure the result is."""

from __future__ import annotations

from rankagg.aggregation.evidence import PairData
from rankagg.analysis.comparison.alternatives import LATE
from rankagg.core.comparisons import Comparisons
from rankagg.core.names import (
    capital,
    in_words,
    joined,
    level_of,
    listing,
    part_of,
    said,
    stated,
)
from rankagg.core.profile import Profile
from rankagg.core.score_summary import ScoreSummary
from rankagg.core.scores import ScoreTable
from rankagg.inference.ranks.rank_intervals import RankIntervals
from rankagg.report.findings import OPEN, TASKS, Findings
from rankagg.report.sections import Section
from rankagg.report.tables import bullets, table_of

__all__ = ["certainty", "without_tasks"]

GROUPS, ROWS = 12, 20


def certainty(findings: Findings) -> Section:
    """Say which pairs and ranks the data decide, and on what assumption."""
    section, ranks = Section("certainty", "Uncertainty"), findings.ranks
    if "ranks" in findings.late:
        return section.unknown(f"The uncertainty was {LATE}.")
    if ranks is None:
        return section.unknown(
            "The data are counts of votes for pairs; without the single rankings nothing can be "
            "said of their uncertainty."
        )
    n, decided = len(ranks.items), int(ranks.decisions.above.sum())
    section.told(said("{} decided at {}", ranks.decisions._of_pairs(), findings.level))
    section.text(*_who_is_first(ranks), _decided(findings, ranks))
    section.assumed(f"{_assumption(ranks)} {_caveat(findings)}")
    section.items(note for note in ranks.notes if note != ranks.decisions.warning)
    if decided:
        section.text(
            f"Intervals for ranks are by {ranks.by}: no method is known that bounds the ranks "
            "of the exact consensus."
        )
    if not findings.has_bars:
        return section
    together = [listing(group, GROUPS) for group in ranks.decisions.groups if len(group) > 1]
    if len(ranks.decisions.groups) > 1 and together:
        section.text("These cannot be told apart, directly or through others:")
        section.items(bullets(together, GROUPS))
    exact = int((ranks.best == ranks.worst).sum())
    if exact:
        verb = "is" if exact == 1 else "are"
        known = part_of(exact, "ranks determined", n, "items", "rank", form=",")
        section.text(said("{} {} determined.", known, verb))
    return section


def _who_is_first(ranks: RankIntervals) -> list[str]:
    """Say who may be first, unless that is everybody; and who, asked of the first place alone."""
    if len(ranks.first) == len(ranks.items):
        return []
    leaders = [item for item, rank in zip(ranks.items, ranks.rank, strict=True) if rank == 1]
    others = [item for item in ranks.first if item not in leaders]
    level, by = level_of(ranks.decisions.alpha), ranks.by
    alone = ""
    if set(ranks.first) != set(ranks.top(1)):
        alone = (
            " That is asked of the first place alone; the intervals above hold for all places at "
            "once, and are wider."
        )
    if not others:
        only = listing(ranks.first)
        return [said("At {}, first by {} can only be {}.{}", level, by, only, alone)]
    verb = "is" if len(leaders) == 1 else "are"
    head = f"First by {by} {verb} {listing(leaders)}, but" if leaders else f"By {by},"
    too, noun = ("be first too", "other") if leaders else ("be first", "item")
    many = stated(len(others), "others that may be first", ",", noun)
    may = "another item" if leaders and len(others) == 1 else many
    who = listing(others, GROUPS)
    return [said("{} {} may {} at {}: {}.{}", head, may, too, level, who, alone)]


def _decided(findings: Findings, ranks: RankIntervals) -> str:
    """Say how many pairs are decided, and why none is."""
    decisions, basis = ranks.decisions, ranks.decisions.basis
    if decisions.above.any():
        bound = "about" if decisions.is_approximate else "at most"
        rate = stated(decisions.alpha, "alpha", "g")
        told = "The data decide {}, by {}; family-wise error rate {} {}."
        text = said(told, ranks.decisions._of_pairs(), decisions.how, bound, rate)
        if findings.openness <= OPEN:
            return text
        n, mean = len(ranks.items), float((ranks.worst - ranks.best + 1).mean())
        open_ranks = part_of(mean, "mean ranks left open", n, "items", "rank", form=",.0f")
        return said("{} That leaves an item {} on average.", text, open_ranks)
    if decisions.warning is not None:
        return said("{}: any rank is possible.", capital(decisions.warning))
    text = f"No pair is decided, by {decisions.how}, so any rank is possible"
    if basis is None or basis.decidable_from is None:
        return f"{text}."
    units = stated(basis.n_units, "independent units", ",")
    told = "{}: these {} {}s could decide some, but disagree too much."
    return said(told, text, units, basis.word)


def _assumption(ranks: RankIntervals) -> str:
    if ranks.assumes is None:
        return f"The {ranks.unit}s are independent draws from all that there could be."
    return f"{capital(ranks.assumes)}."


def _caveat(findings: Findings) -> str:
    if findings.unit == "instance":
        return (
            "Scores of different tasks on one instance may depend on each other; they are averaged "
            "first. The tasks themselves are taken as given."
        )
    if isinstance(findings.data, ScoreSummary):
        return (
            "Every instance of every task counts as independent of the others. Scores of different "
            "tasks on one instance, or several metrics of it, are not: then the true uncertainty "
            "is larger."
        )
    if isinstance(findings.data, ScoreTable):
        return (
            "If these tasks are all that matters, there is nothing to infer; if tasks resemble "
            "each other, as those of one benchmark do, the true uncertainty is larger."
        )
    if isinstance(findings.data, Comparisons):
        if findings.data.clusters is None:
            return (
                "Comparisons that have a judge or a prompt in common are not: where they are told "
                "as clusters, that is taken into account."
            )
        return "Clusters that resemble each other would make the true uncertainty larger."
    return "Voters who follow each other would make the true uncertainty larger."


def _ballot(profile: Profile, row: int) -> str:
    """Return what a ranking says, and how often it was cast where that is not once."""
    copies = int(profile.counts[row])
    return f"{copies:,} x {profile[row]._arrows()}" if copies > 1 else profile[row]._arrows()


def without_tasks(findings: Findings) -> Section:
    """Say what single tasks, or rankings, change, and how few have to go for another first."""
    section = Section("stability", "Robustness")
    _fewest(findings, section)
    return _left_out(findings, section)


def _one_of(number: int, noun: str) -> str:
    return f"one {noun}" if number == 1 else f"one of {in_words(number, noun)}"


def _fewest(findings: Findings, section: Section) -> None:
    """Say how few tasks or rankings have to go before another is first."""
    if "removal" in findings.late:
        section.unknown(f"How many have to go before another is first was {LATE}.")
    if findings.removal is None:
        return
    if not findings.removal.first:
        section.unknown(
            f"How many {findings.removal.noun} have to go before another is first was {LATE}."
        )
        return
    told = [said("{}.", capital(line)) for line in findings.removal.lines]
    if findings.removal.is_proved:
        section.text(*told)
    else:
        section.unknown(joined(told))


def _left_out(findings: Findings, section: Section) -> Section:
    """Say what leaving out each of the tasks changes."""
    result = findings.stability
    if "stability" in findings.late:
        return section.unknown(f"The consensus without single tasks or rankings was {LATE}.")
    if result is None:
        if isinstance(findings.data, Comparisons):
            return section.unknown(
                "Who is first without some of the comparisons was not looked at; the chapter on "
                "uncertainty says what chance alone may change."
            )
        why = "without the single rankings it cannot be computed"
        if not isinstance(findings.data, PairData):
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
    noun = result.noun[:-1] if result.noun.endswith("s") else result.noun
    if len(others):
        section.told(f"another is first without {_one_of(len(others), noun)}")
    elif not result.undecided:
        section.told(f"no single {noun} decides who is first")
    units = stated(len(influence), "units left out one by one")
    if changed.empty and not result.undecided:
        section.text(said("Leaving out one of the {} {} changes nothing.", units, result.noun))
    else:
        cases = stated(len(changed), "units that change an order", noun="case", of=len(influence))
        none = "none" if others.empty else "{}"
        led = stated(len(others), "units that change the first", none.format, of=len(influence))
        told = "changes the order of some items in {}, and who is first in {}."
        section.text(said("Leaving out one of the {} {} " + told, units, result.noun, cases, led))
    if result.undecided:
        section.unknown(
            f"What leaving out {result.undecided} of the {result.noun} changes was {LATE}."
        )
    section.items(result.notes)
    if changed.empty and not result.undecided:
        return section
    frame = influence.sort_values("distance", ascending=False, kind="stable").reset_index()
    data = findings.data
    if isinstance(data, Profile) and data.groups is None:
        frame["left_out"] = [_ballot(data, int(row)) for row in frame["left_out"]]
    section.table(
        table_of(
            frame[["left_out", "distance", "tau", "winner"]],
            "The exact consensus without one of them, the most influential first",
            formats={"tau": ".3f"},
            headings={"left_out": "Left out", "distance": "pairs changed", "winner": "first is"},
            text=["left_out", "winner"],
            bars=["distance"],
            limit=ROWS,
            what=result.noun,
        )
    )
    return section
