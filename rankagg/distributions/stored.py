"""Distributions as plain data, to be written to a file and read again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rankagg.core.rankings import Permutation
from rankagg.distributions.base import RankingDistribution
from rankagg.distributions.bradley_terry import BradleyTerry
from rankagg.distributions.generalized_mallows import GeneralizedMallows
from rankagg.distributions.mallows import Mallows
from rankagg.distributions.plackett_luce import PlackettLuce
from rankagg.distributions.uniform import Uniform
from rankagg.exceptions import DataFormatError, InvalidInputError

__all__ = ["distribution_from_dict", "distribution_to_dict"]

SCHEMA = "rankagg.distribution"


def distribution_to_dict(law: RankingDistribution) -> dict[str, Any]:
    """Return a distribution as plain data for JSON, with `schema` and `version`.

    Parameters
    ----------
    law : RankingDistribution
        One of this package.

    Returns
    -------
    dict
    """
    name = type(law).__name__
    if name not in READERS:
        raise InvalidInputError("law", f"one of {', '.join(READERS)}", law)
    facts: dict[str, Any] = {
        "schema": SCHEMA,
        "version": 1,
        "model": name,
        "items": list(law.items),
    }
    if isinstance(law, Mallows | GeneralizedMallows):
        facts["center"] = list(law.center.order)
    if isinstance(law, Mallows):
        facts["theta"] = law.theta
    elif isinstance(law, GeneralizedMallows):
        facts["thetas"] = law.thetas.tolist()
    elif isinstance(law, PlackettLuce):
        facts["log_worths"] = law.log_worths.tolist()
        facts["log_ties"] = {str(d): value for d, value in law.log_ties.items()}
    return facts


def distribution_from_dict(facts: Mapping[str, Any]) -> RankingDistribution:
    """Return the distribution that `distribution_to_dict` described.

    Parameters
    ----------
    facts : mapping
        Plain data.

    Returns
    -------
    RankingDistribution

    Raises
    ------
    DataFormatError
        If something is missing or unknown.
    """
    model = facts.get("model")
    if facts.get("schema") != SCHEMA or facts.get("version") != 1 or model not in READERS:
        raise DataFormatError(
            f"This is no distribution of schema {SCHEMA!r}, version 1: it says "
            f"{facts.get('schema')!r}, {facts.get('version')!r}, model {model!r}."
        )
    try:
        return READERS[model](facts)
    except KeyError as error:
        raise DataFormatError(f"A stored {model} law needs {error}.") from None


def _center(facts: Mapping[str, Any]) -> Permutation:
    return Permutation.from_order(facts["center"], items=facts["items"])


def _worths(law: type[PlackettLuce]) -> Callable[[Mapping[str, Any]], PlackettLuce]:
    def read(facts: Mapping[str, Any]) -> PlackettLuce:
        ties = {int(d): value for d, value in facts["log_ties"].items()}
        return law(facts["log_worths"], items=facts["items"], log_ties=ties)

    return read


READERS: dict[str, Callable[[Mapping[str, Any]], RankingDistribution]] = {
    "Uniform": lambda facts: Uniform(facts["items"]),
    "Mallows": lambda facts: Mallows(_center(facts), facts["theta"]),
    "GeneralizedMallows": lambda facts: GeneralizedMallows(_center(facts), facts["thetas"]),
    "PlackettLuce": _worths(PlackettLuce),
    "BradleyTerry": _worths(BradleyTerry),
}
