"""A table, and two files of it."""

import pytest

from tests.io.scan.scan_files import drawn, wide, write


@pytest.fixture
def table():
    return drawn()


@pytest.fixture
def two_files(table, tmp_path):
    """Return two files of one table, and a function that writes the second anew."""
    frame = wide(table)
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for path, rows in zip(paths, (frame[:20], frame[20:]), strict=True):
        write(rows, path)
    return paths, frame[20:]
