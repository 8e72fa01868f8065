"""A consensus as Every Eval Ever: the rank of every system, a file for each."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Iterable
from hashlib import blake2b
from os import PathLike
from pathlib import Path
from typing import Any

from rankagg import __version__
from rankagg._typing import Label
from rankagg._validation import check_integer
from rankagg.core import listed, raw_text
from rankagg.exceptions import InvalidInputError, OutputError
from rankagg.io.output_files import write_text

#: The version that is written.
WRITTEN_VERSION = "0.3.0"
UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
LONGEST_NAME = 100
LARGEST_TIME = 2**62


def write_evaluations(
    consensus: Any,
    target: str | PathLike[str],
    *,
    title: str = "Consensus ranking",
    organization: str = "unknown",
    timestamp: int | None = None,
) -> tuple[Path, ...]:
    """Write a consensus as Every Eval Ever 0.3.0: the rank of every system, a file for each.

    Parameters
    ----------
    consensus : Consensus
        What a rule found; every item must be ranked.
    target : path
        A folder, which is made where there is none. A file in it is called as its system is, with
        signs that file names may not have replaced; one of that name is replaced.
    title : str, default "Consensus ranking"
        The name of the evaluation.
    organization : str, default "unknown"
        Who provides it.
    timestamp : int, optional
        Seconds since 1970, when it was made; now by default.

    Returns
    -------
    tuple of Path
        The files, in the order of the items.

    Raises
    ------
    InvalidInputError
        If an item is not ranked, or a label is blank.
    OutputError
        If a file cannot be written.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import rankagg as ra
    >>> consensus = ra.Kemeny().aggregate(ra.datasets.load("tennessee"))
    >>> with TemporaryDirectory() as folder:
    ...     files = ra.write_evaluations(consensus, folder, title="capital", timestamp=0)
    ...     frame = ra.read_evaluations(folder)
    >>> [file.name for file in files][:2]
    ['Memphis.json', 'Nashville.json']
    >>> frame.set_index("system")["score"].to_dict()
    {'Chattanooga': 2.0, 'Knoxville': 3.0, 'Memphis': 4.0, 'Nashville': 1.0}
    """
    for name, text in (("title", title), ("organization", organization)):
        if not isinstance(text, str) or not text.strip():
            raise InvalidInputError(name, "a text", text)
    now = int(time.time()) if timestamp is None else timestamp
    made = check_integer(now, "timestamp", low=0, high=LARGEST_TIME)
    ranking = consensus.ranking
    unranked = [item for item, rank in zip(ranking.items, ranking.ranks, strict=True) if rank < 0]
    if unranked:
        remedy = "They have no rank: leave them out before ranking."
        raise InvalidInputError("consensus", "a ranking of all items", listed(unranked), remedy)
    config = _metric_config(consensus)
    folder = Path(target)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise OutputError(f"{folder} cannot be made: {error}.") from error
    files = [folder / name for name in _file_names(ranking.items)]
    for file, item, rank in zip(files, ranking.items, ranking.ranks.tolist(), strict=True):
        content = _written_aggregate(raw_text(item), rank + 1, config, (title, organization, made))
        write_text(file, json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n")
    return tuple(files)


def _metric_config(consensus: Any) -> dict[str, Any]:
    proved = {None: "no claim", True: "yes", False: "no"}[consensus.is_proved]
    return {
        "evaluation_description": "Rank in a consensus of rankings; 1 is best, ties share the best",
        "metric_id": "rankagg.rank",
        "metric_name": "Rank",
        "metric_kind": "rank",
        "metric_unit": "rank",
        "lower_is_better": True,
        "score_type": "continuous",
        "min_score": 1,
        "max_score": len(consensus.ranking.items),
        "additional_details": {
            "method": repr(consensus.aggregator),
            "proved_optimal": proved,
            "votes_contradicted": repr(consensus.cost),
            "systems": str(len(consensus.ranking.items)),
        },
    }


def _written_aggregate(
    system: str, rank: int, config: dict[str, Any], about: tuple[str, str, int]
) -> dict[str, Any]:
    title, organization, made = about
    if not system.strip():
        raise InvalidInputError("consensus", "a ranking of items with names", system)
    return {
        "schema_version": WRITTEN_VERSION,
        "evaluation_id": f"{title}/{system.replace('/', '_')}/{made}",
        "retrieved_timestamp": str(made),
        "source_metadata": {
            "source_name": title,
            "source_type": "documentation",
            "source_organization_name": organization,
            "evaluator_relationship": "other",
            "additional_details": {"source_role": "aggregator"},
        },
        "eval_library": {"name": "rankagg", "version": __version__},
        "model_info": {
            "name": system,
            "id": system,
            "additional_details": {"deployment_type": "unknown", "model_availability": "unknown"},
        },
        "evaluation_results": [
            {
                "evaluation_result_id": f"{title}.rank",
                "evaluation_name": title,
                "source_data": {"dataset_name": title, "source_type": "other"},
                "metric_config": config,
                "score_details": {"score": rank},
            }
        ],
    }


def _file_names(items: Iterable[Label]) -> list[str]:
    """Return a name for each item, different ones also where capitals are none."""
    texts = [raw_text(item) for item in items]
    plain = [UNSAFE.sub("_", text).strip(".")[:LONGEST_NAME] or "_" for text in texts]
    number = Counter(name.lower() for name in plain)
    return [
        f"{name}-{blake2b(text.encode('utf-8', 'surrogatepass'), digest_size=4).hexdigest()}.json"
        if number[name.lower()] > 1
        else f"{name}.json"
        for name, text in zip(plain, texts, strict=True)
    ]
