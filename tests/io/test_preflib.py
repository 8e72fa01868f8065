"""PrefLib's formats: reading, contradictions, and writing."""

import re
import warnings
from io import StringIO

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import rankagg as ra
from rankagg.exceptions import DataFormatError, DataWarning, InvalidInputError
from rankagg.io.preflib import looks_like_preflib
from tests.strategies import policies, profiles

HEADER = """\
# FILE NAME: small.toi
# TITLE: Three cities: a toy
# DATA TYPE: {type}
# NUMBER ALTERNATIVES: 4
# NUMBER VOTERS: {voters}
# NUMBER UNIQUE ORDERS: {orders}
# ALTERNATIVE NAME 1: Oslo
# ALTERNATIVE NAME 2: Łódź
# ALTERNATIVE NAME 3: Rio: de Janeiro, #1
# ALTERNATIVE NAME 4: Ur
"""
NAMES = ("Oslo", "Łódź", "Rio: de Janeiro, #1", "Ur")


def file_of(kind, *ballots):
    voters = sum(int(ballot.split(":")[0]) for ballot in ballots)
    head = HEADER.format(type=kind, voters=voters, orders=len(ballots))
    return head + "".join(f"{ballot}\n" for ballot in ballots)


def read(text, **options):
    return ra.read_preflib(StringIO(text), **options)


BALLOTS = {
    "soc": (("3: 1,2,3,4", "2: 4,3,2,1"), [[0, 1, 2, 3], [3, 2, 1, 0]]),
    "soi": (("3: 2", "2: 4,1"), [[-2, 0, -2, -2], [1, -2, -2, 0]]),
    "toc": (("3: {1,3},2,4", "2: {1,2,3,4}"), [[0, 2, 0, 3], [0, 0, 0, 0]]),
    "toi": (("3: 4,{2,3}", "2: {1,2}"), [[-2, 1, 1, 0], [0, 0, -2, -2]]),
}
SMALL = {kind: file_of(kind, *ballots) for kind, (ballots, _) in BALLOTS.items()}


# -- reading --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", SMALL)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_four_formats_are_recognized_by_content(kind, end, tmp_path):
    text = SMALL[kind]
    assert looks_like_preflib(text)
    path = tmp_path / "no extension"
    path.write_bytes(text.replace("\n", end).encode("utf-8-sig"))
    profile = ra.read_preflib(path)
    assert (profile.items.labels, profile.ranks.tolist()) == (NAMES, BALLOTS[kind][1])
    assert profile.counts.tolist() == [3, 2]
    assert profile.n_rankings == 5
    assert profile.groups is None


def test_many_alternatives_need_no_names_if_ballots_list_them():
    listed = ",".join(map(str, range(1, 10_002)))
    assert read(f"# NUMBER ALTERNATIVES: 10001\n1: {listed}\n").n_items == 10_001
    assert read("# NUMBER ALTERNATIVES: 10000\n1: 7\n").n_items == 10_000


def test_items_left_out_of_a_ballot_may_be_unobserved():
    for policy in ("uniform", "ignore"):
        profile = read(SMALL["soi"], unranked=policy)
        assert (profile.unranked, profile.ranks[1].tolist()) == (policy, [1, -1, -1, 0])
    with pytest.raises(InvalidInputError, match="`unranked` must be 'uniform' or "):
        read(SMALL["soi"], unranked="first")


def test_blanks_comments_and_empty_lines_are_ignored():
    text = SMALL["toi"].replace("3: 4,{2,3}", "\n 3 :  4 , { 2,3 }  \n#\n# a comment\n")
    assert read(text) == read(SMALL["toi"])


def test_a_short_header_is_enough():
    profile = read("# NUMBER ALTERNATIVES: 2\n1: 2,1\n")
    assert (profile.items.labels, profile[0].order) == (("1", "2"), ("2", "1"))


# -- contradictions -------------------------------------------------------------------------------


