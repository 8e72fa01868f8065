"""Options that name what data are drawn from: models of a study."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from rankagg.cli.options.cultures import CULTURES, NUMBERS, cultures
from rankagg.cli.options.numbers import Number
from rankagg.cli.options.wording import options_named
from rankagg.distributions.study_model import StudyModel
from rankagg.studies.approximation.models import (
    GumbelModel,
    MallowsModel,
    PlackettLuceModel,
)

__all__ = ["MODELS", "model_options"]

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
