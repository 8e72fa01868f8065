"""Cultures without any structure but how often rankings repeat: impartial, anonymous, urns."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, lgamma

import numpy as np

from rankagg._typing import Ranks
from rankagg._validation import check_number
from rankagg.distributions.cultures.culture import Culture
from rankagg.distributions.uniform import Uniform

__all__ = ["AnonymousCulture", "ImpartialCulture", "UrnCulture"]


@dataclass(frozen=True, kw_only=True)
class ImpartialCulture(Culture):
    """Every ranking is drawn uniformly and independently: the impartial culture (IC).

    All profiles of a size are equally probable. Its rankings are those of `Uniform`.

    References
    ----------
    Guilbaud (1952), https://doi.org/10.3406/ecoap.1952.3831.

    Examples
    --------
    >>> import rankagg as ra
    >>> ra.ImpartialCulture().draw(4, 100, rng=0)
    <Profile of 100 rankings of 4 items, complete, strict>
    """

    def _ranks(self, n_items: int, n_rankings: int, rng: np.random.Generator) -> Ranks:
        return Uniform(range(n_items)).sample(n_rankings, rng=rng).ranks


@dataclass(frozen=True, kw_only=True)
class AnonymousCulture(Culture):
    """Every voting situation is equally probable: the impartial anonymous culture (IAC).

    A voting situation says how many rankings of each kind there are, and not whose they are. It is
    the urn that every drawn ranking is put back into with one more of its kind. The more items,
    the less it differs from the impartial culture, for no two rankings are alike anyway.

    References
    ----------
    Kuga and Nagatani (1974), https://doi.org/10.2307/1914217; Gehrlein and Fishburn (1976),
    "Condorcet's paradox and anonymous preference profiles", Public Choice 26, 1-18.

    Examples
    --------
    >>> import rankagg as ra
    >>> ra.AnonymousCulture().draw(3, 100, rng=0)
    <Profile of 100 rankings of 3 items, complete, strict>
    """

    def _ranks(self, n_items: int, n_rankings: int, rng: np.random.Generator) -> Ranks:
        return _from_urn(n_items, n_rankings, exp(-lgamma(n_items + 1)), rng)


@dataclass(frozen=True, kw_only=True)
class UrnCulture(Culture):
    """Rankings from the urn of Pólya and Eggenberger: what was drawn is drawn more often.

    The urn holds every ranking once. A ranking is drawn and put back with ``contagion`` times n!
    more of its kind, n the number of items, so that the contagion means the same for every n: the
    second ranking repeats the first with probability contagion/(1 + contagion) beyond chance.

    Parameters
    ----------
    contagion : float
        At least 0, mostly called alpha. 0 is the impartial culture, 1/n! the impartial anonymous
        one; the larger, the more rankings are alike.

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
    >>> ra.UrnCulture(contagion=1.0).draw(5, 100, rng=0).compress()
    <Profile of 100 rankings (7 rows) of 5 items, complete, strict>
    """

    contagion: float

    def __post_init__(self) -> None:
        check_number(self.contagion, "contagion of UrnCulture", low=0)

    def _ranks(self, n_items: int, n_rankings: int, rng: np.random.Generator) -> Ranks:
        return _from_urn(n_items, n_rankings, float(self.contagion), rng)


def _from_urn(n_items: int, n_rankings: int, contagion: float, rng: np.random.Generator) -> Ranks:
    """Draw ranks; the k-th, from 0, is new with probability 1/(1 + k contagion), else a repeat."""
    before = np.arange(n_rankings)
    repeats = rng.random(n_rankings) * (1.0 + before * contagion) >= 1.0
    # Every earlier ranking is repeated with the same chance; a repeat of a repeat is one of that.
    earlier = np.minimum(
        (rng.random(n_rankings) * before).astype(np.intp), np.maximum(before, 1) - 1
    )
    source = np.where(repeats, earlier, before)
    while (source != source[source]).any():
        source = source[source]
    kinds, which = np.unique(source, return_inverse=True)
    drawn = Uniform(range(n_items)).sample(len(kinds), rng=rng).ranks
    return drawn[which]
