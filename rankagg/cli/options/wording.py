"""Messages of the package in the words of the command line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from rankagg.exceptions import (
    DataFormatError,
    InformationLostError,
    InvalidInputError,
    NotIdentifiedError,
)

__all__ = ["options_named", "sums_told"]

# A parameter as sentences of the package write it: `unit='task'`, method="max-t", `unit=`, `unit`.
GIVEN = re.compile(r"""`?\b([a-z_]+)=(?:(['"])(.*?)\2|([A-Za-z0-9.]+))`?|`([a-z_]+)=?`""")

ARGUMENT = re.compile(r"`[a-z_]+=`")


#: What the package says of sums, which is a class and a function there, and is a file here.
SUMS = {
    "a ScoreSummary does not hold them": "sums of scores do not hold them",
    "this ScoreSummary does not hold them": "these sums of scores do not hold them",
    "add the scores up with `n_groups=200`": "add the scores up by `rankagg scan --groups 200`",
    "Read the scores with `read_scores`": "Give the file of the scores",
    "read the scores with `read_scores`": "give the file of the scores",
}


def sums_told(error: InformationLostError) -> str:
    """Return what is lost, and the remedy, in the words of the command line."""
    text = str(error)
    for said, told in SUMS.items():
        text = text.replace(said, told)
    return text


@contextmanager
def options_named(options: Mapping[str, str]) -> Iterator[None]:
    """Let errors name the options that were typed, and not the parameters behind them."""

    def typed(found: re.Match[str]) -> str:
        name, _, text, word, bare = found.groups()
        option = options.get(bare or name)
        if option is None:
            return found.group()
        if word == "None":
            return f"no {option}"
        return option if bare or word == "True" else f"{option} {text or word}"

    try:
        yield
    except (NotIdentifiedError, InformationLostError) as error:
        raise type(error)(GIVEN.sub(typed, str(error))) from None
    except DataFormatError as error:
        # What is in a file stays as it is.
        raise DataFormatError(error.sentence, GIVEN.sub(typed, error.remedy)) from None
    except InvalidInputError as error:
        remedy = GIVEN.sub(typed, error.remedy)
        # "n_items of ApproximationStudy" is the option for `n_items`.
        name = error.parameter.partition(" of ")[0]
        raise InvalidInputError(
            options.get(name, error.parameter),
            GIVEN.sub(typed, error.allowed),
            error.value,
            # What has no option is no remedy here.
            "" if ARGUMENT.search(remedy) else remedy,
        ) from None
