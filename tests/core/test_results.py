"""The base class of results, with a small result: text, HTML, plain data."""

import re
from html import unescape

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.core.results import (
    DASH,
    Pastable,
    Result,
    _latex_number,
    _latex_text,
    _markdown_text,
    plain_rows,
)
from rankagg.exceptions import InvalidInputError
from rankagg.testing.results import _latex_cells, _markdown_cells

NAN = float("nan")


class Small(Result):
    """Shares of items; one of them may be unknown."""

    names: tuple[str, ...]
    shares: np.ndarray

    _schema = "test.small"
    _version = 3
    _formats = {"share": "{:.1f}".format}  # noqa: RUF012

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


def test_the_summary_has_facts_a_formatted_table_and_a_cut() -> None:
    assert small().summary().splitlines() == [
        "small", "a table", "of two lines", "    share  other", "<0>   0.0  0.000",
        "<1>   0.1  0.250", "<2>     -      -",
    ]  # fmt: skip
    assert small().summary(rows=2).splitlines()[-1] == "... and 1 more item"
    assert small(40).summary().splitlines()[-1] == "... and 10 more items"
    assert "more" not in small(40).summary(rows=None)


def test_notebooks_show_facts_escaped_and_sixty_rows() -> None:
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


def test_plain_data_state_their_schema_and_hold_no_nan() -> None:
    facts = small().to_dict()
    assert (facts["schema"], facts["version"]) == ("test.small", 3)
    assert facts["rows"][-1] == {"item": "<2>", "share": None, "other": None}


def test_a_result_without_a_plot_names_to_frame() -> None:
    with pytest.raises(AttributeError, match=r"A Small has no plot. `to_frame`"):
        small().plot()


def test_all_fields_are_required_by_keyword() -> None:
    for wrong in ({"nonsense": 1}, {}, {"names": ()}):
        with pytest.raises(TypeError):
            Small(**wrong)
    assert small() == small()
    assert small() != small(4)


HOSTILE = (
    "a_b", "50%", "R&D", "#1", "$x$", "\\input{x}", "~", "x^2", "{", "}", "a|b", "``x''", "a`b",
    "[1em]", "*", "two\nlines", "tab\there", "模型", "--", "---", "\\", "\\\\", "a\\|b", "<b>",
    "&amp;", '"q"', "**bold**", "| - |", "-", "", "\x07", "% \\\\ &", "é", "👍", "1e5", "-3", "nan",
    "''", ",,", "-" + DASH, DASH * 2,
)  # fmt: skip

SIGNS = st.text(alphabet=st.sampled_from("_%&#$\\~^{}|`'\"[]*<>-, \nab1模" + DASH), max_size=8)

NAMES = {
    "textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^", "textless": "<",
    "textgreater": ">", "textbar": "|", "textasciigrave": "`", "char34": '"',
}  # fmt: skip


class Given(Pastable):
    """A table with its looks."""

    def __init__(self, frame, number="{:.3f}", **looks):
        self.frame, self._number = frame, number
        self.__dict__.update({f"_{name}": look for name, look in looks.items()})

    def _to_paste(self):
        return self.frame


def read_latex(text):
    """Read escaped text as LaTeX would set it, sign by sign."""
    found, at = [], 0
    while at < len(text):
        rest = text[at:]
        if name := re.match(r"\\([a-z]+(?:34)?)\{\}", rest):
            found.append(NAMES[name[1]])
        elif (name := re.match(r"\\([&%$#_{}])", rest)) or (
            name := re.match(r"\{([\[*]?)\}", rest)
        ):
            found.append(name[1])
        elif name := re.match(r"---|--", rest):
            found.append(DASH if name[0] == "--" else "a long dash")
        else:
            assert rest[0] not in "\\{}&%$#_~^", text
            name = re.match(r".", rest)
            found.append(rest[0])
        at += len(name[0])
    return "".join(found)


def read_markdown(text):
    """Read escaped text as GitHub would show it."""
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*_{}\[\]#$~|^]", text), text
    return unescape(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text))


def one_line(text):
    return " ".join(text.split()).replace("\x07", "\\x07")


@given(label=SIGNS)
def test_escaped_labels_are_read_back_unchanged(label):
    for one in (label, *HOSTILE):
        assert read_latex(_latex_text(one)) == one_line(one)
        assert read_markdown(_markdown_text(one)) == one_line(one)


@given(labels=st.lists(SIGNS, min_size=1, max_size=3, unique=True))
def test_rows_have_no_line_breaks(labels):
    frame = pd.DataFrame({"x": 1.5}, index=pd.Index(labels, name="a_b"))
    table = Given(frame)
    assert len(_latex_cells(table.to_latex(caption=labels[0]))) == len(labels) + 1
    rows = _markdown_cells(table.to_markdown())
    assert [len(row) for row in rows] == [2] * (len(labels) + 1)
    shown = ["" if row[0] == "" else read_markdown(row[0]) for row in rows[1:]]
    assert shown == [one_line(label) for label in labels]


def table(**columns):
    return pd.DataFrame(columns)


def markdown(frame, looks=None, **options):
    return _markdown_cells(Given(frame, **(looks or {})).to_markdown(**options))[1:]


