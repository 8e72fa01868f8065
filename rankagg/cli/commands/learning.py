"""Commands to learn by: axioms, and lists of rules, data sets and formats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import click

import rankagg as ra
from rankagg.cli.exit_codes import UNPROVED
from rankagg.cli.options.command import Answer, command, in_columns, output, tell_progress
from rankagg.cli.options.rules import made, rules_to
from rankagg.cli.options.typed import TIME, OneOf, Option, Whole, several
from rankagg.cli.options.wording import options_named
from rankagg.exceptions import OutOfTimeError

MEANINGS = """
needs      The least that a rule works with; scores can be ranked, and rankings counted.
unranked   "by policy": as --unranked says; "last": below all that a ballot lists; "as observed":
           only what is there is used.
ties       Whether the consensus may tie items. All rules take ties and weights.
guarantee  On complete strict rankings the Kendall cost is at most so many times the optimum;
           "-" where no bound is stated."""


LISTED = ["rules", "datasets", "formats"]


@command(
    click.Argument(["what"], metavar="|".join(LISTED), type=OneOf(LISTED)),
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
    from rankagg.kinds import KINDS

    if name is not None:
        if what != "datasets":
            raise click.UsageError(f"{what} are listed without a name. Got {name!r}.")
        with options_named({"name": "NAME"}):
            entry = ra.datasets.info(name)
        return Answer(
            data=lambda: _listed("datasets", [_described(entry)]), text=lambda _: str(entry)
        )
    if what == "rules":
        return _rules()
    if what == "datasets":
        rows = [_described(ra.datasets.info(known)) for known in ra.datasets.names()]
    else:
        rows = [
            {"name": one.name, "holds": one.what, "reader": one.read.__name__}
            for one in KINDS.values()
        ]
    return Answer(
        data=lambda: _listed(what, rows), text=lambda _: in_columns(row.values() for row in rows)
    )


def _described(entry: Any) -> dict[str, Any]:
    return {"name": entry.name, "kind": entry.kind, "title": entry.title}


def _listed(what: str, rows: Sequence[Any]) -> dict[str, Any]:
    return {"schema": f"rankagg.{what}", "version": 1, what: rows}


def _rules() -> Answer:
    from rankagg.analysis.rules import named_rules

    rules = named_rules()
    frame = ra.analysis.capabilities()
    frame.insert(0, "name", list(rules))

    def told(rows: int | None) -> str:
        bounds = ["-" if rule.guarantee is None else str(rule.guarantee) for rule in rules.values()]
        shown = frame.drop(columns="in_expectation").assign(guarantee=bounds)
        return f"{in_columns([list(shown), *shown.itertuples(index=False)])}\n{MEANINGS}"

    def plain() -> dict[str, Any]:
        return _listed("rules", frame.astype(object).where(frame.notna(), None).to_dict("records"))

    return Answer(data=plain, text=told)


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
    Option(
        "--time-limit", type=TIME, help="Stop after that time, and say how far the search came."
    ),
    output("axioms, witnesses and references"),
)
def axioms(
    *,
    names: Sequence[str],
    axioms: Sequence[str],
    time_limit: float | None,
    **size: int,
) -> Answer:
    """Show which rule breaks which axiom, with a smallest example.

    \b
        rankagg axioms --rule borda --rule kemeny --items 4 --rankings 4
        rankagg axioms --rule borda --axiom majority

    All profiles of complete strict rankings up to a size are looked at, those that differ in the
    names of items once. What is proved for every size stands beside, and a larger profile where
    one is known. Rules of elimination and ranked pairs follow all ways of breaking ties
    (parallel universes).

    The standard error tells how many profiles there are to see, and how far the search is. A
    profile takes about a millisecond, and some ten under young, dodgson and kemeny.
    """
    from rankagg.analysis.rules import judged_rules

    # As the literature has them: who wins in some universe wins.
    rules: list[Any] = [
        replace(cast(Any, rule), tie_breaking="parallel") if hasattr(rule, "tie_breaking") else rule
        for rule in made(names or judged_rules())
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
    """Say how many profiles there are to see, and let the search tell how far it is."""
    from rankagg.axioms.search import LOGGER, check_size, number_to_see
    from rankagg.core import counted

    check_size(n_items, n_rankings)
    number = number_to_see(n_items, n_rankings)
    # So many outcomes take some seconds, of which a user is told.
    if number * n_rules >= 2_000:
        under = "the rule" if n_rules == 1 else f"each of {counted(n_rules, 'rule')}"
        click.echo(f"looking at up to {counted(number, 'profile', ',')} under {under}", err=True)
    tell_progress(LOGGER, "searching")
