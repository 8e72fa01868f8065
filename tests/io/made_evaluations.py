"""Files as evaluation tools write them, made for tests."""

import json
import warnings
import zipfile

import rankagg as ra
from rankagg.exceptions import DataWarning

TIME = "2026-01-02T03-04-05.678901"


def put(path, *contents):
    """Write one object, or one object a line where the name says so."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(c) + "\n" for c in contents), encoding="utf-8")
    else:
        path.write_text(json.dumps(contents[0]), encoding="utf-8")
    return path


def read(folder, *contents):
    """Write files of one object each, and read the folder; return the frame and the messages."""
    for number, content in enumerate(contents):
        put(folder / f"results_{number}.json", content)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        frame = ra.read_evaluations(folder)
    return frame, [str(one.message) for one in caught]


def cells(frame):
    """Return the scores by system, task, metric and instance, each of them once."""
    labels = frame[["system", "task", "metric", "instance"]].itertuples(index=False, name=None)
    found = dict(zip(labels, frame["score"], strict=True))
    assert len(found) == len(frame)
    return found


def task(name, score, *, lower=False, metric="accuracy"):
    return name, metric, score, lower


def run(model, *tasks):
    """Return results of one metric for each task."""
    scores = {name: {f"{metric},none": score} for name, metric, score, _ in tasks}
    better = {name: {metric: not lower} for name, metric, _, lower in tasks}
    return harness(model, scores, better=better)


def harness(model, scores, *, better=None, **more):
    """Return results; scores are by task and by metric and filter."""
    names = {task: {key.partition(",")[0] for key in found} for task, found in scores.items()}
    return {
        "results": {task: {"alias": task, **found} for task, found in scores.items()},
        "group_subtasks": {},
        "configs": {},
        "versions": dict.fromkeys(scores, 1.0),
        "n-shot": dict.fromkeys(scores, 0),
        "higher_is_better": {task: dict.fromkeys(names[task], True) for task in scores}
        if better is None
        else better,
        "model_name": model,
        **more,
    }


def document(number, *, chosen="none", digest=None, **scores):
    return {
        "doc_id": number, "doc": {"question": "?"}, "target": "!", "filter": chosen,
        "metrics": list(scores), "doc_hash": digest, **scores,
    }  # fmt: skip


def log(model, task, samples=(), *, scores=(), status="success", version=2):
    """Return a log of Inspect; samples are (id, epoch, values by scorer)."""
    return {
        "version": version,
        "status": status,
        "eval": {
            "eval_id": f"{model} {task}", "task": task, "task_version": 0, "model": model,
            "config": {"epochs": 1},
        },
        "results": {"completed_samples": len(samples), "scores": list(scores)},
        "samples": [
            {
                "id": name, "epoch": epoch, "input": "?", "target": "!",
                "scores": {scorer: {"value": value} for scorer, value in values.items()},
                "events": [{"id": "e", "epoch": 9, "input": 1}],
            }
            for name, epoch, values in samples
        ],
    }  # fmt: skip


def accuracy(value, *, scorer="match", **more):
    metrics = {"accuracy": value, "stderr": 0.01, **more}
    return {
        "name": scorer,
        "scorer": scorer,
        "metrics": {name: {"name": name, "value": number} for name, number in metrics.items()},
    }


def archive(path, content):
    """Write a log as an archive."""
    samples = content.pop("samples")
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("_journal/start.json", json.dumps({"version": 2, "eval": {}}))
        for sample in samples:
            name = f"samples/{sample['id']}_epoch_{sample['epoch']}.json"
            file.writestr(name, json.dumps(sample))
        file.writestr("header.json", json.dumps(content))
    return path
