"""The basic types: items, rankings, profiles, scores and pairwise votes."""

# Comparisons and graphs need SciPy and are imported from their own files.
from rankagg.core import exact, places
from rankagg.core.exact_sum import (
    FLOAT_PLACES,
    are_level,
    restored,
    rounding_error,
    scaled,
    sum_by_group,
    sum_rows,
    weighted_mean,
)
from rankagg.core.items import (
    ItemSet,
    clean_label,
    count_range,
    counted,
    listed,
    plural,
    raw_text,
    shortened,
)
from rankagg.core.labels import as_tolerance, axis_labels, named_values, square_labels
from rankagg.core.names import (
    Form,
    Words,
    amount,
    amount_below,
    capital,
    in_words,
    is_blank,
    isolated,
    joined,
    letters,
    level_of,
    listing,
    named,
    p_text,
    part_of,
    percent,
    quantity,
    sentence,
    unsigned,
)
from rankagg.core.pairwise import (
    DIVIDE_VOTES,
    LARGEST_VOTES,
    PairwiseMatrix,
    count_votes,
    row_blocks,
    sum_below,
)
from rankagg.core.places import (
    UNLISTED,
    UNRANKED,
    compatible_ranks,
    competition_ranks,
    count_compatible,
    discordances,
    pair_signs,
)
from rankagg.core.profile import Profile, canonical_profile, label_numbers
from rankagg.core.rankings import PartialRanking, Permutation, as_ranking, permutation_of
from rankagg.core.results import ROWS, Direction, Result, html_table, plain_rows
from rankagg.core.score_summary import SUMMARY_SCHEMA, ScoreSummary
from rankagg.core.scores import ScoreTable, family_numbers
from rankagg.core.tally import grid
from rankagg.core.task_tally import TaskTally, weighted_sum
from rankagg.core.value import Value, array_key, frozen_array
