"""Options that say how places count in the exact consensus."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any

import click

from rankagg._numbers import ascii_number
from rankagg._typing import Unranked
from rankagg.aggregation.kemeny.placed.place_weights import PlaceWeightedKemeny
from rankagg.aggregation.kemeny.placed.rule import PlacedRule
from rankagg.aggregation.kemeny.placed.top_k import TopK
from rankagg.cli.options.exact import Ties, show_progress
from rankagg.cli.options.numbers import Whole
from rankagg.exceptions import InvalidInputError

__all__ = ["Places", "place_options"]

LARGEST = 10**6
FORM = "NUMBER,NUMBER"


@dataclass(frozen=True)
class Places:
    """How places count, as it was typed."""

    top_k: int | None
    weights: str | None

    @property
    def given(self) -> str | None:
        """The option that was given; None where Kemeny's rule is meant."""
        if self.top_k is not None:
            return "--top-k"
        return None if self.weights is None else "--place-weights"

    def rule(self, unranked: Unranked, ties: Ties) -> PlacedRule:
        """Return the rule that was asked for; only where one was."""
        if ties.consensus_ties:
            raise click.UsageError(f"{self.given} does not go with --consensus-ties.")
        show_progress()
        rule: PlacedRule
        if self.top_k is not None:
            rule = TopK(k=self.top_k, unranked=unranked)
        else:
            rule = PlaceWeightedKemeny(weights=self._numbers(), unranked=unranked)
        return rule if ties.tie_cost is None else replace(rule, tie_cost=ties.tie_cost)

    def _numbers(self) -> list[float]:
        try:
            return [float(ascii_number(text)) for text in (self.weights or "").split(",")]
        except ValueError:
            raise InvalidInputError("--place-weights", FORM, self.weights) from None


def place_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for places to a command, which receives them as `places`."""

    @wraps(command)
    def with_places(
        *args: Any, top_k: int | None, place_weights: str | None, **options: Any
    ) -> Any:
        if top_k is not None and place_weights is not None:
            raise click.UsageError("--top-k does not go with --place-weights.")
        return command(*args, places=Places(top_k, place_weights), **options)

    options = (
        click.option(
            "--top-k", type=Whole(1, LARGEST), metavar="K",
            help="The best list of K items, with all others tied behind it.",
        ),
        click.option(
            "--place-weights", metavar="NUMBER,...",
            help="What a contradicted vote counts, by the place of the upper item; numbers that "
            "do not grow, 0 for places after the last one.",
        ),
    )  # fmt: skip
    for option in reversed(options):
        with_places = option(with_places)
    return with_places
