"""Page of a data set: its kind, chapters, proof for the browser, and gates."""

from __future__ import annotations

import csv
import json
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from os import PathLike
from typing import Any

import pandas as pd
from markupsafe import escape

from rankagg._typing import Bools, Label, RNGLike, Tolerance
from rankagg._validation import check_alpha, check_choice, check_flag, check_number
from rankagg.aggregation import Aggregator, Consensus, Data, Evidence, as_data
from rankagg.aggregation.base import votes_text
from rankagg.aggregation.voting.transfers import STV
from rankagg.analysis.comparison.agreement import LATE
from rankagg.core import (
    ItemSet,
    Profile,
    ScoreSummary,
    ScoreTable,
    listed,
    quantity,
    raw_text,
    sentence,
)
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
from rankagg.report.findings import About, Findings, Kind
from rankagg.report.first_screen import first_screen
from rankagg.report.scores import ScoresKind
from rankagg.report.sections import render_page, resource

#: Kinds of pages by name.
KINDS: dict[str, type[Kind]] = {
    kind.name: kind for kind in (ScoresKind, BattlesKind, Kind, ListsKind, ElectionKind, VotesKind)
}
# Scripts of the checker, in order of their dependencies; the last one reads the page.
CHECKER = ("reading", "votes", "cases", "parts", "statement", "page")
# Most items, and most characters of a proof, that a page embeds.
ITEMS, CHARACTERS = 500, 4_000_000
#: Whether a gate holds, with the reason.
_Verdict = tuple[bool, str]


@dataclass(frozen=True)
class GateVerdict:
    """Outcome of a gate; a result that was not computed fails."""

    condition: str
    holds: bool
    reason: str

    def __str__(self) -> str:
        verdict = "holds" if self.holds else "fails"
        return sentence("gate {} {}: {}.", self.condition, verdict, self.reason)


