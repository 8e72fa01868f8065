"""Worths that are linear in features of the items: their fit, and what it says of new items."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import scipy

from rankagg._typing import Floats
from rankagg._validation import check_alpha
from rankagg.core import ItemSet, Profile, counted, listed
from rankagg.core.comparisons import Comparisons
from rankagg.distributions.base import RankingDistribution
from rankagg.distributions.fit_result import FitResult, with_intervals
from rankagg.distributions.maximum import (
    Derivatives,
    LogLikelihood,
    Maximum,
    check_rises,
    newton,
    solve_definite,
)
from rankagg.distributions.plackett_luce.choices import choices_of
from rankagg.distributions.plackett_luce.likelihood import Likelihood
from rankagg.exceptions import Described, InvalidInputError, NotIdentifiedError


@dataclass(frozen=True, eq=False)
class _Design:
    """Features of items as numbers: what each log worth is made of."""

    # How rows are made of a table of features; None where the table is the rows.
    spec: Any
    names: tuple[str, ...]
    # Shape (n, k), columns less their means: a constant says nothing of differences.
    table: Floats
    means: Floats

    @classmethod
    def of(cls, features: object, formula: str | None, items: ItemSet) -> _Design:
        """Return the design of the features of all items."""
        frame = _frame_of(features, items)
        spec = None
        if formula is not None:
            if not isinstance(formula, str):
                raise InvalidInputError("formula", "a text such as '~ size + kind'", formula)
            from formulaic import model_matrix  # noqa: PLC0415
            from formulaic.errors import FormulaicError  # noqa: PLC0415

            try:
                # Names are those of features alone, not those of this function.
                matrix = model_matrix(formula, frame, context={}, na_action="raise")
            except (FormulaicError, ValueError, SyntaxError) as error:
                told = Described(repr(formula))
                why = str(error).strip().splitlines()[0]
                raise InvalidInputError("formula", "one of the features", told, why) from None
            if not hasattr(matrix, "model_spec"):
                raise InvalidInputError("formula", "a right side alone, such as '~ size'", formula)
            spec, frame = matrix.model_spec, pd.DataFrame(matrix)
        numbers = _numbers_of(frame)
        constant = np.ptp(numbers.to_numpy(), axis=0) == 0
        names = [str(name) for name in numbers.columns[~constant]]
        if not names:
            raise InvalidInputError("features", "one that differs between items", Described("none"))
        chosen = numbers.loc[:, ~constant].to_numpy(np.float64)
        means = chosen.mean(axis=0)
        table = chosen - means
        _check_distinct(table, names)
        return cls(spec, tuple(names), table, means)

    def rows(self, features: pd.DataFrame) -> Floats:
        """Return the rows of other items."""
        frame = features
        if self.spec is not None:
            frame = pd.DataFrame(self.spec.get_model_matrix(features, na_action="raise"))
        absent = [name for name in self.names if name not in map(str, frame.columns)]
        if absent:
            raise InvalidInputError("features", f"a table with {listed(absent)}", features)
        numbers = _numbers_of(frame[[name for name in frame if str(name) in self.names]])
        return numbers[list(self.names)].to_numpy(np.float64) - self.means


def _frame_of(features: object, items: ItemSet) -> pd.DataFrame:
    if not isinstance(features, pd.DataFrame):
        allowed = "a DataFrame whose index has the items"
        raise InvalidInputError("features", allowed, features)
    absent = [label for label in items if label not in features.index]
    if absent or features.index.has_duplicates:
        allowed = "one row for each item, by its label"
        told = Described(f"none for {listed(absent)}" if absent else "several of one label")
        raise InvalidInputError("features", allowed, told)
    return features.loc[list(items)]


def _numbers_of(frame: pd.DataFrame) -> pd.DataFrame:
    for name, column in frame.items():
        if not (pd.api.types.is_numeric_dtype(column) and np.isfinite(column).all()):
            remedy, told = "`formula='~ C(kind)'` makes numbers of kinds.", f"words in {name!r}"
            if pd.api.types.is_numeric_dtype(column):
                remedy, told = "Fill it in, or leave the column out.", f"a gap or more in {name!r}"
            told = Described(told)
            raise InvalidInputError("features", "finite numbers", told, remedy)
    return frame.astype(np.float64)


def _check_distinct(table: Floats, names: list[str]) -> None:
    """Raise where a column follows from those before it."""
    scaled = table / np.linalg.norm(table, axis=0)
    for at, name in enumerate(names):
        before = scaled[:, :at]
        left = scaled[:, at] - before @ np.linalg.lstsq(before, scaled[:, at], rcond=None)[0]
        if np.linalg.norm(left) < 1e-7:
            others = f"{listed(names[:at])}" if at else "nothing"
            raise NotIdentifiedError(
                f"The effect of {name!r} cannot be told from those of {others}: over "
                f"{counted(len(table), 'item')} it follows from them. Leave it out."
            )


@dataclass(frozen=True, eq=False)
class _FeatureLikelihood(LogLikelihood):
    """A log likelihood of worths as a function of effects, residuals, and what there is beside."""

    worths: Likelihood
    design: Floats
    # Of the residuals of the items; 0 where there are none.
    penalty: float
    # That a constant is no parameter here.
    ridge: float = 1.0

    @property
    def n(self) -> int:
        return 0

    @cached_property
    def _columns(self) -> Floats:
        """What log worths and tie weights are made of, with those of the parameters."""
        n, ties = len(self.design), len(self.worths.sizes)
        worths = np.hstack([self.design, np.eye(n)]) if self.penalty else self.design
        return scipy.linalg.block_diag(worths, np.eye(ties)) if ties else worths

    @cached_property
    def _pulls(self) -> Floats:
        pulls, k = np.zeros(self._columns.shape[1]), self.design.shape[1]
        if self.penalty:
            pulls[k : k + len(self.design)] = self.penalty
        return pulls

    def all_worths(self, parameters: Floats) -> Floats:
        """Return log worths, and what is beside them."""
        return self._columns @ parameters

    def start(self) -> Floats:
        return np.zeros(self._columns.shape[1])

    def value(self, parameters: Floats) -> float:
        pull = float(self._pulls @ parameters**2) / 2.0
        return self.worths.value(self.all_worths(parameters)) - pull

    def derivatives(self, parameters: Floats) -> Derivatives:
        at, columns = self.worths.derivatives(self.all_worths(parameters)), self._columns
        gradient = columns.T @ at.gradient - self._pulls * parameters
        information = columns.T @ at.information @ columns + np.diag(self._pulls)
        noise = np.abs(columns).T @ at.noise
        return Derivatives(self.value(parameters), gradient, information, noise)


class FeatureFit(FitResult):
    """A fit of worths that are linear in features of the items.

    Made by `PlackettLuce.fit` with `features`. The parameters are the effects of the features; with
    a `ridge`, every item has a residual as well, which is in `residuals`. `plot` draws a
    `rankagg.plotting.parameters_plot`.

    Attributes
    ----------
    residuals : Series of float
        What the log worth of each item has beside its features; 0 without a ridge.
    """

    residuals: pd.Series[float] = field(compare=False)
    _design: _Design = field(compare=False)
    _ridge: float = field(compare=False)

    def predict(self, features: pd.DataFrame, alpha: float = 0.05) -> pd.DataFrame:
        """Return the log worths of other items, never seen or not, from their features.

        Parameters
        ----------
        features : DataFrame
            A row for each item, with the columns of the fit.
        alpha : float, default 0.05
            Probability of error of each interval, in (0, 1).

        Returns
        -------
        pandas.DataFrame
            estimate of the log worth, less the mean of the items of the fit; std_err, lower,
            upper. With a ridge the error has the spread of residuals in it.
        """
        level = check_alpha(alpha)
        if not isinstance(features, pd.DataFrame):
            raise InvalidInputError("features", "a DataFrame with a row for each item", features)
        rows, k = self._design.rows(features), len(self._design.names)
        variances = np.einsum("ij,jk,ik->i", rows, self.covariance[:k, :k], rows)
        if self._ridge:
            variances = variances + 1.0 / self._ridge
        errors = np.sqrt(np.maximum(variances, 0.0))
        frame = with_intervals(rows @ self.estimates[:k], errors, self._student, level)
        return frame[["estimate", "std_err", "lower", "upper"]].set_axis(features.index)


def fit_features(
    kind: Callable[..., RankingDistribution],
    data: object,
    features: pd.DataFrame,
    formula: str | None,
    *,
    ridge: float,
    tol: float,
) -> FeatureFit:
    """Return the fit of a kind of distribution; see `PlackettLuce.fit`."""
    profile = _choices_of_two(data) if isinstance(data, Comparisons) else data
    if not isinstance(profile, Profile) or profile.n_items < 2:
        raise InvalidInputError("data", "a Profile of two or more items, or Comparisons", data)
    weights = profile.counts * profile.weights
    choices = choices_of(profile.ranks, weights)
    sizes = tuple(sorted(d for d in choices.tied if d > 1))
    design = _Design.of(features, formula, profile.items)
    n, k = design.table.shape
    # Effects are then of the size of log odds, whatever the unit of a feature is.
    units = np.ptp(design.table, axis=0)
    likelihood = _FeatureLikelihood(Likelihood(choices, sizes), design.table / units, ridge)
    found = newton(likelihood, tol)
    worths = likelihood.all_worths(found.parameters)
    names = (*design.names, *(f"log tie {d}" for d in sizes))
    if not ridge:
        remedy = "Leave features out, or give every item a residual with `ridge=1`."
        check_rises(found, names, found.parameters, remedy)
    inverse = solve_definite(found.information, np.eye(len(found.parameters)))
    if inverse is None:
        inverse = np.full_like(found.information, np.nan)
    ties = worths[n:]
    kept = np.r_[0:k, len(found.parameters) - len(ties) : len(found.parameters)]
    own = np.append(units, np.ones(len(ties)))
    scale = float(weights.sum()) / float(profile.counts @ profile.weights**2)
    logs = worths[:n] - worths[:n].mean()
    residuals = found.parameters[k : k + n] if ridge else np.zeros(n)
    index = pd.Index(list(profile.items), name="item")
    return FeatureFit(
        distribution=kind(logs, items=profile.items, log_ties=dict(zip(sizes, ties, strict=True))),
        names=names,
        estimates=found.parameters[kept] / own,
        covariance=inverse[np.ix_(kept, kept)] / np.outer(own, own) / scale,
        log_likelihood=likelihood.worths.value(worths) * scale,
        n_parameters=len(kept),
        n_observations=scale * float(weights.sum()),
        converged=found.converged,
        n_iterations=found.n_iterations,
        notes=tuple(_notes(ridge, scale, found)),
        residuals=pd.Series(residuals, index=index, name="residual"),
        _design=design,
        _ridge=ridge,
    )


def _choices_of_two(data: Comparisons) -> Profile:
    """Return comparisons as rankings of two, equal ones together."""
    weights = np.ones(len(data)) if data.weights is None else data.weights
    table = np.column_stack([data.first, data.second, data.outcomes, weights])
    rows, counts = np.unique(table, axis=0, return_counts=True)
    first, second, outcomes = rows[:, :3].T.astype(np.intp)
    ranks = np.full((len(rows), len(data.items)), np.nan)
    ranks[np.arange(len(rows)), first] = 1 + (outcomes < 0)
    ranks[np.arange(len(rows)), second] = 1 + (outcomes > 0)
    return Profile.from_ranks(ranks, items=data.items, counts=counts, weights=rows[:, 3])


def _notes(ridge: float, scale: float, found: Maximum) -> Iterator[str]:
    yield "Effects are of features as they are; log worths sum to 0 over the items."
    if ridge:
        yield (
            f"With a residual for each item, ridge {ridge:g}: residuals are no free parameters, "
            "and errors are of the penalized likelihood."
        )
    if scale != 1.0:
        yield "Weighted data: errors are for the effective number of observations."
    yield from found.notes()
