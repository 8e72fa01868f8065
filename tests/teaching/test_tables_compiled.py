"""Steps of all rules and solutions of all topics, set by LaTeX as they would be handed out."""

import re
import shutil
import subprocess

import numpy as np
import pytest

import rankagg as ra
from rankagg.aggregation.voting.elimination_rules import Elimination
from rankagg.analysis.rules import RULES
from rankagg.teaching.show import _has_steps

pytestmark = pytest.mark.slow

HOSTILE = ["a_b", "100% & more", "#1", "$x$ ~^", "\\foo{", "Müller\N{EN DASH}Groß", "[*]", "<|>\"'"]
LONG = [
    "DeBERTa-v3-large (fine-tuned, 3 epochs)", "gpt-4-0125-preview", "Meta-Llama-3-70B-Instruct",
    "a/path/to/some/checkpoint_at_step_10000", "claude-3-opus-20240229", "W" * 60, "x" * 96,
    "text-davinci-003",
]  # fmt: skip
# A table may stand out by so many points, which nobody sees.
SEEN = 1.0
STEPS = [rule for rule in RULES if _has_steps(rule)]
WAYS = {rule: ("order", "parallel") for rule in STEPS if issubclass(rule, Elimination)}
WAYS[ra.RankedPairs] = ("parallel",)


def orders(items, number, seed):
    rng = np.random.default_rng(seed)
    rows = [[items[i] for i in rng.permutation(len(items))] for _ in range(number)]
    return ra.Profile.from_orders(rows, items=items, counts=rng.integers(1, 4, number).tolist())


def votes(name):
    if name == "gaps":
        rows = [[1, 2, np.nan, np.nan], [2, 1, 1, 3], [np.nan, 1, 1, np.nan], [1, 2, 3, 4]]
        return ra.Profile.from_ranks(rows, items="ABCD", weights=[1, 0.5, 0.1, 2])
    return {
        "letters": orders(list("ABCD"), 4, 1),
        "eight": orders(list("ABCDEFGH"), 4, 2),
        "five": orders(["Nashville", "Memphis", "Chattanooga", "Knoxville", "Clarksville"], 5, 7),
        "hostile": orders(HOSTILE, 4, 3),
        "long": orders(LONG, 4, 4),
        "one": ra.Profile.from_orders(["A"]),
        "accents": orders(["é", "Mu\N{COMBINING DIAERESIS}ller", "«ø»", "Łódź", "ñ ç ß"], 3, 5),
    }[name]


def scores(name):
    items = {"letters": list("ABC"), "hostile": HOSTILE, "long": LONG}[name]
    table = np.random.default_rng(6).random((len(items), 9)).round(4)
    table[0, 0] = np.nan
    return ra.ScoreTable(
        table, systems=items, tasks=[f"task_{k} of the suite" for k in range(9)],
        higher_is_better=name != "letters",
    )  # fmt: skip


def made(rule):
    named = {ra.Approval: ra.Approval(2), ra.Positional: ra.Positional("borda")}
    return [
        named.get(rule) or rule(),
        *(rule(tie_breaking=ways) for ways in WAYS.get(rule, ())),
    ]  # fmt: skip


def compiled(parts, folder):
    """Set parts as one document, with the packages that they name, and return what was said."""
    asked = {line for part in parts for line in re.findall("% Preamble: ([^;\n]*)", part)}
    text = [
        r"\documentclass[a4paper]{article}", *sorted(asked), r"\begin{document}",
        "\n\\clearpage\n".join(parts), r"\end{document}",
    ]  # fmt: skip
    (folder / "all.tex").write_text("\n".join(text), encoding="utf-8")
    for _ in range(2):  # long tables settle their widths in the second run
        told = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"],
            cwd=folder, capture_output=True, check=False, timeout=300,
        )  # fmt: skip
    return told.returncode, told.stdout.decode("utf-8", "replace")


@pytest.fixture(autouse=True)
def _latex():
    if shutil.which("pdflatex") is None:
        pytest.skip("no pdflatex is installed: `apt-get install texlive-latex-recommended` has it")


def check_looks(parts, folder):
    code, said = compiled(parts, folder)
    assert code == 0, re.findall("^!.*", said, re.MULTILINE)
    wide = [
        size for size in re.findall(r"Overfull \\hbox \(([\d.]+)pt", said) if float(size) > SEEN
    ]
    assert not wide
    assert "Overfull \\vbox" not in said
    assert "Missing character" not in said


@pytest.mark.parametrize(
    ("data", "names"),
    [
        (votes, ["letters", "eight", "five", "hostile", "long", "one", "accents", "gaps"]),
        (scores, ["letters", "hostile", "long"]),
    ],
)
def test_steps_fit_their_pages(data, names, tmp_path):
    rules = [rule for rule in STEPS if (rule.needs == "scores") == (data is scores)]
    for name in names:
        (tmp_path / name).mkdir()
        steps = [ra.teaching.show_steps(m, data(name)) for rule in rules for m in made(rule)]
        check_looks([one.to_latex_sections() for one in steps], tmp_path / name)