LAST = "2: 4,3,2,1"
CONTRADICTIONS = [
    ("toc", "TYPE: toc", "TYPE: soc", "states DATA TYPE soc, strict, and has ties"),
    ("soi", "TYPE: soi", "TYPE: soc", "states DATA TYPE soc, complete, and leaves items out"),
    ("soc", "3: 1,2,3,4", "4: 1,2,3,4", "NUMBER VOTERS 5, its ballots make 6"),
    ("soc", "ALTERNATIVES: 4", "ALTERNATIVES: 3", "states 3 alternatives and names 4"),
    ("soc", LAST, "2: 4,3,2,5", "line 12: alternative 5 is not among the 4"),
    ("soc", LAST, "2: 4,3,2,4", "line 12: alternative 4 occurs twice"),
    ("soc", LAST, "4,3,2,1", "line 12: a ballot must read 'count: .*'4,3,2,1'"),
    *(
        ("soc", LAST, f"{count}: 4,3,2,1", "line 12: a ballot must read 'count: ")
        for count in ("0", "\u0662", 2**53, "-2", "1.5")
    ),
    *(
        ("toi" if "{" in ballot else "soc", "2: {1,2}" if "{" in ballot else LAST, f"2: {ballot}",
         "line 12: alternatives must be numbers")
        for ballot in ("4,3,-2,1", "4,3,2 1", "4,,2,1", ",4,3,2,1", "{1,,2}", "{1,{2,3}}")
    ),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "old", "new", "message"), CONTRADICTIONS)
def test_contradictory_files_are_refused(kind, old, new, message, tmp_path):
    text = SMALL[kind]
    assert text.count(old) == 1
    path = tmp_path / "small.txt"
    path.write_text(text.replace(old, new), encoding="utf-8")
    for source, name in ((path, path.name), (StringIO(text.replace(old, new)), "the stream")):
        with pytest.raises(DataFormatError, match=message) as error:
            ra.read_preflib(source)
        assert str(error.value).startswith(name)


BLANKS = ["", " ", " \n", "\t\r\n \n\n", "\n \n \n"]
OF_OLD = ["2\n1,A", *(f"{blanks}2\n1,A\n2,B\n1,1,1\n1,2,1\n" for blanks in BLANKS)]
OF_NEW = [f"{blanks}# NUMBER ALTERNATIVES: 2\n1: 2,1\n" for blanks in BLANKS]
OTHER = ["", "4", "4\n", "4\n2,x\n", "x\n1,A\n", "-4\n1,A\n", "4.0\n1,A\n", "4\n11,A\n", "4\n\n1A"]


@pytest.mark.parametrize(
    "text", [*OF_OLD, *OF_NEW, *OTHER, *(f"{blanks}2,1\n1,A\n" for blanks in BLANKS)]
)
def test_files_are_known_by_their_first_lines(text):
    assert looks_like_preflib(text) == (text in OF_OLD + OF_NEW)


@pytest.mark.parametrize(
    ("kind", "why"), [("pwg", "holds votes.*from_wins"), ("cat", "holds categories.*read_ballots")]
)
def test_votes_between_pairs_and_categories_are_refused_by_name(kind, why):
    text = f"# DATA TYPE: {kind}\n# NUMBER ALTERNATIVES: 2\n1,2,5.0\n"
    with pytest.raises(DataFormatError, match=rf"DATA TYPE must be .* Got '{kind}'\. {kind} {why}"):
        read(text)


TWO = "# NUMBER ALTERNATIVES: 2\n"


