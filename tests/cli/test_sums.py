"""Saved sums go where data go: what a command says of them is what it says of the scores."""

import json
import re
from pathlib import Path

import pytest

import rankagg as ra
from rankagg.cli import main
from rankagg.cli.app import app
from rankagg.io.summaries import write_summary
from rankagg.testing.commands import commands_of
from tests.io.scan_files import drawn, long

LONG = ["--task", "task", "--instance", "id", "--system", "system", "--score", "score"]

#: Commands that read scores, and options under which their sums are enough.
ENOUGH = {
    "compare": [],
    "dispersion": [],
    "explain": ["--pair", "{0}", "{1}"],
    "fit": ["--model", "bradley-terry", "--ridge", "1"],
    "intervals": ["--method", "hoeffding", "--top", "1"],
    "missing": [],
    "rank": ["--method", "borda"],
    "report": ["--unit", "ranking", "--out", "page.html"],
    "solve": [],
    "stability": ["--samples", "2"],
    "tournament": [],
    "verify": [],
}
#: Commands that need the scores themselves.
NOT_ENOUGH = ("experiment",)


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Run the command line in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def call(*args, code=0):
        with pytest.raises(SystemExit) as stop:
            main([str(arg) for arg in args])
        told = capsys.readouterr()
        assert (stop.value.code or 0) in (code if isinstance(code, tuple) else (code,)), told.err
        return told

    return call


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


def plain(out):
    """Return what JSON says, but for what was read and how long it took."""

    def kept(value):
        if isinstance(value, dict):
            return {
                name: kept(one) for name, one in value.items() if name not in ("input", "runtime")
            }
        if isinstance(value, list):
            return [kept(one) for one in value]
        return float(f"{value:.9g}") if isinstance(value, float) else value

    return kept(json.loads(out))


def test_every_command_that_reads_scores_is_here():
    reading = {
        path
        for path, command in commands_of(app).items()
        if any("--dataset" in one.opts for one in command.params)
    }
    assert reading == {*ENOUGH, *NOT_ENOUGH}


@pytest.mark.parametrize("policy", ["uniform", "ignore", "last"])
@pytest.mark.parametrize("command", sorted({*ENOUGH} - {"missing", "report", "verify"}))
def test_sums_say_what_the_scores_say(command, policy, run):
    table = drawn(2)
    scores = put(table)
    stated = [*options(command, table.systems), "--unranked", policy, "--json"]
    found, expected = (run(command, *given, *stated) for given in (["sums.json"], scores))
    assert plain(found.out) == plain(expected.out)
    assert "ScoreSummary" in json.loads(found.out)["input"][1]


@pytest.mark.parametrize("policy", ["uniform", "ignore", "last"])
def test_what_is_missing_but_for_completions(policy, run):
    scores = put(drawn(2))
    stated = ["--unranked", policy, "--method", "copeland"]
    found = plain(run("missing", "sums.json", *stated, "--json").out)
    expected = plain(run("missing", *scores, *stated, "--samples", "1", "--json").out)
    assert found["missing"] == expected["missing"]
    assert found["sensitivity"]["n_samples"] == 0
    assert found["sensitivity"]["consensuses"] == expected["sensitivity"]["consensuses"]
    told = run("missing", "sums.json", *stated, "--plot", "map.svg").out
    assert "completions are left out: sums of scores do not hold the rankings" in told
    assert Path("map.svg").stat().st_size > 1000


def test_proofs_go_with_sums_and_with_scores(run):
    scores = put(drawn(2))
    for source, other in (["sums.json"], scores), (scores, ["sums.json"]):
        run("solve", *source, "--certificate", "proof.json")
        assert "The proof holds" in run("verify", "proof.json", *other).out
    table = drawn(3)
    put(table)
    told = run("verify", "proof.json", "sums.json", code=1)
    assert "proves nothing of these votes" in told.err


REFUSED = {
    "compare --decide instance": "--decide instance needs rankings",
    "compare --method bucklin": "Bucklin needs rankings; sums of scores do not hold them. Give",
    "dispersion --method pick-a-perm": "PickAPerm needs rankings",
    "dispersion --tolerance 1": "--tolerance has no meaning for sums of scores",
    "experiment": "experiment needs the scores themselves",
    "explain --pair s0 s1 --method footrule": "FootruleOptimal needs rankings",
    "explain --pair s0 s9": "--pair must be one of the 4 items",
    "fit --model mallows": "--model mallows needs the scores themselves",
    "fit --model bradley-terry --reference s9": "--reference must be one of",
    "intervals --method sign-flips": "--ranks borda with --method sign-flips and --unit ranking",
    "intervals --ranks mean": "--ranks mean with no --method and --unit ranking needs rankings",
    "intervals --unit instance --ranks pairwise": "--unit instance needs rankings",
    "intervals --drop x": "--drop has no meaning for sums of scores",
    "missing --samples 9": "--samples is for completions of rankings",
    "missing --seed 0": "--seed is for completions of rankings",
    "missing --method mc4 --task x": "--task has no meaning for sums of scores",
    "rank --method plackett-luce": "needs rankings; sums of scores do not hold them",
    "report --group a=x,y": "--group has no meaning for sums of scores",
    "report --method schulze --unit instance": "--unit instance needs the scores themselves",
    "report --unit task": "--unit task needs the scores themselves",
    "report --method mallows": "needs rankings; sums of scores do not hold them",
    "stability --over systems": "--over systems needs rankings; sums of scores do not hold them",
    "stability --method bucklin": "Bucklin needs rankings",
    "tournament --weight q=2": "--weight must be one of the 3 tasks",
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_sums_cannot_serve_is_refused(words, run):
    put(drawn(2))
    command, *stated = words.split()
    told = run(command, "sums.json", *stated, code=2)
    assert REFUSED[words] in told.err.replace("`", "")
    assert not re.search(r"ScoreSummary|read_scores|\w=", told.err), told.err
    assert told.out == ""
    assert not Path("report.html").exists()


def test_weights_of_tasks_replace_those_of_the_scan(run):
    scores = put(drawn(2).with_task_weights({}))
    for command in ("explain", "dispersion"):
        stated = [*options(command, ["s0", "s1"]), "--weight", "x=3", "--json"]
        plainly = [option for option in scores if not option.startswith("--weight")]
        assert plain(run(command, "sums.json", *stated).out) == plain(
            run(command, *plainly, *stated).out
        )
