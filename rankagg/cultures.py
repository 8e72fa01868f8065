"""Cultures, which are distributions over profiles, and the base class of data sources."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields
from functools import partial
from math import exp, lgamma
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from rankagg._typing import Floats, Generator, Ranks, RNGLike
from rankagg._validation import as_generator, check_choice, check_integer, check_number
from rankagg.core import (
    ItemSet,
    PartialRanking,
    Permutation,
    Profile,
    ScoreTable,
    canonical_profile,
    counted,
)
from rankagg.distributions.base import Uniform
from rankagg.distributions.mallows.distances import stage_means
from rankagg.distributions.mallows.mallows import Mallows
from rankagg.distributions.plackett_luce.plackett_luce import PlackettLuce
from rankagg.exceptions import InvalidInputError

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "AnonymousCulture",
    "Culture",
    "DataSource",
    "EuclideanCulture",
    "ImpartialCulture",
    "MallowsCulture",
    "PlackettLuceCulture",
    "SinglePeakedCulture",
    "UrnCulture",
]
# Block size in distances.
DISTANCES_AT_ONCE = 2**22


def checked(check: Callable[..., Any], *, default: Any = MISSING, **bounds: Any) -> Any:
    """Return a dataclass field with a function that checks its values."""
    return field(default=default, metadata={"check": partial(check, **bounds)})


@dataclass(frozen=True, kw_only=True)
class Named:
    """Base class of study parts; all results depend only on its fields."""

    #: The name in text, by default that of the class.
    _kind: ClassVar[str] = ""
    #: The name for random seeds and journals, by default that of the class. It is fixed, so that a
    #: renamed class gives the same results.
    _identity: ClassVar[str] = ""

    def __post_init__(self) -> None:
        for one in fields(self):
            if check := one.metadata.get("check"):
                check(getattr(self, one.name), parameter=f"{one.name} of {type(self).__name__}")

    @property
    def name(self) -> str:
        """The name in tables and plots: its kind and the parameters that differ from defaults."""
        return self.name_without()

    def name_without(self, parameter: str = "") -> str:
        """Return the name without one of the parameters, such as that along an axis.

        Parameters
        ----------
        parameter : str, optional
            The parameter to leave out.

        Returns
        -------
        str
        """
        stated = self._stated.items()
        texts = (_parameter_text(key, value) for key, value in stated if key != parameter)
        return ", ".join([self._kind or type(self).__name__, *texts])

    @property
    def _stated(self) -> dict[str, Any]:
        """The parameters that differ from their defaults."""
        stated = {one.name: (getattr(self, one.name), one) for one in fields(self) if one.repr}
        return {name: value for name, (value, one) in stated.items() if value != one.default}

    @property
    def identity(self) -> str:
        """The constructor call, which determines random seeds and is written to journals."""
        stated = ", ".join(f"{name}={_call_text(value)}" for name, value in self._stated.items())
        return f"{_class_identity(type(self))}({stated})"


def _class_identity(kind: type) -> str:
    """Return the fixed name of a class, which subclasses do not inherit."""
    return vars(kind).get("_identity") or kind.__name__


def _call_text(value: object) -> str:
    """Return the constructor call of a value, with fixed names of classes."""
    if not isinstance(value, Named):
        return repr(value)
    names = (one.name for one in fields(value) if one.repr)
    parameters = ", ".join(f"{name}={_call_text(getattr(value, name))}" for name in names)
    return f"{_class_identity(type(value))}({parameters})"


@dataclass(frozen=True, kw_only=True)
class DataSource(Named, ABC):
    """A source of random data; every draw is a profile or a table of scores.

    Cultures are sources, and `rankagg.studies` has others. A new source is a frozen dataclass that
    implements `_sample`. Random seeds depend on its fields, so the fields must determine the data.
    """

    gives: ClassVar[Literal["scores", "rankings"]] = "rankings"

    def sample(
        self, n_items: int | None = None, n_rankings: int | None = None, *, rng: RNGLike = None
    ) -> ScoreTable | Profile:
        """Draw one data set.

        Parameters
        ----------
        n_items : int, optional
            The number of items, at least 2; by default the source's own number.
        n_rankings : int, optional
            The number of rankings, or of tasks with scores; by default the source's own number.
        rng : int, numpy.random.Generator or None, optional
            A seed or a generator.

        Returns
        -------
        ScoreTable or Profile
        """
        items, rankings = self.own_sizes
        if n_items is not None:
            n_items = check_integer(
                n_items, "n_items", low=items or 2, high=items or self.most_items
            )
        if n_rankings is not None:
            low = rankings or 1
            n_rankings = check_integer(n_rankings, "n_rankings", low=low, high=rankings)
        return self._sample(n_items, n_rankings, as_generator(rng))

    @abstractmethod
    def _sample(
        self, n_items: int | None, n_rankings: int | None, rng: Generator
    ) -> ScoreTable | Profile:
        """Draw one data set; the sizes are valid, and None means the source's own."""

    @property
    def identity_of_sizes(self) -> str:
        """The identity in a study that sets the sizes."""
        return self.identity

    @property
    def most_items(self) -> int | None:
        """The maximum number of items; None without a limit."""
        return None

    @property
    def own_sizes(self) -> tuple[int | None, int | None]:
        """The fixed numbers of items and of rankings; None for a free number."""
        return None, None

    @property
    def is_fixed(self) -> bool:
        """Whether every draw is the same."""
        return None not in self.own_sizes

    @property
    def true_ranking(self) -> PartialRanking | None:
        """The ranking that scores are drawn around, if known."""
        return None

    def true_proportions(
        self,
        *,
        unit: Literal["ranking", "instance", "task"] = "ranking",
        ties: Literal["half", "exclude"] = "half",
    ) -> pd.DataFrame | None:
        """Return the true proportions of units with row above column, if known.

        Parameters
        ----------
        unit : {"ranking", "instance", "task"}, default "ranking"
            The units of a proportion, as for `PairwiseIntervals.from_data`.
        ties : {"half", "exclude"}, default "half"
            Whether a tie counts as half a win or not at all.

        Returns
        -------
        pandas.DataFrame or None
            Rows and columns: systems.
        """
        return None