BEFORE = SMALL["toi"].removesuffix("2: {1,2}\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# TITLE: a\n1: 1\n", "does not state NUMBER ALTERNATIVES"),
        (TWO + "# ALTERNATIVE NAME 3: A\n# ALTERNATIVE NAME 1: B\n1: 1\n", "names 2: 1, 3"),
        (TWO + "# ALTERNATIVE NAME 2: A\n# ALTERNATIVE NAME 2: B\n1: 1\n", "line 3: .* is named t"),
        (TWO + "\n# ALTERNATIVE NAME: A\n1: 1\n", "line 3: .* must end with a number"),
        (TWO + "# NUMBER VOTERS: 0\n1: 1\n", r"VOTERS must be a posi.* below 2\*\*53. Got '0'"),
        (TWO + "# NUMBER UNIQUE ORDERS: 2\n3: 1\n", "ORDERS 2, its ballots make 1; the file may"),
        ("2\n1,A\n2,B\n", "form from before 2022.*preflib.org"),
        # Files that are cut off before their ballots, or in the last one.
        (HEADER.format(type="soc", voters=5, orders=2), "and no ballots; the file may be cut off"),
        (BEFORE + "2: {1,2", "line 12: .*'{1,2'; the line may be cut off"),
        (BEFORE + "2: {", "line 12: .*may be cut off"),
        (BEFORE + "2: ", "line 12 ends in the middle of a ballot"),
        (BEFORE + "2", "line 12: a ballot must read"),
    ],
)
def test_bad_headers_and_endings_are_refused(text, message):
    with pytest.raises(DataFormatError, match=message):
        read(text)


# -- truncated files ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["soc", "toc"])
def test_a_complete_file_cut_off_anywhere_is_refused(kind, tmp_path):
    whole = SMALL[kind]
    path = tmp_path / f"small.{kind}"
    for length in range(len(whole) - 1):
        path.write_text(whole[:length], encoding="utf-8")
        with pytest.raises(DataFormatError):
            ra.read_preflib(path)
    assert read(whole[:-1]) == read(whole)


# -- writing --------------------------------------------------------------------------------------


def test_the_written_file_has_the_expected_lines(tmp_path):
    profile = ra.Profile.from_ranks(
        [[0, 1, 1], [2, 1, 0], [0, 1, 1]], items=["Oslo", "Łódź", "Ur"], counts=[3, 2, 4]
    )
    path = tmp_path / "cities.toc"
    ra.io.write_ballots(profile, path, title="Cities")
    assert path.read_text(encoding="utf-8").splitlines() == [
        "# FILE NAME: cities.toc", "# TITLE: Cities", "# DATA TYPE: toc",
        "# NUMBER ALTERNATIVES: 3", "# NUMBER VOTERS: 9", "# NUMBER UNIQUE ORDERS: 2",
        "# ALTERNATIVE NAME 1: Oslo", "# ALTERNATIVE NAME 2: Łódź", "# ALTERNATIVE NAME 3: Ur",
        "7: 1,{2,3}", "2: 3,2,1",
    ]  # fmt: skip


WHOLE, FIRST = ra.Permutation.from_order("ABC"), ra.PartialRanking.from_order("A", items="ABC")
UNHELD = {
    "weights": ra.Profile([WHOLE], weights=[2.0]),
    "groups": ra.Profile([WHOLE], groups=["x"]),
    "unranked and unlisted": ra.Profile([FIRST, ra.PartialRanking.from_top_k("A", items="ABC")]),
    "an empty ballot": ra.Profile([WHOLE, ra.PartialRanking([-1, -1, -1], WHOLE.items)]),
}


@pytest.mark.parametrize("profile", UNHELD.values(), ids=UNHELD)
def test_profiles_that_the_formats_cannot_express_are_refused(profile, tmp_path):
    path = tmp_path / "ballots.toi"
    with pytest.raises(InvalidInputError, match="profile"):
        ra.io.write_ballots(profile, path)
    assert not path.exists()


@pytest.mark.parametrize("label", ["a\nb", "a\rb", " a", "a ", "a\x85b", "a\u2028b"])
def test_a_name_is_refused_or_read_back(label, tmp_path):
    profile = ra.Profile.from_orders([[label, "z"], ["z", label]])
    path = tmp_path / "ballots.soc"
    try:
        ra.io.write_ballots(profile, path)
    except InvalidInputError:
        assert not path.exists()
    else:
        assert ra.read_preflib(path, unranked="uniform") == profile


names = st.text("abC\u00e9\u0142\u4e2d\U0001f600'|_-=1 ,:#{", max_size=6).filter(
    lambda name: name == name.strip()
)


