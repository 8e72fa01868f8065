"""Distances and agreement between two rankings of the same items.

Pairs are counted once, and over the items that both rankings observe; two items that are both
unlisted in one of them were not compared there and do not count.
"""

from rankagg.distances.agreement import last_k_agreement, top_k_agreement
from rankagg.distances.average_precision import tau_ap
from rankagg.distances.kendall import kendall_distance, kendall_tau
from rankagg.distances.permutations import cayley_distance, hamming_distance, ulam_distance
from rankagg.distances.spearman import spearman_footrule, spearman_rho
from rankagg.distances.weighted import rank_biased_overlap, weighted_kendall_tau

__all__ = [
    "cayley_distance",
    "hamming_distance",
    "kendall_distance",
    "kendall_tau",
    "last_k_agreement",
    "rank_biased_overlap",
    "spearman_footrule",
    "spearman_rho",
    "tau_ap",
    "top_k_agreement",
    "ulam_distance",
    "weighted_kendall_tau",
]