def _parameter_text(name: str, value: Any) -> str:
    """Return a parameter as text: "phi = 0.8", "3 dimensions", "caterpillar"."""
    if isinstance(value, str):
        return value
    if name.startswith("n_"):
        return f"no {name[2:]}" if value is None else counted(value, name[2:-1])
    text = f"= {value:.12g}" if isinstance(value, Real) else getattr(value, "name", value)
    return f"{name.replace('_', '-')} {text}"


@dataclass(frozen=True, kw_only=True)
class Culture(DataSource):
    """A distribution over profiles of complete strict rankings, for any number of items.

    Rankings of one profile may depend on each other: they share the candidates' positions, an
    axis, an urn or a center. No item is favored. A new culture is a frozen dataclass that
    implements `_ranks`.
    """

    def sample(  # type: ignore[override]
        self, n_items: int, n_rankings: int, *, rng: RNGLike = None
    ) -> Profile:
        """Draw one profile.

        Parameters
        ----------
        n_items : int
            The number of items, at least 2; their labels are 0, 1, ...
        n_rankings : int
            The number of rankings.
        rng : int, numpy.random.Generator or None, optional
            A seed or a generator.

        Returns
        -------
        Profile
            Complete strict rankings, one per row.
        """
        drawn = super().sample(n_items, n_rankings, rng=rng)
        assert isinstance(drawn, Profile)
        return drawn

    def _sample(self, n_items: int | None, n_rankings: int | None, rng: Generator) -> Profile:
        if n_items is None or n_rankings is None:
            raise InvalidInputError("n_items and n_rankings", "two numbers for a culture", None)
        ranks = self._ranks(n_items, n_rankings, rng)
        return canonical_profile(ItemSet(range(n_items)), ranks)

    @abstractmethod
    def _ranks(self, n_items: int, n_rankings: int, rng: Generator) -> Ranks:
        """Draw the ranks of one profile, shape (n_rankings, n_items); the sizes are valid."""


def _order_ranks(orders: NDArray[np.integer[Any]]) -> Ranks:
    """Return the ranks of items from orders in rows, best first."""
    ranks = np.empty(orders.shape, dtype=np.int32)
    places = np.broadcast_to(np.arange(orders.shape[1], dtype=np.int32), orders.shape)
    np.put_along_axis(ranks, orders, places, axis=1)
    return ranks


