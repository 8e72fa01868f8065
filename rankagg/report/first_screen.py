"""What readers see first: the result, how sure it is, three numbers, one figure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from rankagg._typing import Label
from rankagg.aggregation.means import Mean
from rankagg.analysis.comparison.alternatives import LATE
from rankagg.analysis.comparison.sentences import decided_of, first_of, proof_of
from rankagg.core.comparisons.comparisons import Comparisons
from rankagg.core.items import counted
from rankagg.core.names import (
    has_other_letters,
    in_words,
    joined,
    listing,
    named,
    percent,
    said,
    stated,
)
from rankagg.core.profiles.profile import Profile
from rankagg.core.scores.table import ScoreTable
from rankagg.core.sums.summary import ScoreSummary
from rankagg.core.votes.pairwise import PairwiseMatrix
from rankagg.inference.ranks.rank_intervals import RankIntervals
from rankagg.report.findings import Findings
from rankagg.report.ranking import Ranking, ranking_of

__all__ = ["FirstScreen", "first_screen"]

# Names that the first sentence holds.
NAMES = 3


@dataclass(frozen=True)
class FirstScreen:
    """What readers see first.

    Attributes
    ----------
    result, certainty : str
        The sentence of what came out, and those of how sure it is.
    numbers : tuple of (str, str)
        Numbers, and what they count.
    ranking : Ranking
        The figure.
    caption : tuple of str
        The sentences below it.
    """

    result: str
    certainty: str
    numbers: tuple[tuple[str, str], ...]
    ranking: Ranking
    caption: tuple[str, ...]


def first_screen(findings: Findings) -> FirstScreen:
    """Return what readers see first."""
    ranking = ranking_of(findings)
    return FirstScreen(
        result=_result(findings),
        certainty=joined(filter(None, (_proved(findings), _decided(findings)))),
        numbers=_numbers(findings),
        ranking=ranking,
        caption=tuple(_caption(findings, ranking)),
    )


# -- sentences ------------------------------------------------------------------------------------


def _result(findings: Findings) -> str:
    """Say who is first, and who else may be."""
    if len(findings.exact.items) == 1:
        return f"There is one {findings.noun}, {named(findings.exact.order[0])}: nothing to rank."
    known = None if findings.alternatives is None else findings.alternatives.winners
    told = first_of(findings.exact, known, findings.noun)
    is_alone = findings.is_proved and len(findings.winners) == 1
    return said("{}{}.", told, _rivals(findings, findings.exact.order[0]) if is_alone else "")


def _rivals(findings: Findings, leader: Label) -> str:
    """Say who else may be first, as the rest of a sentence."""
    ranks, noun = findings.ranks, findings.noun
    if ranks is None or len(ranks.items) == 1:
        return ""
    units, one = _units(ranks)
    if not findings.has_decisions:
        other = f"any other {noun}" if len(ranks.items) > 2 else named(findings.exact.order[1])
        return said(", but {} decide{} no pair: {} may be first too", units, one, other)
    may = ranks.top(1)
    rest = [item for item in may if item != leader]
    if len(rest) == len(may):
        return f", although by {ranks.by} only {listing(may, NAMES)} may be first"
    if not rest:
        return said(", and {} leave{} no other {} that may be first", units, one, noun)
    if 1 < len(rest) == len(ranks.items) - 1:
        return said(", but any other {} may be first too: {} cannot tell", noun, units)
    others = stated(len(rest), "others that may be first", partial(in_words, noun="other"))
    who = named(rest[0]) if len(rest) == 1 else others
    return said(", but {} may be first too: {} cannot tell them apart", who, units)


def _units(ranks: RankIntervals) -> tuple[str, str]:
    """Return what the decisions rest on, and the ending of its verb."""
    basis = ranks.decisions.basis
    if basis is None:
        return "the data", ""
    units = stated(basis.n_units, "independent units", partial(in_words, noun=basis.word))
    return units, "s" if basis.n_units == 1 else ""


def _proved(findings: Findings) -> str:
    """Say what is proved of the consensus."""
    if len(findings.exact.items) == 1:
        return ""
    known = findings.alternatives
    looked = known is not None or "alternatives" in findings.late
    return proof_of(findings.exact, known, looked=looked, group="shaded group")


def _decided(findings: Findings) -> str:
    """Say what is decided of the places."""
    if len(findings.exact.items) == 1:
        return ""
    if findings.ranks is None:
        late = f"How sure the places are was {LATE}."
        return late if findings.late & {"ranks"} else "Counts of votes do not tell how sure it is."
    return decided_of(findings.ranks.decisions)


# -- numbers and caption --------------------------------------------------------------------------


def _numbers(findings: Findings) -> tuple[tuple[str, str], ...]:
    data, missing = findings.data, findings.missing
    n = len(findings.exact.items)
    numbers = [_number(n, findings.noun)]
    if isinstance(data, ScoreTable | ScoreSummary):
        is_fine = isinstance(data, ScoreSummary) or data.is_instance_level
        numbers.append(_number(data.n_tasks, "task"))
        if is_fine:
            basis = None if findings.ranks is None else findings.ranks.decisions.basis
            # Instances that several tasks have in common are one each, as for decisions.
            is_told = basis is not None and basis.word == "instance"
            number = basis.n_units if basis is not None and is_told else data.n_units
            numbers.append(_number(number, "instance"))
    elif isinstance(data, Profile):
        numbers.append(_number(data.n_rankings, "ranking"))
    elif isinstance(data, Comparisons):
        numbers.append(_number(len(data), "comparison"))
        if data.clusters is not None:
            numbers.append(_number(data.n_clusters, "cluster"))
        if len(data):
            ties = stated(data.n_ties / len(data), "share of ties", percent, of=len(data))
            numbers.append((ties, "ties"))
    elif isinstance(data, PairwiseMatrix):
        cast = float(np.triu(data.comparisons, 1).sum())
        votes = stated(cast, "votes on pairs", ",.6g", weighted=True)
        numbers.append((votes, "vote on pairs" if cast == 1 else "votes on pairs"))
        pairs = n * (n - 1) // 2
        if pairs:
            share = len(data.never_compared) / pairs
            never = stated(share, "share of pairs never compared", percent, of=pairs)
            numbers.append((never, "of pairs never compared"))
    if missing is not None:
        what = "unranked" if isinstance(data, Profile) else "missing"
        share, cells = missing.n_missing / missing.n_cells, missing.n_cells
        numbers.append((stated(share, "share of cells missing", percent, of=cells), what))
    return tuple(numbers)


def _number(number: int, noun: str) -> tuple[str, str]:
    return stated(number, f"{noun}s", ","), counted(number, noun).split(" ", 1)[1]


def _caption(findings: Findings, ranking: Ranking) -> list[str]:
    if len(ranking.rows) == 1:
        return []
    ranks, told = findings.ranks, []
    if ranking.axis == "places":
        assert ranks is not None, "bars are intervals"
        told.append(
            f"Marks: places in the exact consensus (Kemeny). Bars: the ranks by {ranks.by} "
            f"that remain open, for all at once at {findings.level}, by {ranks.decisions.how}."
        )
    else:
        told.append(
            "Places are those of the exact consensus (Kemeny). Dots: the share of votes won "
            "against others, every opponent alike."
        )
    outside = [row for row in ranking.rows if row.strip.mark == "outside"]
    if outside:
        noun = counted(len(outside), findings.noun)
        told.append(
            f"{noun} with a hollow mark: the place in the consensus lies outside the bar, because "
            "the two are by different rules."
        )
    if "open" in ranking.marks:
        told.append("Shaded: groups whose order can change without contradicting one vote more.")
    has_means = any(type(c.aggregator) is Mean for c in findings.comparison.consensuses)
    if has_means and isinstance(findings.data, ScoreTable | ScoreSummary):
        told += _directions(findings.data)
    if has_means and findings.missing is not None and findings.missing.n_missing:
        told.append("Means are over the tasks that a system has, and so are not all comparable.")
    tasks = findings.data.tasks if isinstance(findings.data, ScoreTable) else ()
    if any(has_other_letters(str(label)) for label in (*findings.exact.items, *tasks)):
        told.append(
            "Some names need a font that has their letters; where a box stands for a letter, this "
            "machine has none."
        )
    return told


def _directions(data: ScoreTable | ScoreSummary) -> list[str]:
    """Say what means are of where lower scores are better on some tasks."""
    lower = sum(not higher for higher in data.higher_is_better.values())
    if not lower:
        return []
    if lower == data.n_tasks:
        return ["A lower mean score is better."]
    return ["In means, scores of tasks on which lower is better count with a minus."]
