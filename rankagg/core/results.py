"""Results of an analysis: compared, printed, exported, drawn and pasted alike."""

from __future__ import annotations

import importlib
import re
from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from html import escape
from math import isfinite, isnan
from numbers import Integral, Real
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeAlias, dataclass_transform
from unicodedata import normalize

import numpy as np
import pandas as pd

from rankagg._validation import check_flag, check_integer
from rankagg.core.items import counted, shortened
from rankagg.core.value import Value, array_key, frozen_array
from rankagg.exceptions import InvalidInputError, visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: What stands between the ends of a range.
DASH = "\N{EN DASH}"
PRINTED_NUMBER = re.compile(r"(-?(?:inf\b|\d+(?:\.\d+)?(?:e[+-]?\d+)?))")
#: Signs that a key of LaTeX for references may have beside letters and digits.
KEY = re.compile(r"[A-Za-z0-9:._+/-]*")
NAMED_SIGNS = {"\\": "backslash", "~": "asciitilde", "^": "asciicircum", "`": "asciigrave"}
NAMED_SIGNS |= {"<": "less", ">": "greater", "|": "bar"}
LATEX = {sign: f"\\{sign}" for sign in "&%$#_{}"} | {DASH: "--", '"': r"\char34{}"}
LATEX |= {sign: rf"\text{name}{{}}" for sign, name in NAMED_SIGNS.items()}
TO_LATEX = str.maketrans(LATEX)
INFINITY = r"\infty"
# Between two signs that LaTeX would make one of.
JOINED = re.compile(rf"(?<=[-{DASH}])(?=[-{DASH}])|(?<=')(?=')|(?<=,)(?=,)")
# At the start of a row these would belong to the end of the row before.
STARTS = ("[", "*")
MARKDOWN = {sign: f"\\{sign}" for sign in "\\`*_{}[]#$~|^"}
TO_MARKDOWN = str.maketrans(MARKDOWN | {"&": "&amp;", "<": "&lt;", ">": "&gt;"})
# What stands in the place of a number that is missing.
MISSING_CELL = "-"
MOST_DECIMALS = 15
# Rows that are printed unless more are asked for, and that a notebook shows, as pandas does.
ROWS = 30
ROWS_IN_NOTEBOOK = 60


def html_table(head: Sequence[object], rows: Iterable[Sequence[object]], *, named: bool) -> str:
    """Return a table with escaped cells; where rows are named, their first cell is a heading."""
    first = "th" if named else "td"
    body = "".join(
        f"<tr><{first}>{escape(str(lead))}</{first}>"
        + "".join(f"<td>{escape(str(cell))}</td>" for cell in cells)
        + "</tr>"
        for lead, *cells in rows
    )
    top = "".join(f"<th>{escape(str(cell))}</th>" for cell in head)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def _latex_text(text: str) -> str:
    r"""Return text for LaTeX; white space is one space, other control signs are named.

    Examples
    --------
    >>> _latex_text("50% of a_b & c")
    '50\\% of a\\_b \\& c'
    """
    # Letters with accents as one sign: pdfLaTeX sets no accent that follows its letter.
    line = normalize("NFC", _one_line(text))
    told = "{}".join(part.translate(TO_LATEX) for part in JOINED.split(line))
    return f"{{{told[0]}}}{told[1:]}" if line[:1] in STARTS else told


def _latex_number(text: str) -> str:
    r"""Return numbers, and what stands between them, for LaTeX: with a minus, and powers of ten.

    Examples
    --------
    >>> print(_latex_number("-0.5 (-1e-06, 2)"))
    $-$0.5 ($-$1 $\times$ 10\textsuperscript{$-$6}, 2)
    """
    parts = enumerate(PRINTED_NUMBER.split(text))
    return "".join(_in_latex(part) if at % 2 else part.translate(TO_LATEX) for at, part in parts)


