"""`rankagg axioms`: which rule breaks which axiom, with the profiles that show it."""

from __future__ import annotations

import click

import rankagg as ra
from rankagg.axioms.names import NAMES
from rankagg.cli.options.aggregators import made, methods_option
from rankagg.cli.options.names import OneOf
from rankagg.cli.options.numbers import SEED, Whole
from rankagg.cli.options.output import echo_json, json_option, rows_options
from rankagg.cli.options.wording import options_named
from rankagg.core.items import counted

__all__ = ["command"]

DEFAULT = ("borda", "bucklin", "copeland", "minimax", "schulze", "ranked-pairs", "kemeny")
# What it is in the functions, and here.
OPTIONS = {
    "n_items": "--items", "n_rankings": "--rankings", "n_samples": "--samples",
    "axiom": "--axiom", "axioms": "--axiom", "aggregators": "--method", "aggregator": "--method",
}  # fmt: skip


@click.command("axioms")
@methods_option("judge", ", ".join(DEFAULT))
@click.option(
    "--axiom",
    "axioms",
    multiple=True,
    type=OneOf(list(NAMES)),
    help="An axiom to judge by; may be repeated. Default: all.",
)
@click.option(
    "--items",
    type=Whole(1, 26),
    default=3,
    show_default=True,
    help="The most items of a profile.",
)
@click.option(
    "--rankings",
    type=Whole(1, 10_000),
    default=5,
    show_default=True,
    help="The most rankings of a profile.",
)
@click.option(
    "--samples",
    type=Whole(1, 1_000_000),
    help="Draw so many profiles and do not look at all; for one method and one axiom.",
)
@click.option("--seed", type=SEED, default=0, show_default=True, help="For what is drawn.")
@rows_options("axioms, witnesses and references")
@json_option
def command(
    *,
    methods: tuple[str, ...],
    axioms: tuple[str, ...],
    items: int,
    rankings: int,
    samples: int | None,
    seed: int,
    rows: int | None,
    as_json: bool,
) -> None:
    """Say which method breaks which axiom, and show the smallest profile that does.

    All profiles of complete strict rankings up to a size are looked at, those that differ in the
    names of items once. What the literature proves for every size stands beside.

    \b
    The table:
        rankagg axioms
        rankagg axioms --method borda --method kemeny --items 4 --rankings 4
    One method and one axiom, with the witness in full:
        rankagg axioms --method borda --axiom majority
        rankagg axioms --method minimax --axiom participation --items 4 --rankings 20 --samples 5000
    """
    rules = made(methods or DEFAULT, "uniform")
    asked = list(dict.fromkeys(axioms))
    alone = len(rules) == len(asked) == 1
    if samples is not None and not alone:
        raise click.UsageError("--samples needs one --method and one --axiom.")
    with options_named(OPTIONS):
        if not alone:
            table = ra.axiom_table(rules, asked or list(NAMES), n_items=items, n_rankings=rankings)
            if as_json:
                echo_json(table.to_dict())
            else:
                click.echo(table.summary(rows=rows))
            return
        witness = ra.find_counterexample(
            rules[0], asked[0], n_items=items, n_rankings=rankings,
            search="all" if samples is None else "random", n_samples=samples or 1, rng=seed,
        )  # fmt: skip
    looked_at = "all" if samples is None else f"{samples} drawn"
    none = (
        f"{rules[0].name}: none among {looked_at} profiles of up to {counted(items, 'item')} and "
        f"{counted(rankings, 'ranking')}"
    )
    if as_json:
        found = None if witness is None else witness.to_dict()
        echo_json(
            {
                "schema": "rankagg.counterexample", "version": 1, "rule": rules[0].name,
                "axiom": asked[0], "n_items": items, "n_rankings": rankings, "n_samples": samples,
                "witness": found,
            }
        )  # fmt: skip
        return
    click.echo(f"axiom      {NAMES[asked[0]].definition}")
    click.echo(none if witness is None else witness.summary())
