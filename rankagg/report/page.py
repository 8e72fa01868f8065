"""The page of a data set: its kind, its chapters in order, its proof for the browser, the file."""

from __future__ import annotations

import csv
import json
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from os import PathLike
from typing import Any, Final

import pandas as pd
from markupsafe import escape

from rankagg._typing import Bools, Label, RNGLike, Tolerance
from rankagg._validation import check_alpha, check_choice, check_flag, check_number
from rankagg.aggregation import Aggregator, Consensus, Data, Evidence
from rankagg.aggregation.base import votes_text
from rankagg.aggregation.evidence import as_data
from rankagg.aggregation.voting.transfers import STV
from rankagg.analysis.comparison.agreement import LATE
from rankagg.core import ItemSet, Profile, ScoreSummary, ScoreTable, listed, raw_text, said, stated
from rankagg.core.comparisons import Comparisons
from rankagg.exceptions import DataWarning, InvalidInputError, nearest
from rankagg.inference import RankIntervals
from rankagg.inference.units import Unit
from rankagg.io.cast_votes import CastVotes
from rankagg.io.json_files import votes_to_dict
from rankagg.io.output_files import write_text
from rankagg.report.ballots import USUAL, ElectionKind, ElectionRule, ListsKind, VotesKind
from rankagg.report.battles import BattlesKind
from rankagg.report.cards import check_link, is_link, read_cards
from rankagg.report.changes import table_changes
from rankagg.report.chapters_data import (
    certainty,
    colophon,
    missing_data,
    what_was_read,
    without_tasks,
)
from rankagg.report.chapters_result import majorities, methods, neighbors, proof
from rankagg.report.findings import Findings, Kind, Told
from rankagg.report.first_screen import first_screen
from rankagg.report.scores import ScoresKind
from rankagg.report.sections import render_page, resource

#: The kinds of pages by their names.
KINDS: Final[dict[str, type[Kind]]] = {
    kind.name: kind for kind in (ScoresKind, BattlesKind, Kind, ListsKind, ElectionKind, VotesKind)
}
# The scripts of the checker; each uses what stands before it, and the last one knows the page.
CHECKER = ("reading", "votes", "cases", "parts", "statement", "page")
# Votes of more items, and proofs of more characters, would make a page too heavy to open.
ITEMS, CHARACTERS = 500, 4_000_000
#: Whether a gate holds, and why.
_Judged = tuple[bool, str]


@dataclass(frozen=True)
class GateVerdict:
    """Whether a condition holds; False too where that was not computed."""

    condition: str
    holds: bool
    reason: str

    def __str__(self) -> str:
        verdict = "holds" if self.holds else "fails"
        return said("gate {} {}: {}.", self.condition, verdict, self.reason)


@dataclass(frozen=True)
class Report:
    """A self-contained page about a data set.

    Made by `make_report`. It holds results as text and pictures; the numbers are in these.

    Attributes
    ----------
    title : str
        Its heading.
    html : str
        The page; it asks nothing of the network.
    is_proved : bool
        Whether the exact consensus on it is proved optimal.
    is_complete : bool
        Whether there was time for everything else that stands on it.
    interrupted : bool
        Whether the user cut it short.
    gates : tuple of GateVerdict
        For each gate that was asked for its `condition`, whether it `holds`, and the `reason`.
    """

    title: str
    html: str
    is_proved: bool
    is_complete: bool = True
    interrupted: bool = False
    gates: tuple[GateVerdict, ...] = ()

    def save(self, target: str | PathLike[str]) -> None:
        """Write the page to a file.

        Parameters
        ----------
        target : path
            The file; an existing one is replaced once the new one is whole.

        Raises
        ------
        OutputError
            If it cannot be written.
        """
        write_text(target, self.html)

    def __repr__(self) -> str:
        return f"<Report {self.title!r}: {len(self.html):,} characters of HTML>"

    def _repr_html_(self) -> str:
        # In a frame of its own, so that neither page touches the other.
        page = escape(self.html)
        return (
            f'<iframe sandbox="allow-scripts" width="100%" height="700" srcdoc="{page}"></iframe>'
        )


