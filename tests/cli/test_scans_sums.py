"""Saved sums are accepted like data: commands print for them what they print for the scores."""

import json
import re
import sys
from hashlib import sha256
from io import BytesIO, TextIOWrapper
from pathlib import Path

import numpy as np
import pytest

import rankagg as ra
from rankagg.cli import main
from rankagg.cli.app import app
from rankagg.io.json_files import write_votes
from rankagg.testing.commands import _commands_of
from tests.io.scan.scan_files import drawn, long, wide, write_summary

NAN = float("nan")
LONG = ["--task", "task", "--instance", "id", "--system", "system", "--score", "score"]

#: Commands that read scores, and options under which their sums are enough.
ENOUGH = {
    "compare": [], "dispersion": [], "explain": ["--pair", "{0}", "{1}"],
    "fit": ["--model", "bradley-terry", "--ridge", "1"],
    "intervals": ["--method", "hoeffding", "--top", "1"], "missing": [],
    "rank": ["--rule", "borda"], "report": ["--unit", "ranking", "--out", "page.html"],
    "solve": [], "stability": ["--samples", "2"], "tournament": [], "verify": [],
}  # fmt: skip
#: Commands that read the sums as another does.
ALIKE = ("dispersion", "explain", "solve", "tournament")
#: Commands that need the scores themselves.
NOT_ENOUGH = ("count", "study", "steps", "test")


def put(table, name="sums.json"):
    """Write the sums of a table, and its scores as a long file with its options."""
    long(table).to_csv("scores.csv", index=False)
    columns = {option[2:]: column for option, column in zip(LONG[::2], LONG[1::2], strict=True)}
    # Systems and tasks in the order of the file.
    held = ra.read_scores("scores.csv", higher_is_better=table.higher_is_better, **columns)
    held = held.with_task_weights(table.task_weights)
    write_summary(ra.ScoreSummary.from_scores(held), name)
    lower = [f"--lower={task}" for task, up in table.higher_is_better.items() if not up]
    weights = [f"--weight={task}={weight}" for task, weight in table.task_weights.items()]
    return ["scores.csv", *LONG, *lower, *weights]


def options(command, labels):
    return [option.format(*labels) for option in ENOUGH[command]]


# What was read, how long it took, and how few rankings turn a majority: sums hold no rankings.
APART = ("input", "runtime", "rankings_to_flip")


def plain(out):
    """Return what JSON says that scores and what they add up to have in common."""

    def kept(value):
        if isinstance(value, dict):
            return {name: kept(one) for name, one in value.items() if name not in APART}
        if isinstance(value, list):
            return [kept(one) for one in value]
        return float(f"{value:.9g}") if isinstance(value, float) else value

    return kept(json.loads(out))


def test_every_command_that_reads_scores_is_tested():
    reading = {
        path
        for path, command in _commands_of(app).items()
        if any("--dataset" in one.opts for one in command.params)
    }
    assert reading == {*ENOUGH, *NOT_ENOUGH}


@pytest.mark.parametrize(
    ("command", "policy"),
    [
        *(
            pytest.param(command, "uniform", marks=[pytest.mark.slow] * (command in ALIKE))
            for command in sorted({*ENOUGH} - {"missing", "report", "verify"})
        ),
        *(("rank", policy) for policy in ("ignore", "last")),
    ],
)
def test_summed_scores_give_the_output_of_scores(command, policy, run):
    table = drawn(2)
    scores = put(table)
    stated = [*options(command, table.systems), "--unranked", policy, "--json"]
    found, expected = (run(command, *given, *stated) for given in (["sums.json"], scores))
    one, other = plain(found.out), plain(expected.out)
    if command == "fit":
        # Sums hold no units, by which the errors of scores are.
        assert "have no units" in one["notes"][1]
        one, other = one["distribution"], other["distribution"]
    assert one == other
    assert "sums of scores: " in json.loads(found.out)["input"][0]


def test_proofs_are_valid_for_sums_and_for_scores(run):
    scores = put(drawn(2))
    for source, other in (["sums.json"], scores), (scores, ["sums.json"]):
        run("solve", *source, "--certificate", "proof.json")
        assert "The proof holds" in run("verify proof.json", *other).out
    put(drawn(3))
    assert "is no valid proof for these votes" in run("verify proof.json sums.json", code=1).err


REFUSED = {
    "compare --rule bucklin": "Bucklin needs rankings; sums of scores do not hold them. Give",
    "dispersion --rule pick-a-perm": "PickAPerm needs rankings",
    "dispersion --tolerance 1": "--tolerance has no meaning for sums of scores",
    "explain --pair s0 s9": "--pair must be one of the 4 items",
    "fit --model mallows": "--model mallows needs the scores, and sums.json",
    "intervals --method sign-flips": "--ranks borda with --method sign-flips and --unit ranking",
    "intervals --ranks mean": "--ranks mean with no --method and --unit ranking needs rankings",
    "intervals --drop x": "--drop has no meaning for sums of scores",
    "missing --samples 9": "--samples is for completions of rankings",
    "rank --rule plackett-luce": "needs rankings; sums of scores do not hold them",
    "report --rule schulze --unit instance": "--unit instance needs the scores, and sums.json",
    "report --rule mallows": "needs rankings; sums of scores do not hold them",
    "stability --unit system": "--unit system needs rankings; sums of scores do not hold them",
    "stability --removals": "stability needs the scores, and sums.json",
    "test --power 0.8": "test needs the scores, and sums.json",
    "tournament --weight q=2": "--weight must be one of the 3 tasks",
}


