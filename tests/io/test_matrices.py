"""Linear ordering matrices, in small and as the library has them."""

from io import StringIO

import numpy as np
import pytest

import rankagg as ra
from rankagg.exceptions import DataFormatError


def test_numbers_may_be_broken_into_lines_anyhow() -> None:
    votes = ra.read_matrix(StringIO("3\n0 1 2 3\n9 5\n6 7 0\n"))
    assert votes.wins.tolist() == [[0, 1, 2], [3, 0, 5], [6, 7, 0]]


def test_one_title_line_may_stand_first() -> None:
    assert ra.read_matrix(StringIO("input-output table\n2\n0 1\n2 0\n")).n_items == 2


@pytest.mark.parametrize("text", ["", "3\n1 2 3\n", "2\n1 2 3 x\n", "two\nlines\n2\n0 1 2 0\n"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(DataFormatError, match="a number n and n x n numbers"):
        ra.read_matrix(StringIO(text))


def test_library_instance_is_solved(data) -> None:
    votes = ra.read_matrix(data("lolib/N-t59n11xx"))
    exact = ra.Kemeny().aggregate(votes)
    assert votes.wins.sum() - exact.cost == 20928
    assert exact.certificate.status == "optimal"
    assert np.count_nonzero(np.diag(votes.wins)) == 0
