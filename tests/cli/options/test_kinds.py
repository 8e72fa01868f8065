"""Files of evaluation tools on the command line: recognised, chosen from, and told."""

import json

import pytest

from tests.io.evaluations.made import (
    TIME,
    accuracy,
    aggregate,
    archive,
    document,
    harness,
    line,
    log,
    put,
    result,
)

RANK = ("rank", "--method", "borda", "--json")


def ranks(out):
    found = json.loads(out)
    return dict(zip(found["items"], found["ranks"], strict=True)), found["input"]


def logs(folder):
    for model, values in (("A", "CCI"), ("B", "CII"), ("C", "III")):
        samples = [(n, 1, {"m": value}) for n, value in enumerate(values)]
        put(folder / f"{model}.json", log(model, "x", samples, scores=[accuracy(0.5, scorer="m")]))
    return folder


@pytest.mark.parametrize("given", ["folder", "pattern", "files", "explicit"])
def test_folders_patterns_and_files_are_recognised(tmp_path, called, given) -> None:
    logs(tmp_path)
    files = {
        "folder": [tmp_path], "pattern": [tmp_path / "*.json"], "files": sorted(tmp_path.iterdir()),
        "explicit": ["--format", "evaluations", tmp_path],
    }[given]  # fmt: skip
    code, out, err = called(*RANK, *files)
    assert (code, err) == (0, "")
    found, lines = ranks(out)
    assert found == {"A": 1, "B": 2, "C": 3}
    assert "read: 3 files of Inspect (logs)" in lines


@pytest.mark.parametrize("kind", ["aggregate", "results", "log", "archive", "lines"])
def test_single_files_are_recognised_by_their_content(tmp_path, called, kind) -> None:
    content = {
        "aggregate": lambda: put(tmp_path / "x.json", aggregate("A", result("x", 1))),
        "results": lambda: put(tmp_path / "x.json", harness("A", {"x": {"acc,none": 1}})),
        "log": lambda: put(tmp_path / "x.json", log("A", "x", [(1, 1, {"m": "C"})])),
        "archive": lambda: archive(tmp_path / "x.eval", log("A", "x", [(1, 1, {"m": "C"})])),
        "lines": lambda: put(tmp_path / "x.jsonl", line("A", "x", "1", 1), line("B", "x", "1", 2)),
    }  # fmt: skip
    options = ("--higher", "score") if kind == "lines" else ()
    code, out, err = called(*RANK, content[kind](), *options)
    assert (code, err) == (0, "")
    assert ranks(out)[0] == ({"A": 2, "B": 1} if kind == "lines" else {"A": 1})


def test_samples_are_recognised_without_a_name(tmp_path, called) -> None:
    file = put(tmp_path / "x.jsonl", line("A", "x", "1", 1), line("B", "x", "1", 2))
    for number in (1, 2):
        text = "".join(file.read_text().splitlines(keepends=True)[:number])
        (tmp_path / "standard input").write_text(text, encoding="utf-8")
        code, out, err = called(*RANK, tmp_path / "standard input", "--higher", "score")
        assert (code, err) == (0, "")
        assert len(ranks(out)[0]) == number


def test_tables_in_json_lines_stay_tables(tmp_path, called) -> None:
    file = put(tmp_path / "x.jsonl", {"system": "A", "x": 1}, {"system": "B", "x": 2})
    assert ranks(called(*RANK, file)[1])[0] == {"A": 2, "B": 1}


def test_choices_are_options(tmp_path, called) -> None:
    better = {"x": {"acc": True, "f1": True}, "y": {"acc": True}}
    for model, one, two in (("A", 1, 2), ("B", 2, 1)):
        scores = {"x": {"acc,none": one, "f1,none": two}, "y": {"acc,none": 1, "ppl,none": two}}
        put(tmp_path / f"{model}.json", harness(model, scores, better=better))
    code, _, err = called(*RANK, tmp_path)
    assert code == 2
    assert "`--metric` must be one of those" in err
    assert "x has acc, f1; y has acc, ppl" in err
    assert ranks(called(*RANK, tmp_path, "--metric", "acc")[1])[0] == {"A": 2, "B": 1}
    of_tasks = ("--metric", "x=f1", "--metric", "y=acc")
    assert ranks(called(*RANK, tmp_path, *of_tasks)[1])[0] == {"A": 1, "B": 2}
    single = (*RANK, tmp_path, "--metric", "ppl")
    code, _, err = called(*single)
    assert code == 2
    assert "Name the metric in --higher or --lower." in err
    found, lines = ranks(called(*single, "--lower", "ppl")[1])
    assert found == {"A": 2, "B": 1}
    assert "direction given, not stated in the files: lower is better in ppl" in lines
    assert ranks(called(*single, "--higher", "ppl")[1])[0] == {"A": 1, "B": 2}
    assert ranks(called(*single, "--lower-is-better")[1])[0] == {"A": 2, "B": 1}
    dropped = (*RANK, tmp_path, "--metric", "acc", "--drop", "x")
    assert ranks(called(*dropped)[1])[0] == {"A": 1, "B": 1}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--metric", "x=m", "--metric", "m"), "not both"),
        (("--lower", "m", "--higher", "m"), "'m' is given by --lower and by --higher"),
        (("--lower-is-better", "--lower", "m"), "leave --lower"),
        (("--lower", "m"), "`--higher or --lower` must be what"),
        (("--count", "n"), "--count has no meaning for evaluations"),
        (("--task", "n"), "--task has no meaning for evaluations"),
        (("--runs", "median"), "--runs"),
        (("--drop", "z"), "--drop"),
        (("--by", "samples"), "--by"),
    ],
)
def test_bad_options_are_told(tmp_path, called, options, told) -> None:
    code, _, err = called(*RANK, logs(tmp_path), *options)
    assert code == 2
    assert told in err


@pytest.mark.parametrize("option", [("--metric", "m"), ("--runs", "mean"), ("--use-groups",)])
def test_options_of_evaluations_are_of_them_alone(called, option) -> None:
    code, _, err = called(*RANK, "--dataset", "tennessee", *option)
    assert code == 2
    assert f"{option[0]} has no meaning for" in err


def test_several_files_are_evaluations_or_refused(tmp_path, called) -> None:
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text("system,x\nA,1\nB,2\n", encoding="utf-8")
    code, _, err = called(*RANK, *sorted(tmp_path.iterdir()))
    assert code == 2
    assert "Give one FILE, not 2" in err


@pytest.mark.slow
def test_a_page_says_what_was_read(tmp_path, called) -> None:
    put(tmp_path / "in" / f"results_{TIME}.json", harness("A<b>", {"x": {"acc,none": 0.5}}))
    put(tmp_path / "in" / f"samples_x_{TIME}.jsonl", document(0, acc=1), document(1, acc=0))
    code, _, err = called("report", tmp_path / "in", "-o", tmp_path / "page.html")
    assert (code, err) == (0, "")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "1 file of lm-evaluation-harness (results)" in page
    assert "<b>" not in page.replace("&lt;b&gt;", "")


def test_ranks_are_written_as_every_eval_ever(tmp_path, called) -> None:
    code, _, _ = called("rank", logs(tmp_path / "in"), "--method", "borda", "--every-eval-ever",
                     tmp_path / "out")  # fmt: skip
    assert code == 0
    found, _ = ranks(called(*RANK, tmp_path / "out")[1])
    assert found == {"A": 1, "B": 2, "C": 3}
