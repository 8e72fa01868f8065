"""
Which items lists agree on
==========================

A mark is the rank of an item in one of three lists of 100; 100 % where a list does not name it.
Blue items are further up than chance would have them.
"""

import rankagg as ra
from rankagg import plotting

tops = [ra.PartialRanking.from_top_k(top, items="ABCDE") for top in ("ABC", "ADB", "AE")]
found = ra.inference.robust_rank_aggregation(ra.Profile(tops), n_items=100)

with plotting.style("paper"):
    plotting.list_ranks_plot(found)