def make_report(
    data: Data | CastVotes,
    rules: Iterable[Aggregator] | None = None,
    *,
    kind: str | ElectionRule | None = None,
    title: str = "Ranking report",
    about: Mapping[str, Any] | None = None,
    about_items: pd.DataFrame | None = None,
    source: Iterable[str] = (),
    tolerance: Tolerance = 0.0,
    unit: Unit | None = None,
    alpha: float = 0.05,
    time_limit: float | None = None,
    optima: bool = True,
    gates: Iterable[str] = (),
    rng: RNGLike = None,
    before: ScoreTable | None = None,
) -> Report:
    """Make one page about a data set: the exact consensus, other methods, how sure it all is.

    Parameters
    ----------
    data : ScoreTable, ScoreSummary, Comparisons, CastVotes, Profile or PairwiseMatrix
        The data.
    rules : iterable of Aggregator, optional
        The methods to hold against the exact consensus, which is always there; by default those
        of `compare`.
    kind : {"scores", "battles", "election", "rankings", "lists", "votes"} or a rule, optional
        What the data are, which the page is made for: a type of data says it, and a Profile is of
        "lists" where some leave items unlisted and they are no more than the items, else of
        "rankings", a sample. "election" is for a complete count of ballots, from which nothing is
        inferred; `CastVotes` are one. With a rule, `STV(seats)` or `InstantRunoff`, it is counted
        so, else by instant runoff; where a tie decides it and nothing but the order of the items
        breaks it, the page says that it is tied.
    title : str
        The heading.
    about : mapping, optional
        What readers should know of the data, by name: a "date", "version", "licence", "link" or
        whatever else stands below the heading. "cluster" is what clusters of battles are called,
        such as "judge", and "anchor" a mapping from one item to the rating that it has; with
        "judges" True the page says how reliable each of these clusters is.
        "categories" is a mapping from tasks to the categories that columns of scores are filtered
        by, or from categories of battles to their Comparisons, which are rated by themselves.
    about_items : DataFrame, optional
        A row for each item, by its label, and a column for whatever is said of them, with which
        readers can sort and filter the items; "link" or "URL" is where names lead. Rows of other
        items are left out, and counted.
    source : iterable of str
        What readers should know of where the data come from, a line each.
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by no more are tied.
    unit : {"ranking", "instance", "task"}, optional
        What is independent, for the intervals; by default instances where there are some, else
        rankings.
    alpha : float, default 0.05
        The family-wise error rate of the decided pairs.
    time_limit : float, optional
        Seconds for everything that is computed: half of them at most for the exact consensus, the
        rest for other optima and for leaving out tasks; drawing comes on top. Without a proof the
        page says how far it may be off, and what was not computed in time. Ctrl-C does the same.
        With thousands of items the votes, the certificate and the costs alone take longer than a
        few seconds; see :doc:`/explanation/cost` for that, and for what a page leaves out then.
    optima : bool, default True
        Look for all other optima; for large problems with many that takes long.
    gates : iterable of str
        What to judge besides, for `Report.gates`: "proved", "unique", "first-decided",
        "first=ITEM", "above=ITEM,ITEM", "decided=ITEM,ITEM". What was not computed fails.
    rng : int, numpy.random.Generator or None, optional
        A seed or a generator, for randomized methods.
    before : ScoreTable, optional
        An earlier version of a table of scores: a chapter says who came, went and moved since, by
        `rankagg.analysis.compare_tables`.

    Returns
    -------
    Report

    Raises
    ------
    InvalidInputError
        If the kind or the unit does not suit the data, or a gate says nothing that can be judged.

    Examples
    --------
    >>> import rankagg as ra
    >>> capital = ra.datasets.load("tennessee")
    >>> page = ra.make_report(capital, title="The capital", gates=["first=Nashville"])
    >>> page.is_proved
    True
    >>> print(page.gates[0])
    gate first=Nashville holds: Nashville is first in every optimum.
    >>> page.save("tennessee.html")  # doctest: +SKIP
    """
    data = as_data(data)
    if not isinstance(title, str) or not title.strip():
        raise InvalidInputError("title", "a text", title)
    if unit is not None:
        check_choice(unit, ("ranking", "instance", "task"), "unit")
    if before is not None and not (isinstance(before, ScoreTable) and isinstance(data, ScoreTable)):
        raise InvalidInputError("before", "a ScoreTable, for a page of a ScoreTable", before)
    chosen = kind_of(data, kind, rng)
    items = Evidence.of(chosen.data, tolerance).items
    chosen = replace(chosen, told=_told_of(about, about_items, items, chosen)).ranked()
    asked, lines = _read_gates(gates, items), list(source)
    if isinstance(data, CastVotes):
        lines += [line for line in data.lines() if line not in lines]
    for line in chosen.told.cards.lines:
        warnings.warn(line, DataWarning, stacklevel=2)
        lines.append(line)
    findings = Findings.of(
        chosen,
        rules,
        tolerance=tolerance,
        unit=unit,
        alpha=check_alpha(alpha),
        time_limit=time_limit,
        optima=check_flag(optima, "optima"),
        rng=rng,
        before=before,
    )
    how_to_check, blocks = _proof_blocks(findings.exact, chosen.words.vote)
    sections = [proof(findings).text(how_to_check)]
    if len(findings.exact.items) > 1:
        sections = [
            *chosen.opening(findings),
            *(
                [table_changes(findings.changes, tolerance, time_limit)]
                if before is not None
                else []
            ),
            neighbors(findings),
            majorities(findings),
            *([certainty(findings)] if chosen.infers else []),
            methods(findings),
            without_tasks(findings),
            *sections,
        ]
    if chosen.lacks:
        sections.append(missing_data(findings))
    sections += [
        what_was_read(findings, lines),
        colophon(c.rule for c in findings.comparison.consensuses),
    ]
    embedded, scripts = chosen.embedded()
    html = render_page(
        title,
        [section for section in sections if section.parts],
        screen=first_screen(findings),
        facts=chosen.told.facts,
        scripts=[*([_checker_script()] if blocks else []), *map(resource, scripts)],
        blocks=blocks | embedded,
    )
    return Report(
        title,
        html,
        is_proved=findings.is_proved,
        is_complete=findings.is_complete,
        interrupted=findings.interrupted,
        gates=tuple(gate.judge(findings) for gate in asked),
    )