def test_commands_that_need_more_than_sums_are_refused(refused):
    put(drawn(2))
    for words, expected in REFUSED.items():
        command, *stated = words.split()
        message = refused(command, "sums.json", *stated)
        assert expected in message
        assert not re.search(r"ScoreSummary|read_scores|\w=", message), message
    assert not Path("report.html").exists()


# -- odd sums -------------------------------------------------------------------------------------


def odd(values, systems=None, tasks=None):
    values = np.array(values, dtype=float)
    m, n = values.shape
    return ra.ScoreTable(
        values, systems=systems or [f"s{i}" for i in range(m)], tasks=tasks or ["x"] * n,
        instances=range(n), higher_is_better=True,
    )  # fmt: skip


THREE = [[1, 2, 3], [3, 2, 1], [2, 2, 2.5]]
ODD = {
    "without scores": odd([*THREE[:2], [NAN] * 3], tasks="xyy"),
    "never compared": odd([[1, NAN], [2, NAN], [NAN, 1], [NAN, 2]], tasks="xy"),
    "like options": odd(THREE, ["--help", "-o", "--json"], ["--pair", "-x", "--"]),
    "not ASCII": odd(THREE, ["日本語", "Ω\u202e", "é\n\x1b[31m!"], "τ\u0301é"),
}


@pytest.mark.parametrize("name", ["without scores", "like options"])
@pytest.mark.parametrize("command", ["compare", "explain", "intervals", "missing"])
def test_unusual_sums_give_the_result_of_their_scores(command, name, run):
    """Whatever the scores are: the same figures, or the same refusal."""
    table = ODD[name]
    # One row for each score, be it missing; quoted, for labels may be anything.
    frame = wide(table).melt(["task", "id"], var_name="system", value_name="score")
    frame.to_csv("scores.csv", index=False)
    write_summary(ra.ScoreSummary.from_scores(table), "sums.json")
    stated = options(command, [*table.systems, "none"][:2])
    if command == "missing":
        stated += ["--rule", "copeland"]
    ends, outputs = [], []
    for given in ["sums.json"], ["scores.csv", *LONG]:
        more = ["--samples", "1"] if command == "missing" and len(given) > 1 else []
        result = run(command, *given, *stated, *more, "--json", code=(0, 2, 3))
        ends.append(result.err.rpartition("rror: ")[2].partition(" Got ")[0])
        outputs.append(result.out)
    assert ends[0] == ends[1]
    if not outputs[1]:
        assert outputs[0] == ""
        return
    found, expected = map(plain, outputs)
    for one in found, expected:
        # Sums hold neither rankings to complete nor units.
        one.pop({"missing": "sensitivity"}.get(command), None)
    assert found == expected


@pytest.fixture
def sums(called):
    """Return a function that writes the sums of three systems, with changes, and what they hold."""

    def write(**changes):
        held = ra.ScoreSummary.from_scores(odd(THREE)).to_dict()
        content = {name: x for name, x in (held | changes).items() if name != "check"}
        text = json.dumps(content, sort_keys=True)
        check = sha256(text.encode()).hexdigest()[:16]  # as of data that were written so
        Path("sums.json").write_text(json.dumps(content | {"check": check}))
        return held

    return write


def test_half_a_character_is_refused(sums, run):
    """JSON may hold what no other file can, and nothing can print."""
    sums(systems=["\ud800", "b", "c"])
    write_votes(ra.ScoreSummary.from_scores(odd(THREE)).pairwise(), "votes.json")
    Path("votes.json").write_text(Path("votes.json").read_text().replace('"s0"', '"\\udfff"'))
    fit = {**ra.Mallows("AB", theta=1.0).to_dict(), "items": ["A", "\udc00"]}
    Path("fit.json").write_text(json.dumps(fit))
    for line in ("compare sums.json", "compare votes.json", "sample fit.json"):
        result = run(line, code=2)
        assert "half of a character" in result.err
        assert "\\ud" in result.err
        assert result.out == ""
    sums(systems=["\U0001f600", "b", "c"])
    assert "\U0001f600" in run("rank sums.json").out


def test_an_output_encoding_without_the_letters_is_refused(monkeypatch, capsys, called):
    monkeypatch.setattr(sys, "stdout", TextIOWrapper(BytesIO(), encoding="latin-1"))
    write_summary(ra.ScoreSummary.from_scores(ODD["not ASCII"]), "sums.json")
    with pytest.raises(SystemExit) as stop:
        main(["rank", "sums.json"])
    assert stop.value.code == 1
    err = capsys.readouterr().err
    assert "its encoding, latin-1, has no" in err
    assert "PYTHONIOENCODING" in err


@pytest.mark.parametrize("weight", [1e101, 5e-324])
def test_weights_that_rankings_may_not_have_are_refused(weight, sums, run, refused):
    """Sums and squares of such weights would be no floats."""
    (task,) = sums()["tasks"]
    sums(tasks=[task | {"weight": weight}])
    allowed = "must be from 1e-100 to 1e+100"
    assert allowed in refused("rank sums.json")
    sums()
    assert f"--weight {allowed}" in refused(f"intervals sums.json --weight=x={weight}")
    run("rank sums.json --weight=x=1e100")
