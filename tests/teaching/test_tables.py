"""Tables of steps fit a line and a page, and lose nothing."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import rankagg as ra
from rankagg.core.names import letters
from rankagg.teaching.steps import WIDTH, _column_blocks, _text_table

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
    blocks = [list(block) for block in _column_blocks(rows, texts)]
    assert all(block[0] == 0 for block in blocks)
    assert [k for block in blocks for k in block[1:]] == list(range(1, len(texts)))
    lines = _text_table(rows, texts)
    assert all(len(line) <= WIDTH for line in lines)
    expected = "".join(row[k] for block in blocks for row in rows for k in block)
    assert sorted(no_blanks("".join(lines))) == sorted(no_blanks(expected))


def test_points_stand_below_each_other():
    rows = [["a", "b"], ["x", "1.25"], ["y", "-3"], ["z", "none"]]
    assert _text_table(rows, [True, False]) == [
        "  a          b", "  x       1.25", "  y      -3", "  z    none",
    ]  # fmt: skip


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
