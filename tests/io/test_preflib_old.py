"""PrefLib files from before 2022: no keys, a line of totals, commas after the counts."""

from io import StringIO

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.exceptions import DataFormatError
from rankagg.io.preflib import looks_like_preflib
from tests.strategies import profiles

NAMES = "4\n1,Oslo\n2,Łódź\n3,Rio, de Janeiro: #1\n4, Ur \n"
SMALL = {
    "soc": (NAMES + "5,5,2\n3,1,2,3,4\n2,4,3,2,1\n", [[0, 1, 2, 3], [3, 2, 1, 0]]),
    "soi": (NAMES + "5,5,2\n3,2\n2,4,1\n", [[-1, 0, -1, -1], [1, -1, -1, 0]]),
    "toc": (NAMES + "5,5,2\n3,{1,3},2,4\n2,{1,2,3,4}\n", [[0, 2, 0, 3], [0, 0, 0, 0]]),
    "toi": (NAMES + "5,5,2\n3,4,{2,3}\n2,{1,2}\n", [[-1, 1, 1, 0], [0, 0, -1, -1]]),
}


def read(text, **options):
    return ra.read_preflib(StringIO(text), **options)


def old_form(profile):
    """Write ballots in the old form, in another way than the package writes the new one."""
    lines = [str(profile.n_items)]
    lines += [f"{number},{label}" for number, label in enumerate(profile.items, start=1)]
    lines.append(f"{profile.n_rankings},{profile.n_rankings},{len(profile)}")
    for count, ranks in zip(profile.counts, profile.ranks.tolist(), strict=True):
        order = []
        for place in sorted({rank for rank in ranks if rank >= 0}):
            bucket = [str(item) for item, rank in enumerate(ranks, start=1) if rank == place]
            order.append(bucket[0] if len(bucket) == 1 else "{" + ",".join(bucket) + "}")
        lines.append(f"{count},{','.join(order)}")
    return "\n".join(lines) + "\n"


def test_blanks_and_empty_lines():
    text = "\n\n 4 \n 1, Oslo\n2 ,Łódź\n\n3,Rio, de Janeiro: #1\n4,Ur\n 5, 5 ,2 \n3, 4 ,{ 2, 3}\n"
    assert read(text + "\n2 ,{1,2} \n\n") == read(SMALL["toi"][0])


@pytest.mark.parametrize("kind", SMALL)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_four_formats(kind, end, tmp_path):
    text, ranks = SMALL[kind]
    for name in (f"small.{kind}", f"SMALL.{kind.upper()}", "no extension"):
        path = tmp_path / name
        path.write_bytes(text.replace("\n", end).encode("utf-8-sig"))
        profile = ra.read_preflib(path)
        assert profile.items.labels == ("Oslo", "Łódź", "Rio, de Janeiro: #1", "Ur")
        assert profile.ranks.tolist() == ranks
        assert profile.counts.tolist() == [3, 2]
    assert looks_like_preflib(text)


