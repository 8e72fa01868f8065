"""What readers see first: the result, how sure it is, three numbers, one figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Literal

import numpy as np

from rankagg._typing import Floats, Label
from rankagg.aggregation.means import Mean
from rankagg.analysis.comparison.agreement import LATE, Alternatives
from rankagg.analysis.comparison.sentences import decided_of, first_of, proof_of
from rankagg.core.comparisons import Comparisons
from rankagg.core.items import counted
from rankagg.core.names import (
    has_other_letters,
    in_words,
    joined,
    letters,
    listing,
    named,
    percent,
    said,
    stated,
    unsigned,
)
from rankagg.core.pairwise import PairwiseMatrix
from rankagg.core.profile import Profile
from rankagg.core.score_summary import ScoreSummary
from rankagg.core.scores import ScoreTable
from rankagg.inference.ranks.rank_results import RankIntervals
from rankagg.report.findings import Findings

# Rows that stand when the page is opened, and from how many on they can be looked through.
FOLDED, FILTERED = 40, 30
# Names wider than this may be cut on the screen; then they can be shown in full.
WIDE = 34


@dataclass(frozen=True)
class Strip:
    """What is drawn in a row, in per cent of its width."""

    # Where the mark stands.
    at: float | None
    # From where to where the bar goes.
    bar: tuple[float, float] | None = None
    # Whether the item may be first, or its mark lies outside its bar.
    mark: Literal["dot", "first", "outside"] = "dot"

    @property
    def link(self) -> tuple[float, float] | None:
        """From where to where a thin line joins the bar and a mark outside it."""
        if self.mark != "outside" or self.bar is None or self.at is None:
            return None
        return (self.at, self.bar[0]) if self.at < self.bar[0] else (self.bar[1], self.at)


@dataclass(frozen=True)
class PlaceRow:
    """An item: its place, its position among the items of the votes, its name, the rest."""

    place: int
    position: int
    name: str
    strip: Strip
    interval: str
    score: str


@dataclass(frozen=True)
class PlaceGroup:
    """Rows that stand together; where it is open, the votes do not say in which order."""

    rows: tuple[PlaceRow, ...]
    is_open: bool


@dataclass(frozen=True)
class PlaceFigure:
    """The first figure.

    Attributes
    ----------
    blocks : tuple of PlaceGroup
        All rows, the best first.
    axis : {"places", "votes"}
        What the strips show: places with their intervals, or the share of votes won.
    ticks : tuple of (float, str)
        Where numbers stand above the strips, in per cent; none where there is nothing to draw.
    noun, level, score : str
        Headings of the columns; no intervals are there where the level is empty.
    fold_after : int
        Rows to show at first; 0 where all are.
    """

    blocks: tuple[PlaceGroup, ...]
    axis: Literal["places", "votes"]
    ticks: tuple[tuple[float, str], ...]
    noun: str
    level: str
    score: str
    fold_after: int

    @property
    def rows(self) -> tuple[PlaceRow, ...]:
        """All rows."""
        return tuple(row for block in self.blocks for row in block.rows)

    @property
    def marks(self) -> frozenset[str]:
        """The kinds of marks that occur, for the key."""
        kinds: set[str] = {row.strip.mark for row in self.rows}
        return frozenset(kinds | {"open"} if any(b.is_open for b in self.blocks) else kinds)

    @property
    def has_filter(self) -> bool:
        """Whether there are so many rows that one looks for names."""
        return len(self.rows) > FILTERED

    @property
    def has_long_names(self) -> bool:
        """Whether some names may be cut on the screen."""
        return any(letters(row.name) > WIDE for row in self.rows)


def ranking_of(findings: Findings) -> PlaceFigure:
    """Return the first figure."""
    exact, n = findings.exact, len(findings.exact.items)
    shares = _votes_won(findings.comparison.votes)
    heading, scores = _scores(findings, shares)
    ranks = findings.ranks if findings.has_decisions else None
    rows = []
    for place, i in enumerate(np.argsort(exact.ranking.ranks, kind="stable").tolist(), 1):
        best, worst = (0, 0) if ranks is None else (int(ranks.best[i]), int(ranks.worst[i]))
        strip = _place(place, best, worst, n) if findings.has_bars else _share(shares[i])
        interval = "" if ranks is None else span(best, worst)
        rows.append(PlaceRow(place, i, str(exact.items[i]), strip, interval, scores[i]))
    blocks = _groups_of(rows, findings.alternatives)
    return PlaceFigure(
        blocks=blocks,
        axis="places" if findings.has_bars else "votes",
        ticks=ticks(n) if findings.has_bars else _per_cent_ticks() if n > 1 else (),
        noun=findings.noun.capitalize(),
        level="" if ranks is None else findings.level,
        score=heading,
        fold_after=_fold(blocks),
    )


def compared_shares(votes: PairwiseMatrix) -> Floats:
    """Return the share of votes with row above column, NaN where nobody compared the two."""
    return np.where(votes.comparisons > 0, votes.proportion, np.nan)


def ticks(n: int) -> tuple[tuple[float, str], ...]:
    """Return where numbers stand above places, and which.

    Examples
    --------
    >>> [text for _, text in ticks(24)]
    ['1', '5', '10', '15', '20', '24']
    """
    if n <= 12:
        chosen = list(range(1, n + 1))
    else:
        step = 5
        for factor in (2, 2, 2.5, 2, 2, 2.5, 2, 2, 2.5):
            if n / step > 6:
                step = round(step * factor)
        inner = [k for k in range(step, n, step) if n - k > 0.4 * step]
        chosen = [1, *inner, n]
    return tuple((_at(place, n), f"{place:,}") for place in chosen)


# -- rows -----------------------------------------------------------------------------------------


def _at(place: float, n: int) -> float:
    return 100 * (place - 0.5) / n


def _place(place: int, best: int, worst: int, n: int) -> Strip:
    bar = (_at(best, n), _at(worst, n))
    if not best <= place <= worst:
        return Strip(_at(place, n), bar, "outside")
    return Strip(_at(place, n), bar, "first" if best == 1 else "dot")


def _share(share: float) -> Strip:
    return Strip(None if np.isnan(share) else 2 + 96 * float(share))


def _per_cent_ticks() -> tuple[tuple[float, str], ...]:
    return tuple((2 + 0.96 * share, f"{share} %") for share in (0, 25, 50, 75, 100))


def span(best: int, worst: int, to: str = "\N{EN DASH}") -> str:
    """Return from which rank to which an item may stand."""
    return f"{best:,}" if best == worst else f"{best:,}{to}{worst:,}"


def _votes_won(votes: PairwiseMatrix) -> Floats:
    """Return each item's share of the votes against others, every opponent alike."""
    shares = compared_shares(votes)
    known = ~np.isnan(shares)
    np.fill_diagonal(known, False)
    with np.errstate(invalid="ignore"):
        won: Floats = np.where(known, shares, 0.0).sum(axis=1) / known.sum(axis=1)
    return won