@dataclass(frozen=True, kw_only=True)
class ImpartialCulture(Culture):
    """The impartial culture (IC): rankings are uniform and independent.

    All profiles of a size are equally probable. The rankings are draws from `Uniform`.

    References
    ----------
    Guilbaud (1952), https://doi.org/10.3406/ecoap.1952.3831.

    Examples
    --------
    >>> import rankagg as ra
    >>> ra.cultures.ImpartialCulture().sample(4, 100, rng=0)
    <Profile of 100 rankings of 4 items, complete, strict>
    """

    _kind = "impartial culture"

    def _ranks(self, n_items: int, n_rankings: int, rng: Generator) -> Ranks:
        return Uniform(range(n_items)).sample(n_rankings, rng=rng).ranks


@dataclass(frozen=True, kw_only=True)
class AnonymousCulture(Culture):
    """The impartial anonymous culture (IAC): all voting situations are equally probable.

    A voting situation is the number of voters with each ranking. It is the urn model in which each
    drawn ranking is put back with one more copy. With more items it differs less from the
    impartial culture, since equal rankings get rare.

    References
    ----------
    Kuga and Nagatani (1974), https://doi.org/10.2307/1914217; Gehrlein and Fishburn (1976),
    "Condorcet's paradox and anonymous preference profiles", Public Choice 26, 1-18.

    Examples
    --------
    >>> import rankagg as ra
    >>> ra.cultures.AnonymousCulture().sample(3, 100, rng=0)
    <Profile of 100 rankings of 3 items, complete, strict>
    """

    _kind = "impartial anonymous culture"

    def _ranks(self, n_items: int, n_rankings: int, rng: Generator) -> Ranks:
        return _from_urn(n_items, n_rankings, exp(-lgamma(n_items + 1)), rng)


@dataclass(frozen=True, kw_only=True)
class UrnCulture(Culture):
    """The urn model of Pólya and Eggenberger, in which drawn rankings become more probable.

    The urn has every ranking once. A drawn ranking is put back with ``contagion`` times n! more
    copies, for n items. The contagion thus has the same meaning for every n: the second ranking
    repeats the first with probability contagion/(1 + contagion) beyond chance.

    Parameters
    ----------
    contagion : float
        At least 0, usually called alpha. 0 is the impartial culture, 1/n! the impartial anonymous
        culture; with larger values more rankings are equal.

    References
    ----------
    Eggenberger and Pólya (1923), https://doi.org/10.1002/zamm.19230030407; Berg (1985),
    "Paradox of voting under an urn model: the effect of homogeneity", Public Choice 47(2),
    377-387; McCabe-Dansted and Slinko (2006),
    "Exploratory analysis of similarities between social choice rules", Group Decision and
    Negotiation 15, 77-107, for the scale of the contagion.

    Examples
    --------
    >>> import rankagg as ra
    >>> ra.cultures.UrnCulture(contagion=1.0).sample(5, 100, rng=0).compress()
    <Profile of 100 rankings (7 rows) of 5 items, complete, strict>
    """

    _kind = "urn"

    contagion: float = checked(check_number, low=0)

    def _ranks(self, n_items: int, n_rankings: int, rng: Generator) -> Ranks:
        return _from_urn(n_items, n_rankings, float(self.contagion), rng)


def _from_urn(n_items: int, n_rankings: int, contagion: float, rng: Generator) -> Ranks:
    """Draw ranks; the k-th, from 0, is new with probability 1/(1 + k contagion)."""
    before = np.arange(n_rankings)
    repeats = rng.random(n_rankings) * (1.0 + before * contagion) >= 1.0
    # Each earlier ranking is repeated with the same probability; chains of repeats are followed.
    earlier = np.minimum(
        (rng.random(n_rankings) * before).astype(np.intp), np.maximum(before, 1) - 1
    )
    source = np.where(repeats, earlier, before)
    while (source != source[source]).any():
        source = source[source]
    kinds, which = np.unique(source, return_inverse=True)
    return Uniform(range(n_items)).sample(len(kinds), rng=rng).ranks[which]


