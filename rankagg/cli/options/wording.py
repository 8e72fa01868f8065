"""Messages of the package in the words of the command line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from rankagg.exceptions import InvalidInputError

__all__ = ["options_named"]

# A parameter with a value, as sentences of the package write it: `unit='task'`, method="max-t".
GIVEN = re.compile(r"""`?\b([a-z_]+)=(?:(['"])(.*?)\2|([A-Za-z0-9.]+))`?""")


@contextmanager
def options_named(options: Mapping[str, str]) -> Iterator[None]:
    """Let errors name the options that were typed, and not the parameters behind them.

    Parameters
    ----------
    options : mapping from str to str
        From the name of a parameter to that of its option.
    """
    try:
        yield
    except InvalidInputError as error:

        def typed(found: re.Match[str]) -> str:
            name, _, text, word = found.groups()
            option = options.get(name)
            if option is None:
                return found.group()
            return option if word == "True" else f"{option} {text or word}"

        raise InvalidInputError(
            options.get(error.parameter, error.parameter),
            GIVEN.sub(typed, error.allowed),
            error.value,
            GIVEN.sub(typed, error.remedy),
        ) from None
