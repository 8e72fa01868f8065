"""Workbooks of Excel: cells are read, or refused by their place, at little cost."""

import re
import warnings
import zipfile
from io import BytesIO

import numpy as np
import openpyxl
import pandas as pd
import pytest
from click.testing import CliRunner

import rankagg as ra
from rankagg.cli.app import app
from rankagg.exceptions import DataFormatError
from rankagg.io.tables.reading import read_table
from tests.io.damage import little_memory
from tests.io.tables.workbooks import HEADER, MAIN, parts_of, rows_of, workbook, zipped

PLAIN = (
    '<row r="2"><c r="A2" t="inlineStr"><is><t>A</t></is></c><c r="B2"><v>0.5</v></c></row>'
    '<row r="3"><c r="A3" t="inlineStr"><is><t>B</t></is></c><c r="B3"><v>2</v></c></row>'
)


def written(path, content):
    path.write_bytes(content)
    return path


def scores(path, **options):
    return ra.read_scores(path, higher_is_better=True, **options)


@pytest.fixture
def book(tmp_path):
    """Return a function from the rows of a sheet to the path of a workbook."""
    return lambda rows, **parts: written(tmp_path / "a.xlsx", workbook(rows, **parts))


@pytest.fixture
def read(book):
    """Read a table from the rows of a sheet."""
    return lambda rows, **parts: read_table(book(rows, **parts))


@pytest.fixture
def refused(book):
    """Return the sentence with which scores are refused."""

    def of_rows(rows, **parts):
        with pytest.raises(DataFormatError) as caught:
            scores(book(rows, **parts))
        return str(caught.value)

    return of_rows


# -- reading --------------------------------------------------------------------------------------


def test_every_kind_of_cell_is_read(read):
    strings = (
        f"<sst {MAIN}><si><t>system</t></si>"
        '<si><r><t>a</t></r><r><t>cc</t></r><rPh sb="0" eb="1"><t>no</t></rPh></si>'
        '<si><t xml:space="preserve"> two\nlines </t></si></sst>'
    )
    rows = (
        f"{HEADER}"
        '<row r="3"><c r="A3" t="s"><v>2</v></c><c r="B3"><v>-1.5E-2</v></c></row>'
        '<row><c t="inlineStr"><is><r><t>in</t></r><r><t>line</t></r></is></c>'
        "<c><v>7.0</v></c></row>"
        '<row r="9"><c r="A9" t="str"><f>B4&amp;""</f><v>of a formula</v></c>'
        '<c r="B9"><f>1+1</f><v>9007199254740993</v></c><c r="D9" t="b"><v>1</v></c></row>'
        '<row r="10"><c r="A10"><v>1e3</v></c><c r="B10" t="str"><f>""</f><v></v></c></row>'
        '<row r="11"><c r="A11" t="s"/><c r="B11" s="1"/></row>'
    )
    table = read(rows, strings=strings)
    assert table.header == ["system", "acc", ""]  # column C is empty, column D has no name
    assert table.lines() == [3, 4, 9, 10]
    assert rows_of(table) == [
        [" two\nlines ", -0.015, None], ["inline", 7, None],
        ["of a formula", 2**53 + 1, True], [1000, None, None],
    ]  # fmt: skip
    assert [type(row[1]) for row in rows_of(table)[:3]] == [float, int, int]


def test_workbooks_are_read_as_by_pandas(tmp_path):
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.normal(size=(40, 3)) * 10.0 ** rng.integers(-300, 300, (40, 3)))
    frame.columns = ["x", "y", "\u00e9\u4e2d"]
    frame.insert(0, "system", [f"<s & {i}>" for i in range(40)])
    frame.iloc[3, 2] = None
    frame["whole"] = rng.integers(-(2**62), 2**62, 40)
    book = openpyxl.Workbook()
    book.active.append(list(frame.columns))
    for row in frame.astype(object).where(frame.notna(), None).itertuples(index=False):
        book.active.append(list(row))
    book.create_sheet("another").append(["not", "read"])
    book.save(tmp_path / "a.xlsx")
    with pytest.warns(ra.exceptions.DataWarning, match="'Sheet' was read, and not another"):
        ours = read_table(tmp_path / "a.xlsx")
    theirs = pd.read_excel(tmp_path / "a.xlsx", engine="openpyxl", dtype=object)
    assert ours.header == list(theirs.columns)
    assert rows_of(ours) == theirs.where(theirs.notna(), None).to_numpy().tolist()


