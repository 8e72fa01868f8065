"""Maximum likelihood for the Mallows distribution: center, theta, and how sure the latter is.

A center that is chosen to fit makes rankings look concentrated around it. So the interval of theta
allows for that choice, by test inversion; see `theta_interval`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from typing import Literal, get_args

import numpy as np
import scipy
from scipy.optimize import brentq

from rankagg import _pandas as pd
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
from rankagg.distributions.mallows.theta_interval import LEAST_ALPHA, ThetaData, invert, is_feasible
from rankagg.distributions.mallows.uniformity import UniformityTest, simulate_uniformity
from rankagg.distributions.separation import check_observed
from rankagg.exceptions import Described, InvalidInputError, OutOfTimeError

Method = Literal["inversion", "profile", "wald"]


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
    information *= data.n_effective / data.total
    default = _default_method(data, center, 0.05, is_given=is_given)
    fitted = Mallows(center, theta, kind)
    notes = [
        f"Center: {center._arrows()}; phi = exp(-theta) = {fitted.phi:.3g}",
        _interval_note(default, is_given=is_given),
    ]
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
        n_observations=data.n_effective,
        converged=found.converged,
        n_iterations=found.n_iterations,
        notes=(*notes, *found.notes),
        consensus=found.consensus,
        center_is_given=is_given,
        _data=data,
    )


def _default_method(
    data: MallowsData, center: Permutation, alpha: float, *, is_given: bool
) -> Method:
    if (
        data.distance.name == "kendall"
        and not is_given
        and is_feasible(ThetaData.of(data.profile, center), alpha)
    ):
        return "inversion"
    return "profile" if data.is_exact else "wald"


def _interval_note(method: Method, *, is_given: bool) -> str:
    if is_given:
        return "The center is given; interval and error of theta are conditional on it."
    if method == "inversion":
        return (
            "The interval of theta allows for the choice of the center (inverted test); the "
            "standard error, AIC and BIC do not."
        )
    return (
        "The interval of theta is conditional on the center, which these rankings chose, and may "
        "be too high and too narrow: that choice is not simulated for so many rankings, nor for "
        "other distances than Kendall's."
    )


class MallowsFit(FitResult):
    """A fitted Mallows distribution.

    Made by `Mallows.fit`. The one continuous parameter is the dispersion parameter theta, of which
    phi = exp(-theta). Its standard error is conditional on the center, and so is the count of
    parameters in AIC and BIC. Its interval is not, where the center was chosen by the rankings:
    see `conf_int`. `plot` draws a `rankagg.plotting.distances_plot`.

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

    def conf_int(
        self, alpha: float = 0.05, *, method: Method | None = None, rng: RNGLike = 0
    ) -> pd.DataFrame:
        """Return an interval for theta.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability of error, in (0, 1); 0.002 or more for "inversion".
        method : {"inversion", "profile", "wald"}, optional
            "inversion": all thetas that are not refuted by a test whose statistic, the cost of a
            quick consensus, has the same distribution whatever the center is. So the interval holds
            its level whatever the center is, but for the simulation (some tenths of a percent) and,
            with gaps or ties, for the center that they refer to. It need not hold the estimate,
            which is too high where few rankings choose the center. Where majorities are those of
            the center almost surely, its distribution is that of the distance to it, and not
            simulated. "profile": all thetas that a likelihood-ratio test does not refute; "wald":
            estimate and standard error. Both are conditional on the center: right where it is
            given, too high and too narrow where it is chosen by few or by scattered rankings.
            By default "inversion" where the center was chosen, and "profile" where it was given;
            "wald" where the likelihood had to be estimated and "inversion" cannot be used. The
            notes say which it is.
        rng : int or numpy.random.Generator, default 0
            For the simulation. The seed is fixed by default, so that a fit always shows the same.

        Returns
        -------
        pandas.DataFrame
            Index: "theta". Columns lower and upper. Both are 0 where the rankings agree even less
            than by chance.

        Raises
        ------
        InvalidInputError
            If a method cannot be used: "inversion" with a given center, with a smaller alpha or
            with too many rankings; "profile" where the likelihood had to be estimated.
        """
        level = check_alpha(alpha)
        data = ThetaData.of(self._data.profile, self.distribution.center)
        if method is None:
            center = self.distribution.center
            chosen = _default_method(self._data, center, level, is_given=self.center_is_given)
        else:
            chosen = check_choice(method, ("inversion", "profile", "wald"), "method")
        if chosen == "inversion":
            self._check_inversion(data, level)
            lower, upper = invert(data, self.distribution.theta, level, as_generator(rng))
            return self._interval(lower, upper)
        if chosen == "profile" and not self._data.is_exact:
            raise InvalidInputError(
                "method", "'inversion' or 'wald' where the likelihood had to be estimated", method
            )
        if chosen == "wald":
            return super().conf_int(level).clip(lower=0.0)
        theta = self.distribution.theta
        scale = self._data.n_effective / self._data.total
        allowed = scipy.stats.chi2.isf(level, df=1) / 2.0 / scale

        def short(other: float) -> float:
            return self.log_likelihood - self.log_likelihood_at(other) - allowed

        lower = 0.0 if short(0.0) <= 0 else float(brentq(short, 0.0, theta))
        high = theta + 1.0
        while short(high) < 0:
            high *= 2.0
        upper = float(brentq(short, theta, high))
        return self._interval(lower, upper)

    def _interval(self, lower: float, upper: float) -> pd.DataFrame:
        return pd.DataFrame(
            {"lower": [lower], "upper": [upper]}, index=pd.Index(self.names, name="parameter")
        )

    def _check_inversion(self, data: ThetaData, alpha: float) -> None:
        if self.distribution.distance != "kendall":
            allowed = "'profile' or 'wald' for other distances than Kendall's"
            raise InvalidInputError("method", allowed, "inversion")
        if self.center_is_given:
            allowed = "'profile' or 'wald' with a given center"
            remedy = "`Mallows.fit(profile)` lets the rankings choose it."
            raise InvalidInputError("method", allowed, "inversion", remedy)
        if is_feasible(data, alpha):
            return
        if alpha < LEAST_ALPHA:
            check_number(alpha, "alpha of method 'inversion'", low=LEAST_ALPHA, high=1)
        allowed = "'profile' or 'wald' with so many rankings"
        remedy = "A draw would take too long. The interval is then conditional on the center."
        raise InvalidInputError("method", allowed, "inversion", remedy)

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
