"""Options that name what data are drawn from: cultures and models of a study."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import click

from rankagg._numbers import ascii_number
from rankagg.cli.options.names import Number
from rankagg.cli.options.wording import options_named
from rankagg.cultures import (
    AnonymousCulture,
    Culture,
    EuclideanCulture,
    GroupSeparableCulture,
    ImpartialCulture,
    NormalizedMallowsCulture,
    SingleCrossingCulture,
    SinglePeakedCulture,
    StudyModel,
    UrnCulture,
)
from rankagg.exceptions import InvalidInputError, nearest
from rankagg.studies.approximation.models import GumbelModel, MallowsModel, PlackettLuceModel

__all__ = ["CULTURES", "MODELS", "NUMBERS", "cultures", "model_options"]

PLAIN: dict[str, Culture] = {
    "impartial": ImpartialCulture(),
    "anonymous": AnonymousCulture(),
    "walsh": SinglePeakedCulture(),
    "conitzer": SinglePeakedCulture(variant="conitzer"),
    "single-crossing": SingleCrossingCulture(),
    "balanced": GroupSeparableCulture(),
    "caterpillar": GroupSeparableCulture(tree="caterpillar"),
}
WITH_NUMBER: dict[str, Callable[[float], Culture]] = {
    "urn": lambda number: UrnCulture(contagion=number),
    "euclidean": lambda number: EuclideanCulture(n_dimensions=_whole(number)),
    "gaussian": lambda number: EuclideanCulture(n_dimensions=_whole(number), points="gaussian"),
    "norm-mallows": lambda number: NormalizedMallowsCulture(norm_phi=number),
}
#: What can be typed, for help.
CULTURES = (
    "impartial, anonymous, urn=CONTAGION, euclidean=DIMENSION, gaussian=DIMENSION, walsh, "
    "conitzer, single-crossing, balanced, caterpillar or norm-mallows=NORM_PHI"
)
#: What the numbers are called in messages.
NUMBERS = {
    "contagion": "--culture urn",
    "n_dimensions": "The dimension in --culture",
    "norm_phi": "--culture norm-mallows",
}


def cultures(names: Iterable[str], option: str = "--culture") -> list[Culture]:
    """Return the cultures that were named."""
    return [_culture(name, option) for name in names]


def _culture(text: str, option: str) -> Culture:
    name, sign, number = text.partition("=")
    if name in PLAIN and not sign:
        return PLAIN[name]
    if name in WITH_NUMBER and sign:
        try:
            return WITH_NUMBER[name](float(ascii_number(number)))
        except ValueError as error:
            if isinstance(error, InvalidInputError):
                raise
            raise InvalidInputError(option, f"{name}=NUMBER", text) from None
    if name in WITH_NUMBER:
        raise InvalidInputError(option, f"{name}=NUMBER", text)
    if name in PLAIN:
        raise InvalidInputError(option, f"{name}, which takes no number", text)
    known = [*PLAIN, *WITH_NUMBER]
    every = [*PLAIN, *(f"{one}=NUMBER" for one in WITH_NUMBER)]
    raise InvalidInputError(option, f"one of {', '.join(every)}", text, nearest(name, known))


def _whole(number: float) -> int:
    """Return a whole number as one; the culture refuses any other."""
    return int(number) if number.is_integer() else number  # type: ignore[return-value]


#: The options in a sentence.
MODELS = "--mallows, --plackett-luce, --gumbel and --culture"


def model_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command, which receives the list `models`."""

    @wraps(command)
    def with_models(
        *args: Any,
        mallows: tuple[float, ...],
        plackett_luce: tuple[float, ...],
        gumbel: tuple[float, ...],
        culture: tuple[str, ...],
        **values: Any,
    ) -> Any:
        with options_named(NUMBERS):
            drawn = cultures(culture)
        models: list[StudyModel] = [
            *(MallowsModel(phi=phi) for phi in mallows),
            *(PlackettLuceModel(spread=spread) for spread in plackett_luce),
            *(GumbelModel(step=step) for step in gumbel),
            *drawn,
        ]
        return command(*args, models=models, **values)

    options = (
        click.option(
            "--mallows",
            multiple=True,
            type=Number(0, 1, open_low=True),
            metavar="PHI",
            help="Mallows rankings, 0 < PHI <= 1; PHI = exp(-theta).",
        ),
        click.option(
            "--plackett-luce",
            multiple=True,
            type=Number(0, 1e3),
            metavar="SPREAD",
            help="Plackett-Luce rankings, log worths of this standard deviation.",
        ),
        click.option(
            "--gumbel",
            multiple=True,
            type=Number(0, 1e3),
            metavar="STEP",
            help="Scores with Gumbel noise, locations STEP apart.",
        ),
        click.option(
            "--culture",
            multiple=True,
            metavar="CULTURE",
            help=f"Rankings of a culture: {CULTURES}.",
        ),
    )
    result: Callable[..., Any] = with_models
    for option in reversed(options):
        result = option(result)
    return result