def _in_latex(number: str) -> str:
    digits, _, power = number.partition("e")
    told = re.sub(r"-?inf|-", lambda sign: f"${sign[0].replace('inf', INFINITY)}$", digits)
    if power:
        exponent = str(int(power)).replace("-", "$-$")
        told += rf" $\times$ 10\textsuperscript{{{exponent}}}"
    return told


def _markdown_text(text: str) -> str:
    """Return text for a cell of a table in Markdown, as GitHub reads it."""
    return _one_line(text).translate(TO_MARKDOWN)


def _check_key(key: object, parameter: str) -> str:
    """Return a key that LaTeX can refer to."""
    if isinstance(key, str) and KEY.fullmatch(key):
        return key
    raise InvalidInputError(
        parameter, "letters, digits and : . _ + / - alone, as 'tab:results'", key
    )


def _one_line(text: str) -> str:
    """Return text with white space as single spaces, and other control signs by their numbers."""
    return visible(" ".join(text.split()))


#: Which number of a column is the best.
Direction: TypeAlias = Literal["highest", "lowest"]
#: How many decimals numbers have: all, or those of some columns.
Decimals: TypeAlias = int | Mapping[str, int]


class _PastedCell(NamedTuple):
    text: str
    is_number: bool
    is_best: bool

    def latex(self) -> str:
        if self.text == MISSING_CELL:
            return "--"
        told = (_latex_number if self.is_number else _latex_text)(self.text)
        return rf"\textbf{{{told}}}" if self.is_best else told

    def markdown(self) -> str:
        told = _markdown_text(self.text)
        return f"**{told}**" if self.is_best else told


class _Pasted(NamedTuple):
    """A table of texts: the head, the columns, and what stands below where rows are left out."""

    names: list[str]
    columns: list[list[_PastedCell]]
    left_out: str

    @property
    def aligned(self) -> list[str]:
        """The side of each column: right where all that is known are numbers."""
        known = ([c.is_number for c in cells if c.text != MISSING_CELL] for cells in self.columns)
        return ["right" if numbers and all(numbers) else "left" for numbers in known]

    def texts(self, cell: Callable[[_PastedCell], str], text: Callable[[str], str]) -> list[Any]:
        """Return the head and the rows, by functions of a cell and of a text."""
        rows = [list(map(cell, row)) for row in zip(*self.columns, strict=True)]
        if self.left_out:
            rows.append([text(self.left_out), *[""] * (len(self.names) - 1)])
        return [list(map(text, self.names)), rows]


def _decimals_of(decimals: Decimals | None, names: list[str]) -> dict[str, int]:
    """Return how many decimals the numbers of each column have, where that was asked for."""
    if decimals is None:
        return {}
    given = decimals if isinstance(decimals, Mapping) else dict.fromkeys(names, decimals)
    for name in given:
        if name not in names:
            raise InvalidInputError("decimals", f"for columns among {', '.join(names)}", name)
    return {
        name: check_integer(number, "decimals", low=0, high=MOST_DECIMALS)
        for name, number in given.items()
    }


def _is_missing(value: Any) -> bool:
    return value is None or value is pd.NA or (isinstance(value, float) and isnan(value))


def _is_number(value: Any) -> bool:
    is_flag = isinstance(value, bool | np.bool_)
    return isinstance(value, Real) and not is_flag and not _is_missing(value)


