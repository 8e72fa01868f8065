"""Base classes of results: comparison, printing, export and plotting."""

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

#: The dash of a range.
DASH = "\N{EN DASH}"
PRINTED_NUMBER = re.compile(r"(-?(?:inf\b|\d+(?:\.\d+)?(?:e[+-]?\d+)?))")
#: Characters of a LaTeX reference key.
KEY = re.compile(r"[A-Za-z0-9:._+/-]*")
NAMED_SIGNS = {"\\": "backslash", "~": "asciitilde", "^": "asciicircum", "`": "asciigrave"}
NAMED_SIGNS |= {"<": "less", ">": "greater", "|": "bar"}
LATEX = {sign: f"\\{sign}" for sign in "&%$#_{}"} | {DASH: "--", '"': r"\char34{}"}
LATEX |= {sign: rf"\text{name}{{}}" for sign, name in NAMED_SIGNS.items()}
TO_LATEX = str.maketrans(LATEX)
INFINITY = r"\infty"
# Between two signs that LaTeX would join to one.
JOINED = re.compile(rf"(?<=[-{DASH}])(?=[-{DASH}])|(?<=')(?=')|(?<=,)(?=,)")
# At the start of a row LaTeX reads these as options of the previous row's end.
STARTS = ("[", "*")
MARKDOWN = {sign: f"\\{sign}" for sign in "\\`*_{}[]#$~|^"}
TO_MARKDOWN = str.maketrans(MARKDOWN | {"&": "&amp;", "<": "&lt;", ">": "&gt;"})
# The cell of a missing number.
MISSING_CELL = "-"
MOST_DECIMALS = 15
# Default number of rows in print, and of rows in a notebook as in pandas.
ROWS = 30
ROWS_IN_NOTEBOOK = 60


def html_table(head: Sequence[object], rows: Iterable[Sequence[object]], *, named: bool) -> str:
    """Return an HTML table with escaped cells; the first cell of a named row is a heading."""
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
    r"""Return text for LaTeX with single spaces; other control characters are printed as codes.

    Examples
    --------
    >>> _latex_text("50% of a_b & c")
    '50\\% of a\\_b \\& c'
    """
    # Composed letters, because pdfLaTeX cannot set combining accents.
    line = normalize("NFC", _one_line(text))
    latex = "{}".join(part.translate(TO_LATEX) for part in JOINED.split(line))
    return f"{{{latex[0]}}}{latex[1:]}" if line[:1] in STARTS else latex


def _latex_number(text: str) -> str:
    r"""Return a text with numbers for LaTeX, with minus signs and powers of ten.

    Examples
    --------
    >>> print(_latex_number("-0.5 (-1e-06, 2)"))
    $-$0.5 ($-$1 $\times$ 10\textsuperscript{$-$6}, 2)
    """
    parts = enumerate(PRINTED_NUMBER.split(text))
    return "".join(_latex_power(part) if i % 2 else part.translate(TO_LATEX) for i, part in parts)


def _latex_power(number: str) -> str:
    digits, _, power = number.partition("e")
    latex = re.sub(r"-?inf|-", lambda sign: f"${sign[0].replace('inf', INFINITY)}$", digits)
    if power:
        exponent = str(int(power)).replace("-", "$-$")
        latex += rf" $\times$ 10\textsuperscript{{{exponent}}}"
    return latex


def _markdown_text(text: str) -> str:
    """Return the text of a cell in GitHub's Markdown."""
    return _one_line(text).translate(TO_MARKDOWN)


def _one_line(text: str) -> str:
    """Return text with single spaces, and with codes for other control characters."""
    return visible(" ".join(text.split()))


#: Whether the best number of a column is the highest or the lowest.
Direction: TypeAlias = Literal["highest", "lowest"]
#: Number of decimals, of all columns or by column.
Decimals: TypeAlias = int | Mapping[str, int]


class _PastedCell(NamedTuple):
    text: str
    is_number: bool
    is_best: bool

    def latex(self) -> str:
        if self.text == MISSING_CELL:
            return "--"
        latex = (_latex_number if self.is_number else _latex_text)(self.text)
        return rf"\textbf{{{latex}}}" if self.is_best else latex

    def markdown(self) -> str:
        text = _markdown_text(self.text)
        return f"**{text}**" if self.is_best else text