def with_sheets(*contents, first=HEADER + PLAIN):
    """Return a workbook with sheets called s0, s1, ... behind the one called Scores."""
    parts = parts_of(first)
    book, links = parts["xl/workbook.xml"], parts["xl/_rels/workbook.xml.rels"]
    for at, content in enumerate(contents):
        book = book.replace(
            "</sheets>", f'<sheet name="s{at}" sheetId="{at + 2}" r:id="x{at}"/></sheets>'
        )
        link = links.partition('Id="r0"')[2].partition("/>")[0].replace("one.xml", f"x{at}.xml")
        end = "</Relationships>"
        links = links.replace(end, f'<Relationship Id="x{at}"{link}/>{end}')
        parts[f"xl/worksheets/x{at}.xml"] = content
    return zipped(parts | {"xl/workbook.xml": book, "xl/_rels/workbook.xml.rels": links})


def test_sheets_that_were_not_read_are_named(tmp_path):
    empty = parts_of('<row r="1"><c r="A1" s="1"/></row>')["xl/worksheets/one.xml"]
    filled = parts_of(HEADER)["xl/worksheets/one.xml"]
    path = written(tmp_path / "a.xlsx", with_sheets(empty, filled, empty, filled))
    with pytest.warns(ra.exceptions.DataWarning) as caught:
        scores(path)
    (one,) = caught
    assert str(one.message) == "a.xlsx: sheet 'Scores' was read, and not s1, s3."
    assert one.filename == __file__
    with pytest.warns(ra.exceptions.DataWarning):
        done = CliRunner().invoke(app, ["rank", str(path)])
    assert "note: a.xlsx: sheet 'Scores' was read, and not s1, s3." in done.output
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores(written(tmp_path / "b.xlsx", with_sheets(empty, empty)))


def test_empty_workbooks_are_refused(refused):
    assert refused("") == "a.xlsx is empty; it must hold a header and at least one row."
    assert "is empty" in refused(
        '<row r="1"><c r="A1" s="1"/></row>', after="<mergeCell ref='A1:Z9'/>"
    )
    assert "a header and no rows" in refused(HEADER)


# -- cells without a value ------------------------------------------------------------------------

CELL = '<row r="2"><c r="A2" t="inlineStr"><is><t>A</t></is></c>{}</row>'
ERRORS = ["#DIV/0!", "#REF!", "#VALUE!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#SPILL!"]
PLACE = r"a\.xlsx, row 2, column 'acc' must be a finite number or empty for missing\. Got "


def test_error_cells_are_refused_by_their_place(refused):
    for error in ERRORS:
        text = refused(HEADER + CELL.format(f'<c r="B2" t="e"><v>{error}</v></c>'))
        assert re.match(PLACE + re.escape(f"the error {error} (cell B2 of sheet 'Scores'). "), text)
        assert text.endswith("Clear the cell where the value is missing.")


@pytest.mark.parametrize(
    "cell",
    ['<c r="B2"><f>1+1</f></c>', '<c r="B2"><f>1+1</f><v></v></c>', '<c r="B2"><f>1</f><v/></c>',
     '<c r="B2"><f t="shared" si="0"/></c>'],
)  # fmt: skip
def test_formulas_without_a_value_are_refused(cell, refused):
    message = refused(HEADER + CELL.format(cell))
    assert re.match(
        PLACE + r"a formula whose value is still to be calculated \(cell B2 of sheet 'Scores'\)",
        message,
    )
    assert message.endswith("let it calculate, and save it.")


# Numbers of formats, and whether these are of dates: the ends of the East Asian ones, too.
FORMATS = {0: False, 14: True, 27: True, 36: True, 37: False, 49: False, 50: True, 58: True}


