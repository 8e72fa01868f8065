"""What the base of results makes of a small one: text, HTML, plain data."""

import numpy as np
import pandas as pd
import pytest

import rankagg as ra
from rankagg.core.graphs import connected_parts, strong_parts
from rankagg.core.results import Result, plain_rows
from rankagg.exceptions import InvalidInputError

NAN = float("nan")


class Small(Result):
    """Shares of items; one of them may be unknown."""

    names: tuple[str, ...]
    shares: np.ndarray

    _schema = "test.small"
    _version = 3
    _formats = {"share": "{:.1f}"}  # noqa: RUF012

    def to_frame(self):
        return pd.DataFrame(
            {"share": self.shares, "other": 2 * self.shares},
            index=pd.Index(self.names, name="item"),
        )

    def _facts(self):
        return ["small", "a table\nof two lines"]

    def _content(self):
        return {"rows": plain_rows(self.to_frame().reset_index())}


class Nameless(Small):
    """The same without the names of its rows."""

    _named_rows = False


def small(n=3, kind=Small):
    shares = np.arange(n) / 8
    shares[-1] = NAN
    return kind(names=tuple(f"<{k}>" for k in range(n)), shares=shares)


def test_text_has_facts_the_table_by_its_formats_and_what_is_left_out() -> None:
    assert small().summary().splitlines() == [
        "small", "a table", "of two lines", "    share  other", "<0>   0.0  0.000",
        "<1>   0.1  0.250", "<2>     -      -",
    ]  # fmt: skip
    assert small().summary(rows=2).splitlines()[-1] == "... and 1 more item"
    assert small(40).summary().splitlines()[-1] == "... and 10 more items"
    assert "more" not in small(40).summary(rows=None)


def test_a_notebook_shows_facts_as_they_are_and_sixty_rows() -> None:
    shown = small()._repr_html_()
    assert shown.startswith("<p>small</p><pre>a table\nof two lines</pre><table")
    assert "&lt;0&gt;" in shown
    assert "NaN" not in shown
    assert "2 columns" not in shown
    assert "<th>&lt;0&gt;</th>" in shown
    assert "&lt;0&gt;" not in small(kind=Nameless)._repr_html_()
    many = small(61)._repr_html_()
    assert "2 columns" in many
    assert "&lt;29&gt;" in many
    assert "&lt;30&gt;" not in many


def test_plain_data_say_what_they_are_and_hold_no_nan() -> None:
    facts = small().to_dict()
    assert (facts["schema"], facts["version"]) == ("test.small", 3)
    assert facts["rows"][-1] == {"item": "<2>", "share": None, "other": None}


def test_a_result_that_nothing_draws_says_so() -> None:
    with pytest.raises(AttributeError, match=r"No function of rankagg.plotting draws a Small\."):
        small().plot()


def test_fields_are_by_keyword_all_and_nothing_else() -> None:
    for wrong in ({"nonsense": 1}, {}, {"names": ()}):
        with pytest.raises(TypeError):
            Small(**wrong)
    assert small() == small()
    assert small() != small(4)


# -- what tables and graphs refuse and return -----------------------------------------------------


def test_refusals_name_the_parameter() -> None:
    directions = {"x": True, "y": False, "z": True}
    table = ra.ScoreTable([[1.0, 2.0, 3.0]], systems="A", tasks="xyz", higher_is_better=directions)
    for groups in ({"new": ["x", "y"]}, {"z": ["x"]}, {"a": ["x"], "b": ["x"]}):
        with pytest.raises(InvalidInputError, match=r"^`groups` must be"):
            table.group_tasks(groups)
    profile = ra.Profile.from_orders(["AB"])
    with pytest.raises(InvalidInputError, match=r"^`items` must be a set that holds every item"):
        profile.reindex("A")
    grouped = ra.Profile.from_orders(["AB"], groups=["x"])
    with pytest.raises(InvalidInputError, match=r"^`groups` must be given in both profiles"):
        profile + grouped


def test_parts_of_a_graph() -> None:
    arcs = np.zeros((5, 5), dtype=bool)
    arcs[[0, 1, 2, 3], [1, 2, 0, 2]] = True  # a cycle of three, one that leads into it, one alone
    joined, strong = connected_parts(arcs), strong_parts(arcs)
    assert [joined[0] == joined[k] for k in range(5)] == [True, True, True, True, False]
    assert [strong[0] == strong[k] for k in range(5)] == [True, True, True, False, False]
    assert joined.dtype == strong.dtype == np.int32
