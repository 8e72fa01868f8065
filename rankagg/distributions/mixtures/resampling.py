"""Errors of a mixture by resampling rankings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.optimize import linear_sum_assignment

from rankagg._typing import Floats, Generator
from rankagg._validation import check_alpha
from rankagg.aggregation import Deadline
from rankagg.core import Profile, Result, counted, plain_rows
from rankagg.distributions.base import RankingDistribution
from rankagg.distributions.mallows.uniformity import uncompressed
from rankagg.distributions.mixtures.climb import Climb, searched
from rankagg.distributions.mixtures.fit import CLIMB_STEPS, MixtureOptions, family_of


class MixtureBootstrap(Result):
    """Errors of a mixture by resampling, components matched to those of the fit.

    Made by `MixtureFit.bootstrap`; it has no plot.

    Attributes
    ----------
    names : tuple of str
        The parameters.
    estimates : ndarray of float, shape (p,)
        Of the fit.
    draws : ndarray of float, shape (n_resamples, p)
        Of the resamples.
    same_modes : ndarray of float, shape (k,)
        The share of resamples in which each component had the mode that it has in the fit.
    """

    names: tuple[str, ...]
    estimates: Floats
    draws: Floats
    same_modes: Floats

    _schema = "rankagg.mixture_bootstrap"
    _row = "parameter"

    def to_frame(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return one row per parameter.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability of error of each interval, in (0, 1).

        Returns
        -------
        pandas.DataFrame
            estimate, std_err, lower, upper.
        """
        level = check_alpha(alpha)
        lower, upper = np.quantile(self.draws, [level / 2.0, 1.0 - level / 2.0], axis=0)
        columns = {"estimate": self.estimates, "std_err": self.draws.std(axis=0, ddof=1)}
        index = pd.Index(self.names, name="parameter")
        return pd.DataFrame({**columns, "lower": lower, "upper": upper}, index=index)

    def _content(self) -> dict[str, Any]:
        own = {"n_resamples": len(self.draws), "same_modes": self.same_modes.tolist()}
        return {**own, "parameters": plain_rows(self.to_frame().reset_index())}

    def _facts(self) -> list[str]:
        shares = ", ".join(f"{share:.2g}" for share in self.same_modes)
        return [
            f"{counted(len(self.draws), 'resample')} of a mixture",
            f"share of resamples with the same mode, by component: {shares}",
        ]


def bootstrapped(
    profile: Profile, options: MixtureOptions, fitted: Climb, streams: list[Generator], n_jobs: Any
) -> tuple[Floats, Floats]:
    """Return parameters by resample, and the share of resamples with the mode of each component."""
    rows = uncompressed(profile)
    pool = Parallel(n_jobs=n_jobs)
    found = pool(delayed(_resampled)(rows, options, fitted, rng) for rng in streams)
    draws, same = zip(*found, strict=True)
    return np.array(draws), np.mean(same, axis=0)


def _resampled(
    rows: Profile, options: MixtureOptions, fitted: Climb, rng: Generator
) -> tuple[Floats, Any]:
    chosen = rng.integers(len(rows), size=len(rows))
    family = family_of(rows[chosen], options, Deadline())
    best = searched(family, Climb(fitted.parts, fitted.weights), CLIMB_STEPS)
    k = len(fitted.parts) - options.noise
    own = [family.parameters(part) for part in fitted.parts[:k]]
    new = [family.parameters(part) for part in best.parts[:k]]

    def apart(one: RankingDistribution, other: RankingDistribution) -> float:
        return float(np.abs(one.mode.ranks - other.mode.ranks).sum())

    costs = [
        [
            apart(one, other) + float(np.abs(own[i] - new[j]).sum())
            for j, other in enumerate(best.parts[:k])
        ]
        for i, one in enumerate(fitted.parts[:k])
    ]
    matched = linear_sum_assignment(costs)[1]
    order = [*matched, *range(k, len(best.parts))]
    draw = np.concatenate([best.weights[order], *(new[j] for j in matched)])
    modes = zip(fitted.parts, (best.parts[j] for j in matched), strict=False)
    return draw, np.array([apart(one, other) == 0.0 for one, other in modes])