# -- which kind the data are, and what the user says of them -----


def kind_of(
    data: Data | CastVotes, name: str | ElectionRule | None = None, rng: RNGLike = None
) -> Kind:
    """Return data with what a page says of their kind, which their type tells unless it is named.

    Rankings are lists where some leave items unlisted, and there are no more of them than items.
    """
    cast = data if isinstance(data, CastVotes) else None
    if isinstance(data, CastVotes):
        data, name = data.profile, name or "election"
    fitting = [one for one, kind in KINDS.items() if isinstance(data, kind.holds)]
    if not fitting:
        allowed = "a ScoreTable, ScoreSummary, Profile, CastVotes, PairwiseMatrix or Comparisons"
        raise InvalidInputError("data", allowed, data)
    if isinstance(name, ElectionRule) and isinstance(data, Profile):
        return ElectionKind(data, Told(), name, cast, rng)
    if name is None:
        name = fitting[0]
        if isinstance(data, Profile) and data.has_unlisted and data.n_rankings <= data.n_items:
            name = "lists"
    if isinstance(name, ElectionRule) or check_choice(name, tuple(KINDS), "kind") not in fitting:
        allowed = f"one of {', '.join(fitting)} for a {type(data).__name__}"
        raise InvalidInputError("kind", allowed, name)
    if isinstance(data, Profile) and name == "election":
        rule = STV(cast.seats) if cast is not None and cast.seats > 1 else USUAL
        return ElectionKind(data, Told(), rule, cast, rng)
    return KINDS[name](data, Told())


