"""Mistyped names are printed as typed, and the nearest valid name is suggested."""

import re
from pathlib import Path

import pytest

import rankagg as ra
from rankagg.cli.app import app
from rankagg.exceptions import nearest
from rankagg.testing.commands import _commands_of

TABLE = "system,accuracy,fluency\nfirst,3.25,2.25\nsecond,2.25,3.25\nthird,1.25,1.25\n"
LONG = "system,metric,value\nfirst,accuracy,3\nsecond,accuracy,2\n"
TASKS = "task,first,second\naccuracy,3,2\nfluency,1,2\n"
BALLOTS = "first,second,third,count\n1,2,3,3\n3,1,2,2\n"

# A name with a letter missing for every option that takes one, with data that have the full name.
MISTYPED = {
    "--dataset": "--dataset tenessee",
    "--lower": "table.csv --lower fluncy",
    "--drop": "table.csv --drop fluncy",
    "--only": "table.csv --only fluncy",
    "--weight": "table.csv --weight fluncy=2",
    "--group": "table.csv --group both=accuracy,fluncy",
    "--system": "table.csv --system systm",
    "--instance": "table.csv --instance systm",
    "--task": "long.csv --task metrc --score value",
    "--score": "long.csv --score vlue --task metric",
    "--count": "ballots.csv --format ballots --count cont",
    "--choice": "table.csv --format cast-votes --choice accurcy",
    "--ranking": "long.csv --ranking systm --item metric --rank value",
    "--item": "long.csv --ranking system --item metrc --rank value",
    "--rank": "long.csv --ranking system --item metric --rank vale",
    "--pair": "table.csv --pair first secnd",
    "--reference": "table.csv --reference secnd",
    "--anchor": "table.csv --anchor secnd",
}
COMPARED = {"--first": "system", "--second": "accuracy", "--outcome": "fluency"}
for name in (*COMPARED, "--cluster", "--side", "--covariate"):
    columns = {**COMPARED, name: "fluncy"}
    typed = " ".join(f"{option} {column}" for option, column in columns.items())
    MISTYPED[name] = f"table.csv --format comparisons {typed}"
WON_BY_FIRST = "table.csv --format comparisons --first system --second accuracy --outcome system"
MISTYPED["--category"] = f"{WON_BY_FIRST} --category fluncy"
# Additional options of scans.
SCANNED = {
    "--system": "long.csv --system systm --score value",
    "--task": "long.csv --task metrc",
    "--score": "long.csv --score vlue --system system",
    "--lower": "tasks.csv --task task --lower accurcy",
}
NAMING = ("NAME", "TASK", "COLUMN", "ITEM", "ITEM ITEM", "TASK=NUMBER", "NEW=TASK,TASK")


COMMANDS = _commands_of(app)


@pytest.fixture
def message(called):
    """Run the command line with bad input and return its one sentence."""
    texts = {"table": TABLE, "long": LONG, "ballots": BALLOTS, "tasks": TASKS}
    for name, text in texts.items():
        Path(f"{name}.csv").write_text(text, encoding="utf-8")
    ra.io.write_ballots(ra.Profile.from_orders(["AB", "BA"]), "tie.soi")

    def call(words: str) -> str:
        code, out, err = called(words)
        assert (code, out) == (2, ""), err
        (line,) = [line for line in err.splitlines() if line.lower().startswith("error:")]
        return line

    return call


# An option that several commands share is tried with the first one.
NAMED = {
    id(one): (name, one.opts[0])
    for name, command in reversed(COMMANDS.items())
    for one in command.params
    if one.metavar in NAMING
}.values()


NEEDED = {
    "explain": "--pair first second",
    "test": "--reference first",
    "stability": "--removals",
    "study": "missing-scores",
}


def test_an_unknown_name_names_the_option_and_suggests(message) -> None:
    of_items = ("--pair", "--reference", "--anchor")
    for name, option in NAMED:
        needed = NEEDED.get(name, "")
        if (name, option) in (("test", "--reference"), ("explain", "--pair")):
            needed = ""
        before = "table.csv" if name == "verify" else ""
        typed = {**MISTYPED, **(SCANNED if name == "scan" else {})}[option]
        line = message(f"{name} {before} {typed} {needed}")
        assert f"`{option}`" in line
        assert "Did you mean '" in line
        assert "item" not in line.replace("--item", "") or option in of_items
        known = {opt for one in COMMANDS[name].params for opt in one.opts}
        assert set(re.findall(r"`([^`]*)`", line)) <= known


def test_a_part_of_one_name_is_suggested() -> None:
    names = ["org/m0", "org/m1", "org/m10"]
    assert nearest("m0", names) == "Did you mean 'org/m0'?"
    assert nearest("m1", names) == ""
    assert nearest("g/", names) == ""


def test_nothing_is_suggested_if_no_name_is_similar(message) -> None:
    assert "Did you mean" not in message("rank table.csv --lower qqq")


# Bad input with the words of its message, which names no parameter of a function.
TYPED = {
    "sample --items ,": "`--items` must be distinct labels",
    "verify no.json table.csv": "`CERTIFICATE` must be a readable file",
    "rank table.csv --weight accuracy=1 --weight accuracy=2": "each name on",
    "explain table.csv --pair first first": "`--pair` must be two different",
    "study approximation --culture mallows=1 --missing 0.9": "`--missing` must be a share",
    "report table.csv --unit instance": "`--unit` must be a unit",
    "fit table.csv --drop fluency": "Use --pseudo-rankings 0.5, a --ridge",
    "rank ballots.csv --drop cont": "`--drop` must be a column of ballots.csv",
    "missing table.csv --rule mean": "`--rule` must be a rule that follows --unranked",
    "report table.csv --before ballots.csv --format ballots": "--before reads two tables of scores",
    "changes table.csv long.csv --format ballots": "changes reads two tables of scores",
    "rank table.csv --consensus-ties --tie-cost 0": "`--tie-cost` must be above 0",
    "solve table.csv --above first,first": "`--above` must be ITEM,ITEM, two",
    "solve table.csv --above-all first,first": "`--above-all` must be free of repetitions",
    "solve table.csv --consensus-ties --above first,second": "--consensus-ties excludes",
    "intervals --dataset tennessee --ranks mean": "--ranks mean needs scores",
    "axioms --rule mean": "Axioms are about ballots; mean needs scores",
    "sample table.csv": "FIT is the output of `rankagg fit --json`",
    "steps table.csv --rule young": "`--rule` must be a rule with steps",
    "rank --dataset tennessee --rule mean": "rankings do not hold them. See `rankagg list rules`",
    "rank table.csv --format ballots": "--format lists reads ranked lists, --format cast-votes",
    "count tie.soi --tie-breaking refuse": "Choose another --tie-breaking",
    "report tie.soi --unit task": "Give the profile its groups, or use --unit ranking",
    "scan -": "scan may read files twice",
}


def test_messages_name_no_parameters_of_functions(message) -> None:
    for typed, words in TYPED.items():
        line = message(typed)
        assert words in line, typed
        assert not re.search(r"`[a-z_]+=?`", line)
