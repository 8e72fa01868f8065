"""Worths from comparisons of two, with ties, the advantage of a side, covariates and clusters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from rankagg._typing import Floats
from rankagg._validation import check_choice, check_flag, check_integer, check_number
from rankagg.core.comparisons import Comparisons
from rankagg.core.items import ItemSet, counted, listed
from rankagg.distributions.bradley_terry.contests import TIES, Entries, Ties, contests_of
from rankagg.distributions.bradley_terry.maximum import (
    Model,
    Peak,
    check_connected,
    check_distinct,
    check_endless,
    climb,
    inverse,
)
from rankagg.distributions.bradley_terry.result import BradleyTerryFit
from rankagg.distributions.bradley_terry.sandwich import (
    Alone,
    cluster_covariance,
    effective_clusters,
    separate_covariance,
)
from rankagg.distributions.plackett_luce.bradley_terry import BradleyTerry
from rankagg.exceptions import InvalidInputError, NotIdentifiedError, nearest

__all__ = ["ERRORS", "Errors", "Options", "fit_bradley_terry"]

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


# Log odds or log tie parameters beyond this may be on their way to infinity.
FAR = 10.0
# Errors by fewer clusters are refused. Items that fewer compare are named: from four on, intervals
# were measured to hold what they say.
LEAST = 4
# A sandwich variance below this part of that of the model is none.
NOTHING = 1e-10


def fit_bradley_terry(
    comparisons: Comparisons,
    *,
    ties: Ties = "half",
    side: bool = False,
    covariates: Iterable[str] = (),
    errors: Literal["auto", "model", "robust", "cluster"] = "auto",
    max_iterations: int = 100,
    tolerance: float = 1e-9,
) -> BradleyTerryFit:
    """Estimate worths from comparisons of two items.

    The log odds of the first side are l_i - l_j, the difference of the log worths, plus the
    advantage of the side, plus the covariates times their effects.

    Parameters
    ----------
    comparisons : Comparisons
        Who met whom, and who won.
    ties : {"half", "davidson", "rao-kupper"}, default "half"
        "half" counts a tie as half a win for each, which is a quasi-likelihood: a probability of
        ties is not estimated, and errors come from the sandwich. "davidson" (1970) gives a tie the
        weight nu times the geometric mean of the two worths. "rao-kupper" (1967) is a threshold:
        who is not better by log(theta) in log odds, a logistic error added, ties.
    side : bool, default False
        True estimates the advantage of the side, which multiplies the odds (Davidson and Beaver
        1977); `comparisons.sides` says who has it. In the tie of Davidson's model it is part of
        the worth: where all have a side, nu of 1977 is nu exp(side/2) here.
    covariates : iterable of str, optional
        Names of covariates of the comparisons, which say something in favor of the first side: a
        difference of lengths, for instance.
    errors : {"auto", "model", "robust", "cluster"}, default "auto"
        "model" takes comparisons for independent and the model for true. "robust" is the sandwich
        of single comparisons, "cluster" that of the clusters, with quantiles of Student's t with
        one degree of freedom less than there are clusters. "auto" is "cluster" where comparisons
        have clusters, else "robust" where ties count half or comparisons have weights, else
        "model".
    max_iterations : int, default 100
        Newton steps.
    tolerance : float, default 1e-9
        No log worth moves by more in a last step.

    Returns
    -------
    BradleyTerryFit

    Raises
    ------
    NotIdentifiedError
        If the likelihood has no finite maximum, or more than one: it says which items, side or
        covariates are the reason.
    InvalidInputError
        If errors by cluster are asked for, and there are fewer than 4 clusters, or one alone knows
        something.

    Notes
    -----
    A weight says how important a comparison is; it does not stand for so many comparisons, which
    have a row each. Sandwich errors are those of the one-step delete-one jackknife.

    References
    ----------
    Bradley and Terry (1952), https://doi.org/10.2307/2334029; Davidson (1970),
    https://doi.org/10.1080/01621459.1970.10481082; Rao and Kupper (1967),
    https://doi.org/10.1080/01621459.1967.10482901; Davidson and Beaver (1977),
    https://doi.org/10.2307/2529467; Liang and Zeger (1986),
    https://doi.org/10.1093/biomet/73.1.13; MacKinnon, Nielsen and Webb (2023),
    https://doi.org/10.1002/jae.2969.

    Examples
    --------
    >>> import rankagg as ra
    >>> battles = ra.Comparisons.from_arrays("AABBCCAB", "BCCAABBC", [1, 1, 1, -1, 0, 1, -1, 0])
    >>> fit = ra.fit_bradley_terry(battles, ties="davidson", side=True)
    >>> fit.log_worths.round(3)
    array([ 0.746, -0.354, -0.392])
    """
    if not isinstance(comparisons, Comparisons):
        raise InvalidInputError(
            "comparisons", "Comparisons", comparisons,
            "`BradleyTerry.fit` takes ballots, scores and votes.",
        )  # fmt: skip
    chosen = Options.of(
        comparisons, ties=ties, side=side, covariates=covariates, errors=errors,
        max_iterations=max_iterations, tolerance=tolerance,
    )  # fmt: skip
    clusters = _clusters(comparisons, chosen)
    contests, entries = contests_of(
        comparisons, side=chosen.side, covariates=chosen.covariates, entries=clusters is not None
    )
    model = Model(contests, chosen.ties)
    names = ("side",) * chosen.side + chosen.covariates
    items = comparisons.items
    peak = _peak(model, items, names, chosen)
    n = len(items)
    total = float(contests.totals.sum())
    effective = float(total**2 / contests.squares.sum())
    plain = inverse(peak.information, n)
    by_model = plain * (total / effective)
    sample = None if entries is None or clusters is None else (entries, clusters)
    covariance = by_model
    if chosen.errors != "model":
        covariance = _covariance(model, peak, plain, sample, comparisons)
        _check_varies(covariance, by_model, comparisons, by_cluster=sample is not None)
    degrees, known = _degrees(model, comparisons, clusters)
    n_clusters = 0 if clusters is None else int(clusters.max()) + 1
    log_worths, _, tie = model.split(peak.parameters)
    units = np.ones(model.n_parameters)
    units[n : n + contests.n_extras] = contests.units
    log_ties = {2: tie} if tie is not None and ties == "davidson" else {}
    tie_names = {"davidson": ("log nu",), "rao-kupper": ("log theta",), "half": ()}[chosen.ties]
    return BradleyTerryFit(
        distribution=BradleyTerry(log_worths, items=items, log_ties=log_ties),
        names=(*map(str, items), *names, *(tie_names if model.has_tie else ())),
        estimates=peak.parameters / units,
        covariance=covariance / np.outer(units, units),
        log_likelihood=peak.value,
        n_parameters=len(peak.parameters) - 1,
        n_observations=effective,
        converged=peak.converged,
        n_iterations=peak.n_iterations,
        notes=tuple(_notes(model, chosen, comparisons, known, n_clusters=n_clusters, peak=peak)),
        ties=chosen.ties,
        has_side=chosen.side,
        errors=chosen.errors,
        n_clusters=n_clusters,
        degrees_of_freedom=degrees,
        model_covariance=by_model / np.outer(units, units),
        _units=units,
        _contests=contests,
    )


def _clusters(comparisons: Comparisons, chosen: Options) -> NDArray[np.intp] | None:
    """Return the cluster of each comparison, those that occur counted from 0; None without."""
    codes = comparisons.clusters
    if chosen.errors != "cluster" or codes is None:
        return None
    there = np.bincount(codes) > 0
    number = int(there.sum())
    if number < LEAST:
        raise InvalidInputError(
            "errors", f"'model' or 'robust' with fewer than {LEAST} clusters", "cluster",
            f"There {'is' if number == 1 else 'are'} {counted(number, 'cluster')}, and what varies "
            "between so few is not known.",
        )  # fmt: skip
    place: NDArray[np.intp] = np.cumsum(there) - 1
    return place[codes]


def _peak(model: Model, items: ItemSet, names: Sequence[str], chosen: Options) -> Peak:
    """Return the maximum of the likelihood, or raise where there is none."""
    contests = model.contests
    check_connected(contests.beats(), items)
    check_distinct(model, names)
    if model.has_tie and not contests.results[[0, 2]].any():
        raise NotIdentifiedError(
            "Every comparison is a tie: the likelihood rises for ever with the tie parameter. Use "
            "`ties='half'`."
        )
    peak = climb(model, steps=chosen.max_iterations, tolerance=chosen.tolerance)
    tie = model.split(peak.parameters)[2] or 0.0
    if not peak.converged or max(peak.furthest, abs(tie)) > FAR:
        check_endless(model, items, names)
    return peak


def _covariance(
    model: Model,
    peak: Peak,
    plain: Floats,
    sample: tuple[Entries, NDArray[np.intp]] | None,
    comparisons: Comparisons,
) -> Floats:
    """Return the sandwich by cluster, or by single comparisons where `sample` is None."""
    try:
        if sample is None:
            found = separate_covariance(model, peak.parameters, plain)
        else:
            found = cluster_covariance(model, peak.parameters, plain, *sample)
    except Alone as alone:
        raise _alone(alone, comparisons, by_cluster=sample is not None) from None
    return found


def _check_varies(
    found: Floats, by_model: Floats, comparisons: Comparisons, *, by_cluster: bool
) -> None:
    """Raise where the sandwich has no error for a difference, as of two items that always tie."""
    items = comparisons.items
    unknown = _spread(found, len(items)) <= NOTHING * _spread(by_model, len(items))
    np.fill_diagonal(unknown, False)
    if unknown.any():
        one, other = items.pairs_where(unknown)[0]
        raise InvalidInputError(
            "errors", "'model' here", "cluster" if by_cluster else "robust",
            f"Nothing varies in what tells {one!r} from {other!r}, so that it shows no error.",
        )  # fmt: skip


def _degrees(
    model: Model, comparisons: Comparisons, clusters: NDArray[np.intp] | None
) -> tuple[Floats, NDArray[np.intp] | None]:
    """Return degrees of freedom of the errors of each parameter, and clusters of each item."""
    n, free = model.contests.n_items, np.full(model.n_parameters, np.inf)
    if clusters is None:
        return free, None
    found, number = effective_clusters(
        comparisons.first, comparisons.second, clusters, comparisons.weights, n
    )
    # Fewer than one has no quantiles to speak of.
    free[:n], free[n:] = np.maximum(found[:n] - 1.0, 1.0), max(found[n] - 1.0, 1.0)
    return free, number


def _spread(covariance: Floats, n: int) -> Floats:
    """Return the variances of all differences of log worths."""
    variances = np.diag(covariance)[:n]
    return variances[:, None] + variances[None, :] - 2.0 * covariance[:n, :n]


def _alone(alone: Alone, comparisons: Comparisons, *, by_cluster: bool) -> InvalidInputError:
    items, n = comparisons.items, len(comparisons.items)
    worths = alone.direction[:n] - np.median(alone.direction[:n])
    moved = np.abs(worths) > 1e-6 * np.abs(alone.direction).max()
    what = f"the worth of {listed(items.where(moved))}" if moved.any() else "an effect"
    if not by_cluster:
        return InvalidInputError(
            "errors", "'model' here", "robust",
            f"A single comparison alone tells {what}, so that its error is not known.",
        )  # fmt: skip
    codes = np.unique(np.asarray(comparisons.clusters))
    label = comparisons.cluster_labels[int(codes[alone.cluster])]
    return InvalidInputError(
        "errors", "'model' or 'robust' here", "cluster",
        f"Cluster {label!r} alone tells {what}, so that what varies between clusters is not "
        "known. Leave it out, or collect comparisons from other clusters.",
    )  # fmt: skip


def _notes(
    model: Model,
    chosen: Options,
    comparisons: Comparisons,
    known: NDArray[np.intp] | None,
    *,
    n_clusters: int,
    peak: Peak,
) -> Iterator[str]:
    items = comparisons.items
    number = model.contests.n_ties
    yield "Log worths sum to 0; standard errors are for that contrast."
    if not number:
        yield "There are no ties."
    elif chosen.ties == "half":
        yield (
            f"Ties ({number:g}): half a win for each. The likelihood is a quasi-likelihood, and so "
            "are AIC and BIC."
        )
    else:
        author = {"davidson": "Davidson 1970", "rao-kupper": "Rao and Kupper 1967"}[chosen.ties]
        yield f"Ties ({number:g}): modeled ({author})."
    if chosen.errors == "model":
        yield "Errors by the model: comparisons are taken for independent."
    elif chosen.errors == "robust":
        yield "Errors by the sandwich: comparisons are taken for independent."
    else:
        yield (
            f"Errors by the sandwich of {n_clusters} clusters, with quantiles of Student's t by "
            "how many clusters compare an item."
        )
    if known is not None and (known < LEAST).any():
        yield (
            f"Fewer than {LEAST} clusters compare {listed(items.where(known < LEAST))}: intervals "
            "were measured to hold from that number on."
        )
    if comparisons.weights is not None:
        yield "Weighted comparisons: the number of observations is the effective one."
    if not peak.converged:
        yield (
            f"Not converged in {counted(peak.n_iterations, 'step')}; what is shown is not the "
            "maximum. Raise `max_iterations`."
        )