@given(data=st.data(), policy=policies)
def test_written_ballots_are_read_back(data, policy, tmp_path_factory):
    items = ra.ItemSet(data.draw(st.lists(names, min_size=1, max_size=6, unique=True)))
    profile = data.draw(profiles(items, unlisted=False, weights=st.just(1.0)))
    profile = profile.with_unranked(policy)
    assume((profile.ranks >= 0).any(axis=1).all())
    path = tmp_path_factory.mktemp("preflib") / "ballots.toi"
    ra.io.write_ballots(profile, path)
    assert ra.read_preflib(path, unranked=policy) == profile.compress()


@pytest.mark.parametrize(
    ("rows", "fits"),
    [
        ([[0, 1, 2]], "soc soi toc toi"),
        ([[0, 1, -2]], "soi toi"),
        ([[0, 1, 1]], "toc toi"),
        ([[0, 0, -1]], "toi"),
    ],
)
def test_an_ending_that_the_ballots_do_not_fit_is_refused(rows, fits, tmp_path):
    profile = ra.Profile([ra.PartialRanking(row, "ABC") for row in rows])
    for ending in ("soc", "soi", "toc", "toi"):
        path = tmp_path / f"ballots.{ending}"
        if ending in fits.split():
            ra.io.write_ballots(profile, path)
            assert f"# DATA TYPE: {ending}" in path.read_text()
            assert (ra.read_preflib(path).ranks >= 0).tolist() == (profile.ranks >= 0).tolist()
        else:
            with pytest.raises(InvalidInputError, match=f"ends in .{fits.split()[0]}, as some"):
                ra.io.write_ballots(profile, path)
    with pytest.raises(InvalidInputError, match=r"in \.csv, \.soc, \.soi, \.toc, \.toi or \.blt"):
        ra.io.write_ballots(profile, tmp_path / "ballots.xlsx")


def test_integer_labels_are_read_back_as_text(tmp_path):
    ra.io.write_ballots(ra.Profile.from_orders([[3, 1, 2]]), tmp_path / "ballots.soc")
    back = ra.read_preflib(tmp_path / "ballots.soc")
    assert (back.items.labels, back[0].order) == (("1", "2", "3"), ("3", "1", "2"))


# -- real files -----------------------------------------------------------------------------------


def parse(path):
    """Read header and ballots in another way than the package does."""
    lines = path.read_text(encoding="utf-8").splitlines()
    header = dict(line[2:].split(": ", 1) for line in lines if line[:1] == "#" and ": " in line)
    ballots = [line.split(":") for line in lines if line and line[0] != "#"]
    return header, [
        (int(count), [re.findall(r"\d+", group) for group in re.findall(r"{[^}]+}|\d+", ballot)])
        for count, ballot in ballots
    ]


def test_real_files_are_read_as_their_headers_state(data, tmp_path):
    paths = sorted(data("preflib").iterdir())
    assert len(paths) == 23
    for path in paths:
        header, ballots = parse(path)
        profile = ra.read_preflib(path)
        assert profile.n_rankings == int(header["NUMBER VOTERS"])
        assert len(profile) == int(header["NUMBER UNIQUE ORDERS"]) == len(ballots)
        assert profile.n_items == int(header["NUMBER ALTERNATIVES"])
        assert path.suffix[1:] == header["DATA TYPE"]
        assert profile.counts.tolist() == [count for count, _ in ballots]
        for at in range(0, len(profile), 37):
            ranking, (_, groups) = profile[at], ballots[at]
            named = [{header[f"ALTERNATIVE NAME {i}"].strip() for i in group} for group in groups]
            assert [set(bucket) for bucket in ranking.buckets] == named
        if len(profile) < 300:
            copy = tmp_path / path.name
            ra.io.write_ballots(profile, copy)
            assert ra.read_preflib(copy) == profile.compress()


# -- repairs --------------------------------------------------------------------------------------

FAULTY = """\
# DATA TYPE: soi
# NUMBER ALTERNATIVES: 3
# NUMBER VOTERS: 9
# NUMBER UNIQUE ORDERS: 3
# ALTERNATIVE NAME {0}: A
# ALTERNATIVE NAME {1}: B
# ALTERNATIVE NAME {2}: C
3: 0,1,0
2: {{0,1}},2,1
"""


