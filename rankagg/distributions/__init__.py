"""Distributions over rankings, and inference with them."""

from rankagg.distributions.base import RankingDistribution
from rankagg.distributions.bradley_terry import BradleyTerry, fit_bradley_terry
from rankagg.distributions.fit_result import FitResult
from rankagg.distributions.generalized_fit import GeneralizedMallowsFit, fit_generalized_mallows
from rankagg.distributions.generalized_mallows import GeneralizedMallows
from rankagg.distributions.kendall_law import kendall_distance_counts
from rankagg.distributions.latent_scores import (
    LatentScores,
    remove_scores,
    replace_tasks,
    rescale_tasks,
)
from rankagg.distributions.mallows import Mallows, mallows_log_normalizer
from rankagg.distributions.mallows_fit import MallowsFit, fit_mallows
from rankagg.distributions.plackett_luce import PlackettLuce
from rankagg.distributions.plackett_luce_fit import PlackettLuceFit, fit_plackett_luce
from rankagg.distributions.quasi_variances import QuasiVariances, quasi_variances
from rankagg.distributions.ranking_rules import MallowsRanking, PlackettLuceRanking
from rankagg.distributions.stored import distribution_from_dict, distribution_to_dict
from rankagg.distributions.uniform import Uniform
from rankagg.distributions.uniformity import UniformityTest

__all__ = [
    "BradleyTerry",
    "FitResult",
    "GeneralizedMallows",
    "GeneralizedMallowsFit",
    "LatentScores",
    "Mallows",
    "MallowsFit",
    "MallowsRanking",
    "PlackettLuce",
    "PlackettLuceFit",
    "PlackettLuceRanking",
    "QuasiVariances",
    "RankingDistribution",
    "Uniform",
    "UniformityTest",
    "distribution_from_dict",
    "distribution_to_dict",
    "fit_bradley_terry",
    "fit_generalized_mallows",
    "fit_mallows",
    "fit_plackett_luce",
    "kendall_distance_counts",
    "mallows_log_normalizer",
    "quasi_variances",
    "remove_scores",
    "replace_tasks",
    "rescale_tasks",
]
