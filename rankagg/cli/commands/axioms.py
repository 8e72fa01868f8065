"""`rankagg axioms`: which rule breaks which axiom, with the profiles that show it."""

from __future__ import annotations

import logging
from dataclasses import replace

import click

import rankagg as ra
from rankagg.aggregation.base import Aggregator
from rankagg.aggregation.ranked_pairs import RankedPairs
from rankagg.aggregation.voting.elimination_rules import Elimination
from rankagg.axioms.enumeration import check_size
from rankagg.axioms.names import NAMES
from rankagg.axioms.search import LOGGER, number_to_see
from rankagg.cli.exit_codes import DONE, UNPROVED
from rankagg.cli.options.aggregators import made, methods_option
from rankagg.cli.options.names import SECONDS, OneOf, Whole, seed_option
from rankagg.cli.options.output import echo_json, echo_result, json_option, rows_options
from rankagg.cli.options.wording import options_named
from rankagg.core.items import counted
from rankagg.exceptions import OutOfTimeError

__all__ = ["command"]

DEFAULT = (
    "borda", "plurality", "veto", "dowdall", "approval-2", "bucklin", "instant-runoff", "coombs",
    "baldwin", "nanson", "black", "copeland", "minimax", "schulze", "ranked-pairs", "young",
    "dodgson", "kemeny",
)  # fmt: skip
# So many outcomes take some seconds, of which a user is told.
MANY = 2_000
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
@click.option(
    "--time-limit",
    type=SECONDS,
    metavar="SECONDS",
    help="Stop after that time, and say how far the search came.",
)
@seed_option("what is drawn")
@rows_options("axioms, witnesses and references")
@json_option
def command(
    *,
    methods: tuple[str, ...],
    axioms: tuple[str, ...],
    items: int,
    rankings: int,
    samples: int | None,
    time_limit: float | None,
    seed: int,
    rows: int | None,
    as_json: bool,
) -> int:
    """Say which method breaks which axiom, and show the smallest profile that does.

    All profiles of complete strict rankings up to a size are looked at, those that differ in the
    names of items once. What is proved for every size stands beside, and a larger profile where
    one is known. Rules of elimination and ranked pairs follow all ways of breaking ties
    (parallel universes).

    The standard error tells how many profiles there are to see, and how far the search is. A
    profile takes about a millisecond, and some ten under young, dodgson and kemeny.

    \b
    The table:
        rankagg axioms
        rankagg axioms --method borda --method kemeny --items 4 --rankings 4
    One method and one axiom, with the witness in full:
        rankagg axioms --method borda --axiom majority
        rankagg axioms --method minimax --axiom participation --items 4 --rankings 20 --samples 5000
    """
    rules = [_in_parallel(rule) for rule in made(methods or DEFAULT, "uniform")]
    asked = list(dict.fromkeys(axioms))
    alone = len(rules) == len(asked) == 1
    if samples is not None and not alone:
        raise click.UsageError("--samples needs one --method and one --axiom.")
    try:
        with options_named(OPTIONS):
            if samples is None:
                _announce(items, rankings, len(rules))
            if not alone:
                table = ra.axioms.axiom_table(
                    rules, asked or list(NAMES), n_items=items, n_rankings=rankings,
                    time_limit=time_limit,
                )  # fmt: skip
                _print_table(table, rows, as_json)
                return DONE
            witness = ra.axioms.find_counterexample(
                rules[0], asked[0], n_items=items, n_rankings=rankings,
                search="all" if samples is None else "random", n_samples=samples or 1, rng=seed,
                time_limit=time_limit,
            )  # fmt: skip
    except OutOfTimeError as error:
        click.echo(error, err=True)
        return UNPROVED
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
        return DONE
    click.echo(f"axiom      {NAMES[asked[0]].definition}")
    click.echo(none if witness is None else witness.summary())
    return DONE


def _in_parallel(rule: Aggregator) -> Aggregator:
    """Return the rule as the literature has it: who wins in some universe wins."""
    if isinstance(rule, RankedPairs):
        return replace(rule, tie_breaking="parallel")
    return replace(rule, tie_breaking="parallel") if isinstance(rule, Elimination) else rule


def _announce(items: int, rankings: int, methods: int) -> None:
    check_size(items, rankings)
    number = number_to_see(items, rankings)
    if number * methods >= MANY:
        under = "the method" if methods == 1 else f"each of {counted(methods, 'method')}"
        click.echo(f"looking at up to {counted(number, 'profile', ',')} under {under}", err=True)
    LOGGER.setLevel(logging.INFO)
    LOGGER.propagate = False
    if not any(isinstance(handler, _Echo) for handler in LOGGER.handlers):
        LOGGER.addHandler(_Echo())


class _Echo(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        click.echo(f"searching: {record.getMessage()}", err=True)


def _print_table(table: ra.axioms.AxiomTable, rows: int | None, as_json: bool) -> None:
    echo_result(table, None, as_json=as_json, rows=rows)