class _Pasted(NamedTuple):
    """A table of texts: heading, columns, and the number of rows left out."""

    names: list[str]
    columns: list[list[_PastedCell]]
    left_out: str

    @property
    def alignments(self) -> list[str]:
        """The alignment of each column; columns of numbers are right-aligned."""
        filled = ([c.is_number for c in cells if c.text != MISSING_CELL] for cells in self.columns)
        return ["right" if numbers and all(numbers) else "left" for numbers in filled]

    def texts(self, cell: Callable[[_PastedCell], str], text: Callable[[str], str]) -> list[Any]:
        """Return the heading and the rows, formatted by functions of a cell and of a text."""
        rows = [list(map(cell, row)) for row in zip(*self.columns, strict=True)]
        if self.left_out:
            rows.append([text(self.left_out), *[""] * (len(self.names) - 1)])
        return [list(map(text, self.names)), rows]


def _column_decimals(decimals: Decimals | None, names: list[str]) -> dict[str, int]:
    """Return the number of decimals of each column that has one."""
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
    """Objects with a table for papers and pages: results and tables of scores."""

    #: The noun for a row, and the format of numbers that are not integers.
    _row: ClassVar[str] = "item"
    _number: ClassVar[str] = "{:z.3f}"
    #: Functions that print the numbers of some columns.
    _formats: ClassVar[Mapping[str, Callable[[Any], str]]] = MappingProxyType({})
    #: The columns with the ends of a column's interval, which is printed after its number.
    _intervals: ClassVar[Mapping[Any, tuple[str, str]]] = MappingProxyType({})
    #: Columns with a best number, and its direction.
    _best: ClassVar[Mapping[Any, Direction]] = MappingProxyType({})

    @property
    def _caption(self) -> str:
        """The default caption of the table."""
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
        """Return the table for a paper in LaTeX, with the package booktabs.

        Parameters
        ----------
        decimals : int or mapping from column to int, optional
            Number of decimals, 0 to 15; by default as in print.
        best : bool, default True
            Print the best number of a column, and all that are printed alike, in bold. Columns
            without a known direction, or with equal numbers, have none.
        rows : int, optional
            The maximum number of rows; a last row counts the rows left out.
        caption, label : str, optional
            If one is given, the tabular is put into a table. A label has letters, digits and
            ``: . _ + / -``.

        Returns
        -------
        str
            LaTeX that needs the package booktabs. Special characters of labels are escaped, and
            white space becomes one space. Letters that are not Latin need an engine and a font
            that have them, such as XeLaTeX. A missing value is a dash; a rank with an interval
            is "3 (1--5)".
        """
        if not (isinstance(label, str) and KEY.fullmatch(label)):
            allowed = "letters, digits and : . _ + / - alone, as 'tab:results'"
            raise InvalidInputError("label", allowed, label)
        pasted = self._pasted(decimals, best, rows)
        names, cells = pasted.texts(_PastedCell.latex, _latex_text)
        above = _latex_text(caption or self._caption)
        return (
            pd.DataFrame(cells, columns=names)
            .style.hide(axis="index")
            .to_latex(
                hrules=True,
                column_format="".join(side[0] for side in pasted.alignments),
                caption=above or None,
                label=label or None,
                position_float="centering" if above or label else None,
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
        """Return the table in GitHub's Markdown.

        Parameters
        ----------
        decimals, best, rows
            As for `to_latex`.
        caption : str, optional
            A paragraph before the table.
        """
        from tabulate import tabulate  # noqa: PLC0415

        pasted = self._pasted(decimals, best, rows)
        names, cells = pasted.texts(_PastedCell.markdown, _markdown_text)
        sides = pasted.alignments if cells else None
        text: str = tabulate(cells, names, "pipe", disable_numparse=True, colalign=sides)
        above = _markdown_text(caption or self._caption)
        return (f"{above}\n\n" if above else "") + text + "\n"

    @abstractmethod
    def _to_paste(self) -> pd.DataFrame:
        """Return the table; a named index becomes its first column."""

    def _left_out(self, number: int) -> str:
        """Return the line below a table that counts the rows left out."""
        return f"... and {counted(number, f'more {self._row}')}"

    def _cut(self, table: pd.DataFrame, rows: int | None) -> tuple[pd.DataFrame, int]:
        """Return at most `rows` rows of a table, and the number of rows left out."""
        left = 0 if rows is None else max(len(table) - rows, 0)
        return table.head(len(table) - left), left

    def _pasted(self, decimals: Decimals | None, best: bool, rows: int | None) -> _Pasted:
        """Return the table as texts."""
        limit = None if rows is None else check_integer(rows, "rows", low=1)
        directions = self._best if check_flag(best, "best") else {}
        full = self._to_paste()
        table, left = self._cut(full, limit)
        if full.index.name is not None:
            full, table = (one.reset_index(allow_duplicates=True) for one in (full, table))
        fixed = _column_decimals(decimals, [str(name) for name in full])
        # By position, since an index may have the name of a column.
        columns = [(name, table.iloc[:, at].tolist()) for at, name in enumerate(table)]
        by_name = dict(columns)
        ends = {end for name in by_name for end in self._intervals.get(name, ())}
        names, cells = [], []
        for name, values in columns:
            if name in ends:
                continue
            texts = [self._cell_text(value, str(name), fixed) for value in values]
            top = None
            if name in directions:
                numbers = filter(_is_number, full[name].tolist())
                top = self._best_text(list(numbers), str(name), directions[name], fixed)
            are_best = [text == top for text in texts]
            if name in self._intervals:
                bounds = (by_name[end] for end in self._intervals[name])
                shown = ([self._cell_text(v, str(name), fixed) for v in side] for side in bounds)
                texts = list(map(_interval_text, texts, *shown, values))
            names.append(str(name))
            cells.append(list(map(_PastedCell, texts, map(_is_number, values), are_best)))
        return _Pasted(names, cells, self._left_out(left) if left else "")

    def _cell_text(self, value: Any, name: str, fixed: Mapping[str, int]) -> str:
        if _is_missing(value):
            return MISSING_CELL
        if isinstance(value, bool | np.bool_):
            return "yes" if value else "no"
        if not _is_number(value):
            return str(value)
        form = self._formats.get(name)
        if name in fixed and not isinstance(value, Integral):
            return f"{value:z.{fixed[name]}f}"
        if isinstance(value, Integral):
            return str(int(value)) if form is None or name in fixed else form(value)
        return (form or self._number.format)(value)

    def _best_text(
        self, numbers: list[Any], name: str, direction: Direction, fixed: Mapping[str, int]
    ) -> str | None:
        """Return the best number as text; None if all are printed alike, or there is none."""
        if len({self._cell_text(number, name, fixed) for number in numbers}) <= 1:
            return None
        top = max(numbers) if direction == "highest" else min(numbers)
        return self._cell_text(top, name, fixed)


def _interval_text(text: str, low: str, high: str, value: Any) -> str:
    if MISSING_CELL in (low, high):
        return text
    # A dash joins ranks alone, since other numbers may be negative.
    return f"{text} ({low}{DASH if isinstance(value, Integral) else ', '}{high})"


@dataclass_transform(
    frozen_default=True, kw_only_default=True, eq_default=False, field_specifiers=(field,)
)
class Result(Pastable, Value):
    """A result with a summary, a notebook view, plain data and a plot.

    A subclass declares fields, as a frozen dataclass does, and takes them by keyword. Equality
    and hashing use all fields but those with `field(compare=False)`; arrays become read-only. A
    subclass defines `_schema`, `_facts`, `to_frame` and `_content`; `summary`, the notebook
    view, `to_dict` and `plot` are derived from them.
    """

    #: The name of its plain data, "rankagg.something", and their version.
    _schema: ClassVar[str]
    _version: ClassVar[int] = 1
    #: The function of `rankagg.plotting` that draws it, or None.
    _plot: ClassVar[str | None] = None
    #: Whether the table is printed below the facts.
    _prints_table: ClassVar[bool] = True
    #: Whether rows of the printed table have names.
    _named_rows: ClassVar[bool] = True

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        dataclass(frozen=True, eq=False, repr=False, kw_only=True)(cls)
        # `Value` has clearer messages.
        del cls.__setattr__, cls.__delattr__

    def __post_init__(self) -> None:
        for value in self.__dict__.values():
            if isinstance(value, np.ndarray):
                frozen_array(value)

    def _key(self) -> tuple[Hashable, ...]:
        values = (getattr(self, f.name) for f in fields(self) if f.compare)  # type: ignore[arg-type]
        return tuple(_key_of(value) for value in values)

    # -- what a subclass defines --------------------------------------------------------------

    @abstractmethod
    def _facts(self) -> Iterable[str]:
        """Return the lines above the table; the first names the result."""

    @abstractmethod
    def to_frame(self) -> pd.DataFrame:
        """Return the result as a table."""

    @abstractmethod
    def _content(self) -> Mapping[str, Any]:
        """Return plain data for JSON, without `schema` and `version`."""

    def _table(self) -> pd.DataFrame:
        """Return the table to print; an empty one is not printed."""
        return self.to_frame() if self._prints_table else pd.DataFrame()

    def _to_paste(self) -> pd.DataFrame:
        return self.to_frame()

    def _below(self, rows: int | None = ROWS) -> Iterable[str]:
        """Return the lines below the table; they list at most `rows` items."""
        return ()

    def _printed(self, table: pd.DataFrame) -> str:
        """Return rows of the table as text."""
        if self._named_rows:
            table = table.rename(index=shortened).rename_axis(None)
        formats = {name: form for name, form in self._formats.items() if name in table}
        # pandas prints missing integers as <NA>.
        integers = list(table.select_dtypes("Int64"))
        table = table.astype(dict.fromkeys(integers, object)).fillna(dict.fromkeys(integers, "-"))
        return table.to_string(
            index=self._named_rows, na_rep="-", formatters=formats, float_format=self._number.format
        )

    # -- what every result has ----------------------------------------------------------------

    def _plain(self, *names: str) -> dict[str, Any]:
        """Return attributes and results of methods as plain data for JSON."""
        return {name: _plain_value(getattr(self, name)) for name in names}

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, with `schema` and `version`."""
        return {"schema": self._schema, "version": self._version, **self._content()}

    def plot(self, *, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the result with the function of `rankagg.plotting` for its class.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw on; a new figure by default.
        **options
            Options of the function.
        """
        if self._plot is None:
            raise AttributeError(
                f"A {type(self).__name__} has no plot. `to_frame` returns its numbers."
            )
        # By name, so that Matplotlib is imported only for a plot.
        draw = getattr(importlib.import_module("rankagg.plotting"), self._plot)
        axes: Axes = draw(self, ax=ax, **options)
        return axes

    def summary(self, *, rows: int | None = ROWS) -> str:
        """Return the result as text.

        Parameters
        ----------
        rows : int or None, default 30
            The maximum number of printed rows of the table; None prints all.
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
            The first line names the result; the table is empty if none is printed.
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
    # NaN is not equal to itself, but a result must equal its copy.
    return "NaN" if isinstance(value, float) and isnan(value) else value


def _html(lines: Iterable[str]) -> str:
    # A fact with several lines is a small table.
    tags = ((line, "pre" if "\n" in line else "p") for line in lines if line)
    return "".join(f"<{tag}>{escape(line)}</{tag}>" for line, tag in tags)


def _plain_value(value: Any) -> Any:
    """Return a value, or the result of a method, as plain data for JSON."""
    if callable(value):
        value = value()
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, float) and not isfinite(value):
        return None
    is_many = isinstance(value, Iterable) and not isinstance(value, str | Mapping)
    return [_plain_value(part) for part in value] if is_many else value


def plain_rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table as plain data for JSON; missing and infinite values are None."""
    finite = frame.notna() & ~frame.isin([np.inf, -np.inf])
    rows = frame.astype(object).where(finite, None).to_dict("records")
    return [{str(name): value for name, value in row.items()} for row in rows]
