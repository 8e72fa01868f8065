"""Commands to learn by: rules by steps, axioms, and lists of rules, data sets and formats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

import rankagg as ra
from rankagg.cli.command import (
    UNPROVED,
    Answer,
    Output,
    command,
    options_named,
    output,
    show_progress,
)
from rankagg.cli.data import data
from rankagg.cli.options import FILE, TIME, OneOf, Option, Whole, choice, several
from rankagg.cli.rules import RULE, made, rules_to
from rankagg.exceptions import InvalidInputError, OutOfTimeError
from rankagg.io.output_files import write_text

if TYPE_CHECKING:
    from rankagg.cli.data import Input

_MEANINGS = """
needs      The least that a rule works with; scores can be ranked, and rankings counted.
unranked   "by policy": as --unranked says; "last": below all that a ballot lists; "as observed":
           only what is there is used.
ties       Whether the consensus may tie items. All rules take ties and weights.
guarantee  On complete strict rankings the Kendall cost is at most so many times the optimum;
           "-" where no bound is stated."""
_LISTED = ["rules", "datasets", "formats"]
_MOST_ITEMS_BY_HAND = 8
# What files of steps end in; those without an ending are text.
_ENDINGS = {"": "text", ".txt": "text", ".html": "html", ".htm": "html"}


@command(
    click.Argument(["what"], metavar="|".join(_LISTED), type=OneOf(_LISTED)),
    click.Argument(["name"], required=False),
    output(),
    name="list",
)
def list_names(what: str, name: str | None) -> Answer:
    """List rules, data sets or kinds of files.

    \b
        rankagg list rules
        rankagg list datasets tennessee
        rankagg list formats

    Rules with what they need, how they treat gaps and ties, and what is proved of them; the
    bundled data sets, of which a NAME is described; and what commands read, by the words for
    --format.
    """
    if what == "rules" and name is None:
        return _rules()
    if name is not None and what != "datasets":
        raise click.UsageError(f"{what} are listed without a name. Got {name!r}.")
    if what == "datasets":
        with options_named({"name": "NAME"}):
            entries = [ra.datasets.info(one) for one in ([name] if name else ra.datasets.names())]
        rows = [{"name": one.name, "kind": one.kind, "title": one.title} for one in entries]
    else:
        from rankagg.kinds import KINDS

        rows = [
            {"name": one.name, "holds": one.what, "reader": one.read.__name__}
            for one in KINDS.values()
            if one.has_commands
        ]
    return Answer(
        data=lambda: {"schema": f"rankagg.{what}", "version": 1, what: rows},
        text=lambda _: str(entries[0]) if name else _in_columns(row.values() for row in rows),
    )


def _rules() -> Answer:
    from rankagg.analysis.rules import named_rules

    rules = named_rules()
    frame = ra.analysis.capabilities()
    frame.insert(0, "name", list(rules))

    def text(rows: int | None) -> str:
        bounds = ["-" if rule.guarantee is None else str(rule.guarantee) for rule in rules.values()]
        table = frame.drop(columns="in_expectation").assign(guarantee=bounds)
        return f"{_in_columns([list(table), *table.itertuples(index=False)])}\n{_MEANINGS}"

    def plain() -> dict[str, Any]:
        rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
        return {"schema": "rankagg.rules", "version": 1, "rules": rows}

    return Answer(data=plain, text=text)


def _axioms() -> list[str]:
    return [axiom.name for axiom in ra.axioms.AXIOMS]


@command(
    rules_to("judge", "those of the table of axioms"),
    several(
        "--axiom", "AXIOM", "An axiom to judge by. Default: all.", "axioms", type=OneOf(_axioms)
    ),
    Option("--items", "n_items", type=Whole(1, 26), default=3, help="The most items of a profile."),
    Option(
        "--rankings",
        "n_rankings",
        type=Whole(1, 10_000),
        default=5,
        help="The most rankings of a profile.",
    ),
    Option("--time-limit", type=TIME, help="Stop after that time, and say how far the search got."),
    output("axioms, witnesses and references"),
)
def axioms(
    *, names: Sequence[str], axioms: Sequence[str], time_limit: float | None, **size: int
) -> Answer:
    """Show which rule breaks which axiom, with a smallest example.

    \b
        rankagg axioms --rule borda --rule kemeny --items 4 --rankings 4
        rankagg axioms --rule borda --axiom majority

    All profiles of complete strict rankings up to a size are tried, those that differ in the
    names of items once. Proofs for every size are stated too, and a larger profile where one is
    known. Rules of elimination and ranked pairs follow all ways of breaking ties (parallel
    universes).

    The standard error says how many profiles there are, and how far the search is. A profile takes
    about a millisecond, and some ten under young, dodgson and kemeny.
    """
    from rankagg.analysis.rules import RULES

    judged = (kind for kind in RULES if kind.command_names and "keeps" in vars(kind))
    names = names or [next(iter(kind.command_names)) for kind in judged]
    # As the literature has them: who wins in some universe wins.
    rules: list[Any] = [
        replace(cast(Any, rule), tie_breaking="parallel") if hasattr(rule, "tie_breaking") else rule
        for rule in made(names)
    ]
    asked = list(dict.fromkeys(axioms or _axioms()))
    try:
        with options_named(dict.fromkeys(("rules", "rule"), "--rule")):
            _announce(len(rules), **size)
            table = ra.axioms.axiom_table(rules, asked, **size, time_limit=time_limit)
    except OutOfTimeError as error:
        click.echo(error, err=True)
        return Answer(code=UNPROVED)
    return Answer(result=table)


def _announce(n_rules: int, *, n_items: int, n_rankings: int) -> None:
    """Say how many profiles there are, and let the search say how far it is."""
    from rankagg.axioms.search import LOGGER, count_profiles
    from rankagg.core import counted

    number = count_profiles(n_items, n_rankings)
    # So many outcomes take some seconds.
    if number * n_rules >= 2_000:
        under = "the rule" if n_rules == 1 else f"each of {counted(n_rules, 'rule')}"
        click.echo(f"trying up to {counted(number, 'profile', ',')} under {under}", err=True)
    show_progress(LOGGER.name, "searching")


@command(
    data(whole=True),
    RULE,
    choice(
        "--tie-breaking",
        ["together", "order", "refuse"],
        "Items that tie for going out: all go together, the last in order goes, or none.",
    ),
    Option(
        "-o",
        "--out",
        type=FILE,
        help="Write the steps here: .txt, or a page of HTML (.html).",
    ),
    output("rows of a table", plot="the costs of all orders of at most four items"),
)
def steps(
    given: Input, *, name: str, tie_breaking: str | None, out: Path | None, output: Output
) -> Answer:
    """Show how a rule reaches its answer, in tables, by steps.

    \b
        rankagg steps election.soc --rule instant-runoff --tie-breaking order
        rankagg steps --dataset tennessee --rule kemeny -o steps.html

    The steps come from the definition of the rule, and are compared with what it returns. A page
    of HTML has a picture of all orders where there are at most four items.
    """
    from rankagg.core import counted

    form = None if out is None else _ENDINGS.get(out.suffix.lower())
    if out is not None and form is None:
        allowed = "a name that ends in .txt for text, .html or .htm for HTML"
        raise InvalidInputError("--out", allowed, str(out))
    (rule,) = made([name])
    if tie_breaking is not None:
        if not hasattr(rule, "tie_breaking"):
            raise click.UsageError(
                "--tie-breaking is for instant-runoff, coombs and baldwin, which take items out."
            )
        rule = replace(cast(Any, rule), tie_breaking=tie_breaking)  # the rule says what it knows
    if (n := len(given.evidence.items)) > _MOST_ITEMS_BY_HAND:
        raise click.UsageError(
            f"{given.name} has {counted(n, 'item')}, and steps are shown for at most "
            f"{_MOST_ITEMS_BY_HAND}: give a file of some of them."
        )
    found = ra.teaching.show_steps(rule, given.data, tolerance=given.tolerance)

    def write(path: Path) -> None:
        if form == "html":
            from rankagg.report.drawn_pages import steps_page

            write_text(path, steps_page(found))
        else:
            write_text(path, f"{found.summary(rows=output.rows)}\n")

    return Answer(
        result=found,
        text=lambda rows: f"wrote: {out}" if out else f"\n{found.summary(rows=rows)}",
        plot=found.plot,
        files=[(out, write)],
    )


def _in_columns(rows: Iterable[Iterable[object]]) -> str:
    """Return rows of values in columns, as wide as each has to be."""
    table = [list(map(str, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in table)
