"""Every Eval Ever: aggregate files, whose schema states the direction of each metric."""

from __future__ import annotations

import json
from typing import Any

from rankagg.io.evaluations.rows import Found, Row, count_at, find, get, measured, refuse

# What is read of these means the same in all of them: their schemas agree on it.
VERSIONS = ("0.3.0", "0.2.3", "0.2.2", "0.2.1")
# Stands for an unknown level where levels have one.
UNKNOWN_LEVEL = -1


def read_aggregate(source: str, content: dict[str, Any], found: Found) -> None:
    """Take in an aggregate: results of one model."""
    version = content.get("schema_version")
    if version not in VERSIONS:
        allowed = f"a version that is read ({', '.join(VERSIONS)})"
        remedy = "Convert it with the tools of Every Eval Ever first."
        refuse(source, "schema_version", allowed, version, remedy)
    run = get(source, content, "evaluation_id", kind=str)
    system = get(source, content, "model_info", "id", kind=str)
    for part in get(source, content, "evaluation_results", kind=list):
        config = get(source, part, "metric_config", kind=dict)
        details = get(source, part, "score_details", kind=dict)
        about = find(source, details, "uncertainty", kind=dict) or {}
        error = find(source, about, "standard_error", kind=dict) or {}
        remedy = "It states the direction: add it, or leave the file out."
        row = Row(
            system,
            task=get(source, part, "evaluation_name", kind=str),
            metric=_metric_name(source, config),
            error=measured(error.get("value")),
            n=count_at(source, about, "num_samples"),
            higher_is_better=not get(source, config, "lower_is_better", kind=bool, remedy=remedy),
            source=source,
            run=run,
            dataset=find(source, part, "source_data", "dataset_name", kind=str) or "",
        )
        score = get(source, details, "score", kind=float)
        if score == UNKNOWN_LEVEL and find(source, config, "has_unknown_level", kind=bool):
            found.left_out["score", "-1, which stands for an unknown level"] += 1
        else:
            found.add(row, score)


def _metric_name(source: str, config: dict[str, Any]) -> str:
    keys = ("metric_id", "metric_name", "metric_kind", "evaluation_description")
    found = (find(source, config, key, kind=str) for key in keys)
    name = next((name for name in found if name), "score")
    parameters = find(source, config, "metric_parameters", kind=dict) or {}
    told = [f"{key}={json.dumps(value)}" for key, value in sorted(parameters.items())]
    return f"{name} ({', '.join(told)})" if told else name