@given(data=st.data())
def test_ballots_come_back(data):
    names = st.text("abcÄ ,:#'", min_size=1, max_size=5).filter(lambda name: name == name.strip())
    items = ra.ItemSet(data.draw(st.lists(names, min_size=1, max_size=5, unique=True)))
    profile = data.draw(profiles(items, unlisted=False, weights=st.just(1.0)))
    assume((profile.ranks >= 0).any(axis=1).all())
    assert read(old_form(profile)) == profile


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("4\n1", "²\n1", "not in a PrefLib format"),
        ("4\n1", "5\n1", "line 7 must hold the number of voters.*'3,1,2,3,4'"),
        ("4\n1", "3\n1", r"line 5 must hold the number of voters.*'4, Ur'"),
        ("4\n1,", "4\n1;", "not in a PrefLib format"),
        ("2,Łódź", "3,Łódź", r"line 3: alternative 2 of 4 .*'2,name'. Got '3,Łódź'"),
        ("5,5,2", "5,5,2,1", "line 6 must hold the number of voters"),
        ("5,5,2", "5,5,0", "line 6 must hold the number of voters"),
        ("5,5,2", "2,5,2", r"line 6 states 2 voters and counts that sum to 5.*from_wins"),
        ("\n2,4,3,2,1", "\n2,4,3,2,5", "line 8: alternative 5 is not among the 4"),
        ("\n2,4,3,2,1", "\n2,4,3,2,4", "line 8: alternative 4 occurs twice"),
        ("\n2,4,3,2,1", "\n2,4,3,", "line 8 ends in the middle of a ballot"),
        ("\n2,4,3,2,1", "\n2: 4,3,2,1", "line 8: a ballot must read 'count, 1,2"),
        ("\n2,4,3,2,1", "\n0,4,3,2,1", "line 8: a ballot must read 'count, 1,2"),
        ("\n3,1,2,3,4\n2,4,3,2,1", "", "header and no ballots"),
        ("5,5,2\n3,1,2,3,4\n2,4,3,2,1\n", "", "4 alternatives and ends after 4 of them"),
    ],
)
def test_what_contradicts_itself(old, new, message):
    text = SMALL["soc"][0]
    assert text.count(old) == 1
    with pytest.raises(DataFormatError, match=message) as error:
        read(text.replace(old, new))
    assert str(error.value).startswith("the stream")


def test_a_complete_file_cut_off_anywhere_is_refused(tmp_path):
    whole = SMALL["soc"][0]
    path = tmp_path / "small.soc"
    for length in range(len(whole) - 1):
        path.write_text(whole[:length], encoding="utf-8")
        with pytest.raises(DataFormatError):
            ra.read_preflib(path)
    assert read(whole[:-1]) == read(whole)


TYPES = [
    ("toc", "a.soc", "DATA TYPE soc, strict, and has ties"),
    ("soi", "a.soc", "DATA TYPE soc, complete, and leaves items out"),
    ("toi", "a.TOC", "DATA TYPE toc, complete, and leaves items out"),
]


@pytest.mark.parametrize(("kind", "name", "message"), TYPES)
def test_the_extension_states_the_type(kind, name, message, tmp_path):
    path = tmp_path / name
    path.write_text(SMALL[kind][0], encoding="utf-8")
    with pytest.raises(DataFormatError, match=message):
        ra.read_preflib(path)


BLANKS = ["", " ", " \n", "\t\r\n \n\n", "\n \n \n"]
OLD = ["2\n1,A", *(f"{blanks}2\n1,A\n2,B\n1,1,1\n1,2,1\n" for blanks in BLANKS)]
NEW = [f"{blanks}# NUMBER ALTERNATIVES: 2\n1: 2,1\n" for blanks in BLANKS]
OTHER = ["", "4", "4\n", "4\n2,x\n", "x\n1,A\n", "-4\n1,A\n", "4.0\n1,A\n", "4\n11,A\n", "4\n\n1A"]


@pytest.mark.parametrize(
    "text", [*OLD, *NEW, *OTHER, *(f"{blanks}2,1\n1,A\n" for blanks in BLANKS)]
)
def test_files_are_known_by_their_first_lines(text):
    assert looks_like_preflib(text) == (text in OLD + NEW)


OTHERS = dict.fromkeys(["pwg", "wmg", "mjg", "tog", "wmd"], "holds votes.*from_wins")


@pytest.mark.parametrize(
    ("kind", "told"), {**OTHERS, "cat": "holds categories.*read_ballots"}.items()
)
def test_votes_between_pairs_and_categories_are_refused_by_name(kind, told, tmp_path):
    path = tmp_path / f"a.{kind.upper()}"
    path.write_text("2\n1,A\n2,B\n3,3,2\n2,1,2\n1,2,1\n", encoding="utf-8")
    new = f"# DATA TYPE: {kind}\n# NUMBER ALTERNATIVES: 2\n1,2,5.0\n"
    for source, name in ((path, path.name), (StringIO(new), "the stream")):
        with pytest.raises(
            DataFormatError, match=rf"^{name}: DATA TYPE must be .* Got '{kind}'\. {kind} {told}"
        ):
            ra.read_preflib(source)