@dataclass(frozen=True)
class Report:
    """Self-contained page about a data set, as made by `make_report`.

    Attributes
    ----------
    title : str
        The heading.
    html : str
        The page, which needs no network.
    is_proved : bool
        Whether the exact consensus is proved optimal.
    is_complete : bool
        Whether all other results were computed in time.
    interrupted : bool
        Whether the user interrupted the computation.
    gates : tuple of GateVerdict
        The `condition` of each gate, whether it `holds`, and the `reason`.
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
            The file; an existing one is replaced once the new one is complete.

        Raises
        ------
        OutputError
            If the file cannot be written.
        """
        write_text(target, self.html)

    def __repr__(self) -> str:
        return f"<Report {self.title!r}: {len(self.html):,} characters of HTML>"

    def _repr_html_(self) -> str:
        # A frame keeps the two pages apart.
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
    """Make a page about a data set: the exact consensus, other rules, and the uncertainty.

    Parameters
    ----------
    data : ScoreTable, ScoreSummary, Comparisons, CastVotes, Profile or PairwiseMatrix
        The data.
    rules : iterable of Aggregator, optional
        The rules to compare with the exact consensus, which is always included; by default those
        of `compare`.
    kind : {"scores", "battles", "election", "rankings", "lists", "votes"} or a rule, optional
        The kind of page; by default that of the type of the data. A Profile is of "lists" if some
        leave items unlisted and there are no more lists than items, else of "rankings", a sample.
        "election" is a complete count of ballots without inference, such as `CastVotes`. A rule,
        `STV(seats)` or `InstantRunoff`, counts an election; the default is instant runoff. A tie
        that only the order of the items breaks is reported as a tie.
    title : str
        The heading.
    about : mapping, optional
        Facts below the heading by name, such as "date", "version", "licence" and "link". Other
        keys are "cluster", the noun for a cluster of battles, such as "judge"; "anchor", a mapping
        from one item to its fixed rating; "judges", whether to estimate the reliability of
        clusters; and "categories", a mapping from tasks to categories, which filter columns of
        scores, or from categories of battles to their Comparisons, each rated separately.
    about_items : DataFrame, optional
        A row for each item, by its label. Readers can sort and filter items by the columns;
        "link" or "URL" makes names links. Rows of other items are left out, and counted.
    source : iterable of str
        Lines on the source of the data.
    tolerance : float, mapping or Series from task to float, default 0
        Scores that differ by no more are tied.
    unit : {"ranking", "instance", "task"}, optional
        The independent unit of the intervals; by default instances if there are any, else
        rankings.
    alpha : float, default 0.05
        The family-wise error rate of the decided pairs.
    time_limit : float, optional
        Seconds for all computations without drawing: at most half for the exact consensus, the
        rest for other optima and removals. The page states the gap to the optimum, and results
        that were not computed in time. Ctrl-C does the same. With thousands of items the votes,
        the certificate and the costs alone take more than a few seconds; :doc:`/explanation/cost`
        states this, and what a page leaves out then.
    optima : bool, default True
        Search all other optima, which can take long for large problems with many.
    gates : iterable of str
        Conditions for `Report.gates`: "proved", "unique", "first-decided", "first=ITEM",
        "above=ITEM,ITEM", "decided=ITEM,ITEM". One that was not computed fails.
    rng : int, numpy.random.Generator or None, optional
        A seed or a generator, for randomized methods.
    before : ScoreTable, optional
        An earlier version of a table of scores, for a chapter on systems that came, went and
        moved, by `rankagg.analysis.compare_tables`.

    Returns
    -------
    Report

    Raises
    ------
    InvalidInputError
        If the kind or the unit does not suit the data, or a gate is unknown.

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
    chosen = replace(chosen, about=_read_about(about, about_items, items, chosen)).ranked()
    conditions, lines = _read_gates(gates, items), list(source)
    if isinstance(data, CastVotes):
        lines += [line for line in data.lines() if line not in lines]
    for line in chosen.about.cards.lines:
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
            *([table_changes(findings.changes, tolerance, time_limit)] * (before is not None)),
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
        facts=chosen.about.facts,
        scripts=[*([_checker_script()] if blocks else []), *map(resource, scripts)],
        blocks=blocks | embedded,
    )
    return Report(
        title,
        html,
        is_proved=findings.is_proved,
        is_complete=findings.is_complete,
        interrupted=findings.interrupted,
        gates=tuple(gate.judge(findings) for gate in conditions),
    )


# -- kind and metadata -----


def kind_of(
    data: Data | CastVotes, name: str | ElectionRule | None = None, rng: RNGLike = None
) -> Kind:
    """Return the kind of a page, by default that of the type of the data.

    Rankings are lists if some leave items unlisted, and there are no more of them than items.
    """
    cast = data if isinstance(data, CastVotes) else None
    if isinstance(data, CastVotes):
        data, name = data.profile, name or "election"
    fitting = [one for one, kind in KINDS.items() if isinstance(data, kind.holds)]
    if not fitting:
        allowed = "a ScoreTable, ScoreSummary, Profile, CastVotes, PairwiseMatrix or Comparisons"
        raise InvalidInputError("data", allowed, data)
    rule: ElectionRule = STV(cast.seats) if cast is not None and cast.seats > 1 else USUAL
    if isinstance(name, ElectionRule) and isinstance(data, Profile):
        rule, name = name, "election"
    if name is None:
        name = fitting[0]
        if isinstance(data, Profile) and data.has_unlisted and data.n_rankings <= data.n_items:
            name = "lists"
    if isinstance(name, ElectionRule) or check_choice(name, tuple(KINDS), "kind") not in fitting:
        allowed = f"one of {', '.join(fitting)} for a {type(data).__name__}"
        raise InvalidInputError("kind", allowed, name)
    if isinstance(data, Profile) and name == "election":
        # A count puts candidates that a ballot leaves out below all that it lists.
        return ElectionKind(data.with_unranked("last"), About(), rule, cast, rng)
    return KINDS[name](data, About())


def _read_about(
    about: Mapping[str, Any] | None, cards: pd.DataFrame | None, items: ItemSet, kind: Kind
) -> About:
    """Read and check the metadata from the user."""
    facts = dict(about or {})
    if not all(isinstance(name, str) for name in facts):
        raise InvalidInputError("about", "a mapping from texts", about)
    cluster = facts.pop("cluster", "cluster")
    categories = _read_categories(facts.pop("categories", {}), items, kind)
    anchor = _read_anchor(facts.pop("anchor", {}), kind)
    judges = check_flag(facts.pop("judges", False), "about['judges']")
    if judges and getattr(kind.data, "clusters", None) is None:
        allowed = "False unless Comparisons have clusters"
        remedy = "State the judge of each comparison by `cluster`."
        raise InvalidInputError("about['judges']", allowed, True, remedy)
    links = [name for name in facts if is_link(name)]
    if len(links) > 1:
        raise InvalidInputError("about", "with one link", links)
    facts = {"link" if is_link(name) else name: value for name, value in facts.items()}
    if links:
        check_link(facts["link"], "about")
    texts = {name: str(value) for name, value in facts.items()}
    tasks = kind.data.tasks if isinstance(kind.data, ScoreTable | ScoreSummary) else ()
    return About(texts, str(cluster), categories, anchor, judges, read_cards(cards, items, tasks))


def _read_categories(categories: Any, items: ItemSet, kind: Kind) -> dict[Any, Any]:
    """Check the category of each task, or the battles of each category."""
    checked = dict(categories) if isinstance(categories, Mapping | pd.Series) else None
    allowed = "a mapping from tasks to their categories"
    if isinstance(kind, BattlesKind):
        allowed = "a mapping from categories to Comparisons of items of the data"
        for one in (checked or {}).values():
            checked = checked if isinstance(one, Comparisons) and {*one.items} <= {*items} else None
    if checked is None:
        raise InvalidInputError("about['categories']", allowed, categories)
    return checked


def _read_anchor(anchor: Any, kind: Kind) -> dict[Label, float]:
    """Check the item with a fixed rating."""
    is_one = isinstance(anchor, Mapping) and len(anchor) <= 1
    if not is_one or (anchor and not isinstance(kind, BattlesKind)):
        allowed = "a mapping from one item of battles to its rating, such as {'A': 1000}"
        raise InvalidInputError("about['anchor']", allowed, anchor)
    return {item: check_number(rating, "about['anchor']") for item, rating in anchor.items()}


# -- the proof in the page -----


def _proof_blocks(exact: Consensus, vote: str = "vote") -> tuple[str, dict[str, str]]:
    """Return a text on checking the proof, and votes and certificate as JSON."""
    assert exact.certificate is not None, "an exact rule gives a certificate"
    n, blocks = len(exact.items), dict[str, str]()
    limit = f"{ITEMS} items, and there are {n:,}"
    if n <= ITEMS:
        parts = {"votes": votes_to_dict(exact.pairwise), "certificate": exact.certificate.to_dict()}
        for name, part in parts.items():
            blocks[f"proof-{name}"] = json.dumps(part, ensure_ascii=False, separators=(",", ":"))
        characters = sum(map(len, blocks.values()))
        if characters <= CHARACTERS:
            return (
                f"This page contains the {vote}s and the certificate. The button “Check the proof” "
                "checks the certificate against them in exact integers, and the order shown too."
            ), blocks
        limit = f"{CHARACTERS:,} characters, and the proof takes {characters:,}"
    return (
        f"This page cannot check the proof: the limit is {limit}. `rankagg solve` writes it with "
        "--certificate and --votes, for `rankagg verify` and the stand-alone program in the "
        "documentation."
    ), {}


@cache
def _checker_script(parts: tuple[str, ...] = CHECKER) -> str:
    """Return the checker as one script."""
    body = "\n".join(resource(f"checker/{name}.js") for name in parts)
    return (
        f'const proofChecker = (() => {{\n"use strict";\n\n{body}\n'
        "return {check, Refused, BeyondBudget};\n})();\n"
    )


# -- gates: conditions on the result -----


@dataclass(frozen=True)
class _Gate:
    """Condition such as "first=NAME", split into kind and items."""

    condition: str
    kind: str
    items: tuple[Label, ...]

    def judge(self, findings: Findings) -> GateVerdict:
        """Return whether it holds."""
        check, _ = _CONDITIONS[self.kind]
        unrated = [item for item in self.items if item not in findings.exact.items]
        if unrated:
            return GateVerdict(self.condition, False, f"{listed(unrated)} has no rating yet")
        unknown = _missing_intervals(findings) if "decided" in self.kind else None
        if self.kind == "unique" or (findings.is_exact and self.kind in ("first", "above")):
            unknown = _missing_optima(findings)
        verdict = check(findings, *self.items) if unknown is None else (False, unknown)
        return GateVerdict(self.condition, *verdict)


def _read_gates(conditions: Iterable[str], items: ItemSet) -> tuple[_Gate, ...]:
    """Parse the conditions of gates."""
    if isinstance(conditions, str):
        raise InvalidInputError("gates", "a list of texts such as ['proved']", conditions)
    return tuple(_read_gate(condition, items) for condition in conditions)


def _read_gate(condition: str, items: ItemSet) -> _Gate:
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
        names = [name.strip() for row in csv.reader([rest], skipinitialspace=True) for name in row]
    if len(names) != number or len(set(names)) < len(names):
        allowed = f"{forms[kind]} with different items"
        remedy = "Put a name with a comma in quotation marks."
        raise InvalidInputError("gates", allowed, condition, remedy)
    for name in names:
        if name not in known:
            allowed = f"about items of the data ({listed(items.labels)})"
            raise InvalidInputError("gates", allowed, condition, nearest(name, items))
    return _Gate(condition, kind, tuple(known[name] for name in names))


def _is_proved(findings: Findings) -> _Verdict:
    exact, certificate = findings.exact, findings.exact.certificate
    assert certificate is not None, "an exact rule gives a certificate"
    if findings.is_proved:
        return True, sentence(
            "no ranking costs less than {}", votes_text(exact, exact.cost, "cost")
        )
    text = "the exact consensus is not proved, a ranking may cost less by up to {}"
    return False, sentence(text, votes_text(exact, certificate.gap, "gap"))


def _missing_optima(findings: Findings) -> str | None:
    """Return why the optima are unknown, or None."""
    known = findings.alternatives
    if not findings.is_proved:
        return _is_proved(findings)[1]
    if known is None and "alternatives" not in findings.late:
        return "other optima were not searched"
    if known is None or known.is_unique is None:
        return f"the other optima were {LATE}"
    return None


def _missing_intervals(findings: Findings) -> str | None:
    """Return why intervals for ranks are unknown, or None."""
    if findings.ranks is not None:
        return None
    if "ranks" in findings.late:
        return f"the uncertainty was {LATE}"
    return "without rankings the uncertainty of votes is unknown"


def _is_unique(findings: Findings) -> _Verdict:
    known = findings.alternatives
    assert known is not None, "the optima are known"
    if known.is_unique:
        return True, "there is only one optimum"
    if known.count is None:
        return False, "more than one ranking is equally good"
    return False, sentence("{} are equally good", quantity(known.count, "optima", ",", "ranking"))


def _is_first(findings: Findings, item: Label) -> _Verdict:
    if not findings.is_exact:
        first = findings.lead.buckets[0]
        verb = "is" if len(first) == 1 else "are"
        return first == (item,), f"{listed(first)} {verb} first by {findings.kind.leader_name}"
    always, at = _in_every_optimum(findings), findings.exact.items.index(item)
    if always[at].sum() == len(always) - 1:
        return True, f"{item} is first in every optimum"
    others = [other for other in findings.winners if other != item]
    if item in findings.winners or not others:
        return False, f"another is first in an equally good ranking ({listed(others)})"
    return False, f"{listed(others)} {'is' if len(others) == 1 else 'can be'} first"


def _is_above(findings: Findings, upper: Label, lower: Label) -> _Verdict:
    i, j = (findings.exact.items.index(item) for item in (upper, lower))
    if not findings.is_exact:
        ranks, by = findings.lead.ranking.ranks, findings.kind.leader_name
        is_above = bool(ranks[i] < ranks[j])
        return is_above, f"{upper} is {'not ' * (not is_above)}above {lower} by {by}"
    always = _in_every_optimum(findings)
    if always[i, j]:
        return True, f"{upper} is above {lower} in every optimum"
    if always[j, i]:
        return False, f"{lower} is above {upper} in every optimum"
    return False, "equally good rankings differ on the two"


def _in_every_optimum(findings: Findings) -> Bools:
    """Return a matrix of the items above others in every optimum."""
    assert findings.alternatives is not None, "the optima are known"
    return findings.alternatives.optima.relation()


def _is_first_decided(findings: Findings) -> _Verdict:
    ranks, level = _ranks_and_level(findings)
    may, level = ranks.first, sentence("{}{}", level, ranks.first_note)
    if len(may) != 1:
        many = quantity(len(may), "items that may be first", noun="item", of=len(ranks.items))
        return False, sentence("{} may be first {}", many, level)
    (only,) = may
    unknown = _missing_optima(findings) if findings.is_exact else None
    is_first, why = _is_first(findings, only) if unknown is None else (False, unknown)
    but = "and" if is_first else f"but in {findings.kemeny}" if findings.is_exact else "but here"
    return is_first, sentence("only {} may be first {}, {} {}", only, level, but, why)


def _is_decided(findings: Findings, upper: Label, lower: Label) -> _Verdict:
    ranks, level = _ranks_and_level(findings)
    i, j = (ranks.items.index(item) for item in (upper, lower))
    if ranks.decisions.above[i, j]:
        return True, sentence("{} is above {} {}", upper, lower, level)
    if ranks.decisions.above[j, i]:
        return False, sentence("{} is above {} {}", lower, upper, level)
    return False, sentence("which of the two is above is not decided {}", level)


def _ranks_and_level(findings: Findings) -> tuple[RankIntervals, str]:
    """Return the intervals, and their level and rule as the end of a sentence."""
    assert findings.ranks is not None, "the intervals are known"
    return findings.ranks, sentence("at {}, by {}", findings.level, findings.ranks.by)


#: Check and number of items of each gate.
_CONDITIONS: dict[str, tuple[Callable[..., _Verdict], int]] = {
    "proved": (_is_proved, 0),
    "unique": (_is_unique, 0),
    "first-decided": (_is_first_decided, 0),
    "first": (_is_first, 1),
    "above": (_is_above, 2),
    "decided": (_is_decided, 2),
}
