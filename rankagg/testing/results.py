"""Contract suite of results: immutable, and alike as text, notebook, table and JSON."""

from __future__ import annotations

import copy
import inspect
import json
import pickle
import re
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from html import unescape
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest

import rankagg as ra
from rankagg.core import Result
from rankagg.exceptions import InvalidInputError

__all__ = ["ResultContract"]


def _values_of(result: Result) -> dict[str, Any]:
    return {field.name: getattr(result, field.name) for field in fields(result)}  # type: ignore[arg-type]


def _compared(result: Result) -> dict[str, float | str]:
    """Return the numbers and texts among the fields that equality compares."""
    compared = {field.name for field in fields(result) if field.compare}  # type: ignore[arg-type]
    return {
        name: value
        for name, value in _values_of(result).items()
        if name in compared and isinstance(value, int | float | str)
    }


def _latex_cells(text: str) -> list[list[str]]:
    """Return the cells of the tabular in a text; fail if LaTeX could not typeset it.

    Braces must be balanced, environments nested, and every row must have as many cells as the
    tabular has columns. As in LaTeX, a backslash escapes a sign.
    """
    plain = re.sub(r" \\\\\n", " \0\n", text)  # ends of rows
    plain = re.sub(r"\\[&%$#_{}]", "x", plain)
    assert "\\\\" not in plain, text
    depth = 0
    for sign in plain:
        depth += (sign == "{") - (sign == "}")
        assert depth >= 0, f"a brace too many: {text}"
    assert depth == 0, f"a brace is left open: {text}"
    assert not re.search(r"[%#^~]", plain), f"an unescaped sign: {text}"
    # Mathematics is used only for signs of numbers.
    assert "$" not in re.sub(r"\$(-?\\infty|-|\\times)\$", "", plain), text
    assert "_" not in plain, text
    opened = re.findall(r"\\begin{(\w+)}", plain)
    assert re.findall(r"\\end{(\w+)}", plain) == opened[::-1]
    found = re.search(
        r"\\begin{tabular}{([lr]+)}\n\\toprule\n(.*)\\midrule\n(.*)\\bottomrule", plain, re.DOTALL
    )
    assert found is not None, text
    rows = [row.split("&") for row in re.split(r" \0\n", found[2] + found[3]) if row]
    for row in rows:
        assert not re.match(r"\s*[\[*]", row[0]), f"LaTeX reads it with the row before: {text}"
        spans = re.match(r"\\multicolumn{(\d+)}", row[0])
        assert len(found[1]) == (int(spans[1]) if spans else len(row)), text
    return rows


def _all_rows(rows: list[list[str]]) -> int:
    """Return the number of rows, including those that the last row reports as left out."""
    left_out = re.search(r"\.\.\. and (\d+) more ", rows[-1][0])
    return len(rows) + (int(left_out[1]) - 1 if left_out else 0)


def _markdown_cells(text: str) -> list[list[str]]:
    """Return the cells of a Markdown table as GitHub splits it, without caption and rules."""
    lines = text.rpartition("\n\n")[2].splitlines()
    assert all(line.startswith("|") and line.endswith("|") for line in lines), text
    assert re.fullmatch(r"(\|:?-+:?)+\|", lines[1]), text
    cells = [re.findall(r"((?:\\.|[^|\\])*)\|", line[1:]) for line in [lines[0], *lines[2:]]]
    return [[cell.strip() for cell in row] for row in cells]