@pytest.mark.parametrize(
    ("code", "is_date"),
    [("yyyy\\-mm\\-dd", True),   ("0.00", False),
     ('0.0" days"', False),  ("#,##0_d", False)],
)  # fmt: skip
def test_dates_are_not_read_as_numbers(code, is_date, read):
    known = "".join(f'<xf numFmtId="{number}"/>' for number in FORMATS)
    styles = (
        f"<styleSheet {MAIN}><numFmts><numFmt numFmtId=\"170\" formatCode='{code}'/></numFmts>"
        '<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>'
        f'<cellXfs><xf numFmtId="170"/>{known}</cellXfs></styleSheet>'
    )
    for style, expected in enumerate((is_date, *FORMATS.values())):
        cell = f'<c r="B2" s="{style}"><v>45000</v></c>'
        shown = repr(rows_of(read(HEADER + CELL.format(cell), styles=styles))[0][1])
        assert shown == ("a date (cell B2 of sheet 'Scores')" if expected else "45000")


# -- files that are no workbook -------------------------------------------------------------------

WRONG = {
    r"\(KeyError\): save it": {"xl/strings.xml": None},
    "a.xlsx is empty": {"xl/workbook.xml": f"<workbook {MAIN}/>"},
    r"\(ParseError\)": {"xl/styles.xml": "<styleSheet>"},
    r"\(IndexError\)": {"B2": '<c r="B2" t="s"><v>5</v></c>'},
    r"\(ValueError\)": {"B2": '<c r="B2" t="b"><v>x</v></c>'},
    r"damaged or encrypted \(ParseError\)": {"B2": "<a>" * 99},
}


@pytest.mark.parametrize(("message", "changed"), WRONG.items())
def test_damage_is_named(message, changed, tmp_path):
    changed = dict(changed)
    rows = HEADER + CELL.format(changed.pop("B2", '<c r="B2"><v>1</v></c>'))
    parts = parts_of(rows) | changed
    content = zipped({name: text for name, text in parts.items() if text is not None})
    with pytest.raises(DataFormatError, match=message):
        scores(written(tmp_path / "a.xlsx", content))


COLUMNS = [openpyxl.utils.get_column_letter(at) for at in range(4, 130)]


# -- limits for small files -----------------------------------------------------------------------


REFUSED = r"^a\.xlsx takes about [0-9,]+ bytes of memory or more, and `max_bytes` is 1"


def test_archive_bombs_are_refused_before_unpacking(tmp_path):
    target = BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts_of("").items():
            if "one.xml" not in name:
                archive.writestr(name, text)
        with archive.open("xl/worksheets/one.xml", "w") as sheet:
            for _ in range(40):
                sheet.write(bytes(10**6))
    path = written(tmp_path / "a.xlsx", target.getvalue())
    with little_memory(), pytest.raises(DataFormatError, match=REFUSED):
        scores(path)


def test_cells_are_counted_filled_or_not(book):
    path = book(HEADER + PLAIN)
    with pytest.raises(DataFormatError, match=REFUSED):
        read_table(path, max_bytes=10_000)
    assert read_table(path, max_bytes=400_000).n_rows == 2
    far = "".join(f'<row><c r="{c}{r}"><v>1</v></c></row>' for r, c in enumerate(COLUMNS, 4))
    with pytest.raises(DataFormatError, match=REFUSED):
        read_table(book(HEADER + PLAIN + far), max_bytes=1_000_000)


def test_a_part_that_is_two_sheets_is_refused(tmp_path):
    parts = parts_of(HEADER + PLAIN)
    sheet = '<sheet name="Scores" sheetId="1" r:id="r0"/>'
    more = "".join(f'<sheet name="s{at}" sheetId="{at}" r:id="r0"/>' for at in range(2, 200))
    parts["xl/workbook.xml"] = parts["xl/workbook.xml"].replace(sheet, sheet + more)
    with pytest.raises(
        DataFormatError, match=r"^Two sheets of a\.xlsx have one name or one content"
    ):
        read_table(written(tmp_path / "a.xlsx", zipped(parts)))


def test_the_first_sheet_with_data_is_read(tmp_path):
    parts = parts_of("")
    filled = parts_of(HEADER + PLAIN)["xl/worksheets/one.xml"]
    path = written(
        tmp_path / "a.xlsx", with_sheets(parts["xl/worksheets/one.xml"], filled, first="")
    )
    assert scores(path).values.tolist() == [[0.5], [2.0]]


# -- damage ---------------------------------------------------------------------------------------
