"""What is said where a cluster is asked for and there is none."""

import sys

import pytest

from rankagg.exceptions import InvalidInputError
from tests.io.scan.scan_files import drawn, scan, wide, write


def test_dask_is_not_installed(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    table = drawn(0)
    made = scan(write(wide(table), tmp_path / "a.parquet"), table)
    with pytest.raises(InvalidInputError, match=r"pip install 'rankagg\[big\]'"):
        made.summarize(client=object())