@pytest.mark.parametrize("names", [(0, 1, 2), (1, 2, 3)], ids=["names too", "ballots alone"])
def test_contradictory_files_are_repaired_on_request(names):
    text = FAULTY.format(*names)
    with pytest.raises(DataFormatError, match="reads the file and reports each change"):
        read(text)
    with pytest.warns(ra.exceptions.DataWarning) as caught:
        profile = read(text, errors="repair")
    assert str(caught[0].message) == (
        "the stream was repaired: it numbers its alternatives from 0; it lists an alternative "
        "again in 2 lines, where its first place counts; it states NUMBER VOTERS 9, its ballots "
        "make 5; the file may be cut off; it states NUMBER UNIQUE ORDERS 3, its ballots make 2; "
        "the file may be cut off; it states DATA TYPE soi, strict, and has ties."
    )
    assert profile.ranks.tolist() == [[0, 1, -2], [0, 0, 2]]
    assert profile.counts.tolist() == [3, 2]


def test_irreparable_files_are_refused():
    for new in ("2: 4,3,2,5", "2: 4,,2,1"):
        with pytest.raises(DataFormatError, match="line 12"):
            read(SMALL["soc"].replace(LAST, new), errors="repair")


@given(st.lists(st.lists(st.lists(st.integers(1, 3), min_size=1), min_size=1), min_size=1))
def test_repeated_alternatives_are_left_out(ballots):
    """Go through every ballot, and keep each alternative where it occurs first."""
    head = "# NUMBER ALTERNATIVES: 3\n"
    rows = ["1: " + ",".join("{" + ",".join(map(str, b)) + "}" for b in one) for one in ballots]
    wanted = []
    for one in ballots:
        place = {}
        for bucket in one:
            above = len(place)
            for number in bucket:
                place.setdefault(number, above)
        wanted.append([place.get(number, -2) for number in (1, 2, 3)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ra.exceptions.DataWarning)
        found = read(head + "\n".join(rows) + "\n", errors="repair")
    assert found.ranks.tolist() == wanted


def test_two_alternatives_of_one_name_are_numbered_apart():
    text = (
        "# DATA TYPE: soi\n# NUMBER ALTERNATIVES: 4\n# ALTERNATIVE NAME 1: Jo\n"
        "# ALTERNATIVE NAME 2: Jo (2)\n# ALTERNATIVE NAME 3: Jo\n# ALTERNATIVE NAME 4: Max\n"
        "2: 1,3\n1: 3,2,4\n"
    )
    with pytest.raises(DataFormatError, match=r"two alternatives 'Jo'; .* `errors='repair'`"):
        ra.read_preflib(StringIO(text))
    with pytest.warns(DataWarning, match=r"numbered apart: Jo \(3\)"):
        profile = ra.read_preflib(StringIO(text), errors="repair")
    assert profile.items.labels == ("Jo", "Jo (2)", "Jo (3)", "Max")
    assert profile[1].order == ("Jo (3)", "Jo (2)", "Max")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "last",
    ["07: 3,1", "2:2", "1: 1, 2 , 3 ", "1: 1,1", "1: 4", "1: 0", "0: 1", "1: 1,", "1: {1,2}"],
)
def test_strict_files_are_read_as_line_by_line(last: str, end: str) -> None:
    names = [f"# ALTERNATIVE NAME {k}: {label}" for k, label in enumerate("ABC", 1)]
    lines = ["# NUMBER ALTERNATIVES: 3", *names, "5: 1,3,2", "2: 2,1", last]
    # A comment between ballots prevents reading them at once.
    results = []
    for text in (end.join(lines), end.join([*lines[:5], "# a comment", *lines[5:]])):
        try:
            profile = ra.read_preflib(StringIO(text + end))
            results.append((profile.counts.tolist(), profile.ranks.tolist()))
        except DataFormatError as error:
            results.append(re.sub(r"line \d+", "", str(error)))
    assert results[0] == results[1]
