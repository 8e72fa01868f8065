"""Linear ordering matrices: small ones, and instances of the library."""

from io import StringIO

import numpy as np
import pytest

import rankagg as ra
from rankagg.exceptions import DataFormatError, InvalidInputError
from rankagg.io.matrices import looks_like_matrix


def test_one_title_line_may_come_first() -> None:
    assert ra.io.read_matrix(StringIO("input-output table\n2\n0 1\n2 0\n")).n_items == 2


@pytest.mark.parametrize(
    "text",
    [
        "", "3\n1 2 3\n", "2\n1 2 3 x\n", "two\nlines\n2\n0 1 2 0\n", "0\n", "0\n0\n",
        "-2\n1 2 3 4\n", "2.0\n0 1 2 0\n", "²\n0 1 2 0\n", "٢\n0 1 2 0\n", "2\n0 nan 2 0\n",
        "2\n0 inf 2 0\n", "2\n0 1_0 2 0\n", "2\n0 1 2 0 5\n",
        "3\n1\n5\n", "3 4.5\n1\n5\n",  # a line of numbers is no title
        # No memory is taken for the size that is stated.
        "1000000000\n1 2\n", "1e300\n1 2\n", "9" * 5000 + "\n1\n",
    ],
    ids=lambda text: text[:20],
)  # fmt: skip
def test_text_that_is_no_matrix_is_refused(text: str) -> None:
    assert not looks_like_matrix(text)
    with pytest.raises(DataFormatError, match=r"^the stream is .*a number n and n x n numbers"):
        ra.io.read_matrix(StringIO(text))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\n\n"])
@pytest.mark.parametrize("title", ["", "a title", "  2 tables", "\n\nN-x"])
def test_all_line_ends_and_titles_are_read(end: str, title: str) -> None:
    text = "\n".join(filter(None, [title, "2", "0 1.5", "2 0", ""])).replace("\n", end)
    assert looks_like_matrix(text)
    assert ra.io.read_matrix(StringIO(text)).wins.tolist() == [[0, 1.5], [2, 0]]


@pytest.mark.parametrize("odd", [2**53 + 1, 2**63 + 1, 2**64 - 1, 2**64 + 1])
def test_whole_numbers_are_exact_at_any_size(odd: int) -> None:
    votes = ra.io.read_matrix(StringIO(f"2\n5 {odd}\n{odd - 1} 5\n"))
    assert votes.scaled_wins.tolist() == [[0, odd], [odd - 1, 0]]
    assert ra.Kemeny().aggregate(votes).order == (0, 1)
    votes = ra.io.read_matrix(StringIO(f"2\n0 {10**30}.0\n{10**30 + 1} 0\n"))
    assert votes.margins.tolist() == [[0, -1], [1, 0]]


@pytest.mark.parametrize(
    ("cells", "message"),
    [(f"0.5 {2**53 + 1}", "hold exactly"),
     ("-1 1", "free of negative numbers"), ("1e101 1", r"at most 1e\+100")],
)  # fmt: skip
def test_numbers_that_are_no_votes_are_refused(cells: str, message: str) -> None:
    upper, lower = cells.split()
    with pytest.raises(InvalidInputError, match=message):
        ra.io.read_matrix(StringIO(f"2\n0 {upper}\n{lower} 0\n"))


def test_library_instance_is_solved(data) -> None:
    votes = ra.io.read_matrix(data("lolib/N-t59n11xx"))
    exact = ra.Kemeny().aggregate(votes)
    assert votes.wins.sum() - exact.cost == 20928
    assert exact.certificate.status == "optimal"
    assert np.count_nonzero(np.diag(votes.wins)) == 0
