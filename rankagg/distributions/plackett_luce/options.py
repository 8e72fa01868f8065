"""How a Plackett-Luce or Bradley-Terry likelihood is climbed, and what is added to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rankagg._validation import check_choice, check_integer, check_number
from rankagg.exceptions import InvalidInputError

if TYPE_CHECKING:
    pass

__all__ = ["FitOptions"]


@dataclass(frozen=True, kw_only=True)
class FitOptions:
    """How to climb; see `fit_plackett_luce`."""

    method: Literal["newton", "mm"] = "newton"
    pseudo_rankings: float = 0.0
    ridge: float = 0.0
    tie_ridge: float = 0.0
    max_iterations: int | None = None
    tolerance: float = 1e-9

    def __post_init__(self) -> None:
        check_choice(self.method, ("newton", "mm"), "method")
        check_number(self.pseudo_rankings, "pseudo_rankings", low=0)
        check_number(self.ridge, "ridge", low=0)
        check_number(self.tie_ridge, "tie_ridge", low=0)
        check_number(self.tolerance, "tolerance", low=0, open_low=True)
        if self.method == "mm" and (self.ridge or self.tie_ridge):
            raise InvalidInputError(
                "ridge", "0 with method 'mm'", self.ridge or self.tie_ridge,
                "Use method='newton'.",
            )  # fmt: skip
        default = 100 if self.method == "newton" else 100_000
        steps = default if self.max_iterations is None else self.max_iterations
        object.__setattr__(self, "max_iterations", check_integer(steps, "max_iterations", low=1))

    @property
    def is_regular(self) -> bool:
        """True where worths have a finite maximum whatever the data are."""
        return self.pseudo_rankings > 0 or self.ridge > 0

    @property
    def is_plain(self) -> bool:
        """True where nothing but the likelihood of the data is maximized."""
        return not (self.is_regular or self.tie_ridge)
