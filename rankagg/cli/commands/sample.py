"""`rankagg sample`: draw rankings from a fitted or a stated distribution."""

from __future__ import annotations

import json
import sys
from io import StringIO
from pathlib import Path
from typing import cast

import click

from rankagg.cli.options.inputs import buffered
from rankagg.cli.options.models import CULTURES, NUMBERS, cultures
from rankagg.cli.options.names import Number, Whole, numbers_of, seed_option
from rankagg.cli.options.output import FILE
from rankagg.cli.options.wording import options_named
from rankagg.core.items import counted
from rankagg.core.profile import Profile
from rankagg.distributions.base import RankingDistribution
from rankagg.distributions.mallows.mallows import Mallows
from rankagg.distributions.plackett_luce.plackett_luce import PlackettLuce
from rankagg.distributions.stored import distribution_from_dict
from rankagg.distributions.uniform import Uniform
from rankagg.exceptions import DataFormatError, InvalidInputError, visible
from rankagg.io.ballots import write_ballots
from rankagg.io.strict_json import check_characters
from rankagg.io.tables.sources import read_text

__all__ = ["command"]

# Ranks of all items in all rankings that are drawn at a time.
PLACES = 10**8


@click.command("sample")
@click.argument("fit", required=False, type=click.Path())
@click.option("--center", metavar="A,B,C", help="Mallows: the center, best first.")
@click.option("--theta", type=Number(), help="Mallows: dispersion parameter; phi = exp(-theta).")
@click.option(
    "--log-worth",
    "worths",
    multiple=True,
    metavar="ITEM=NUMBER",
    help="Plackett-Luce: the log worth of an item; once for every item.",
)
@click.option("--items", metavar="A,B,C", help="Uniform, or of the culture: the items.")
@click.option(
    "--culture", metavar="CULTURE", help=f"What a whole profile is drawn from: {CULTURES}."
)
@click.option(
    "--size", type=Whole(1, PLACES), default=100, show_default=True, help="Rankings to draw."
)
@seed_option()
@click.option(
    "--out",
    type=FILE,
    metavar="FILE",
    help="Write here; default: the standard output.",
)
def command(
    fit: str | None,
    *,
    center: str | None,
    theta: float | None,
    worths: tuple[str, ...],
    items: str | None,
    culture: str | None,
    size: int,
    seed: int,
    out: Path | None,
) -> int:
    """Draw rankings and print them as a CSV table of ranks with counts.

    FIT is what `rankagg fit --json` printed. Without it the options say what to draw from.

    \b
        rankagg fit election.soc --model mallows --json > fit.json
        rankagg sample fit.json --size 1000 --out drawn.csv
        rankagg sample --center A,B,C --theta 0.5
        rankagg sample --log-worth A=1 --log-worth B=0 --log-worth C=-0.3
        rankagg sample --culture euclidean=2 --items A,B,C
        rankagg compare drawn.csv --format ballots --count count
    """
    if culture is not None and items is None:
        raise click.UsageError("--culture and --items belong together.")
    stated = [fit, center, worths or None, items]
    if sum(given is not None for given in stated) != 1:
        raise click.UsageError("Give one of FIT, --center, --log-worth and --items.")
    if (theta is None) != (center is None):
        raise click.UsageError("--center and --theta belong together.")
    drawn: RankingDistribution
    with options_named({"source": "FIT", "theta": "--theta", "log_worths": "--log-worth"}):
        if fit is not None:
            drawn = _stored(fit)
        elif center is not None:
            drawn = Mallows(_labels("--center", center), cast(float, theta))
        elif items is not None:
            drawn = Uniform(_labels("--items", items))
        else:
            log_worths: dict[str | int, float] = {}
            log_worths.update(numbers_of("--log-worth", worths, "ITEM=NUMBER"))
            drawn = PlackettLuce(log_worths)
    n = len(drawn.items)
    if size * n > PLACES:
        raise click.BadParameter(
            f"must be at most {PLACES // n} for {counted(n, 'item')}. "
            f"Got {size}. Draw several files with different seeds.",
            param_hint="'--size'",
        )
    profile = drawn.sample(size, rng=seed)
    if culture is not None:
        with options_named({"n_items": "The number of --items", **NUMBERS}):
            (source,) = cultures([culture])
            ranks = source.draw(n, size, rng=seed).ranks
        profile = Profile.from_ranks(ranks, items=drawn.items)
    if out is None and sys.stdout.isatty():
        # A program reads names as they are; a terminal would obey what is in them.
        write_ballots(profile.compress(), text := StringIO())
        click.echo(visible(text.getvalue()), nl=False)
    else:
        write_ballots(profile.compress(), sys.stdout if out is None else out)
    return 0


def _labels(option: str, text: str) -> list[str]:
    labels = [label.strip() for label in text.split(",")]
    if len(set(labels)) < len(labels):
        raise InvalidInputError(option, "different items with commas between", text)
    return labels


def _stored(path: str) -> RankingDistribution:
    with buffered((path,)) as (file,):
        path, text = read_text(file)
    try:
        facts = json.loads(text)
    except ValueError as error:
        raise DataFormatError(f"{path} is not JSON: {error}.") from None
    except RecursionError:
        raise DataFormatError(f"{path} is nested too deep to be read.") from None
    check_characters(text, facts, path)
    if not isinstance(facts, dict):
        raise DataFormatError(f"{path} holds no object: `rankagg fit --json` prints one.")
    try:
        return distribution_from_dict(facts.get("distribution", facts))
    except DataFormatError as error:
        raise DataFormatError(f"{path}: {error}") from None