def _told_of(
    about: Mapping[str, Any] | None, items: pd.DataFrame | None, of: ItemSet, kind: Kind
) -> Told:
    """Return what the user says of the data and of their items, checked."""
    facts = dict(about or {})
    if not all(isinstance(name, str) for name in facts):
        raise InvalidInputError("about", "a mapping from texts", about)
    cluster = facts.pop("cluster", "cluster")
    categories = _categories_of(facts.pop("categories", {}), of, kind)
    anchor = _anchor_of(facts.pop("anchor", {}), kind)
    judges = check_flag(facts.pop("judges", False), "about['judges']")
    if judges and getattr(kind.data, "clusters", None) is None:
        allowed = "False unless Comparisons have clusters"
        remedy = "State the judge of each comparison as its cluster."
        raise InvalidInputError("about['judges']", allowed, True, remedy)
    links = [name for name in facts if is_link(name)]
    if len(links) > 1:
        raise InvalidInputError("about", "with one link", links)
    facts = {"link" if is_link(name) else name: value for name, value in facts.items()}
    if links:
        check_link(facts["link"], "about")
    texts = {name: str(value) for name, value in facts.items()}
    tasks = kind.data.tasks if isinstance(kind.data, ScoreTable | ScoreSummary) else ()
    cards = read_cards(items, of, tasks)
    return Told(texts, str(cluster), categories, anchor, judges, cards)


def _categories_of(categories: Any, items: ItemSet, kind: Kind) -> dict[Any, Any]:
    """Return the category of each task, or the battles of each category, checked."""
    known = dict(categories) if isinstance(categories, Mapping | pd.Series) else None
    allowed = "a mapping from tasks to their categories"
    if isinstance(kind, BattlesKind):
        allowed = "a mapping from categories to Comparisons of items of the data"
        for one in (known or {}).values():
            known = known if isinstance(one, Comparisons) and {*one.items} <= {*items} else None
    if known is None:
        raise InvalidInputError("about['categories']", allowed, categories)
    return known


def _anchor_of(anchor: Any, kind: Kind) -> dict[Label, float]:
    """Return the item whose rating is stated with that rating, checked."""
    is_one = isinstance(anchor, Mapping) and len(anchor) <= 1
    if not is_one or (anchor and not isinstance(kind, BattlesKind)):
        allowed = "a mapping from one item of battles to its rating, such as {'A': 1000}"
        raise InvalidInputError("about['anchor']", allowed, anchor)
    return {item: check_number(rating, "about['anchor']") for item, rating in anchor.items()}


# -- the proof in the page -----


def _proof_blocks(exact: Consensus, vote: str = "vote") -> tuple[str, dict[str, str]]:
    """Return what a page says of checking its proof there, and votes and certificate as JSON."""
    assert exact.certificate is not None, "an exact rule gives a certificate"
    n, blocks = len(exact.items), dict[str, str]()
    why = f"the {vote}s on {ITEMS} items, and there are {n:,}"
    if n <= ITEMS:
        parts = {"votes": votes_to_dict(exact.pairwise), "certificate": exact.certificate.to_dict()}
        for name, part in parts.items():
            blocks[f"proof-{name}"] = json.dumps(part, ensure_ascii=False, separators=(",", ":"))
        characters = sum(map(len, blocks.values()))
        if characters <= CHARACTERS:
            return (
                f"The {vote}s and the certificate travel in this page, and the button \u201cCheck "
                "the proof\u201d above checks one against the other, here and in exact integers, "
                "and the order shown against both."
            ), blocks
        why = f"{CHARACTERS:,} characters, and {vote}s and certificate take {characters:,}"
    return (
        f"This page cannot check the proof itself: a page has room for {why}. `rankagg solve` with "
        "--certificate and --votes writes both as files, which `rankagg verify` and the "
        "stand-alone program in the documentation check."
    ), {}