@dataclass(frozen=True, kw_only=True)
class SinglePeakedCulture(Culture):
    """Rankings that are single-peaked on an axis, which is drawn uniformly.

    Given the axis, rankings are independent. Both variants have a Condorcet winner unless two
    items tie.

    Parameters
    ----------
    variant : {"walsh", "conitzer"}, default "walsh"
        "walsh": all rankings that are single-peaked on the axis are equally probable. "conitzer":
        the peak is uniform, and the next item is the left or the right neighbor of those above it
        with equal probability, if there are both. Extreme peaks are more frequent than with
        "walsh".

    References
    ----------
    Walsh (2015), https://doi.org/10.48550/arXiv.1503.02766; Conitzer (2009),
    https://doi.org/10.1613/jair.2606.

    Examples
    --------
    >>> import rankagg as ra
    >>> profile = ra.cultures.SinglePeakedCulture(variant="conitzer").sample(6, 100, rng=0)
    >>> ra.analysis.single_peaked_axis(profile)
    (1, 5, 0, 2, 3, 4)
    """

    _kind = "single-peaked"

    variant: Literal["walsh", "conitzer"] = checked(
        check_choice, default="walsh", choices=("walsh", "conitzer")
    )

    def _ranks(self, n_items: int, n_rankings: int, rng: Generator) -> Ranks:
        positions = (_walsh if self.variant == "walsh" else _conitzer)(n_items, n_rankings, rng)
        return _order_ranks(rng.permutation(n_items)[positions])


def _walsh(n_items: int, n_rankings: int, rng: Generator) -> Ranks:
    """Draw orders of axis positions from the worst, always an end of the remaining ones."""
    left = rng.integers(0, 2, (n_rankings, n_items - 1), dtype=np.int32)
    lefts = np.cumsum(left, axis=1, dtype=np.int32)
    steps = np.arange(1, n_items, dtype=np.int32)
    orders = np.empty((n_rankings, n_items), dtype=np.int32)
    # The removed positions on either side determine the next end.
    orders[:, :0:-1] = np.where(left == 1, lefts - 1, n_items - (steps - lefts))
    orders[:, 0] = lefts[:, -1]
    return orders


def _conitzer(n_items: int, n_rankings: int, rng: Generator) -> Ranks:
    """Draw orders of axis positions from the peak, always a left or right neighbor."""
    peak = rng.integers(0, n_items, (n_rankings, 1), dtype=np.int32)
    coins = rng.integers(0, 2, (n_rankings, n_items - 1), dtype=np.int32)
    steps = np.arange(1, n_items, dtype=np.int32)
    lefts = np.cumsum(coins, axis=1, dtype=np.int32)
    # If one side is used up, the rest comes from the other.
    lefts = np.clip(lefts, steps - (n_items - 1 - peak), peak)
    left = np.diff(lefts, axis=1, prepend=0) == 1
    return np.hstack([peak, np.where(left, peak - lefts, peak + steps - lefts)])


