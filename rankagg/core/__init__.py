"""The types that everything else stands on: items, rankings, profiles, scores, pairwise votes."""