@cache
def _checker_script(parts: tuple[str, ...] = CHECKER) -> str:
    """Return the checker as one script."""
    folder = files("rankagg.report") / "templates" / "checker"
    body = "\n".join((folder / f"{name}.js").read_text(encoding="utf-8") for name in parts)
    return (
        f'const proofChecker = (() => {{\n"use strict";\n\n{body}\n'
        "return {check, Refused, BeyondBudget};\n})();\n"
    )


# -- gates: conditions on what is found -----


@dataclass(frozen=True)
class _Gate:
    """A condition such as "first=NAME": what stands before the "=", and the items behind it."""

    condition: str
    kind: str
    items: tuple[Label, ...]

    def judge(self, findings: Findings) -> GateVerdict:
        """Say whether it holds."""
        check, _ = _CONDITIONS[self.kind]
        apart = [item for item in self.items if item not in findings.exact.items]
        if apart:
            return GateVerdict(self.condition, False, f"{listed(apart)} has no rating yet")
        unknown = _no_intervals(findings) if "decided" in self.kind else None
        if self.kind == "unique" or (findings.is_exact and self.kind in ("first", "above")):
            unknown = _not_known_of_optima(findings)
        verdict = check(findings, *self.items) if unknown is None else (False, unknown)
        return GateVerdict(self.condition, *verdict)


def _read_gates(conditions: Iterable[str], items: ItemSet) -> tuple[_Gate, ...]:
    """Return the gates that some texts name; raise where one names none."""
    if isinstance(conditions, str):
        raise InvalidInputError("gates", "a list of texts such as ['proved']", conditions)
    return tuple(_gate_of(condition, items) for condition in conditions)


def _gate_of(condition: str, items: ItemSet) -> _Gate:
    if not isinstance(condition, str):
        raise InvalidInputError("gates", "texts such as 'proved'", condition)
    kind, sign, rest = condition.partition("=")
    kind = kind.strip()
    forms = {name: name + ("", "=ITEM", "=ITEM,ITEM")[k] for name, (_, k) in _CONDITIONS.items()}
    number = _CONDITIONS[kind][1] if kind in _CONDITIONS else -1
    if number < 0 or bool(sign) != bool(number):
        remedy = nearest(kind, _CONDITIONS) if number < 0 else f"Write {forms[kind]}."
        allowed = f"one of {', '.join(forms.values())}"
        raise InvalidInputError("gates", allowed, condition, remedy)
    known = {raw_text(label): label for label in items}
    names = [rest] * number
    if number == 2:
        # Quoted names may have a comma.
        rows = csv.reader([rest], skipinitialspace=True)
        names = [name.strip() for row in rows for name in row]
    if len(names) != number or len(set(names)) < len(names):
        allowed = f"{forms[kind]} with different items"
        remedy = "Quote a name that has a comma."
        raise InvalidInputError("gates", allowed, condition, remedy)
    for name in names:
        if name not in known:
            allowed = f"about items of the data ({listed(items.labels)})"
            raise InvalidInputError("gates", allowed, condition, nearest(name, items))
    return _Gate(condition, kind, tuple(known[name] for name in names))


def _is_proved(findings: Findings) -> _Judged:
    exact, certificate = findings.exact, findings.exact.certificate
    assert certificate is not None, "an exact rule gives a certificate"
    if findings.is_proved:
        return True, said("no ranking costs less than {}", votes_text(exact, exact.cost, "cost"))
    told = "the exact consensus is not proved, a ranking may be cheaper by up to {}"
    return False, said(told, votes_text(exact, certificate.gap, "gap"))


def _not_known_of_optima(findings: Findings) -> str | None:
    """Say why nothing is known of all optima; None where it is."""
    known = findings.alternatives
    if not findings.is_proved:
        return _is_proved(findings)[1]
    if known is None and "alternatives" not in findings.late:
        return "other optima were not looked at"
    if known is None or known.is_unique is None:
        return f"what the other optima are was {LATE}"
    return None