def test_numbers_have_the_stated_decimals() -> None:
    frame = table(x=[0.12345, -0.00001, np.nan, np.inf], n=[1, 2, 3, 4], p=[0.04, 1.0, 1e-9, 0.5])
    look = {"formats": {"p": "{:.1e}".format}}
    shown = markdown(frame, look)
    assert shown[0] == ["0.123", "1", "4.0e-02"]
    assert shown[2][0] == "-"
    assert [row[0] for row in markdown(frame, look, decimals=1)] == ["0.1", "0.0", "-", "inf"]
    assert [row[2] for row in markdown(frame, look, decimals={"p": 2})][:2] == ["0.04", "1.00"]
    assert markdown(frame, look, decimals={"p": 2})[0][0] == "0.123"
    for wrong in (-1, 16, 1.5, True, {"q": 1}, {"x": -1}):
        with pytest.raises(InvalidInputError, match="decimals"):
            markdown(frame, look, decimals=wrong)


def test_numbers_are_formatted_for_latex() -> None:
    frame = table(x=[-0.5, np.inf, 1e-9])
    text = Given(frame, "{:.3g}").to_latex()
    rows = [r"$-$0.5 \\", r"$\infty$ \\", r"1 $\times$ 10\textsuperscript{$-$9} \\"]
    assert text.splitlines()[4:7] == rows
    assert _latex_number("-inf (-1, 2)") == r"$-\infty$ ($-$1, 2)"


def test_the_best_printed_value_is_bold() -> None:
    ways = {"up": "highest", "down": "lowest", "same": "highest"}
    look = {"number": "{:.2f}", "best": ways}
    frame = table(
        up=[1.001, 1.004, 0.9, np.nan],
        down=[3, 1, 2, 1],
        same=[1.0] * 4,
        other=[1.0, 2.0, 3.0, 4.0],
    )
    shown = markdown(frame, look)
    assert [row[0] for row in shown] == ["**1.00**", "**1.00**", "0.90", "-"]
    assert [row[1] for row in shown] == ["3", "**1**", "2", "**1**"]
    assert [row[2] for row in shown] == ["1.00"] * 4
    assert not any("*" in row[3] for row in shown)
    assert not any("*" in cell for row in markdown(frame, look, best=False) for cell in row)
    # Of all rows, although not all are given.
    assert markdown(frame.iloc[::-1], look, rows=2)[1] == ["0.90", "2", "1.00", "3.00"]


def test_intervals_follow_their_number() -> None:
    ends = {"rank": ("best", "worst"), "effect": ("lower", "upper")}
    look = {"number": "{:.1f}", "intervals": ends}
    frame = table(
        rank=[3, 1], best=[1, 1], worst=[5, 2], effect=[-1.0, 0.5], lower=[-2.0, np.nan],
        upper=[-0.5, np.nan],
    )  # fmt: skip
    assert markdown(frame, look) == [
        [f"3 (1{DASH}5)", "-1.0 (-2.0, -0.5)"], [f"1 (1{DASH}2)", "0.5"],
    ]  # fmt: skip
    text = Given(frame, **look).to_latex()
    assert r"3 (1--5) & $-$1.0 ($-$2.0, $-$0.5) \\" in text


def test_rows_that_are_left_out_are_counted() -> None:
    frame = table(a=["x", "y", "z"], b=[True, False, None])
    assert markdown(frame, rows=2) == [["x", "yes"], ["y", "no"], ["... and 1 more item", ""]]
    assert markdown(frame, rows=3) == [["x", "yes"], ["y", "no"], ["z", "-"]]
    with pytest.raises(InvalidInputError, match="rows"):
        markdown(frame, rows=0)


def test_exported_tables_have_captions_and_checked_labels() -> None:
    frame = table(a=["x"])
    here = Given(frame)
    assert here.to_latex().startswith("\\begin{tabular}{l}\n\\toprule\na \\\\\n")
    text = here.to_latex(caption="50 % & more", label="tab:x_1")
    assert "\\caption{50 \\% \\& more}\n\\label{tab:x_1}\n" in text
    assert here.to_markdown(caption="a|b").startswith("a\\|b\n\n| a")
    for wrong in ("a b", "{", "a%", None):
        with pytest.raises(InvalidInputError, match="label"):
            here.to_latex(label=wrong)


def test_scores_are_bold_by_the_direction_of_their_task() -> None:
    scores = ra.ScoreTable(
        [[1.5, 20.0, np.nan], [2.5, 30.0, 1.0], [2.5, 25.0, -2.0]], systems=["a_b", "B", "C"],
        tasks=["acc", "ms", "a_b"], higher_is_better={"acc": True, "ms": False, "a_b": False},
    )  # fmt: skip
    rows = _markdown_cells(scores.to_markdown(decimals={"ms": 0}))
    assert rows == [
        ["system", "acc", "ms", "a\\_b"], ["a\\_b", "1.5", "**20**", "-"],
        ["B", "**2.5**", "30", "1"], ["C", "**2.5**", "25", "**-2**"],
    ]  # fmt: skip
    assert r"C & \textbf{2.5} & 25 & \textbf{$-$2} \\" in scores.to_latex()
