"""Options of studies: what data are drawn from, their sizes, and how often."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rankagg as ra
from rankagg._numbers import ascii_number
from rankagg.cli.exit_codes import DONE
from rankagg.cli.options.command import FILE, Answer, Group, write_frame
from rankagg.cli.options.typed import Number, Whole, jobs, option, seed
from rankagg.cli.options.wording import options_named
from rankagg.exceptions import InvalidInputError, nearest


def _plain() -> dict[str, ra.cultures.Culture]:
    return {
        "impartial": ra.cultures.ImpartialCulture(),
        "anonymous": ra.cultures.AnonymousCulture(),
        "walsh": ra.cultures.SinglePeakedCulture(),
        "conitzer": ra.cultures.SinglePeakedCulture(variant="conitzer"),
        "single-crossing": ra.cultures.SingleCrossingCulture(),
        "balanced": ra.cultures.GroupSeparableCulture(),
        "caterpillar": ra.cultures.GroupSeparableCulture(tree="caterpillar"),
    }


def _euclidean(number: float, **points: Any) -> ra.cultures.Culture:
    return ra.cultures.EuclideanCulture(n_dimensions=_whole(number), **points)


WITH_NUMBER: dict[str, Callable[[float], ra.cultures.Culture]] = {
    "urn": lambda number: ra.cultures.UrnCulture(contagion=number),
    "euclidean": _euclidean,
    "gaussian": lambda number: _euclidean(number, points="gaussian"),
    "norm-mallows": lambda number: ra.cultures.MallowsCulture(norm_phi=number),
}
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


def culture_of(text: str) -> ra.cultures.Culture:
    """Return the culture that was named."""
    option, plain = "--culture", _plain()
    name, sign, number = text.partition("=")
    if name in plain and not sign:
        return plain[name]
    if name in WITH_NUMBER and sign:
        try:
            return WITH_NUMBER[name](float(ascii_number(number)))
        except ValueError as error:
            if isinstance(error, InvalidInputError):
                raise
            raise InvalidInputError(option, f"{name}=NUMBER", text) from None
    if name in WITH_NUMBER:
        raise InvalidInputError(option, f"{name}=NUMBER", text)
    if name in plain:
        raise InvalidInputError(option, f"{name}, which takes no number", text)
    known = [*plain, *WITH_NUMBER]
    every = [*plain, *(f"{one}=NUMBER" for one in WITH_NUMBER)]
    raise InvalidInputError(option, f"one of {', '.join(every)}", text, nearest(name, known))


def _whole(number: float) -> int:
    """Return a whole number as one; the culture refuses any other."""
    return int(number) if number.is_integer() else number  # type: ignore[return-value]


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


MODELS = Group(
    "models",
    [
        option(
            "--mallows",
            multiple=True,
            type=Number(0, 1, open_low=True),
            metavar="PHI",
            help="Mallows rankings, 0 < PHI <= 1; PHI = exp(-theta).",
        ),
        option(
            "--plackett-luce",
            multiple=True,
            type=Number(0, 1e3),
            metavar="SPREAD",
            help="Plackett-Luce rankings, log worths of this standard deviation.",
        ),
        option(
            "--gumbel",
            multiple=True,
            type=Number(0, 1e3),
            metavar="STEP",
            help="Scores with Gumbel noise, locations STEP apart.",
        ),
        option(
            "--culture",
            multiple=True,
            metavar="CULTURE",
            help=f"Rankings of a culture: {CULTURES}.",
        ),
    ],
    _models,
)
#: From parameters of a study to the options here.
STUDY_NAMES = {
    "models": "--mallows, --plackett-luce, --gumbel and --culture",
    "n_items": "--items",
    "n_rankings": "--rankings",
    "n_repetitions": "--repetitions",
    "aggregators": "--method",
}


@dataclass(frozen=True)
class StudyRun:
    """How often an experiment is repeated, by whom, and where its rows go."""

    repetitions: int
    seed: int
    jobs: int
    journal: Path | None
    out: Path | None

    def answer(
        self,
        study: Any,
        *,
        lines: Sequence[str] | None = None,
        code: Callable[[Any], int] = lambda result: DONE,
        time_limit: float | None = None,
        **plotted: Any,
    ) -> Answer:
        """Run a study, and return its result, whose rows are written where they are asked for."""
        result = study.run(n_jobs=self.jobs, journal=self.journal, time_limit=time_limit)
        return Answer(
            result=result,
            lines=lines,
            plot=lambda: result.plot(**plotted),
            files=[(self.out, lambda path: write_frame(result.to_frame(), path))],
            code=code(result),
        )


def repeated(unit: str, each: str, repetitions: int = 100) -> Group:
    """Return the options of a run of so many `unit`s for each something, as `run`."""
    about = f"{unit.capitalize()} for each {each}."
    noted = f"Note finished {unit} here, and go on from it."
    return Group(
        "run",
        [
            option("--repetitions", type=Whole(1, 10**6), default=repetitions, help=about),
            seed(),
            jobs(),
            option("--journal", type=FILE, help=noted),
            option("--out", type=FILE, help="Write all rows here as CSV."),
        ],
        StudyRun,
    )


def sizes(items: Sequence[int], rankings: Sequence[int], *, most_items: int) -> Group:
    """Return the sizes of what is drawn, each several, as `sizes`."""
    n_items, n_rankings = Whole(2, most_items), Whole(1, 10**6)
    about = "Numbers of items."
    return Group(
        "sizes",
        [
            option("--items", multiple=True, type=n_items, default=items, help=about),
            option(
                "--rankings",
                multiple=True,
                type=n_rankings,
                default=rankings,
                help="Numbers of rankings.",
            ),
        ],
        lambda items, rankings: {"n_items": items, "n_rankings": rankings},
    )
