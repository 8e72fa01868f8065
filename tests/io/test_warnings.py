"""Warnings of readers point to the line of the call."""

import warnings
from io import StringIO

import openpyxl
import pytest

import rankagg as ra
from rankagg.exceptions import DataWarning

PREFLIB = (
    "# DATA TYPE: soi\n# NUMBER ALTERNATIVES: 2\n# ALTERNATIVE NAME 1: A\n"
    "# ALTERNATIVE NAME 2: A\n1: 1,2\n"
)
LONG = "ranking='list', item='item', rank='rank'"
BATTLES = "first='a', second='b', outcome="
CALLS = {
    "likeness": "ra.read_scores(S('system,x\\nA,1\\na,2\\n'), higher_is_better=True)",
    "words": "ra.read_scores(S('system,x,y\\nA,1,p\\nB,2,q\\n'), higher_is_better=True)",
    "instances": "ra.read_scores(S('system,k,x\\nA,1,1\\nA,2,\\nB,1,2\\n'), instance='k', "
    "higher_is_better=True)",
    "zeros": "ra.read_ballots(S('A,B,C\\n1,2,0\\n1,2,3\\n2,1,3\\n'))",
    "left out": "ra.read_ballots(S('voter,A,B\\nx,1,2\\ny,2,1\\nz,1,2\\n'))",
    "like items": "ra.read_ballots(S('A,a,C\\n1,2,3\\n2,1,3\\n'))",
    "lists": "ra.read_rankings(S('one,two\\nA,b\\nB,A\\n'))",
    "further": f"ra.read_rankings(S('list,item,rank,r\\nq,A,1,5\\nq,B,2,5\\n'), {LONG})",
    "like sides": f"ra.read_comparisons(S('a,b,w\\nx,y,a\\nX,y,b\\n'), {BATTLES}'w')",
    "dropped": f"ra.read_comparisons(S('a,b,w\\nx,y,a\\nx,y,error\\n'), {BATTLES}'w', "
    "drop_outcome='error')",
    "repaired": f"ra.read_preflib(S({PREFLIB!r}), errors='repair')",
    "like names": "ra.read_cast_votes(S('1st choice,2nd choice\\nAnn,Bob\\nann,Ann\\nBob,Ann\\n'))",
    "a word": "ra.read_cast_votes(S('1st choice,2nd choice\\nAnn,None\\nNone,Ann\\nBob,Ann\\n'))",
    "ranks": "ra.Profile.from_ranks([[1, 2, 0], [1, 2, 3]])",
    "sheets": "ra.read_scores('two.xlsx', higher_is_better=True)",
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_warning_points_to_the_calling_line(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    book = openpyxl.Workbook()
    for row in (["system", "x"], ["A", 1], ["B", 2]):
        book.active.append(row)
    book.create_sheet("more").append(["a", 1])
    book.save("two.xlsx")
    assert places(call, S=StringIO) == ["user.py"]


def places(call, **names):
    """Return the files that the warnings of a call are of; the call itself is in user.py."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        eval(compile(call, "user.py", "eval"), {"ra": ra, **names})
    return [one.filename for one in caught if one.category is DataWarning]
