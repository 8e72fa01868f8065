"""What `fit_bradley_terry` is asked for, checked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from rankagg._validation import check_choice, check_flag, check_integer, check_number
from rankagg.core.comparisons.comparisons import Comparisons
from rankagg.distributions.bradley_terry.ties import TIES, Ties
from rankagg.exceptions import InvalidInputError, nearest

__all__ = ["ERRORS", "Errors", "Options"]

Errors: TypeAlias = Literal["auto", "model", "robust", "cluster"]
ERRORS: tuple[Errors, ...] = get_args(Errors)


@dataclass(frozen=True)
class Options:
    """See `fit_bradley_terry`; `errors` is what "auto" stands for."""

    ties: Ties
    side: bool
    covariates: tuple[str, ...]
    errors: Errors
    max_iterations: int
    tolerance: float

    @classmethod
    def of(
        cls,
        comparisons: Comparisons,
        *,
        ties: object,
        side: object,
        covariates: Iterable[str],
        errors: object,
        max_iterations: object,
        tolerance: object,
    ) -> Options:
        """Return the options, or raise one sentence on what is wrong with them."""
        how = check_choice(ties, TIES, "ties")
        return cls(
            how,
            check_flag(side, "side"),
            _names(covariates, comparisons),
            _errors(check_choice(errors, ERRORS, "errors"), how, comparisons),
            check_integer(max_iterations, "max_iterations", low=1),
            check_number(tolerance, "tolerance", low=0, open_low=True),
        )


def _errors(errors: Errors, ties: Ties, comparisons: Comparisons) -> Errors:
    if errors == "cluster" and comparisons.clusters is None:
        raise InvalidInputError(
            "errors", "'auto', 'model' or 'robust' for comparisons without clusters", errors,
            "State the cluster of each comparison, a judge or a prompt, when you make them.",
        )  # fmt: skip
    if errors != "auto":
        return errors
    if comparisons.clusters is not None:
        return "cluster"
    # No likelihood is behind half a win, or behind weights.
    quasi = (ties == "half" and comparisons.n_ties > 0) or comparisons.weights is not None
    return "robust" if quasi else "model"


def _names(covariates: Iterable[str], comparisons: Comparisons) -> tuple[str, ...]:
    if isinstance(covariates, str) or not isinstance(covariates, Iterable):
        raise InvalidInputError("covariates", "a sequence of names", covariates)
    names, known = tuple(covariates), tuple(comparisons.covariates)
    for at, name in enumerate(names):
        if name not in known:
            there = ", ".join(map(repr, known)) or "none"
            allowed = f"names of covariates of the comparisons ({there})"
            raise InvalidInputError("covariates", allowed, name, nearest(name, known))
        if name in names[:at]:
            raise InvalidInputError("covariates", "different names", name, "It occurs twice.")
    return names