@dataclass(frozen=True, kw_only=True)
class EuclideanCulture(Culture):
    """Rankings of candidates by distance from a voter, both random points.

    All points are drawn independently from one distribution. The candidates' points are the same
    for all rankings of a profile. In one dimension profiles are single-peaked and single-crossing.

    Parameters
    ----------
    n_dimensions : int, default 2
        The dimension of the space, at least 1.
    points : {"uniform", "gaussian"}, default "uniform"
        The distribution of points: uniform in the unit cube, or with independent standard normal
        coordinates.

    References
    ----------
    Enelow and Hinich (1984), "The spatial theory of voting", Cambridge University Press; Boehmer,
    Faliszewski, Janeczko, Kaczmarczyk, Lisowski, Pierczyński, Rey, Stolicki, Szufa and Wąs (2024),
    https://doi.org/10.48550/arXiv.2402.11765, for how cultures are used.

    Examples
    --------
    >>> import rankagg as ra
    >>> profile = ra.cultures.EuclideanCulture(n_dimensions=1).sample(5, 100, rng=0)
    >>> ra.analysis.single_peaked_axis(profile) is not None
    True
    """

    _kind = "Euclidean"

    n_dimensions: int = checked(check_integer, default=2, low=1)
    points: Literal["uniform", "gaussian"] = checked(
        check_choice, default="uniform", choices=("uniform", "gaussian")
    )

    def _ranks(self, n_items: int, n_rankings: int, rng: Generator) -> Ranks:
        candidates = self._draw_points(n_items, rng)
        ranks = np.empty((n_rankings, n_items), dtype=np.int32)
        size = max(1, DISTANCES_AT_ONCE // max(n_items, int(self.n_dimensions)))
        for start in range(0, n_rankings, size):
            voters = self._draw_points(min(size, n_rankings - start), rng)
            # The squared distance without the voter's constant square.
            distances = (candidates**2).sum(axis=1) - 2.0 * voters @ candidates.T
            ranks[start : start + size] = _order_ranks(np.argsort(distances, axis=1))
        return ranks

    def _draw_points(self, number: int, rng: Generator) -> Floats:
        shape = (number, int(self.n_dimensions))
        return rng.random(shape) if self.points == "uniform" else rng.standard_normal(shape)


@dataclass(frozen=True, kw_only=True)
class MallowsCulture(Culture):
    """Mallows rankings around a uniform center.

    One of the two parameters sets the dispersion. With a constant phi, rankings of more items are
    relatively closer to the center. With a constant norm-phi they are not: the expected Kendall
    distance to the center is norm-phi times n(n - 1)/4, the distance of uniform rankings.

    Parameters
    ----------
    phi : float, optional
        The dispersion parameter phi = exp(-theta), in (0, 1]: 1 is uniform; near 0 all rankings
        agree.
    norm_phi : float, optional
        The normalized dispersion, in [0, 1]: 0 repeats the center; 1 is the impartial culture.

    References
    ----------
    Mallows (1957), https://doi.org/10.1093/biomet/44.1-2.114; Boehmer, Bredereck, Faliszewski,
    Niedermeier and Szufa (2021), https://doi.org/10.24963/ijcai.2021/9, for norm-phi.

    Examples
    --------
    >>> import rankagg as ra
    >>> ra.cultures.MallowsCulture(norm_phi=0.5).sample(10, 100, rng=0)
    <Profile of 100 rankings of 10 items, complete, strict>
    """

    _kind = "Mallows"

    phi: float | None = None
    norm_phi: float | None = None

    def __post_init__(self) -> None:
        if (self.phi is None) == (self.norm_phi is None):
            raise InvalidInputError("MallowsCulture", "one of `phi` and `norm_phi`", self)
        if self.phi is not None:
            check_number(self.phi, "phi of MallowsCulture", low=0, high=1, open_low=True)
        else:
            check_number(self.norm_phi, "norm_phi of MallowsCulture", low=0, high=1)

    @property
    def identity(self) -> str:
        """The name for random seeds and journals, with an own class name for each parameter."""
        if self.phi is not None:
            return f"MallowsModel(phi={self.phi!r})"
        return f"NormalizedMallowsCulture(norm_phi={self.norm_phi!r})"

    def _ranks(self, n_items: int, n_rankings: int, rng: Generator) -> Ranks:
        center = Permutation.from_order(rng.permutation(n_items).tolist())
        if self.norm_phi == 0:
            return np.tile(center.ranks, (n_rankings, 1))
        if self.phi is not None:
            theta = -float(np.log(self.phi))
        else:
            theta = _theta_of_norm_phi(n_items, float(self.norm_phi or 0))
        return Mallows(center, theta=theta).sample(n_rankings, rng=rng).ranks


def _theta_of_norm_phi(n_items: int, norm_phi: float) -> float:
    """Return theta = -log(phi) with the expected distance norm_phi times n(n - 1)/4.

    `norm_phi` is above 0.
    """
    if norm_phi == 1:
        return 0.0
    sizes = np.arange(2, n_items + 1)
    target = norm_phi * n_items * (n_items - 1) / 4.0

    def excess(theta: float) -> float:
        return float(stage_means(sizes, theta).sum()) - target

    # Every stage has a mean below 1/(e^theta - 1).
    high = float(np.log1p((n_items - 1) / target))
    return float(brentq(excess, 0.0, high, xtol=1e-14, rtol=1e-14))


@dataclass(frozen=True, kw_only=True)
class PlackettLuceCulture(Culture):
    """Plackett-Luce rankings with log worths drawn from a normal distribution.

    Parameters
    ----------
    spread : float
        The standard deviation of the log worths, at least 0; 0 is the impartial culture.

    References
    ----------
    Plackett (1975), https://doi.org/10.2307/2346567.
    """

    _kind = "Plackett-Luce"
    _identity = "PlackettLuceModel"

    spread: float = checked(check_number, low=0)

    def _ranks(self, n_items: int, n_rankings: int, rng: Generator) -> Ranks:
        log_worths = self.spread * rng.standard_normal(n_items)
        return PlackettLuce(log_worths - log_worths.mean()).sample(n_rankings, rng=rng).ranks
