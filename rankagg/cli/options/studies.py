"""Options of studies: what data are drawn from, their sizes, and how often."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

import rankagg as ra
from rankagg._numbers import ascii_number
from rankagg.cli.exit_codes import DONE
from rankagg.cli.options.command import FILE, Answer, Options, write_frame
from rankagg.cli.options.typed import (
    SCHEDULER,
    Number,
    Option,
    Whole,
    grouped,
    jobs,
    seed,
    several,
    workers,
)
from rankagg.cli.options.wording import options_named
from rankagg.exceptions import InvalidInputError, nearest
from rankagg.io.output_files import write_text

T = TypeVar("T")
#: What can be typed, for help.
CULTURES = (
    "impartial, anonymous, urn=CONTAGION, euclidean=DIMENSION, gaussian=DIMENSION, walsh, "
    "conitzer, single-crossing, balanced, caterpillar or norm-mallows=NORM_PHI"
)
#: What the numbers are called in messages.
CULTURE_NUMBERS = {
    "contagion": "--culture urn",
    "n_dimensions": "The dimension in --culture",
    "norm_phi": "--culture norm-mallows",
}
#: Corruptions and mechanisms of missing scores as they are typed, and what a number is.
VARIED = {
    "--corruption": {
        "reversed": ("ReversedScores", ""),
        "adversarial": ("AdversarialScores", "step"),
        "copied": ("CopiedScores", ""),
        "noisy": ("NoisyScores", "share"),
        "rescaled": ("RescaledScores", "factor"),
    },
    "--removal": {
        "at-random": ("RandomRemoval", ""),
        "by-system": ("RemovalBySystem", "spread"),
        "by-task": ("RemovalByTask", "spread"),
        "blocks": ("RemovalOfBlocks", ""),
        "by-score": ("RemovalByScore", "strength"),
        "by-age": ("RemovalByAge", "strength"),
    },
}


def _euclidean(number: float, **points: Any) -> ra.cultures.Culture:
    # The culture refuses what is no whole number.
    n_dimensions: Any = int(number) if number.is_integer() else number
    return ra.cultures.EuclideanCulture(n_dimensions=n_dimensions, **points)


WITH_NUMBER: dict[str, Callable[[float], ra.cultures.Culture]] = {
    "urn": lambda number: ra.cultures.UrnCulture(contagion=number),
    "euclidean": _euclidean,
    "gaussian": lambda number: _euclidean(number, points="gaussian"),
    "norm-mallows": lambda number: ra.cultures.MallowsCulture(norm_phi=number),
}


def culture_of(text: str) -> ra.cultures.Culture:
    """Return the culture that was named."""
    plain = {
        "impartial": ra.cultures.ImpartialCulture(),
        "anonymous": ra.cultures.AnonymousCulture(),
        "walsh": ra.cultures.SinglePeakedCulture(),
        "conitzer": ra.cultures.SinglePeakedCulture(variant="conitzer"),
        "single-crossing": ra.cultures.SingleCrossingCulture(),
        "balanced": ra.cultures.GroupSeparableCulture(),
        "caterpillar": ra.cultures.GroupSeparableCulture(tree="caterpillar"),
    }
    return _named("--culture", text, plain, WITH_NUMBER)


def varied(context: click.Context, option: click.Parameter, texts: Sequence[str]) -> list[Any]:
    """Return the corruptions or the mechanisms that were named."""
    known = {
        name: (getattr(ra.studies, kind), what)
        for name, (kind, what) in VARIED[option.opts[0]].items()
    }
    # A factor has no default.
    plain = {name: kind() for name, (kind, what) in known.items() if what != "factor"}
    numbers = {
        name: lambda number, kind=kind, what=what: kind(**{what: number})
        for name, (kind, what) in known.items()
        if what
    }
    with options_named({what: f"The {what} in {option.opts[0]}" for _, what in known.values()}):
        return [_named(option.opts[0], text, plain, numbers) for text in texts]


def _named(
    option: str, text: str, plain: Mapping[str, T], numbers: Mapping[str, Callable[[float], T]]
) -> T:
    """Return what a text NAME or NAME=NUMBER stands for."""
    name, sign, number = text.partition("=")
    if name in plain and not sign:
        return plain[name]
    if name in numbers:
        try:
            stated = float(ascii_number(number))
        except ValueError:
            raise InvalidInputError(option, f"{name}=NUMBER", text) from None
        return numbers[name](stated)
    if name in plain:
        raise InvalidInputError(option, f"{name}, which takes no number", text)
    every = [*plain, *(f"{one}=NUMBER" for one in numbers)]
    remedy = nearest(name, [*plain, *numbers])
    raise InvalidInputError(option, f"one of {', '.join(every)}", text, remedy)


def _models(
    *,
    mallows: Sequence[float],
    plackett_luce: Sequence[float],
    gumbel: Sequence[float],
    culture: Sequence[str],
) -> list[ra.cultures.DataSource]:
    with options_named(CULTURE_NUMBERS):
        drawn = [culture_of(text) for text in culture]
    return [
        *(ra.cultures.MallowsCulture(phi=phi) for phi in mallows),
        *(ra.cultures.PlackettLuceCulture(spread=spread) for spread in plackett_luce),
        *(ra.studies.LatentModel(step=step, n_instances=None) for step in gumbel),
        *drawn,
    ]


DRAWN = Options(
    "models",
    [
        several(
            "--mallows",
            "PHI",
            "Mallows rankings, 0 < PHI <= 1; PHI = exp(-theta).",
            type=Number(0, 1, open_low=True),
        ),
        several(
            "--plackett-luce",
            "SPREAD",
            "Plackett-Luce rankings, log worths of this standard deviation.",
            group="Models",
            type=Number(0, 1e3),
        ),
        several(
            "--gumbel",
            "STEP",
            "Scores with Gumbel noise, locations STEP apart.",
            group="Models",
            type=Number(0, 1e3),
        ),
        several("--culture", "CULTURE", f"Rankings of a culture: {CULTURES}.", group="Models"),
    ],
    _models,
)


@dataclass(frozen=True)
class StudyRun:
    """How often an experiment is repeated, by whom, and where its rows go."""

    n_repetitions: int | None
    rng: int
    n_jobs: int
    scheduler: str | None
    journal: Path | None
    out: Path | None
    html: Path | None

    def answer(
        self,
        study: Callable[..., Any],
        code: Callable[[Any], int] = lambda result: DONE,
        *,
        called: Mapping[str, str] | None = None,
        time_limit: float | None = None,
        plotted: Mapping[str, Any] | None = None,
        source: Iterable[str] = (),
        **settings: Any,
    ) -> Answer:
        """Make and run a study, and return its result, whose rows go where they are asked for."""
        data = "--mallows, --plackett-luce, --gumbel and --culture"
        if self.journal is not None and self.journal in (self.out, self.html):
            raise click.UsageError(
                "--journal needs a file of its own: --out and --html replace it."
            )
        named = {"data": data, "rules": "--rule", "address": "--scheduler"}
        how = {"journal": self.journal, "time_limit": time_limit}
        with options_named({**named, **(called or {})}):
            asked = study(rng=self.rng, **settings)
            with workers(self.scheduler, self.n_jobs) as shared:
                result = asked.run(**how, **shared)
        shown = plotted or {}
        return Answer(
            result=result,
            plot=lambda: result.plot(**shown),
            files=[
                (self.out, lambda path: write_frame(result.to_frame(), path)),
                (self.html, lambda path: write_text(path, result.to_html(source=source, **shown))),
            ],
            code=code(result),
        )


def repeated() -> Options:
    """Return the options of how often a study is repeated, by whom, and where it goes, as `run`."""
    return Options(
        "run",
        [
            Option(
                "--repetitions",
                "n_repetitions",
                type=Whole(1, 10**6),
                help="Data sets for each combination; default 100, for cycles 1000.",
            ),
            seed(),
            jobs(),
            SCHEDULER,
            *grouped(
                "Output",
                Option("--journal", type=FILE, help="Note finished work here, and go on from it."),
                Option("--out", type=FILE, help="Write all rows here as CSV."),
                Option("--html", type=FILE, help="Write a page here: table, plot, what was asked."),
            ),
        ],
        StudyRun,
    )


#: Sizes of what is drawn, each several.
SIZES = [
    Option(
        "--items",
        "n_items",
        multiple=True,
        type=Whole(2, 10**4),
        help="Numbers of items; default 10, for cycles 3.",
    ),
    Option(
        "--rankings",
        "n_rankings",
        multiple=True,
        type=Whole(1, 10**6),
        help="Numbers of rankings; default 10, for cycles 3, 11 and 101.",
    ),
]
