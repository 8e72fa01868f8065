"""Maximum likelihood for the Mallows distribution: center, theta, and an interval for theta."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from typing import Literal, get_args

import numpy as np
import pandas as pd

from rankagg._typing import Label, RNGLike
from rankagg._validation import as_generator, check_alpha, check_choice, check_integer, check_number
from rankagg.aggregation import Consensus, Deadline, time_limit_of
from rankagg.core import Permutation, Profile
from rankagg.distributions.fit_result import FitResult
from rankagg.distributions.mallows.center import (
    MOST_STEPS,
    MallowsData,
    best_theta,
    information_at,
    search_center,
)
from rankagg.distributions.mallows.mallows import Mallows
from rankagg.distributions.mallows.model_distances import DistanceName
from rankagg.distributions.mallows.theta_interval import likelihood_interval
from rankagg.distributions.mallows.uniformity import UniformityTest, simulate_uniformity
from rankagg.distributions.separation import check_observed
from rankagg.exceptions import Described, InvalidInputError, OutOfTimeError


def fit_mallows(
    profile: Profile,
    *,
    distance: DistanceName = "kendall",
    center: Literal["kemeny", "borda"] | Permutation | Iterable[Label] | None = None,
    max_iterations: int = MOST_STEPS,
    rng: RNGLike = None,
    time_limit: float | None = None,
) -> MallowsFit:
    """Return the fit; see `Mallows.fit`."""
    if not isinstance(profile, Profile):
        raise InvalidInputError("profile", "a Profile", profile)
    steps = check_integer(max_iterations, "max_iterations", low=1)
    check_observed(profile)
    kind = check_choice(distance, get_args(DistanceName), "distance")
    data = MallowsData.of(profile, Deadline.after(time_limit_of(time_limit)), kind)
    is_given = not isinstance(center, str | None)
    try:
        found = search_center(data, center, steps, as_generator(rng))
    except OutOfTimeError:
        what = "centers were still tried"
        if kind == "kendall":
            what = "the likelihood of partial and tied rankings was still climbed"
        raise OutOfTimeError(f"The center of Mallows was not found in time: {what}.") from None
    center = found.center
    theta = best_theta(data, center) if found.theta is None else found.theta
    if not np.isfinite(theta):
        told = Described("all as the center")
        remedy = f"Theta has no finite maximum: the likelihood of {center._arrows()} grows with it."
        raise InvalidInputError("profile", "rankings that do not all agree", told, remedy)
    height, information = found.log_likelihood, found.information
    if height is None:
        height = data.log_likelihood(center, theta)
    if information is None:
        information = information_at(data, center, theta)
    fitted = Mallows(center, theta, kind)
    notes = [
        f"Center: {center._arrows()}; phi = exp(-theta) = {fitted.phi:.3g}",
        "Interval and standard error of theta, AIC and BIC are conditional on the center, which "
        f"{'is given' if is_given else 'these rankings chose'}.",
    ]
    # The chosen center takes n - 1 degrees of freedom near theta 0, in place of one.
    free = center.n_items - 2
    if (
        not is_given
        and data.is_exact
        and 2.0 * (height - data.log_likelihood(center, 0.0)) < free**2
    ):
        notes.append(
            "Few or scattered rankings chose the center that fits them best: theta is likely too "
            "high, by half a standard error or more."
        )
    if fitted.log_normalizer_error:
        of_all = data.total * fitted.log_normalizer_error
        notes.append(f"Log Z is estimated; so the log likelihood has an error of {of_all:.2g}.")
    if theta == 0.0:
        notes.append("Theta is at its bound 0: the data are no closer to the center than chance.")
    return MallowsFit(
        distribution=fitted,
        names=("theta",),
        estimates=np.array([theta]),
        covariance=np.array([[1.0 / information if information > 0 else np.nan]]),
        log_likelihood=height,
        n_parameters=1,
        n_observations=data.total,
        converged=found.converged,
        n_iterations=found.n_iterations,
        notes=(*notes, *found.notes),
        consensus=found.consensus,
        center_is_given=is_given,
        _data=data,
    )


class MallowsFit(FitResult):
    """A fitted Mallows distribution.

    Made by `Mallows.fit`. The one continuous parameter is the dispersion parameter theta, of which
    phi = exp(-theta). Its standard error is conditional on the center, and so is the count of
    parameters in AIC and BIC; `conf_int` has its interval. `plot` draws a
    `rankagg.plotting.distances_plot`.

    Attributes
    ----------
    center_is_given : bool
        True where the center was given, and not chosen by the rankings.
    consensus : Consensus or None
        Of complete strict rankings: the exact Kemeny consensus that is the center, with its proof
        and the set of all equally likely centers; or Borda's. None for a given center, and for
        partial or tied rankings.
    """

    distribution: Mallows
    consensus: Consensus | None = field(compare=False)
    center_is_given: bool = field(compare=False)
    _data: MallowsData = field(compare=False)

    _plot = "distances_plot"

    @property
    def theta(self) -> float:
        """The fitted dispersion parameter."""
        return self.distribution.theta

    @property
    def center(self) -> Permutation:
        """The fitted, or given, center."""
        return self.distribution.center

    def log_likelihood_at(self, theta: float) -> float:
        """Return the log likelihood of another theta around the same center.

        Parameters
        ----------
        theta : float
            Not negative.

        Returns
        -------
        float
        """
        at = check_number(theta, "theta", low=0)
        return self._data.log_likelihood(self.distribution.center, at)

    def conf_int(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return a likelihood interval for theta.

        The interval holds every theta, around the fitted center, that a likelihood-ratio test does
        not refute: twice the log likelihood drops by at most the quantile of chi-squared with one
        degree of freedom. At theta 0 all centers are equal, and the one that fits best takes n - 1
        degrees of freedom, as in Friedman's test; where those do not refute it, the lower bound is
        0, and the interval bounds theta from above alone. Few or scattered rankings make theta too
        high, and with it the interval, as a note of the fit says. Where the likelihood had to be
        estimated, the interval is estimate and standard error.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability of error, in (0, 1).

        Returns
        -------
        pandas.DataFrame
            Index: "theta". Columns lower and upper.

        References
        ----------
        Pawitan (2001), "In All Likelihood", section 2.6; Friedman (1937),
        https://doi.org/10.1080/01621459.1937.10503522.
        """
        level = check_alpha(alpha)
        if not self._data.is_exact:
            return super().conf_int(level).clip(lower=0.0)
        free = 1 if self.center_is_given else self.distribution.n_items - 1
        theta, error = self.distribution.theta, float(self.standard_errors[0])
        bounds = likelihood_interval(self.log_likelihood_at, theta, error, level, free)
        return pd.DataFrame([bounds], pd.Index(self.names, name="parameter"), ["lower", "upper"])

    def to_frame(self, alpha: float = 0.05) -> pd.DataFrame:
        """Return theta, its error and its interval in one row.

        Parameters
        ----------
        alpha : float, default 0.05
            For the interval.

        Returns
        -------
        pandas.DataFrame
            estimate, std_err, z and p_value of "it is 0", lower, upper. z and p_value are NaN
            where the center was chosen by the rankings: `test_uniform` tests that theta is 0.
        """
        frame = super().to_frame(alpha)
        if not self.center_is_given:
            frame[["z", "p_value"]] = np.nan
        return frame

    def _coefficients(self, alpha: float) -> pd.DataFrame:
        table = super()._coefficients(alpha)
        return table if self.center_is_given else table.drop(columns=["z", "P>|z|"])

    def test_uniform(self, *, n_resamples: int = 199, rng: RNGLike = None) -> UniformityTest:
        """Test "theta is 0: all permutations are alike" by simulation.

        The center is estimated too, so chance alone makes rankings look concentrated around the
        best center; the statistic is simulated with its estimation. Ties and missing items are
        as in the data.

        Parameters
        ----------
        n_resamples : int, default 199
            Simulated samples.
        rng : int or numpy.random.Generator, optional
            A seed or a generator.

        Returns
        -------
        UniformityTest
        """
        times = check_integer(n_resamples, "n_resamples", low=1)
        distance = self.distribution.distance
        return simulate_uniformity(self._data.profile, times, as_generator(rng), distance)
