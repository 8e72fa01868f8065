"""What commands say at their end: exit codes, and the package's messages in words of options."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial

import click
from click.core import ParameterSource

from rankagg.exceptions import (
    DataFormatError,
    InformationLostError,
    InvalidInputError,
    NotIdentifiedError,
)

DONE, FAILED, BAD_INPUT, UNPROVED, GATE, INTERRUPTED = 0, 1, 2, 3, 4, 130
# A parameter as sentences of the package write it: `unit='task'`, method="max-t", `unit=`, `unit`.
_GIVEN = re.compile(r"""`?(?<![-\w])([a-z_]+)=(?:(['"])(.*?)\2|([A-Za-z0-9.]+))`?|`([a-z_]+)=?`""")
_ARGUMENT = re.compile(r"`[a-z_]+=`")
# Sums of scores are a class and a function in the package, and a file here.
_SUMS = {
    "a ScoreSummary does not hold them": "sums of scores do not hold them",
    "this ScoreSummary does not hold them": "these sums of scores do not hold them",
    "add the scores up with `n_groups=200`": "add the scores up by `rankagg scan --groups 200`",
    "Read the scores with `read_scores`": "Give the file of the scores",
    "read the scores with `read_scores`": "give the file of the scores",
}


def sums_text(error: InformationLostError) -> str:
    """Return what sums of scores do not hold, and the remedy."""
    text = str(error)
    for words, here in _SUMS.items():
        text = text.replace(words, here)
    return text


def _options() -> dict[str, str]:
    """Return how the options of the command that runs are typed, by their names."""
    context = click.get_current_context(silent=True)
    params = [] if context is None else context.command.params
    return {str(one.name): one.opts[0] for one in params if isinstance(one, click.Option)}


def option_of(name: str) -> str:
    """Return how an option of the command that runs is typed."""
    return _options()[name]


def typed_option(*names: str) -> str | None:
    """Return the first of some options that was typed, as it is typed."""
    source_of = click.get_current_context().get_parameter_source
    return next((option_of(n) for n in names if source_of(n) is not ParameterSource.DEFAULT), None)


def refuse_typed(reason: str, *names: str) -> None:
    """Refuse the first of some options that was typed."""
    if typed := typed_option(*names):
        raise click.UsageError(f"{typed} {reason}.")


def option_words(text: str) -> str:
    """Return a sentence with options for the parameters that it names."""
    return _GIVEN.sub(partial(_typed_as, _options()), text)


def _typed_as(options: Mapping[str, str], found: re.Match[str]) -> str:
    """Return how a parameter is typed, with its value where it has one."""
    name, _, text, word, bare = found.groups()
    option = options.get(bare or name)
    # A word in capitals stands for a value, as in first=ITEM of a gate.
    if not option or (word or "").isupper():
        return found.group()
    if word == "None":
        return f"no {option}"
    return option if bare or word == "True" else f"{option} {text or word}"


def _typed_parameters(name: str, options: Mapping[str, str]) -> str:
    """Return how "ballot, rank and item" are typed; empty where one has no option."""
    from rankagg.core import listing

    words = re.findall(r"\w+", name.replace(" and ", " "))
    # An option that may be repeated is a list in the package.
    typed = [options.get(one) or options.get(one.removesuffix("s")) for one in words]
    return listing([one for one in typed if one]) if typed and all(typed) else ""


@contextmanager
def options_named(called: Mapping[str, str] | None = None) -> Iterator[None]:
    """Let errors name options instead of parameters; `called` are those with other names."""
    options = {**_options(), **(called or {})}
    typed = partial(_GIVEN.sub, partial(_typed_as, options))
    try:
        yield
    except (NotIdentifiedError, InformationLostError) as error:
        raise type(error)(typed(str(error))) from None
    except DataFormatError as error:
        # What is in a file stays as it is.
        raise DataFormatError(error.sentence, typed(error.remedy)) from None
    except InvalidInputError as error:
        remedy = typed(error.remedy)
        # "n_items of ApproximationStudy" is the option for `n_items`.
        name = error.parameter.partition(" of ")[0]
        first, space, rest = typed(error.parameter).partition(" ")
        raise InvalidInputError(
            _typed_parameters(name, options) or f"{options.get(first, first)}{space}{rest}",
            typed(error.allowed),
            error.value,
            # What has no option is no remedy here.
            "" if _ARGUMENT.search(remedy) else remedy,
        ) from None
