"""What the data of a study are drawn from: distributions for any number of items.

Items are shuffled in every draw, so that no rule gains from the order in which they stand.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import ClassVar, Literal

import numpy as np

from rankagg._validation import check_integer, check_number
from rankagg.core.profile import Profile
from rankagg.core.rankings.partial import Permutation
from rankagg.core.scores import ScoreTable
from rankagg.cultures import StudyModel
from rankagg.distributions.latent_scores import LatentScores
from rankagg.distributions.mallows.mallows import Mallows
from rankagg.distributions.plackett_luce.plackett_luce import PlackettLuce
from rankagg.exceptions import InvalidInputError

__all__ = ["GumbelModel", "MallowsModel", "PlackettLuceModel", "ResampleModel"]


@dataclass(frozen=True, kw_only=True)
class MallowsModel(StudyModel):
    """Mallows rankings around a center that is drawn uniformly.

    Parameters
    ----------
    phi : float
        The dispersion parameter phi = exp(-theta), in (0, 1]: 1 is uniform, near 0 all rankings
        agree.

    References
    ----------
    Mallows (1957), https://doi.org/10.1093/biomet/44.1-2.114.
    """

    phi: float

    def __post_init__(self) -> None:
        check_number(self.phi, "phi of MallowsModel", low=0, high=1, open_low=True)

    def _draw(self, n_items: int, n_rankings: int, rng: np.random.Generator) -> Profile:
        center = Permutation.from_order(rng.permutation(n_items).tolist())
        return Mallows(center, theta=-np.log(self.phi)).sample(n_rankings, rng=rng)


@dataclass(frozen=True, kw_only=True)
class PlackettLuceModel(StudyModel):
    """Plackett-Luce rankings with log worths drawn from a normal distribution.

    Parameters
    ----------
    spread : float
        The standard deviation of the log worths, at least 0; 0 is uniform.

    References
    ----------
    Plackett (1975), https://doi.org/10.2307/2346567.
    """

    spread: float

    def __post_init__(self) -> None:
        check_number(self.spread, "spread of PlackettLuceModel", low=0)

    def _draw(self, n_items: int, n_rankings: int, rng: np.random.Generator) -> Profile:
        log_worths = self.spread * rng.standard_normal(n_items)
        return PlackettLuce(log_worths - log_worths.mean()).sample(n_rankings, rng=rng)


@dataclass(frozen=True, kw_only=True)
class GumbelModel(StudyModel):
    """Scores with Gumbel noise around equally spaced locations, in random order.

    Rules that need scores can take part; for the others every task becomes the ranking of its
    mean scores.

    Parameters
    ----------
    step : float
        The distance of neighboring locations, at least 0, in units of the noise's scale.
    n_instances : int, optional
        Instances of each task; one score a task by default.

    References
    ----------
    Colombo et al. (2022), section 4.2, https://doi.org/10.48550/arXiv.2202.03799.
    """

    gives: ClassVar[Literal["scores", "rankings"]] = "scores"
    step: float
    n_instances: int | None = None

    def __post_init__(self) -> None:
        check_number(self.step, "step of GumbelModel", low=0)
        if self.n_instances is not None:
            check_integer(self.n_instances, "n_instances of GumbelModel", low=1)

    def _draw(self, n_items: int, n_rankings: int, rng: np.random.Generator) -> ScoreTable:
        scores = LatentScores(self.step * rng.permutation(n_items))
        drawn = scores.sample(n_rankings, self.n_instances, rng=rng)
        if self.n_instances is None:
            return drawn
        return ScoreTable(
            drawn.task_scores(),
            systems=drawn.systems,
            tasks=range(n_rankings),
            higher_is_better=True,
        )


@dataclass(frozen=True, kw_only=True)
class ResampleModel(StudyModel):
    """Rankings of a real profile: items drawn without, rankings with replacement.

    Rankings are drawn in proportion to counts times weights.

    Parameters
    ----------
    label : str
        What to call it in tables.
    profile : Profile
        The rankings.

    Attributes
    ----------
    digest : str
        Tells profiles apart that have the same label.
    """

    label: str
    profile: Profile = field(repr=False)
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        if not isinstance(self.label, str):
            raise InvalidInputError("label of ResampleModel", "a text", self.label)
        if not isinstance(self.profile, Profile):
            raise InvalidInputError(
                "profile of ResampleModel", "a Profile", self.profile,
                "`ScoreTable.rankings()` makes one.",
            )  # fmt: skip
        parts = (self.profile.ranks, self.profile.counts, self.profile.weights)
        content = b"".join(np.ascontiguousarray(part).tobytes() for part in parts)
        labels = repr(tuple(self.profile.items)).encode()
        object.__setattr__(self, "digest", sha256(labels + content).hexdigest()[:8])

    @property
    def largest(self) -> int:
        """The items of the profile."""
        return self.profile.n_items

    def _draw(self, n_items: int, n_rankings: int, rng: np.random.Generator) -> Profile:
        shares = self.profile.counts * self.profile.weights
        rows = rng.choice(len(shares), n_rankings, p=shares / shares.sum())
        chosen = rng.choice(self.profile.n_items, n_items, replace=False)
        labels = self.profile.items.at(chosen)
        rankings = Profile._trusted(self.profile.items, self.profile.ranks[rows])
        return rankings.restrict(labels)
