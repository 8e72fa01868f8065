"""Every Eval Ever: aggregate files, and lines of samples that belong to them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from rankagg.exceptions import DataFormatError, shown
from rankagg.io.evaluations.collected import Collector, Series
from rankagg.io.evaluations.parts import Part, parts_of_lines

__all__ = ["VERSION", "VERSIONS", "Evaluation", "read_aggregate", "read_samples"]

#: The version that is written.
VERSION = "0.3.0"
# What is read of these means the same in all of them: their schemas agree on it.
VERSIONS = ("0.3.0", "0.2.3", "0.2.2", "0.2.1")
CONVERT = "Convert it with the tools of Every Eval Ever first."

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


def read_aggregate(root: Part, collector: Collector) -> tuple[str, Evaluation]:
    """Take in an aggregate, and return its id and what samples need of it."""
    _check_version(root)
    run = root.get("evaluation_id").text()
    system = root.get("model_info").get("id").text()
    evaluation = Evaluation(system, root.name, _size(root))
    for result in root.get("evaluation_results").elements():
        config = result.get("metric_config")
        lower = config.get(
            "lower_is_better", "It states the direction: add it, or leave the file out."
        )
        series = Series(
            system=evaluation.system,
            task=result.get("evaluation_name").text(),
            metric=_metric(config),
            run=run,
            source=root.name,
            dataset=_dataset(result),
            higher_is_better=not lower.flag(),
        )
        unknown = config.find("has_unknown_level")
        has_unknown = unknown is not None and unknown.flag()
        number = collector.series(series)
        score = result.get("score_details").get("score").number()
        _add(collector, number, score, has_unknown=has_unknown)
        name = result.find("evaluation_result_id")
        if name is not None:
            if name.text() in evaluation.by_id:
                name.refuse("the id of one result", "Each may occur once.")
            evaluation.by_id[name.text()] = (series, has_unknown)
        evaluation.by_name.setdefault(series.task, []).append((series, has_unknown))
    return run, evaluation


def _size(root: Part) -> int | None:
    details = root.find("detailed_evaluation_results")
    size = None if details is None else details.find("total_rows")
    return size.value if size is not None and type(size.value) is int else None


def _check_version(root: Part) -> None:
    version = root.get("schema_version", CONVERT)
    if version.value not in VERSIONS:
        version.refuse(f"a version that is read ({', '.join(VERSIONS)})", CONVERT)


def _metric(config: Part) -> str:
    names = (config.find(key) for key in ("metric_id", "metric_name", "metric_kind"))
    name = next((name.text() for name in names if name is not None), None)
    if name is None:
        description = config.find("evaluation_description")
        name = "score" if description is None else description.text()
    parameters = config.find("metric_parameters")
    if parameters is None or not parameters.content():
        return name
    told = (
        f"{key}={json.dumps(value, ensure_ascii=False)}"
        for key, value in sorted(parameters.content().items())
    )
    return f"{name} ({', '.join(told)})"


def _dataset(result: Part) -> str:
    data = result.find("source_data")
    name = None if data is None else data.find("dataset_name")
    return "" if name is None else name.text()


def _add(
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


def read_samples(
    source: str,
    lines: Iterable[tuple[int, str]],
    evaluations: Mapping[str, Evaluation],
    collector: Collector,
) -> None:
    """Take in lines of samples."""
    known: dict[tuple[str, str, str, str], tuple[int, bool]] = {}
    sizes: Counter[str] = Counter()
    for part in parts_of_lines(source, lines, NEEDED):
        _check_version(part)
        run = part.get("evaluation_id").text()
        sizes[run] += 1
        system = part.get("model_id").text()
        name = part.get("evaluation_name").text()
        result = part.find("evaluation_result_id")
        key = (run, system, name, "" if result is None else result.text())
        if key not in known:
            series, has_unknown = _series_of(part, key, evaluations.get(run))
            known[key] = collector.series(series), has_unknown
        number, has_unknown = known[key]
        digest = part.find("sample_hash")
        _add(
            collector,
            number,
            part.get("evaluation").get("score").number(),
            has_unknown=has_unknown,
            instance=part.get("sample_id").text(),
            content="" if digest is None else digest.text(),
        )
    for run, size in sizes.items():
        stated = evaluations[run].n_samples if run in evaluations else None
        collector.expect(source, size, size if stated is None else stated)


NEEDED = (
    "schema_version", "evaluation_id", "model_id", "evaluation_name", "evaluation_result_id",
    "sample_id", "sample_hash", "evaluation", "score",
)  # fmt: skip


def _series_of(
    part: Part, key: tuple[str, str, str, str], evaluation: Evaluation | None
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
