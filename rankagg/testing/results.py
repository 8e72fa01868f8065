"""What every result promises: it is fixed, and says the same in text, notebook, table and JSON."""

from __future__ import annotations

import copy
import inspect
import json
import pickle
import re
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from functools import cache
from html import unescape
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest

import rankagg as ra
from rankagg.core.result import Result
from rankagg.exceptions import InvalidInputError

__all__ = ["ResultContract"]


@cache
def _made(make: Callable[[], Result]) -> Result:
    return make()


def _content(result: Result) -> dict[str, Any]:
    return {field.name: getattr(result, field.name) for field in fields(result)}  # type: ignore[arg-type]


def _compared(result: Result) -> dict[str, float | str]:
    """Return the numbers and texts among the fields that equality looks at."""
    compared = {field.name for field in fields(result) if field.compare}  # type: ignore[arg-type]
    return {
        name: value
        for name, value in _content(result).items()
        if name in compared and isinstance(value, int | float | str)
    }


class ResultContract:
    """Tests of results: values that are printed, shown, tabled, exported and drawn alike.

    Subclass it and set `results`: names, and functions that make a result each. Let one of the
    labels in it be `<script>`, so that the tests see whether it is escaped.

    Examples
    --------
    >>> import rankagg as ra
    >>> from rankagg.testing.results import ResultContract
    >>> ballots = ra.Profile.from_orders([["<script>", "B", "C"], ["C", "<script>", "B"]])
    >>> class TestMine(ResultContract):
    ...     results = {"Friedman": lambda: ra.friedman(ballots)}
    """

    results: ClassVar[Mapping[str, Callable[[], Result]]]

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Run every test with every result."""
        if "result" in metafunc.fixturenames:
            metafunc.parametrize("result", self.results, indirect=True)

    @pytest.fixture
    def result(self, request: pytest.FixtureRequest) -> Result:
        """Make a result, once for all tests."""
        return _made(self.results[request.param])

    # -- a value ------------------------------------------------------------------------------

    def test_cannot_be_changed(self, result: Result) -> None:
        for name in (*_content(result), "something_new"):
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
        for value in (*_content(result).values(), *_content(back).values()):
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
        whole, cut = result.summary(rows=None), result.summary(rows=1)
        if len(result._table()) > 1:
            assert cut != whole
            assert re.search(r"\.\.\. and \d+ more ", cut)
        with pytest.raises(InvalidInputError, match="rows"):
            result.summary(rows=0)

    def test_a_notebook_shows_what_the_text_says(self, result: Result) -> None:
        html = result._repr_html_()
        assert "<script" not in html
        shown = unescape(html)
        for line in (*result._facts(), *result._below()):
            assert line in shown
        for name in result._table().columns:
            assert str(name) in shown

    # -- tables, plain data, plots ------------------------------------------------------------

    def test_tables_are_new_each_time(self, result: Result) -> None:
        table, other = result.to_frame().copy(), result.to_frame()
        for k in range(other.shape[1]):
            other.iloc[:, k] = list(other.iloc[::-1, k])
        pd.testing.assert_frame_equal(result.to_frame(), table)

    def test_is_plain_data_for_json(self, result: Result) -> None:
        plain = result.to_dict()
        assert json.loads(json.dumps(plain, allow_nan=False)).keys() == plain.keys()
        assert plain["schema"].startswith("rankagg.")
        assert type(plain["version"]) is int
        assert plain.keys() > {"schema", "version"}

    def test_has_a_plot_or_says_that_it_has_none(self, result: Result) -> None:
        text = inspect.getdoc(type(result)) or ""
        if result._plot is None:
            assert "no plot" in text
            with pytest.raises(AttributeError, match="plotting"):
                result.plot()
        else:
            assert result._plot in text
            draw = getattr(ra.plotting, result._plot)
            assert {"ax"} <= inspect.signature(draw).parameters.keys()
