"""Kinds of data on the command line: what each is called, and which options it has no use for."""

from __future__ import annotations

from rankagg.cli.options.cast_votes import CAST_VOTES
from rankagg.cli.options.comparisons import COMPARISONS

__all__ = ["MEANING", "REFUSED"]

COLUMNS = ("system", "instance", "task", "score", "lower", "lower_is_better")
ON_SCORES = ("weight", "group", "tolerance")
ON_BALLOTS = ("count", "left_out")
OTHERS = (*CAST_VOTES, *COMPARISONS)

#: Values that say nothing of each kind.
REFUSED = {
    "scores": (*ON_BALLOTS, *OTHERS),
    "ballots": (*COLUMNS, *ON_SCORES, *OTHERS),
    "cast-votes": (*COLUMNS, *ON_SCORES, *COMPARISONS),
    "comparisons": (*COLUMNS, "group", "tolerance", *ON_BALLOTS, "drop", *CAST_VOTES),
    "preflib": (*COLUMNS, *ON_SCORES, "count", *OTHERS),
    "matrix": (*COLUMNS, *ON_SCORES, *ON_BALLOTS, "drop", *OTHERS),
    "votes": (*COLUMNS, *ON_SCORES, *ON_BALLOTS, "drop", *OTHERS),
    "summary": (*COLUMNS, "group", "tolerance", *ON_BALLOTS, "drop", *OTHERS),
    "evaluations": ("system", "instance", "task", "score", *ON_BALLOTS, *OTHERS),
    "bundled scores": (*COLUMNS, *ON_BALLOTS, *OTHERS),
    "bundled ballots": (*COLUMNS, *ON_SCORES, *ON_BALLOTS, *OTHERS),
}

#: What each kind is, for messages.
MEANING = {
    "scores": "a table of scores; `--format ballots` reads ballots, `--format comparisons` results "
    "of pairs",
    "ballots": "a table of ballots; `--format cast-votes` reads those of election offices",
    "cast-votes": "cast votes",
    "comparisons": "a table of comparisons",
    "preflib": "ballots in a PrefLib format",
    "matrix": "a linear ordering matrix",
    "votes": "votes as JSON",
    "summary": "sums of scores, which were counted with directions of their own",
    "evaluations": "evaluations, which name systems, tasks and instances themselves",
    "bundled scores": "--dataset, which knows its columns and directions",
    "bundled ballots": "--dataset with ballots",
}