class Pastable:
    """What has a table for papers and pages: results, and tables of scores."""

    #: Of the table: what a row is of, and how numbers look that are no integers.
    _row: ClassVar[str] = "item"
    _number: ClassVar[str] = "{:z.3f}"
    #: What prints the numbers of some columns.
    _formats: ClassVar[Mapping[str, Callable[[Any], str]]] = MappingProxyType({})
    #: The columns with the ends of another's interval, which stand behind its number.
    _intervals: ClassVar[Mapping[Any, tuple[str, str]]] = MappingProxyType({})
    #: The columns with a best number, and which it is.
    _best: ClassVar[Mapping[Any, Direction]] = MappingProxyType({})

    @property
    def _caption(self) -> str:
        """What stands above the table unless something else is given."""
        return ""

    def to_latex(
        self,
        *,
        decimals: Decimals | None = None,
        best: bool = True,
        rows: int | None = None,
        caption: str = "",
        label: str = "",
    ) -> str:
        """Return the table for a paper, with the rules of booktabs.

        Parameters
        ----------
        decimals : int or mapping from column to int, optional
            How many decimals numbers have, 0 to 15; by default what is printed.
        best : bool, default True
            Print the best number of a column in bold, with all that are written alike, where it
            is known what is best; none where all numbers are alike.
        rows : int, optional
            How many rows to give at most; a last one says how many there are more.
        caption, label : str, optional
            With one of them the tabular stands in a table; a label has letters, digits and
            ``: . _ + / -``.

        Returns
        -------
        str
            Needs the package booktabs. Labels stand as they are, with their signs escaped and
            white space as one space; letters beyond Latin ones need an engine and a font that
            have them, as XeLaTeX. Missing is a dash; a rank with an interval is "3 (1--5)".
        """
        key = _check_key(label, "label")
        told = self._pasted(decimals, best, rows)
        names, cells = told.texts(_PastedCell.latex, _latex_text)
        above = _latex_text(caption or self._caption)
        return (
            pd.DataFrame(cells, columns=names)
            .style.hide(axis="index")
            .to_latex(
                hrules=True,
                column_format="".join(side[0] for side in told.aligned),
                caption=above or None,
                label=key or None,
                position_float="centering" if above or key else None,
            )
        )

    def to_markdown(
        self,
        *,
        decimals: Decimals | None = None,
        best: bool = True,
        rows: int | None = None,
        caption: str = "",
    ) -> str:
        """Return the table for a page in Markdown, as GitHub reads it.

        Parameters
        ----------
        decimals, best, rows
            As for `to_latex`.
        caption : str, optional
            The paragraph before the table.
        """
        from tabulate import tabulate  # noqa: PLC0415

        told = self._pasted(decimals, best, rows)
        names, cells = told.texts(_PastedCell.markdown, _markdown_text)
        sides = told.aligned if cells else None
        text: str = tabulate(cells, names, "pipe", disable_numparse=True, colalign=sides)
        above = _markdown_text(caption or self._caption)
        return (f"{above}\n\n" if above else "") + text + "\n"

    @abstractmethod
    def _to_paste(self) -> pd.DataFrame:
        """Return the table; an index that has a name is its first column."""

    def _left_out(self, number: int) -> str:
        """Return what stands below a table that is cut off."""
        return f"... and {counted(number, f'more {self._row}')}"

    def _cut(self, table: pd.DataFrame, rows: int | None) -> tuple[pd.DataFrame, int]:
        """Return so many rows of a table, and how many there are more; None is all."""
        left = 0 if rows is None else max(len(table) - rows, 0)
        return table.head(len(table) - left), left

    def _pasted(self, decimals: Decimals | None, best: bool, rows: int | None) -> _Pasted:
        """Return the table as texts."""
        limit = None if rows is None else check_integer(rows, "rows", low=1)
        ways = self._best if check_flag(best, "best") else {}
        every = self._to_paste()
        table, left = self._cut(every, limit)
        if every.index.name is not None:
            every, table = (one.reset_index(allow_duplicates=True) for one in (every, table))
        fixed = _decimals_of(decimals, [str(name) for name in every])
        # By place, since an index may be called as a column is.
        columns = [(name, table.iloc[:, at].tolist()) for at, name in enumerate(table)]
        by_name = dict(columns)
        ends = {end for name in by_name for end in self._intervals.get(name, ())}
        names, cells = [], []
        for name, values in columns:
            if name in ends:
                continue
            told = [self._cell_text(value, str(name), fixed) for value in values]
            top = None
            if name in ways:
                numbers = filter(_is_number, every[name].tolist())
                top = self._best_text(list(numbers), str(name), ways[name], fixed)
            are_best = [text == top for text in told]
            if name in self._intervals:
                bounds = (by_name[end] for end in self._intervals[name])
                shown = ([self._cell_text(v, str(name), fixed) for v in of] for of in bounds)
                told = list(map(_with_interval, told, *shown, values))
            names.append(str(name))
            cells.append(list(map(_PastedCell, told, map(_is_number, values), are_best)))
        return _Pasted(names, cells, self._left_out(left) if left else "")

    def _cell_text(self, value: Any, name: str, fixed: Mapping[str, int]) -> str:
        if _is_missing(value):
            return MISSING_CELL
        if isinstance(value, bool | np.bool_):
            return "yes" if value else "no"
        if not _is_number(value):
            return str(value)
        stated = self._formats.get(name)
        if name in fixed and not isinstance(value, Integral):
            return f"{value:z.{fixed[name]}f}"
        if isinstance(value, Integral):
            return str(int(value)) if stated is None or name in fixed else stated(value)
        return (stated or self._number.format)(value)

    def _best_text(
        self, numbers: list[Any], name: str, way: Direction, fixed: Mapping[str, int]
    ) -> str | None:
        """Return the best number as it is written; None where all are alike, or there is none."""
        if len({self._cell_text(number, name, fixed) for number in numbers}) <= 1:
            return None
        top = max(numbers) if way == "highest" else min(numbers)
        return self._cell_text(top, name, fixed)


