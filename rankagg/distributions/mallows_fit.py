"""Maximum likelihood for the Mallows distribution: centre, theta, and how sure the latter is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd
from scipy import stats
from scipy.optimize import brentq

from rankagg._typing import Label, RNGLike
from rankagg._validation import as_generator, check_choice, check_integer
from rankagg.aggregation.result import Consensus
from rankagg.core.profile import Profile
from rankagg.core.rankings import Permutation
from rankagg.distributions.connectivity import check_observed
from rankagg.distributions.fit_result import FitResult, check_alpha
from rankagg.distributions.mallows import Mallows, check_theta
from rankagg.distributions.mallows_center import MOST_STEPS, Found, search_center
from rankagg.distributions.mallows_likelihood import MallowsData, best_theta, information_at
from rankagg.distributions.uniformity import UniformityTest, simulate_uniformity
from rankagg.exceptions import Described, InvalidInputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["MallowsFit", "fit_mallows"]


def fit_mallows(
    profile: Profile,
    *,
    center: Literal["kemeny", "borda"] | Permutation | Iterable[Label] = "kemeny",
    max_iterations: int = MOST_STEPS,
    rng: RNGLike = None,
) -> MallowsFit:
    """Estimate the centre and the concentration of a Mallows distribution.

    Parameters
    ----------
    profile : Profile
        The rankings. Ties, unlisted and unranked items are taken for what was not observed of a
        complete strict ranking, independently of it given what was ("missing at random").
    center : {"kemeny", "borda"}, Permutation or iterable of labels, default "kemeny"
        "kemeny": by maximum likelihood, which is the exact Kemeny consensus where rankings are
        complete and strict. "borda": the Borda consensus, quick and not the maximum. Or a given
        one.
    max_iterations : int, default 500
        Of expectation-maximization, for partial and tied rankings.
    rng : int or numpy.random.Generator, optional
        Used where a ranking has so many unranked items, or ties beside them, that the sum over
        its compatible permutations is too large: expected votes and the likelihood are then
        estimated from drawn completions, and a note says so.

    Returns
    -------
    MallowsFit

    Raises
    ------
    InvalidInputError
        If all rankings agree with the centre, so that theta has no finite maximum; or if some
        item is in no ranking.
    """
    if not isinstance(profile, Profile):
        raise InvalidInputError("profile", "a Profile", profile)
    steps = check_integer(max_iterations, "max_iterations", low=1)
    check_observed(profile)
    data = MallowsData.of(profile)
    found = search_center(data, center, steps, as_generator(rng))
    theta = best_theta(data, found.center) if found.theta is None else found.theta
    if not np.isfinite(theta):
        raise InvalidInputError(
            "profile", "rankings that do not all agree", Described("all as the centre"),
            f"Theta has no finite maximum: the likelihood of {found.center._arrows()} grows with "
            "it.",
        )  # fmt: skip
    return _result(data, found, theta)


def _result(data: MallowsData, found: Found, theta: float) -> MallowsFit:
    center = found.center
    scale = data.n_effective / data.total
    if found.sampled is None:
        height = data.log_likelihood(center, theta)
        information = information_at(data, center, theta) * scale
    else:
        height = found.sampled.log_likelihood
        information = found.sampled.information * scale
    notes = [f"Centre: {center._arrows()}", "The interval of theta is conditional on the centre."]
    if theta == 0.0:
        notes.append("Theta is at its bound 0: the data are no closer to the centre than chance.")
    return MallowsFit(
        distribution=Mallows(center, theta),
        names=["theta"],
        estimates=np.array([theta]),
        covariance=np.array([[1.0 / information if information > 0 else np.nan]]),
        log_likelihood=height,
        n_parameters=1,
        n_observations=data.n_effective,
        converged=found.converged,
        n_iterations=found.n_iterations,
        notes=[*notes, *found.notes],
        consensus=found.consensus,
        _data=data,
    )


class MallowsFit(FitResult):
    """A fitted Mallows distribution.

    Made by `Mallows.fit`. The one continuous parameter is theta; its standard error and interval
    are conditional on the centre, and so is the count of parameters in AIC and BIC.

    Attributes
    ----------
    consensus : Consensus or None
        Of complete strict rankings: the exact Kemeny consensus that is the centre, with its proof
        and the set of all equally likely centres; or Borda's. None for a given centre, and for
        partial or tied rankings.
    """

    distribution: Mallows
    consensus: Consensus | None
    _data: MallowsData

    def log_likelihood_at(self, theta: float) -> float:
        """Return the log likelihood of another theta around the same centre.

        Parameters
        ----------
        theta : float
            Not negative.

        Returns
        -------
        float
        """
        return self._data.log_likelihood(self.distribution.center, check_theta(theta))

    def conf_int(
        self, alpha: float = 0.05, *, method: Literal["profile", "wald"] | None = None
    ) -> pd.DataFrame:
        """Return an interval for theta, conditional on the centre.

        Parameters
        ----------
        alpha : float, default 0.05
            Probability of error, in (0, 1).
        method : {"profile", "wald"}, optional
            All thetas that a likelihood-ratio test does not refute (the default), or estimate and
            standard error (where the likelihood had to be estimated).

        Returns
        -------
        pandas.DataFrame
            Index: "theta". Columns lower and upper.
        """
        level = check_alpha(alpha)
        default = "profile" if self._data.is_exact else "wald"
        chosen = default if method is None else check_choice(method, ("profile", "wald"), "method")
        if chosen == "profile" and default == "wald":
            raise InvalidInputError(
                "method", "'wald' where the likelihood had to be estimated", method
            )
        if chosen == "wald":
            frame = super().conf_int(level)
            return frame.clip(lower=0.0)
        theta = self.distribution.theta
        scale = self._data.n_effective / self._data.total
        allowed = stats.chi2.isf(level, df=1) / 2.0 / scale

        def short(other: float) -> float:
            return self.log_likelihood - self.log_likelihood_at(other) - allowed

        lower = 0.0 if short(0.0) <= 0 else float(brentq(short, 0.0, theta))
        high = theta + 1.0
        while short(high) < 0:
            high *= 2.0
        upper = float(brentq(short, theta, high))
        return pd.DataFrame(
            {"lower": [lower], "upper": [upper]}, index=pd.Index(["theta"], name="parameter")
        )

    def plot(self, *, level: float = 0.95, ax: Axes | None = None) -> Axes:
        """Draw distances to the centre, beside the law's; see `rankagg.plotting.distances_plot`.

        Parameters
        ----------
        level : float, default 0.95
            Of the interval of theta, in (0, 1).
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from rankagg.plotting.distances_to_center import distances_plot  # noqa: PLC0415

        return distances_plot(self, level=level, ax=ax)

    def test_uniform(self, *, n_resamples: int = 199, rng: RNGLike = None) -> UniformityTest:
        """Test "theta is 0: all permutations are alike" by simulation.

        The centre is estimated too, so chance alone makes rankings look concentrated around the
        best centre; the statistic is simulated with its estimation. Ties and missing items are
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
        return simulate_uniformity(self._data.profile, times, as_generator(rng))
