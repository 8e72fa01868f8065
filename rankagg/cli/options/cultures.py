"""`--culture`: what whole profiles are drawn from, by name and number."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rankagg._numbers import ascii_number
from rankagg.distributions.cultures.culture import Culture
from rankagg.distributions.cultures.euclidean import EuclideanCulture
from rankagg.distributions.cultures.normalized_mallows import NormalizedMallowsCulture
from rankagg.distributions.cultures.structured import (
    GroupSeparableCulture,
    SingleCrossingCulture,
    SinglePeakedCulture,
)
from rankagg.distributions.cultures.urns import AnonymousCulture, ImpartialCulture, UrnCulture
from rankagg.exceptions import InvalidInputError, nearest

__all__ = ["CULTURES", "NUMBERS", "cultures"]

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
    """Return the cultures that were named.

    Parameters
    ----------
    names : iterable of str
        NAME or NAME=NUMBER.
    option : str
        The option that named them.
    """
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
