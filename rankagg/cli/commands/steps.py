"""`rankagg steps`: how a method reaches its answer, in tables that one can follow by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, cast, get_args

import click

from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.evidence import Evidence, WholeData
from rankagg.aggregation.ranked_pairs import RankedPairs
from rankagg.aggregation.voting.elimination_rules import Elimination, TieBreaking
from rankagg.cli.options.aggregators import make, method_option
from rankagg.cli.options.inputs import Input, input_options
from rankagg.cli.options.names import OneOf, labels_of
from rankagg.cli.options.output import (
    FILE,
    echo_json,
    json_option,
    plot_option,
    rows_options,
    save_plot,
)
from rankagg.core.items import counted
from rankagg.core.pairwise import PairwiseMatrix
from rankagg.core.scores import ScoreTable
from rankagg.exceptions import Described, InvalidInputError
from rankagg.io.output_files import write_text
from rankagg.teaching.show import MOST_ITEMS, show_steps
from rankagg.teaching.steps import Steps

__all__ = ["command"]

Written = Literal["text", "html", "latex"]
BY_NAME: dict[str, Written] = {".html": "html", ".htm": "html", ".tex": "latex"}


@click.command("steps")
@input_options
@method_option
@click.option(
    "--keep",
    "items",
    multiple=True,
    metavar="ITEM",
    help=f"An item to keep; may be repeated. Default: all, which are at most {MOST_ITEMS}.",
)
@click.option(
    "--tie-breaking",
    type=OneOf(get_args(TieBreaking)),
    help="What an elimination does with items that tie for going out: all of them go together, "
    "every way is followed in parallel, the last one in order goes, or it refuses. Ranked pairs "
    "leave equal majorities on a cycle out together, or follow every order in parallel.",
)
@click.option(
    "--as",
    "written",
    type=OneOf(get_args(Written)),
    help="As text, as a page of HTML, or as sections for a LaTeX document, with the packages that "
    "they need in comments; by default what the name after --out ends in, else text.",
)
@click.option("-o", "--out", type=FILE, metavar="FILE", help="Write the steps here.")
@rows_options("rows of a table")
@json_option
@plot_option("the costs of all orders of at most four items")
def command(
    given: Input,
    *,
    method: str,
    items: tuple[str, ...],
    tie_breaking: TieBreaking | None,
    written: Written | None,
    out: Path | None,
    rows: int | None,
    as_json: bool,
    plot: Path | None,
) -> None:
    """Show how a method reaches its answer, step by step, in tables to follow by hand.

    The steps come from the definition of the method, and are held against what it returns. A page
    of HTML has a picture of all orders where there are at most four items.

    \b
        rankagg steps election.soc --method borda
        rankagg steps election.soc --method instant-runoff --tie-breaking parallel
        rankagg steps --dataset tennessee --method kemeny -o steps.html
        rankagg steps --dataset tennessee --method schulze --as latex
        rankagg steps scores.csv --method borda --keep BERT --keep GPT --keep T5
    """
    if as_json and written is not None:
        raise click.UsageError("--as and --json exclude each other.")
    rule = _with_ties(make(method, given.unranked), tie_breaking)
    data = _kept(given.data, items)
    n_items = len(Evidence.of(data, given.tolerance).items)
    if n_items > MOST_ITEMS:
        raise InvalidInputError(
            given.name, f"data of at most {MOST_ITEMS} items, to be followed by hand",
            Described(counted(n_items, "item")),
            "--keep ITEM, given several times, takes some of them.",
        )  # fmt: skip
    steps = show_steps(rule, data, tolerance=given.tolerance)
    if as_json:
        echo_json({**steps.to_dict(), "input": list(given.lines)})
    form = written or (BY_NAME.get(out.suffix.lower(), "text") if out is not None else "text")
    text = _written(steps, form, rows)
    if out is not None:
        write_text(out, text)
        if not as_json:
            click.echo("\n".join([*given.lines, f"wrote: {out}"]))
    elif form != "text":
        for line in given.lines:
            click.echo(line, err=True)
        click.echo(text, nl=False)
    elif not as_json:
        click.echo("\n".join([*given.lines, "", text]), nl=False)
    save_plot(steps.plot, plot)


def _with_ties(rule: Aggregator, tie_breaking: TieBreaking | None) -> Aggregator:
    """Return the rule with ties broken as asked."""
    if tie_breaking is None:
        return rule
    if not isinstance(rule, Elimination | RankedPairs):
        raise click.UsageError(
            "--tie-breaking is for instant-runoff, coombs and baldwin, which take items out, and "
            "for ranked-pairs."
        )
    return replace(rule, tie_breaking=cast(Any, tie_breaking))  # the rule says what it knows


def _kept(data: WholeData, names: tuple[str, ...]) -> WholeData:
    """Return the data with the named items alone."""
    if not names:
        return data
    if isinstance(data, PairwiseMatrix):
        raise click.UsageError("--keep needs scores, rankings or comparisons, not votes alone.")
    items = data.systems if isinstance(data, ScoreTable) else data.items
    kept = labels_of("--keep", dict.fromkeys(names), items, "item")
    if isinstance(data, ScoreTable):
        return data.drop(systems=[item for item in items if item not in kept])
    return data.restrict(kept)


def _written(steps: Steps, form: Written, rows: int | None) -> str:
    if form == "latex":
        return steps.to_latex_sections()
    if form == "html":
        # Templates and pictures take a while to load, and text needs none.
        from rankagg.report.figures import steps_page  # noqa: PLC0415

        return steps_page(steps)
    return steps.summary(rows=rows) + "\n"