class ResultContract:
    """Tests of results: values that are printed, shown, tabulated, exported and drawn alike.

    Subclass it and set `results`: names, each with a function that makes a result. Use `<script>`
    as one of its labels, so that the tests check escaping.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg.testing.results import ResultContract
    >>> ballots = ra.Profile.from_orders([["<script>", "B", "C"], ["C", "<script>", "B"]])
    >>> class TestMine(ResultContract):
    ...     results = {"Friedman": lambda: ra.inference.friedman(ballots)}
    """

    results: ClassVar[Mapping[str, Callable[[], Result]]]

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Run every test with every result."""
        if "result" in metafunc.fixturenames:
            metafunc.parametrize("result", self.results, indirect=True)

    @pytest.fixture(scope="class")
    @classmethod
    def result(cls, request: pytest.FixtureRequest) -> Result:
        """Make a result once for all its tests, which run one after the other."""
        return cls.results[request.param]()

    # -- a value ------------------------------------------------------------------------------

    def test_cannot_be_changed(self, result: Result) -> None:
        for name in (*_values_of(result), "something_new"):
            with pytest.raises(AttributeError, match="immutable"):
                setattr(result, name, None)
            with pytest.raises(AttributeError, match="immutable"):
                delattr(result, name)

    def test_takes_its_fields_and_nothing_else(self, result: Result) -> None:
        again = replace(result)  # type: ignore[type-var]
        assert again == result
        with pytest.raises(TypeError, match="nonsense"):
            replace(result, nonsense=1)  # type: ignore[type-var]

    def test_its_copies_are_equal(self, result: Result) -> None:
        assert result != "something else"
        assert copy.copy(result) == copy.deepcopy(result) == result
        back = pickle.loads(pickle.dumps(result))
        assert back == result
        assert hash(back) == hash(result)
        assert back.summary() == result.summary()

    def test_its_arrays_are_read_only(self, result: Result) -> None:
        back = pickle.loads(pickle.dumps(result))
        for value in (*_values_of(result).values(), *_values_of(back).values()):
            assert not (isinstance(value, np.ndarray) and value.flags.writeable)

    def test_differs_where_a_field_differs(self, result: Result) -> None:
        for name, value in _compared(result).items():
            other = value + 1 if isinstance(value, int | float) else f"another {value}"
            assert replace(result, **{name: other}) != result  # type: ignore[type-var]

    def test_its_fields_are_described(self, result: Result) -> None:
        text = inspect.getdoc(type(result)) or ""
        described = re.findall(r"^([\w, ]+) : ", text, flags=re.MULTILINE)
        names = {name for line in described for name in line.split(", ")}
        own = {name for name in type(result).__annotations__ if name[0] != "_"}
        inherited = getattr(type(result).__base__, "__dataclass_fields__", {}).keys()
        assert own - names - inherited == set()

    # -- text and notebook --------------------------------------------------------------------

    def test_prints_its_summary(self, result: Result) -> None:
        assert str(result) == result.summary()
        assert re.fullmatch(rf"<{type(result).__name__}\b.+>", repr(result))

    def test_the_summary_can_be_cut_and_says_so(self, result: Result) -> None:
        full, cut = result.summary(rows=None), result.summary(rows=1)
        if len(result.summary_parts()[1]) > 1:
            assert cut != full
            assert re.search(r"\.\.\. and \d+ more ", cut)
        with pytest.raises(InvalidInputError, match="rows"):
            result.summary(rows=0)

    def test_a_notebook_shows_what_the_text_says(self, result: Result) -> None:
        html = result._repr_html_()
        assert "<script" not in html
        shown = unescape(html)
        above, table, below = result.summary_parts()
        for line in (*above, *map(str, table.columns), *below):
            assert line in shown

    # -- tables, plain data, plots ------------------------------------------------------------

    def test_tables_are_new_each_time(self, result: Result) -> None:
        table, other = result.to_frame().copy(), result.to_frame()
        for k in range(other.shape[1]):
            other.iloc[:, k] = list(other.iloc[::-1, k])
        pd.testing.assert_frame_equal(result.to_frame(), table)

    def test_is_plain_data_for_json(self, result: Result) -> None:
        plain = result.to_dict()
        assert json.loads(json.dumps(plain, allow_nan=False)).keys() == plain.keys()
        assert re.fullmatch(r"\w+\.\w+", plain["schema"])
        assert type(plain["version"]) is int
        assert plain.keys() > {"schema", "version"}

    def test_latex_is_balanced_and_holds_no_sign_of_its_own(self, result: Result) -> None:
        text = result.to_latex(rows=3, caption="50 % of a_b", label="tab:a")
        assert text.startswith("\\begin{table}\n\\centering\n\\caption{50 \\% of a\\_b}\n")
        cells = _latex_cells(text)
        assert _all_rows(cells) == len(_latex_cells(result.to_latex()))
        assert "<" not in text
        assert ">" not in text

    def test_markdown_has_as_many_cells_in_every_row(self, result: Result) -> None:
        rows = _markdown_cells(result.to_markdown(rows=3))
        assert _all_rows(rows) == len(_markdown_cells(result.to_markdown()))
        assert len(set(map(len, rows))) == 1
        assert "<" not in result.to_markdown()

    def test_what_cannot_be_pasted_is_refused(self, result: Result) -> None:
        with pytest.raises(InvalidInputError, match="decimals"):
            result.to_latex(decimals={"no such column": 1})
        with pytest.raises(InvalidInputError, match="label"):
            result.to_latex(label="a b")

    def test_has_a_plot_or_says_that_it_has_none(self, result: Result) -> None:
        text = inspect.getdoc(type(result)) or ""
        if "no plot" in text:
            with pytest.raises(AttributeError, match="has no plot"):
                result.plot()
            return
        drawn = []
        with pytest.MonkeyPatch.context() as patch:
            for name in dir(ra.plotting):
                if re.search(rf"\b{name}\b", text):
                    assert "ax" in inspect.signature(getattr(ra.plotting, name)).parameters
                    patch.setattr(ra.plotting, name, lambda result, ax: drawn.append(result))
            result.plot()
        assert drawn == [result]
