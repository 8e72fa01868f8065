"""Frames with columns of any type are read at once as cell by cell."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from rankagg.exceptions import DataFormatError
from rankagg.io.tables.reading import read_table

WHOLE = [0, 1, -3, 2**53 - 1, 2**53, 2**53 + 1, 2**62]
FLOATS = [0.5, -0.0, 0.1, 1e300, 5e-324, np.nan, np.inf]
TEXTS = ["A", " A", "", "1", "0.10000000000000001", "NA", "'=x", str(2**53 + 1)]
KINDS = {
    "int64": WHOLE, "uint64": [0, 1, 2**53 + 1, 2**64 - 1], "int8": [0, 1, -3],
    "Int64": [*WHOLE, None], "UInt8": [0, 1, None], "float64": FLOATS,
    "float32": [0.5, 0.1, np.nan, np.inf],
    "longdouble": [np.longdouble("0.1"), 0.5, np.nan], "Float64": [0.5, 0.1, None],
    "bool": [True, False], "boolean": [True, None], "str": TEXTS,
    "object": [*TEXTS, 1, 0.5, None, True], "category": [*TEXTS, None], "datetime64[ns]": [0, 1],
    "string": [*TEXTS, None],
}  # fmt: skip


@st.composite
def frames(draw):
    """Draw columns of a type each, most of them of plain values."""
    rows = draw(st.integers(1, 4))
    columns = {}
    for at in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(sorted(KINDS)))
        values = KINDS[kind][: draw(st.sampled_from([2, len(KINDS[kind])]))]
        cells = draw(st.lists(st.sampled_from(values), min_size=rows, max_size=rows))
        columns[f"c{at}"] = pd.Series(cells, dtype=object).astype(kind)
    return pd.DataFrame(columns)


def seen(table):
    """Return labels and numbers of all columns, or the message that refuses them."""
    found = []
    for name in table.header:
        for ask in (table.coded, table.numbers, table.counts):
            try:
                got = ask(name, "name")
                found.append(
                    [np.asarray(part).tolist() for part in got]
                    if ask == table.coded
                    else [float(x).hex() for x in got]
                )
            except DataFormatError as error:
                found.append(str(error))
    return found


def as_lists(table):
    def plain(cell):
        return None if isinstance(cell, float) and np.isnan(cell) else cell

    cells = [list(map(plain, table.cells(name, "name"))) for name in table.header]
    return replace(table, columns=cells)


@given(frames())
@settings(max_examples=30)
def test_frames_are_read_at_once_as_cell_by_cell(frame):
    sources = [frame]
    if not any(kind in ("longdouble", "object") for kind in frame.dtypes):
        sources.append(pa.Table.from_pandas(frame, preserve_index=False))
    for source in sources:
        table = read_table(source)
        assert seen(table) == seen(as_lists(table))