def _no_intervals(findings: Findings) -> str | None:
    """Say why nothing is known of ranks; None where it is."""
    if findings.ranks is not None:
        return None
    if "ranks" in findings.late:
        return f"the uncertainty was {LATE}"
    return "counts of votes without their rankings leave the uncertainty unknown"


def _is_unique(findings: Findings) -> _Judged:
    known = findings.alternatives
    assert known is not None, "it is known of all optima"
    if known.is_unique:
        return True, "there is one optimum only"
    if known.count is None:
        return False, "more than one ranking is equally good"
    return False, said("{} are equally good", stated(known.count, "optima", ",", "ranking"))


def _is_first(findings: Findings, item: Label) -> _Judged:
    if not findings.is_exact:
        first = findings.lead.buckets[0]
        verb = "is" if len(first) == 1 else "are"
        return first == (item,), f"{listed(first)} {verb} first by {findings.kind.leads}"
    always, at = _in_every_optimum(findings), findings.exact.items.index(item)
    if always[at].sum() == len(always) - 1:
        return True, f"{item} is first in every optimum"
    others = [other for other in findings.winners if other != item]
    if item in findings.winners or not others:
        return False, f"another is first in a ranking that is equally good ({listed(others)})"
    return False, f"{listed(others)} {'is' if len(others) == 1 else 'can be'} first"


def _is_above(findings: Findings, upper: Label, lower: Label) -> _Judged:
    i, j = (findings.exact.items.index(item) for item in (upper, lower))
    if not findings.is_exact:
        ranks, by = findings.lead.ranking.ranks, findings.kind.leads
        is_above = bool(ranks[i] < ranks[j])
        how = "" if is_above else "not "
        return is_above, f"{upper} is {how}above {lower} by {by}"
    always = _in_every_optimum(findings)
    if always[i, j]:
        return True, f"{upper} is above {lower} in every optimum"
    if always[j, i]:
        return False, f"{lower} is above {upper} in every optimum"
    return False, "rankings that are equally good differ on the two"


def _in_every_optimum(findings: Findings) -> Bools:
    """Return which items stand before which in every optimum."""
    assert findings.alternatives is not None, "it is known of all optima"
    return findings.alternatives.optima.relation()


def _is_first_decided(findings: Findings) -> _Judged:
    ranks, level = _ranks_at(findings)
    may, level = ranks.first, said("{}{}", level, ranks.first_note)
    if len(may) != 1:
        many = stated(len(may), "items that may be first", noun="item", of=len(ranks.items))
        return False, said("{} may be first {}", many, level)
    (only,) = may
    unknown = _not_known_of_optima(findings) if findings.is_exact else None
    is_first, why = _is_first(findings, only) if unknown is None else (False, unknown)
    but = "and" if is_first else f"but in {findings.kemeny}" if findings.is_exact else "but here"
    return is_first, said("only {} may be first {}, {} {}", only, level, but, why)


def _is_decided(findings: Findings, upper: Label, lower: Label) -> _Judged:
    ranks, level = _ranks_at(findings)
    i, j = (ranks.items.index(item) for item in (upper, lower))
    if ranks.decisions.above[i, j]:
        return True, said("{} is above {} {}", upper, lower, level)
    if ranks.decisions.above[j, i]:
        return False, said("{} is above {} {}", lower, upper, level)
    return False, said("which of the two is above is not decided {}", level)


def _ranks_at(findings: Findings) -> tuple[RankIntervals, str]:
    """Return the intervals, and their level and rule as the end of a sentence."""
    assert findings.ranks is not None, "it is known of the ranks"
    return findings.ranks, said("at {}, by {}", findings.level, findings.ranks.by)


#: What gates check, and how many items they name.
_CONDITIONS: dict[str, tuple[Callable[..., _Judged], int]] = {
    "proved": (_is_proved, 0),
    "unique": (_is_unique, 0),
    "first-decided": (_is_first_decided, 0),
    "first": (_is_first, 1),
    "above": (_is_above, 2),
    "decided": (_is_decided, 2),
}