def _scores(findings: Findings, shares: Floats) -> tuple[str, list[str]]:
    """Return what the column of scores is called, and its numbers, all with the same decimals."""
    known = [c for c in findings.comparison.consensuses if type(c.aggregator) is Mean]
    if known and known[0].scores is not None:
        assert isinstance(findings.data, ScoreTable | ScoreSummary), "means are of scores"
        scores = np.asarray(known[0].scores, dtype=float)
        # The rule negates scores of which less is better.
        is_lower = not any(findings.data.higher_is_better.values())
        return "Mean score", _aligned(-scores if is_lower else scores)
    return "Votes won", [
        "\N{EN DASH}" if np.isnan(share) else f"{100 * share:.0f} %" for share in shares
    ]


def _aligned(values: Floats) -> list[str]:
    """Write numbers with so many decimals that the largest has three digits that count."""
    finite = np.abs(values[np.isfinite(values)])
    largest = float(finite.max(initial=0.0))
    if largest >= 1e7 or 0 < largest < 1e-4:
        texts = [f"{value:.2e}" for value in values]
    else:
        decimals = 0 if not largest else int(np.clip(2 - np.floor(np.log10(largest)), 0, 6))
        texts = [unsigned(f"{value:.{decimals}f}") for value in values]
    return [
        text.replace("-", "\N{MINUS SIGN}") if np.isfinite(value) else "\N{EN DASH}"
        for text, value in zip(texts, values, strict=True)
    ]


# -- groups ---------------------------------------------------------------------------------------


def _groups_of(rows: Sequence[PlaceRow], known: Alternatives | None) -> tuple[PlaceGroup, ...]:
    """Return groups of optima of several rows, and between them those that stand alone together."""
    sizes = [1] * len(rows)
    if known is not None and known.is_unique is False:
        sizes = [len(block) for block in known.optima.blocks]
    groups = [k if size > 1 else -1 for k, size in enumerate(sizes) for _ in range(size)]
    parts = groupby(zip(groups, rows, strict=True), key=lambda pair: pair[0])
    return tuple(PlaceGroup(tuple(row for _, row in part), is_open=k >= 0) for k, part in parts)


def _fold(blocks: Sequence[PlaceGroup]) -> int:
    """Return after which row to fold: at the end of a group where that is not far."""
    total = sum(len(block.rows) for block in blocks)
    if total <= FOLDED + 5:
        return 0
    end = 0
    for block in blocks:
        start, end = end, end + len(block.rows)
        if end >= FOLDED:
            break
    # A tie group that would unfold more than twenty rows is cut.
    at = end if block.is_open and end <= FOLDED + 20 else max(FOLDED, start)
    return at if at < total else 0


@dataclass(frozen=True)
class FirstScreen:
    """What readers see first."""

    # The sentence of what came out, and those of how sure it is.
    result: str
    certainty: str
    # Numbers, and what they count.
    numbers: tuple[tuple[str, str], ...]
    ranking: PlaceFigure
    # The sentences below it.
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
        return f", although by {ranks.by} only {listing(may, 3)} may be first"
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


def _caption(findings: Findings, ranking: PlaceFigure) -> list[str]:
    if len(ranking.rows) == 1:
        return []
    ranks, told = findings.ranks, []
    if ranking.axis == "places":
        assert ranks is not None, "bars are intervals"
        text = (
            "Marks: places in the exact consensus (Kemeny). Bars: the ranks by {} that remain "
            "open, for all at once at {}, by {}."
        )
        told.append(said(text, ranks.by, findings.level, ranks.decisions.how))
    else:
        told.append(
            "Places are those of the exact consensus (Kemeny). Dots: the share of votes won "
            "against others, every opponent alike."
        )
    outside = [row for row in ranking.rows if row.strip.mark == "outside"]
    if outside:
        many = stated(len(outside), "places outside their bars", noun=findings.noun)
        text = (
            "{} with a hollow mark: the place in the consensus lies outside the bar, because the "
            "two are by different rules."
        )
        told.append(said(text, many))
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
