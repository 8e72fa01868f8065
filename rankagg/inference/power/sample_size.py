"""How many units are needed for a difference, and which difference so many units detect."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy

from rankagg._typing import Floats
from rankagg._validation import check_alpha, check_integer, check_number
from rankagg.exceptions import InvalidInputError

__all__ = ["detectable_difference", "units_needed"]

# Units above which Student's distribution is the normal one.
NORMAL_FROM = 10**6
# Where and how much an average over (0, 1) looks: Gauss and Legendre's points, moved to both ends
# by u^2 (3 - 2u), where quantiles are steep.
_POINTS, _SHARES = np.polynomial.legendre.leggauss(120)
_POINTS, _SHARES = (_POINTS + 1) / 2, _SHARES / 2
NODES, WEIGHTS = _POINTS**2 * (3 - 2 * _POINTS), _SHARES * 6 * _POINTS * (1 - _POINTS)
# More units than anybody has.
MOST = 10**12


def units_needed(
    difference: float,
    spread: float | None = None,
    *,
    differing: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    n_tests: int = 1,
) -> int:
    """Return how many units tell two systems apart that differ by so much.

    Parameters
    ----------
    difference : float
        The true mean difference of the two in a unit, or of their proportions; not 0.
    spread : float, optional
        The standard deviation of the differences of units.
    differing : float, optional
        For right and wrong answers in place of `spread`: the share of units in which only one of
        the two is right; larger than the difference, up to 1.
    power : float, default 0.8
        The probability that the test decides, in (0, 1).
    alpha : float, default 0.05
        The two-sided level of the test, in (0, 1).
    n_tests : int, default 1
        Of so many tests that have the level together, by Bonferroni.

    Returns
    -------
    int
        Independent units that have the scores of both.

    Raises
    ------
    InvalidInputError
        If not one of `spread` and `differing` is given, or no answers have such shares.

    Notes
    -----
    With a spread it is the power of the paired t-test, by the noncentral t distribution; sign flips
    and Wilcoxon's test need about as many for differences that are near to normal. For answers it
    is (z sqrt(p) + y sqrt(p - d^2))^2/d^2 of McNemar's test, z and y being normal quantiles of the
    level and the power; the exact test needs a little more, as its level is below alpha.

    References
    ----------
    Miettinen (1968), "The matched pairs design in the case of all-or-none responses",
    https://doi.org/10.2307/2528039; Connor (1987), "Sample size for testing differences in
    proportions for the paired-sample design", https://doi.org/10.2307/2531961.

    Examples
    --------
    >>> import rankagg as ra
    >>> ra.units_needed(0.5, spread=1.0)
    34
    >>> ra.units_needed(0.02, differing=0.2), ra.units_needed(0.02, differing=0.2, n_tests=133)
    (3923, 9668)
    """
    gap = abs(check_number(difference, "difference"))
    if gap < 1e-100:
        raise InvalidInputError(
            "difference", "another number than 0", difference, "No number of units tells equals."
        )
    level, chance = _levels(alpha, power, n_tests)
    if _is_spread(spread, differing):
        width = check_number(spread, "spread", low=0)
        return least_units(lambda n: t_power(gap, width, n, level), chance)
    share = check_number(differing, "differing", low=0, high=1, open_low=True)
    if share < gap:
        raise InvalidInputError(
            "differing", f"a share of at least the difference ({gap:g})", differing,
            "Where one is right and the other is not, they differ.",
        )  # fmt: skip
    return int(np.ceil(answers_needed(gap, share, level, chance)))


def detectable_difference(
    n_units: int,
    spread: float | None = None,
    *,
    differing: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    n_tests: int = 1,
) -> float:
    """Return the smallest difference that so many units detect.

    Parameters
    ----------
    n_units : int
        Independent units that have the scores of both, at least 2.
    spread, differing, power, alpha, n_tests
        Those of `units_needed`.

    Returns
    -------
    float
        A difference as large or larger is decided with that power; infinite where no difference of
        so large a share of differing answers is.

    Raises
    ------
    InvalidInputError
        As `units_needed`.

    Examples
    --------
    >>> import rankagg as ra
    >>> round(ra.detectable_difference(500, differing=0.2), 4)
    0.0559
    >>> round(ra.detectable_difference(10, spread=1.0), 2)
    1.0
    """
    n = check_integer(n_units, "n_units", low=2)
    level, chance = _levels(alpha, power, n_tests)
    if _is_spread(spread, differing):
        return t_detectable(check_number(spread, "spread", low=0), n, level, chance)
    share = check_number(differing, "differing", low=0, high=1, open_low=True)
    return answers_detectable(share, n, level, chance)


def _levels(alpha: object, power: object, n_tests: object) -> tuple[float, float]:
    chance = check_number(power, "power", low=0, high=1, open_low=True, open_high=True)
    level = check_alpha(alpha) / check_integer(n_tests, "n_tests", low=1)
    if chance <= level:
        raise InvalidInputError("power", f"more than the level of the test ({level:g})", power)
    return level, chance


def _is_spread(spread: object, differing: object) -> bool:
    if (spread is None) == (differing is None):
        raise InvalidInputError(
            "spread", "given, or `differing` in its place", spread,
            "The standard deviation of differences, or the share of units with one right answer.",
        )  # fmt: skip
    return spread is not None


# -- scores ---------------------------------------------------------------------------------------


def t_power(gap: float, spread: float, n: float, level: float) -> float:
    """Return the power of the paired t-test of n units.

    It is that of a normal test, averaged over what the sample says of the spread.
    """
    if n < 2:
        return 0.0
    if spread <= 0:
        return 1.0
    far = gap / spread * float(np.sqrt(n))
    if n > NORMAL_FROM:
        z = float(scipy.stats.norm.isf(level / 2))
        return float(scipy.stats.norm.sf(z - far) + scipy.stats.norm.sf(z + far))
    seen = np.sqrt(scipy.stats.chi2.ppf(NODES, n - 1) / (n - 1))
    critical = scipy.stats.t.isf(level / 2, n - 1) * seen
    tails = scipy.stats.norm.sf(critical - far) + scipy.stats.norm.sf(critical + far)
    return float(WEIGHTS @ tails)


def least_units(power_of: Callable[[int], float], chance: float) -> int:
    """Return the smallest number of units with so much power."""
    high = 2
    while power_of(high) < chance and high < MOST:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power_of(middle) >= chance else (middle, high)
    return max(high, 2)


def t_detectable(spread: float, n: float, level: float, chance: float) -> float:
    """Return the difference that the paired t-test of n units detects."""
    if n < 2:
        return np.inf
    if spread <= 0:
        return 0.0
    high = spread
    while t_power(high, spread, n, level) < chance:
        high *= 2
    return float(
        scipy.optimize.brentq(lambda gap: t_power(gap, spread, n, level) - chance, 0.0, high)
    )


# -- answers --------------------------------------------------------------------------------------


def answers_needed(gap: float, share: float, level: float, chance: float) -> float:
    """Return how many units McNemar's test needs."""
    z, y = scipy.stats.norm.isf(level / 2), scipy.stats.norm.ppf(chance)
    rest = float(np.sqrt(max(share - gap**2, 0.0)))
    needed: Floats = (z * np.sqrt(share) + y * rest) ** 2 / gap**2
    return float(needed)


def answers_detectable(share: float, n: float, level: float, chance: float) -> float:
    """Return the difference that McNemar's test of n units detects; infinite where none is."""
    if share <= 0 or answers_needed(share, share, level, chance) > n:
        return np.inf
    low = share * 1e-9
    return float(
        scipy.optimize.brentq(
            lambda gap: np.log(answers_needed(gap, share, level, chance) / n), low, share
        )
    )
