"""Tables of steps fit a line and a page, and lose nothing."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import rankagg as ra
from rankagg.core.names import letters
from rankagg.teaching.steps import Formula, Step
from rankagg.teaching.tables import WIDTH, latex_paragraph, latex_table, needs, parted, text_table
from tests.core.test_results import read_latex

FEW = settings(max_examples=20, deadline=None)
WORDS = st.text(alphabet=st.sampled_from("abM模 -_/#&\\[*{>,é" + "\N{EN DASH}"), max_size=60)
NUMBERS = st.sampled_from(["", "0", "-3", "12.5", "0.123456", "1e-06", "none"])


def no_blanks(text):
    return "".join(text.split())


@st.composite
def tables(draw):
    """Tables with their kinds of columns: words, and numbers below any words."""
    texts = draw(st.lists(st.booleans(), min_size=1, max_size=9))
    number = draw(st.integers(0, 4))
    head = draw(st.tuples(*[WORDS] * len(texts)))
    rows = [draw(st.tuples(*[WORDS if is_text else NUMBERS for is_text in texts]))
            for _ in range(number)]  # fmt: skip
    return [head, *rows], texts


@FEW
@given(tables())
@example(([("",) * 9, ("", "", "0.123456", *[""] * 6), ("", "", "none", *[""] * 6)],
          [False] * 9))  # fmt: skip
@example(([("a>>>>", "a>>>>>>", "", "a>>>>>>>>", "", "", "a>>>>", "a>>>>>>>>>>", ""),
           ("", "", "0.123456", "", "a>>>>", "", "", "", ""), ("", "", "none", *[""] * 6)],
          [False, False, False, False, True, False, False, False, False]))  # fmt: skip
def test_blocks_fit_and_hold_all_columns(case):
    rows, texts = case
    blocks = [list(block) for block in parted(rows, texts)]
    assert all(block[0] == 0 for block in blocks)
    assert [k for block in blocks for k in block[1:]] == list(range(1, len(texts)))
    lines = text_table(rows, texts)
    assert all(len(line) <= WIDTH for line in lines)
    expected = "".join(row[k] for block in blocks for row in rows for k in block)
    assert sorted(no_blanks("".join(lines))) == sorted(no_blanks(expected))


def test_points_stand_below_each_other():
    rows = [["a", "b"], ["x", "1.25"], ["y", "-3"], ["z", "none"]]
    assert text_table(rows, [True, False]) == [
        "  a          b", "  x       1.25", "  y      -3", "  z    none",
    ]  # fmt: skip


@FEW
@given(tables())
def test_latex_holds_every_cell(case):
    rows, texts = case
    text = re.sub(r"\\shortstack\[[lr]\]|\\allowbreak", "", latex_table(rows, texts))
    blocks = text.split(r"\toprule")[1:]
    seen = []
    for block in blocks:
        body = block.split(r"\bottomrule")[0].replace(r"\midrule", "")
        lines = [line for line in body.splitlines() if line.endswith(r" \\")]
        seen += [re.split(r"(?<!\\)&", line.removesuffix(r" \\")) for line in lines]
    cells = [cell.replace("$", "").strip() for row in seen[1:] for cell in row]
    words = {no_blanks(read_latex(cell)) for cell in cells if "\\times" not in cell}
    for row in rows[1:]:
        for k, cell in enumerate(row):
            if texts[k] and no_blanks(cell):
                assert no_blanks(" ".join(cell.split())) in words


@FEW
@given(WORDS)
def test_long_words_break_and_keep_their_signs(text):
    said = latex_paragraph(text)
    assert no_blanks(read_latex(said.replace(r"\allowbreak", ""))) == no_blanks(text)


def test_packages_and_signs_are_said():
    row = ["a " * 60, 1]
    assert needs(Step("h", (), ("x", "y"), (("a", 1),)).latex()) == [
        r"% Preamble: \usepackage{booktabs}"
    ]
    assert needs(Step("h", (), ("x", "y"), (tuple(row),) * 30).latex()) == [
        r"% Preamble: \usepackage{booktabs,array,longtable}"
    ]
    (told,) = needs("é")
    assert r"\usepackage[T1]{fontenc}" in told
    assert "XeLaTeX" in told


def test_an_accent_behind_its_letter_is_one_sign_with_it():
    assert latex_paragraph("Mu\N{COMBINING DIAERESIS}ller") == "Müller"


def test_arithmetic_is_told_in_full():
    names = [f"a rather long name of system {k}" for k in range(3)]
    many = ra.ScoreTable([[0.123456] * 16] * 3, systems=names, higher_is_better=True)
    steps = ra.teaching.show_steps(ra.HarmonicMean(), many)
    cell = steps[1].rows[0][1]
    assert isinstance(cell, Formula)
    for written in (str(steps), steps._repr_html_(), steps.to_latex_sections()):
        assert written.count("/0.123456") == 48
        assert "…" not in written


def test_a_function_is_named_without_its_place_in_memory():
    def falling(n):
        return range(n, 0, -1)

    profile = ra.Profile.from_orders(["AB"])
    titles = [ra.teaching.show_steps(ra.Positional(points), profile).title
              for points in (falling, lambda n: [1] * n)]  # fmt: skip
    assert titles == [
        "Positional(weights=falling), step by step", "Positional(weights=a function), step by step",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["x" * 300, "a_b/c-d " * 9])
def test_steps_fit_whatever_the_names(name):
    items = [f"{k}{name}" for k in range(8)]
    profile = ra.Profile.from_orders([items, items[::-1], items[3:] + items[:3]])
    for rule in (ra.Borda(), ra.Schulze(), ra.InstantRunoff()):
        for line in str(ra.teaching.show_steps(rule, profile)).splitlines():
            # A sentence may hold a name that is longer than a line.
            assert letters(line) <= WIDTH or not line.startswith("  ")
