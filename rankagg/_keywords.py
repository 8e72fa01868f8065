"""Keywords that a function does not take: one sentence, and which was probably meant."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import wraps
from types import FunctionType
from typing import Any

from rankagg.exceptions import UnknownKeywordError, nearest

#: What parameters are called elsewhere, by their names here.
CALLED = {
    "rng": ("random_state", "seed", "random_seed"),
    "seed": ("random_state", "random_seed", "rng"),
    "alpha": ("level", "confidence", "confidence_level", "conf_level"),
    "unranked": ("policy", "missing"),
    "time_limit": ("timeout", "max_time"),
    "n_jobs": ("workers", "n_workers", "processes"),
    "n_resamples": ("n_boot", "n_bootstrap"),
    "standard_errors": ("se", "std_err", "stderr"),
    "covariance": ("cov", "sigma", "Sigma"),
    "aggregators": ("rules", "methods"),
    "items": ("candidates", "alternatives"),
}
MEANING = {
    "alpha": ", the probability of error, which is 1 - confidence",
    "rng": ", a seed or a generator of NumPy",
    "unranked": ', the policy for unranked items: "uniform", "ignore" or "last"',
}
# Stands for every other keyword; and how many names a message lists.
ANY, LISTED = "**", 8


def answer_public(value: Any) -> Any:
    """Return a public name of the package, which answers for its keywords, and so do its classes.

    A function stands in its module as it is returned, so that it can be pickled.
    """
    module = sys.modules.get(getattr(value, "__module__", None) or "")
    for one in list(vars(module).values()) if module else ():
        if isinstance(one, type) and one.__module__ == value.__module__:
            for base in one.__mro__:
                if base.__module__.startswith("rankagg."):
                    answer_methods(base)
    if isinstance(value, FunctionType) and module:
        value = _answering(value)
        setattr(module, value.__name__, value)
    return value


def answer_methods(cls: type) -> None:
    """Let the constructor and the public methods of a class answer for their keywords."""
    for name, member in list(vars(cls).items()):
        plain = getattr(member, "__func__", member)
        if isinstance(plain, FunctionType) and (name == "__init__" or name[0] != "_"):
            answering = _answering(plain)
            setattr(cls, name, answering if member is plain else type(member)(answering))


def _answering(function: Any) -> Any:
    """Return a function whose calls are looked at where they failed."""
    if hasattr(function, "answers_keywords"):
        return function

    @wraps(function)
    def call(*given: Any, **named: Any) -> Any:
        try:
            return function(*given, **named)
        except TypeError:
            told = _refusal(function, given, named)
            if not told:
                raise
        raise UnknownKeywordError(told)

    call.answers_keywords = True  # type: ignore[attr-defined]
    return call


def _refusal(function: Any, given: tuple[Any, ...], named: Mapping[str, Any]) -> str:
    """Return what is wrong with the keywords of a call; "" where nothing is."""
    # Only what goes wrong needs it.
    from inspect import getmembers, isfunction  # noqa: PLC0415

    known = _keywords_of(function)
    unknown = next((name for name in named if name not in known), ANY)
    if ANY in known or unknown == ANY:
        return ""
    takers = {"": known}
    if function.__name__ == "__init__" and given:
        methods = getmembers(type(given[0]), isfunction)
        takers |= {f" to `{name}`": _keywords_of(one) for name, one in methods if name[0] != "_"}
    said = f"{function.__qualname__.removesuffix('.__init__')} takes no `{unknown}`."
    for name in (*(ours for ours, theirs in CALLED.items() if unknown in theirs), unknown):
        for where, keywords in takers.items():
            if name in keywords:
                return f"{said} Give `{name}`{where}{MEANING.get(name, '')}."
    more = f" and {len(known) - LISTED} more" * (len(known) > LISTED)
    listed = ", ".join(f"`{name}`" for name in known[:LISTED]) + more or "no keywords"
    return f"{said} {nearest(unknown, known) or f'It takes {listed}.'}"


def _keywords_of(function: Any) -> list[str]:
    """Return the keywords that a function takes."""
    from inspect import signature  # noqa: PLC0415

    parameters = signature(function).parameters.values()
    named = [
        one.name for one in parameters if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
    ]
    takes_all = [ANY for one in parameters if one.kind is one.VAR_KEYWORD]
    return [name for name in named if name != "self" and name[0] != "_"] + takes_all