def _with_interval(told: str, low: str, high: str, value: Any) -> str:
    if MISSING_CELL in (low, high):
        return told
    # Ranks make a range; of other numbers the second may have a sign.
    return f"{told} ({low}{DASH if isinstance(value, Integral) else ', '}{high})"


@dataclass_transform(
    frozen_default=True, kw_only_default=True, eq_default=False, field_specifiers=(field,)
)
class Result(Pastable, Value):
    """A finding, for a reader, a notebook, a program and a picture.

    A subclass declares fields, as a frozen dataclass does, and takes them by keyword. They are
    what it is: equality and hashing look at all of them but those with `field(compare=False)`,
    and arrays among them become read-only. It states `_schema`, `_facts`, `to_frame` and
    `_content`, and the rest follows: `summary`, the view of a notebook, `to_dict`, `plot`.
    """

    #: The name of its plain data, "rankagg.something", and their version.
    _schema: ClassVar[str]
    _version: ClassVar[int] = 1
    #: The function of `rankagg.plotting` that draws it; None where none does.
    _plot: ClassVar[str | None] = None
    #: Whether facts alone do not say all.
    _prints_table: ClassVar[bool] = True
    #: Whether rows of the printed table have names.
    _named_rows: ClassVar[bool] = True

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        dataclass(frozen=True, eq=False, repr=False, kw_only=True)(cls)
        # `Value` says better what cannot be done.
        del cls.__setattr__, cls.__delattr__

    def __post_init__(self) -> None:
        for value in self.__dict__.values():
            if isinstance(value, np.ndarray):
                frozen_array(value)

    def _key(self) -> tuple[Hashable, ...]:
        values = (getattr(self, f.name) for f in fields(self) if f.compare)  # type: ignore[arg-type]
        return tuple(_key_of(value) for value in values)

    # -- what a subclass says -----------------------------------------------------------------

    @abstractmethod
    def _facts(self) -> Iterable[str]:
        """Return the lines above the table; the first says what this is."""

    @abstractmethod
    def to_frame(self) -> pd.DataFrame:
        """Return the finding as a table."""

    @abstractmethod
    def _content(self) -> Mapping[str, Any]:
        """Return plain data for JSON, beside `schema` and `version`."""

    def _table(self) -> pd.DataFrame:
        """Return the table that is printed and shown; an empty one is left out."""
        return self.to_frame() if self._prints_table else pd.DataFrame()

    def _to_paste(self) -> pd.DataFrame:
        return self.to_frame()

    def _below(self, rows: int | None = ROWS) -> Iterable[str]:
        """Return the lines below the table; `rows` limits what they list."""
        return ()

    def _printed(self, table: pd.DataFrame) -> str:
        """Return rows of the table as text."""
        if self._named_rows:
            table = table.rename(index=shortened).rename_axis(None)
        formats = {name: look for name, look in self._formats.items() if name in table}
        # pandas writes what is missing among whole numbers as <NA>.
        whole = list(table.select_dtypes("Int64"))
        table = table.astype(dict.fromkeys(whole, object)).fillna(dict.fromkeys(whole, "-"))
        return table.to_string(
            index=self._named_rows, na_rep="-", formatters=formats, float_format=self._number.format
        )

    # -- what it gets -------------------------------------------------------------------------

    def _plain(self, *names: str) -> dict[str, Any]:
        """Return attributes, and what methods without arguments return, as plain data for JSON."""
        return {name: _plain_value(getattr(self, name)) for name in names}

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, with `schema` and `version`."""
        return {"schema": self._schema, "version": self._version, **self._content()}

    def plot(self, *, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the finding; its class says with which function of `rankagg.plotting`.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.
        **options
            Those of the function.
        """
        if self._plot is None:
            raise AttributeError(
                f"A {type(self).__name__} has no plot: `to_frame` gives its numbers, and the "
                "functions of `rankagg.plotting` say what they draw."
            )
        # By name: results know nothing about drawing, and Matplotlib is loaded when it is needed.
        draw = getattr(importlib.import_module("rankagg.plotting"), self._plot)
        axes: Axes = draw(self, ax=ax, **options)
        return axes

    def summary(self, *, rows: int | None = ROWS) -> str:
        """Return the finding as text.

        Parameters
        ----------
        rows : int or None, default 30
            How many rows of the table to print at most; None prints all.
        """
        return self._text(self._facts(), rows)

    def _text(self, facts: Iterable[str], rows: int | None) -> str:
        limit = None if rows is None else check_integer(rows, "rows", low=1)
        table, left = self._cut(self._table(), limit)
        shown = [self._printed(table)] if len(table) else []
        more = [self._left_out(left)] if left else []
        return visible("\n".join([*facts, *shown, *more, *self._below(limit)]))

    def summary_parts(self) -> tuple[list[str], pd.DataFrame, list[str]]:
        """Return the lines above the table of `summary`, the table, and the lines below it.

        Returns
        -------
        tuple of list of str, DataFrame and list of str
            The first line says what the result is; the table is empty where none is printed.
        """
        return list(self._facts()), self._table(), list(self._below(None))

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return visible(f"<{type(self).__name__}: {next(iter(self._facts()))}>")

    def _repr_html_(self) -> str:
        table = self._table()
        shown = table.to_html(
            index=self._named_rows,
            na_rep="",
            max_rows=ROWS_IN_NOTEBOOK,
            show_dimensions=len(table) > ROWS_IN_NOTEBOOK,
        )
        return visible(_html(self._facts()) + shown * bool(len(table)) + _html(self._below()))


def _key_of(value: Any) -> Hashable:
    if isinstance(value, np.ndarray):
        return array_key(value)
    # A NaN is unlike itself, but what is unknown in one result is so in its copy.
    key: Hashable = "NaN" if isinstance(value, float) and isnan(value) else value
    return key


def _html(lines: Iterable[str]) -> str:
    # A fact of several lines is a small table.
    tags = ((line, "pre" if "\n" in line else "p") for line in lines if line)
    return "".join(f"<{tag}>{escape(line)}</{tag}>" for line, tag in tags)


def _plain_value(value: Any) -> Any:
    """Return a value, or what a method without arguments returns, as plain data for JSON."""
    if callable(value):
        value = value()
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, float) and not isfinite(value):
        return None
    is_many = isinstance(value, Iterable) and not isinstance(value, str | Mapping)
    return [_plain_value(part) for part in value] if is_many else value


def plain_rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table as plain data for JSON; what JSON cannot hold is None."""
    known = frame.notna() & ~frame.isin([np.inf, -np.inf])
    rows = frame.astype(object).where(known, None).to_dict("records")
    return [{str(name): value for name, value in row.items()} for row in rows]
