"""Every Eval Ever: aggregate files and lines of samples read, and a consensus written."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from os import PathLike
from pathlib import Path
from typing import Any

from rankagg import __version__
from rankagg._typing import Label
from rankagg._validation import check_integer
from rankagg.core import listed, raw_text
from rankagg.exceptions import DataFormatError, InvalidInputError, OutputError, shown
from rankagg.io.evaluations.collected import Collector, Series
from rankagg.io.output_files import write_text
from rankagg.io.strict_json import Field, fields_of_lines

#: The version that is written.
WRITTEN_VERSION = "0.3.0"
# What is read of these means the same in all of them: their schemas agree on it.
VERSIONS = ("0.3.0", "0.2.3", "0.2.2", "0.2.1")
CONVERT_VERSION = "Convert it with the tools of Every Eval Ever first."

# Stands for an unknown level where levels have one.
UNKNOWN_LEVEL = -1


@dataclass(frozen=True)
class Evaluation:
    """What samples need of the aggregate that they belong to."""

    system: str
    source: str
    # How many samples it has, where that is stated.
    n_samples: int | None
    # From ids, and from names of evaluations, to series and whether -1 is an unknown level.
    by_id: dict[str, tuple[Series, bool]] = field(default_factory=dict)
    by_name: dict[str, list[tuple[Series, bool]]] = field(default_factory=dict)


def read_aggregate(root: Field, collector: Collector) -> tuple[str, Evaluation]:
    """Take in an aggregate, and return its id and what samples need of it."""
    _check_version(root)
    run = root.get("evaluation_id").text()
    system = root.get("model_info").get("id").text()
    stated = root.find_integer("detailed_evaluation_results", "total_rows")
    evaluation = Evaluation(system, root.name, stated)
    for result in root.get("evaluation_results").elements():
        config = result.get("metric_config")
        lower = config.get(
            "lower_is_better", "It states the direction: add it, or leave the file out."
        )
        series = Series(
            system=evaluation.system,
            task=result.get("evaluation_name").text(),
            metric=_metric_name(config),
            run=run,
            source=root.name,
            dataset=result.find_text("source_data", "dataset_name"),
            higher_is_better=not lower.flag(),
        )
        unknown = config.find("has_unknown_level")
        has_unknown = unknown is not None and unknown.flag()
        number = collector.series(series)
        score = result.get("score_details").get("score").number()
        _add_score(collector, number, score, has_unknown=has_unknown)
        name = result.find_text("evaluation_result_id")
        if name in evaluation.by_id:
            remedy = "Each may occur once."
            result.get("evaluation_result_id").refuse("the id of one result", remedy)
        if name:
            evaluation.by_id[name] = (series, has_unknown)
        evaluation.by_name.setdefault(series.task, []).append((series, has_unknown))
    return run, evaluation


def _check_version(root: Field) -> None:
    version = root.get("schema_version", CONVERT_VERSION)
    if version.value not in VERSIONS:
        version.refuse(f"a version that is read ({', '.join(VERSIONS)})", CONVERT_VERSION)


def _metric_name(config: Field) -> str:
    keys = ("metric_id", "metric_name", "metric_kind", "evaluation_description")
    name = next((name for key in keys if (name := config.find_text(key))), "score")
    parameters = config.find("metric_parameters")
    if parameters is None or not parameters.content():
        return name
    told = (
        f"{key}={json.dumps(value, ensure_ascii=False)}"
        for key, value in sorted(parameters.content().items())
    )
    return f"{name} ({', '.join(told)})"


def _add_score(
    collector: Collector,
    series: int,
    score: float,
    *,
    has_unknown: bool,
    instance: str | None = None,
    content: str = "",
) -> None:
    if has_unknown and score == UNKNOWN_LEVEL:
        source = collector.all_series[series].source
        collector.leave_out(source, "score", "-1, which stands for an unknown level")
        return
    collector.add(series, score, instance=instance, content=content)


def read_sample_lines(
    source: str,
    lines: Iterable[tuple[int, str]],
    evaluations: Mapping[str, Evaluation],
    collector: Collector,
) -> None:
    """Take in lines of samples."""
    known: dict[tuple[str, str, str, str], tuple[int, bool]] = {}
    sizes: Counter[str] = Counter()
    for part in fields_of_lines(source, lines):
        _check_version(part)
        run = part.get("evaluation_id").text()
        sizes[run] += 1
        system = part.get("model_id").text()
        name = part.get("evaluation_name").text()
        key = (run, system, name, part.find_text("evaluation_result_id"))
        if key not in known:
            series, has_unknown = _series_of(part, key, evaluations.get(run))
            known[key] = collector.series(series), has_unknown
        number, has_unknown = known[key]
        _add_score(
            collector,
            number,
            part.get("evaluation").get("score").number(),
            has_unknown=has_unknown,
            instance=part.get("sample_id").text(),
            content=part.find_text("sample_hash"),
        )
    for run, size in sizes.items():
        stated = evaluations[run].n_samples if run in evaluations else None
        collector.expect(source, size, size if stated is None else stated)


def _series_of(
    part: Field, key: tuple[str, str, str, str], evaluation: Evaluation | None
) -> tuple[Series, bool]:
    run, system, name, result = key
    if evaluation is None:
        return Series(system, name, "score", run, part.name), False
    if evaluation.system != system:
        part.get("model_id").refuse(
            f"{shown(evaluation.system)}, as {evaluation.source} says of this evaluation"
        )
    if result:
        if result not in evaluation.by_id:
            part.get("evaluation_result_id").refuse(f"an id that {evaluation.source} has")
        return evaluation.by_id[result]
    found = evaluation.by_name.get(name, [])
    if len(found) == 1:
        return found[0]
    if not found:
        part.get("evaluation_name").refuse(f"an evaluation that {evaluation.source} has")
    raise DataFormatError(
        f"{part.name} has no `evaluation_result_id`, and {evaluation.source} has {len(found)} "
        f"results of {shown(name)}: which one is meant cannot be told."
    )


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
    ...     table = ra.read_evaluations(folder).table()
    >>> [file.name for file in files][:2]
    ['Memphis.json', 'Nashville.json']
    >>> table.rankings()[0] == consensus.ranking.reindex(table.systems)
    True
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
