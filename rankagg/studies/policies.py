"""Rules with their policy for unranked items stated, for names and journals."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from rankagg._typing import Unranked
from rankagg.aggregation.base import Aggregator

__all__ = ["with_policy"]


def with_policy(rule: Aggregator, unranked: Unranked) -> Aggregator:
    """Return a rule, and the rules in it, with the policy stated that it takes by default.

    Random numbers and journals know a rule by what it says of itself.
    """
    changes: dict[str, Any] = {}
    for field in fields(rule):
        value = getattr(rule, field.name)
        if isinstance(value, Aggregator):
            changes[field.name] = with_policy(value, unranked)
        elif field.name == "unranked" and value is None:
            changes[field.name] = unranked
    return replace(rule, **changes) if changes else rule
