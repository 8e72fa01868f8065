"""Commands for learning: steps of rules, axioms, and lists of rules, data and formats."""

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
needs      The weakest data that a rule takes; scores can be ranked, and rankings counted.
unranked   "by policy": by --unranked; "last": below all items listed; "as observed": left out.
ties       Whether the consensus may tie items. All rules take ties and weights.
guarantee  Upper bound of the Kendall cost over the optimum, on complete strict rankings;
           "-" if no bound is known."""
_LISTED = ["rules", "datasets", "formats"]
_MOST_ITEMS_BY_HAND = 8
# Forms of files of steps by suffix.
_ENDINGS = {"": "text", ".txt": "text", ".html": "html", ".htm": "html"}


@command(
    click.Argument(["what"], metavar="|".join(_LISTED), type=OneOf(_LISTED)),
    click.Argument(["name"], required=False),
    output(),
    name="list",
)
def list_names(what: str, name: str | None) -> Answer:
    """List the rules, data sets or file formats.

    \b
        rankagg list rules
        rankagg list datasets tennessee
        rankagg list formats

    rules: the data that each rule needs, its treatment of gaps and ties, and its guarantee.
    datasets: the bundled data sets, or a description of the one called NAME. formats: the kinds of
    files, by their names for --format.
    """
    if what == "rules" and name is None:
        return _rules()
    if name is not None and what != "datasets":
        raise click.UsageError(f"NAME is for `rankagg list datasets`: leave it out. Got {name!r}.")
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
    rules_to("judge", "the rules of the table of axioms"),
    several("--axiom", "AXIOM", "Axiom to judge by. Default: all.", "axioms", type=OneOf(_axioms)),
    Option("--items", "n_items", type=Whole(1, 6), default=3, help="Most items of a profile."),
    Option(
        "--rankings",
        "n_rankings",
        type=Whole(1, 10_000),
        default=5,
        help="Most rankings of a profile.",
    ),
    Option("--time-limit", type=TIME, help="Stop after this time, and report the progress."),
    output("axioms, witnesses and references"),
)
def axioms(
    *, names: Sequence[str], axioms: Sequence[str], time_limit: float | None, **size: int
) -> Answer:
    """Show which rules violate which axioms, with smallest examples.

    \b
        rankagg axioms
        rankagg axioms --rule borda --rule kemeny --items 4 --rankings 4
        rankagg axioms --rule borda --axiom majority

    Tries all profiles of complete strict rankings up to a size; of profiles that differ only in
    the names of items, one. States proofs for every size, and known larger examples. Elimination
    rules follow all ways of breaking ties (parallel universes).

    The number of candidates, counted before duplicates are left out, and the progress go to the
    standard error. A profile takes about a millisecond, under young, dodgson and kemeny about ten.
    """
    from rankagg.analysis.rules import RULES

    judged = (kind for kind in RULES if kind.command_names and "keeps" in vars(kind))
    names = names or [next(iter(kind.command_names)) for kind in judged]
    if name := next((one for one in names if made([one])[0].needs == "scores"), None):
        raise click.UsageError(f"Axioms are about ballots; {name} needs scores: leave it out.")
    # Parallel universes: an item that wins in some universe wins.
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
    """Print the number of candidates, and the progress of the search."""
    from rankagg.axioms.search import LOGGER, count_profiles
    from rankagg.core import counted

    number = count_profiles(n_items, n_rankings)
    # This many outcomes take some seconds.
    if number * n_rules >= 2_000:
        under = "the rule" if n_rules == 1 else f"each of {counted(n_rules, 'rule')}"
        click.echo(f"trying at most {number:,} candidate profiles under {under}", err=True)
    show_progress(LOGGER.name, "searching")


@command(
    data(whole=True),
    RULE,
    choice(
        "--tie-breaking",
        ["together", "order", "refuse"],
        "Items tied for elimination: eliminate all together, or the last in order, or refuse.",
    ),
    Option("-o", "--out", type=FILE, help="Write the steps as text (.txt) or a page (.html)."),
    output("rows of a table", plot="the costs of all orders, of at most four items,"),
)
def steps(
    given: Input, *, name: str, tie_breaking: str | None, out: Path | None, output: Output
) -> Answer:
    """Show step by step how a rule reaches its ranking.

    \b
        rankagg steps scores.csv --rule borda
        rankagg steps election.soc --rule instant-runoff --tie-breaking order
        rankagg steps --dataset tennessee --rule kemeny -o steps.html

    The steps follow the definition of the rule, and are checked against its result. A page shows
    all orders of at most four items in a picture.
    """
    from rankagg.core import counted

    form = None if out is None else _ENDINGS.get(out.suffix.lower())
    if out is not None and form is None:
        allowed = "a name that ends in .txt, .html or .htm"
        raise InvalidInputError("--out", allowed, str(out))
    (rule,) = made([name])
    if tie_breaking is not None:
        if not hasattr(rule, "tie_breaking"):
            raise click.UsageError(
                "--tie-breaking is for instant-runoff, coombs and baldwin, which eliminate items."
            )
        rule = replace(cast(Any, rule), tie_breaking=tie_breaking)
    if (n := len(given.evidence.items)) > _MOST_ITEMS_BY_HAND:
        raise click.UsageError(
            f"{given.name} has {counted(n, 'item')}, and steps are shown for at most "
            f"{_MOST_ITEMS_BY_HAND}: give a file with fewer items."
        )
    with options_named({"rule": "--rule"}):
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
    """Return rows of values as text, in aligned columns."""
    table = [list(map(str, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in table)
