"""Ballots as offices, forms and clubs write them: each file is read correctly, or refused."""

import warnings
from io import StringIO

import pytest

import rankagg as ra
from rankagg.exceptions import DataFormatError, DataWarning

# -- files of ranks -------------------------------------------------------------------------------


def firsts(profile):
    """Return the weight of the ballots that have each item first, those of ties for each."""
    best = (profile.counts * profile.weights) @ (profile.ranks == 0)
    return {str(item): float(n) for item, n in zip(profile.items, best, strict=True) if n}


def read(reader, text, **options):
    """Return what a reader makes of a text, and what it warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        found = reader(StringIO(text), **options)
    return found, " ".join(str(one.message) for one in caught)


# Unless stated otherwise, Oak is first on two ballots, and Elm on one.
MOST = {"Oak": 2, "Elm": 1}
RANKS = {
    "times": "When,Oak,Elm,Ash\n9:00,1,2,3\n9:01,1,3,2\n9:02,2,1,3\n",
    "a blank ballot": "When;Oak;Elm\n9:00;1;2\n9:01;;\n9:02;2;1\n9:03;1;2\n",
    "all blank": "Oak,Elm\n1,2\n,\n2,1\n1,\n",
    "zeros": "id,Oak,Elm,Ash,Yew\n7,1,2,0,0\n8,1,0,0,2\n9,0,0,0,1\n12,2,1,3,0\n13,1,0,0,0\n",
    "from 0": "name\tOak\tElm\tAsh\nx\t0\t1\t2\ny\t2\t0\t1\nz\t0\t2\t1\n",
    "numbers of ballots": "ballot,Oak,Elm,Ash\n1,1,2,3\n2,3,1,2\n3,1,3,2\n",
    "numbers of ballots in Czech": (
        "hlas,Oak,Elm,Ash\n1,1,2,3\n2,3,1,2\n3,1,3,2\n4,2,1,3\n5,1,2,3\n"
    ),
    "numbers at the end": "Oak,Elm,Nr\n1,2,1\n2,1,2\n1,,3\n1,2,4\n",
    "items called like keys": "Price,Size,Time,Weight\n1,2,3,4\n2,1,3,4\n4,1,3,2\n",
    "an item called like a key in brackets": (
        "Rank [Ann],Rank [Bo],Rank [Count]\n1,2,3\n2,1,3\n3,1,2\n1,1,3\n"
    ),
    "1st in brackets": (
        "Stamp,Best [Talk 1],Best [Talk 2],Best [Talk 3]\n"
        "1/2,1st,3rd,2nd\n1/3,2nd,1st,\n1/4,1st,,\n"
    ),
    "choices in German": (
        "Zeit;Wahl [Ute];Wahl [Jörg];Wahl [Kai]\nx;1. Wahl;2. Wahl;\ny;;1. Wahl;2. Wahl\n"
        "z;1. Wahl;;2. Wahl\n"
    ),
    "first choice in words": (
        "Oak,Elm,Ash\nFirst choice,Second choice,\nSecond choice,First choice,Third choice\n"
        "First choice,,\n"
    ),
    "nobody ranks one of them": "t,Q [Oak],Q [Elm],Q [Yew]\na,1st,2nd,\nb,1st,,\n",
    "a text between": "Oak,Comment,Elm,Ash\n1,fine,2,3\n2,,1,3\n1,so-so,3,2\n",
    "two at one place": "n [Oak],n [Elm]\n1st,1st\n2nd,1st\n1st,2nd\n",
    "mean ranks": "Oak,Elm,Ash\n1.5,1.5,3\n1,2,3\n2,1,3\n",
    "commas at the end of some": "who,Oak,Elm,,\na,1,2\nb,2,1,,\nc,1,2,,\n",
    "signs without width": "\u200bOak,Elm\u2060\n1\u200b,2\n2,1\n1,\ufeff2\n",
    "decimal commas": "Oak;Elm;Ash\n1,5;1,5;3\n1;2;3\n1;3;2\n",
}
FIRSTS_OF_RANKS = {
    "numbers of ballots in Czech": {"Oak": 3, "Elm": 2},
    "zeros": {"Oak": 3, "Yew": 1, "Elm": 1},
    "numbers at the end": {"Oak": 3, "Elm": 1},
    "items called like keys": {"Price": 1, "Size": 2},
    "an item called like a key in brackets": {"Ann": 2, "Bo": 3},
    "1st in brackets": {"Talk 1": 2, "Talk 2": 1},
    "choices in German": {"Ute": 2, "Jörg": 1},
    "nobody ranks one of them": {"Oak": 2},
    "two at one place": {"Oak": 2, "Elm": 2},
    "mean ranks": {"Oak": 2, "Elm": 2},
    "decimal commas": {"Oak": 3, "Elm": 1},
}


def test_columns_of_ranks_are_read():
    for kind, text in RANKS.items():
        options = {"decimal": ","} if kind == "decimal commas" else {}
        profile, _ = read(ra.read_ballots, text, **options)
        assert firsts(profile) == FIRSTS_OF_RANKS.get(kind, MOST), kind


def test_notes_state_how_ranks_were_read():
    note = read(ra.read_ballots, RANKS["a blank ballot"])[1]
    assert "ranks of Oak, Elm; left out: 'When'." in note
    assert "1 blank ballot, in no ranking." in note
    assert "4 blank ballots, in no" in read(ra.read_ballots, "A,B,n\n1,2,3\n,,4\n", count="n")[1]
    assert "11 cells with rank 0 read as not ranked" in read(ra.read_ballots, RANKS["zeros"])[1]
    assert "begin at 0, which is the best" in read(ra.read_ballots, RANKS["from 0"])[1]
    note = read(ra.read_ballots, RANKS["two at one place"])[1]
    assert note == "the stream: 1 row with one place for several items, which are tied there."
    assert not read(ra.read_ballots, RANKS["mean ranks"])[1]


NO_RANKS = {
    "scores": "m,Oak,Elm\na,7,9\nb,8,3\n",
    "ratings": "who,Oak,Elm,Ash\na,3,4,2\nb,4,4,3\nc,2,3,3\n",
    "names": "who,first,second\na,Oak,Elm\nb,Elm,Oak\n",
    "a slip": "who,Oak,Elm,Ash\na,1,2,3\nb,1,11,2\nc,2,1,3\n",
    "a slip in words": "Q [Oak],Q [Elm],Q [Ash]\n1st,2nd,3rd\n2nd,1st,x\n1st,3rd,2nd\n",
    "ranks or numbers": "Oak,Elm,Nr\n1,2,1\n2,1,2\n1,2,3\n",
    "ties without a gap": "Oak,Elm,Ash\n1,1,2\n2,1,1\n",
    "from 0 with a slip": "Oak,Elm,Ash\n" + "0,1,2\n" * 30 + "1,1,2\n",
    "counts": "Oak,Elm,Ash,count\n1,2,3,9\n2,1,3,5\n",
    "two questions": "Chair [Oak],Chair [Elm],Clerk [Ash],Clerk [Yew]\n1,2,2,1\n2,1,1,2\n",
    "two lines of headings": ",,Mayor,Mayor\nid,time,Oak,Elm\n1,9:00,1,2\n",
    "all blank": "Oak,Elm\n,\n,\n",
}
WHY_NO_RANKS = {
    "names": "`read_cast_votes` names in the order",
    "a slip in words": r"row 3, column 'Q \[Ash\]' must be",
    "from 0 with a slip": "Add 1 to all ranks",
    "counts": "'count' may hold counts of ballots",
    "two questions": "ranks of 'Chair' and of 'Clerk'",
    "two lines of headings": "2 columns without a he",
}


def test_columns_that_may_be_no_ranks_are_refused():
    for kind, text in NO_RANKS.items():
        message = WHY_NO_RANKS.get(kind, "no two columns of ranks")
        with pytest.raises(DataFormatError, match=message):
            read(ra.read_ballots, text)


def test_stated_columns_are_read():
    text = NO_RANKS["counts"]
    assert firsts(read(ra.read_ballots, text, count="count")[0]) == {"Oak": 9, "Elm": 5}
    assert firsts(read(ra.read_ballots, text, drop="count")[0]) == {"Oak": 1, "Elm": 1}
    two = NO_RANKS["two questions"]
    profile, _ = read(ra.read_ballots, two, drop=["Clerk [Ash]", "Clerk [Yew]"])
    assert profile.items.labels == ("Oak", "Elm")


# -- files of choices -----------------------------------------------------------------------------

CHOICES = {
    "records": (
        "Record,Ward,Form,CHAIR 1st Choice,CHAIR 2nd Choice\n11,W1,F,Oak,Elm\n"
        "12,W1,F,Elm,undervote\n13,W2,F,Oak,overvote\n"
    ),
    "an address": "Mail,My second choice,My first choice\na@x,Elm,Oak\nb@x,Oak,Elm\nc@x,,Oak\n",
    "all agree on the first": (
        "no,1st choice,2nd choice,3rd choice\n5,Oak,Elm,Ash\n9,Oak,Ash,Elm\n3,Oak,,\n"
    ),
    "first never blank": (
        "Rec;Area;Choice 1;Choice 2;Choice 3\n4;A;Oak;Elm;skipped\n5;A;Oak;overvote;Elm\n"
        "6;B;Elm;Oak;skipped\n"
    ),
    "Spanish ordinals": "Fecha,2ª opción,1ª opción\nx,Olmo,Roble\ny,Roble,Olmo\nz,,Roble\n",
    "numbers of the office": (
        "Mayor Choice 2 of 3 City (26917),Mayor Choice 1 of 3 City (26916)\nElm,Oak\nOak,Elm\n"
        ",Oak\n"
    ),
    "of how many": "Vote 1 of 3,Vote 2 of 3,Vote 3 of 3\nOak,Elm,Ash\nElm,Oak,\nOak,,\n",
    "numbers behind names": (
        "id,1st Choice,2nd Choice\n8,Oak (3),Elm (12)\n9,Elm (12),Oak (3)\n7,Oak (3),\n"
    ),
    "two of one name": "1st Choice,2nd Choice\nJo (1),Jo (2)\nJo (2),Jo (1)\nJo (1),\n",
    "names with commas": 'first,second\n"Oak, A.","Elm, B."\n"Elm, B.","Oak, A."\n"Oak, A.",\n',
    "a pair that stands": "first,second\nOak/Elm,Ash\nOak/Elm,\nAsh,Oak/Elm\n",
    "dates and yes": (
        "Date,Member,1st choice,2nd choice\n2026-01-01,yes,Oak,Elm\n2026-01-02,no,Elm,Oak\n"
        "2026-01-03,yes,Oak,\n"
    ),
    "a choice that nobody took": (
        "1st choice,2nd choice,3rd choice\nOak,Elm,skipped\nElm,Oak,skipped\nOak,,\n"
    ),
    "voters are candidates": "Voter,1st choice,2nd choice\nOak,Oak,Elm\nElm,Elm,Oak\nAsh,Oak,Ash\n",
}
FIRSTS_OF_CHOICES = {
    "all agree on the first": {"Oak": 3},
    "Spanish ordinals": {"Roble": 2, "Olmo": 1},
    "two of one name": {"Jo (1)": 2, "Jo (2)": 1},
    "names with commas": {"Oak, A.": 2, "Elm, B.": 1},
    "a pair that stands": {"Oak/Elm": 2, "Ash": 1},
}


def test_columns_of_choices_are_read():
    for kind, text in CHOICES.items():
        votes, _ = read(ra.read_cast_votes, text)
        assert firsts(votes.profile) == FIRSTS_OF_CHOICES.get(kind, MOST), kind


JOINED = {
    "commas": 'T,Rank [1st],Rank [2nd]\na,"Oak, Elm",Ash\nb,Oak,Elm\nc,"Elm, Ash",\nd,Ash,Oak\n',
    "semicolons": "T,Rank [1st],Rank [2nd]\na,Oak;Elm,Ash\nb,Oak,Elm\nc,Elm; Ash,\nd,Ash,Oak\n",
    "strokes": "T,Rank [1st],Rank [2nd]\na,Oak / Elm,Ash\nb,Oak,Elm\nc,Elm|Ash,\nd,Ash,Oak\n",
    "three": 'T,Rank [1st],Rank [2nd]\na,"Oak, Elm, Ash",Ash\nb,Oak,Elm\n'
    'c,"Elm, Ash",\nd,Ash,Oak\n',
}


@pytest.mark.parametrize("kind", JOINED)
def test_two_marks_in_a_cell_are_an_overvote(kind):
    votes, _ = read(ra.read_cast_votes, JOINED[kind])
    assert firsts(votes.profile) == {"Oak": 1, "Ash": 1}
    (step,) = (one for one in votes.steps if one.step == "overvote")
    assert (step.ballots, votes.n_emptied) == (2, 2)
    skipped, _ = read(ra.read_cast_votes, JOINED[kind], overvotes="skip")
    assert firsts(skipped.profile) == {"Oak": 1, "Ash": 2}


def test_ambiguous_names_or_marks_are_refused_with_a_question():
    text = 'first,second\n"Oak, A., Elm, B.",\n"Oak, A.","Elm, B."\n"Elm, B.","Oak, A."\n'
    with pytest.raises(DataFormatError, match=r"'Oak, A\., Elm, B\.' may be one name or two marks"):
        read(ra.read_cast_votes, text)
    stated = {"spellings": {"overvote": ["Oak, A., Elm, B."]}}
    votes, _ = read(ra.read_cast_votes, text, **stated)
    assert firsts(votes.profile) == {"Oak, A.": 1, "Elm, B.": 1}
    with pytest.raises(DataFormatError, match="'Oak, Yew' may be one name or two marks"):
        read(ra.read_cast_votes, 'first,second\n"Oak, Yew",Elm\nElm,Oak\n')
    stated = {"items": ["Oak", "Elm", "Oak, Yew"]}
    votes, _ = read(ra.read_cast_votes, 'first,second\n"Oak, Yew",Elm\nElm,Oak\n', **stated)
    assert firsts(votes.profile) == {"Oak, Yew": 1, "Elm": 1}


def test_ambiguous_candidates_are_refused_with_a_question():
    text = "1st Choice,2nd Choice\nOak (3),Elm\nElm (12),Oak\nOak,Elm (12)\n"
    with pytest.raises(DataFormatError, match=r"'Oak \(3\)' and 'Oak' may be one cand.*Spell it"):
        read(ra.read_cast_votes, text)
    votes, _ = read(ra.read_cast_votes, text, alias={"Oak (3)": "Oak", "Elm (12)": "Elm"})
    assert firsts(votes.profile) == {"Oak": 2, "Elm": 1}
    votes, _ = read(ra.read_cast_votes, text, alias={"Oak (3)": "Yew", "Elm (12)": "Elm"})
    assert firsts(votes.profile) == {"Oak": 1, "Elm": 1, "Yew": 1}


ONE_CONTEST = (
    "Record,Precinct,Style,Rep. 1st Choice,Rep. 2nd Choice,Rep. 3rd Choice\n"
    "1,P,S,undervote,overvote,Oak (1)\n2,P,S,Oak (1),Elm (2),undervote\n"
    "3,P,S,Elm (2),undervote,Oak (1)\n4,P,S,overvote,Elm (2),undervote\n"
    "5,P,S,Ash (3),Ash (3),Elm (2)\n6,P,S,Write-in,Oak (1),undervote\n"
    "7,P,S,undervote,undervote,undervote\n"
)


@pytest.mark.parametrize(
    ("overvotes", "expected"),
    [("skip", {"Oak": 2, "Elm": 2, "Ash": 1, "Write-in": 1}),
     ("end", {"Oak": 1, "Elm": 1, "Ash": 1, "Write-in": 1})],
)  # fmt: skip
def test_one_contest_of_a_record_is_read(overvotes, expected):
    votes, _ = read(ra.read_cast_votes, ONE_CONTEST, overvotes=overvotes)
    assert firsts(votes.profile) == expected
    assert votes.choices == ("Rep. 1st Choice", "Rep. 2nd Choice", "Rep. 3rd Choice")
    assert votes.left_out_columns == ("Record", "Precinct", "Style")
    assert votes.lines()[0].endswith("left out: 'Record', 'Precinct', 'Style'")
    assert votes.to_dict()["left_out_columns"] == ["Record", "Precinct", "Style"]
    assert votes.n_blank == 1


NO_ORDER = "no two columns with the same names and headings that differ only in 1st"
NO_CHOICES = {
    "two contests": "Chair 1st,Chair 2nd,Clerk 1st,Clerk 2nd\nOak,Elm,Ash,Yew\nElm,Oak,Yew,Ash\n",
    "one pool": "Chair 1,Chair 2,Clerk 1,Clerk 2\nOak,Elm,Elm,Oak\nElm,Oak,Oak,Elm\n",
    "names of who votes": "Member,1st choice,2nd choice\nOak,Oak,Elm\nElm,Elm,Oak\nAsh,Oak,Ash\n",
    "a first choice in numbers": "1st choice,2nd choice,3rd choice\n1,Oak,Elm\n2,Elm,Oak\n3,Oak,\n",
    "a third choice in other words": (
        "1st choice,2nd choice,3rd choice if any\nOak,Elm,Ash\nElm,Oak,\n"
    ),
    "the first without an ordinal": (
        "Stamp,My choice,My second choice,My third choice\n8:00,Oak,Elm,Ash\n8:01,Elm,Oak,\n"
    ),
    "no first choice": "2nd choice,3rd choice\nOak,Elm\nElm,Oak\n",
    "without ordinals": "Stamp,Best,Then\n8:00,Oak,Elm\n8:01,Elm,Oak\n",
    "words of another language": "Zweite Wahl,Erste Wahl\nUlme,Eiche\nEiche,Ulme\n",
    "numbers for candidates": "1st choice,2nd choice\n101,102\n102,101\n101,\n",
    "counts": "1st choice,2nd choice,Count\nOak,Elm,5\nElm,Oak,3\n",
    "counts by precinct": (
        "Area,1st choice,2nd choice,karty\nx,Oak,Elm,5\nx,Elm,Oak,3\ny,Oak,Elm,4\n"
    ),
    "a column of votes": "id,vote\n1,Oak\n2,Elm\n",
    "ranks": "t,Oak,Elm\na,1,2\nb,2,1\n",
    "ranks in words": "t,Q [Oak],Q [Elm]\na,1st,2nd\nb,2nd,1st\n",
    "a name in a column beside": (
        "1st choice,2nd choice,Seconded by\nOak,Elm,Elm\nElm,Oak,Bo\nOak,,Cy\n"
    ),
}
WHY_NO_CHOICES = {
    "counts by precinct": "Name it by `count`",
    "two contests": "2 contests, Chair 1st, Chair 2nd or Clerk 1st, Clerk 2nd",
    "one pool": "2 contests",
    "names of who votes": (
        "Member may be a choice, as 1st choice, 2nd choice are. Name the columns of choices by"
    ),
    "a third choice in other words": "3rd choice if any may be a choice",
    "counts": "'Count' may hold counts of ballots",
    "ranks": "`read_ballots` reads ranks",
    "ranks in words": "`read_ballots` reads ranks",
    "a name in a column beside": "Seconded by may be a choice",
}


def test_columns_that_may_be_no_choices_are_refused():
    for kind, text in NO_CHOICES.items():
        with pytest.raises(DataFormatError, match=WHY_NO_CHOICES.get(kind, NO_ORDER)):
            read(ra.read_cast_votes, text)


def test_typed_columns_need_no_rule():
    for kind, choices, expected in [
        ("words of another language", ["Erste Wahl", "Zweite Wahl"], {"Eiche": 1, "Ulme": 1}),
        ("without ordinals", ["Then", "Best"], {"Oak": 1, "Elm": 1}),
        ("numbers for candidates", ["1st choice", "2nd choice"], {"101": 2, "102": 1}),
        ("two contests", ["Clerk 1st", "Clerk 2nd"], {"Ash": 1, "Yew": 1}),
    ]:
        votes, _ = read(ra.read_cast_votes, NO_CHOICES[kind], choices=choices)
        assert firsts(votes.profile) == expected


def test_spellings_of_a_write_in_are_reported():
    text = "1st,2nd\nZoë Lind,Max\nZoe Lind,Max\nZoe Lint,Max\nMax,\n"
    _, note = read(ra.read_cast_votes, text)
    assert "'Zoë Lind' and 'Zoe Lind' are read as two, though only case, accents or blanks" in note
    assert "only one letter differs" in note
    votes, note = read(
        ra.read_cast_votes, text, alias={"Zoe Lind": "Zoë Lind", "Zoe Lint": "Zoë Lind"}
    )
    assert (firsts(votes.profile), note) == ({"Zoë Lind": 3, "Max": 1}, "")
    with pytest.raises(ra.exceptions.InvalidInputError, match="Did you mean 'Zoe Lind'"):
        read(ra.read_cast_votes, text, alias={"Zoe Lnd": "Zoë Lind"})
    for names in ("Talk A,Talk B", "Model1,Model2", "Team AB,Team AC", "Ann,Anna"):
        one, other = names.split(",")
        assert not read(ra.read_cast_votes, f"1st,2nd\n{one},{other}\n{other},{one}\n")[1]


# -- BLT ------------------------------------------------------------------------------------------

BALLOTS = ["3 2 1 4 0", "4 2 1 3 0", "1 3 0", "2 4 2 1 0"]
NAMES = ['"Oak A"', '"Elm B"', '"Ash C"', '"Yew D"', '"Board"']
PLAIN = "\n".join(["4 2", *BALLOTS, "0", *NAMES]) + "\n"
SAME = {
    "a comment first": f"# made by hand\n\n{PLAIN}",
    "comments behind": PLAIN.replace("1 3 0", "1 3 0 # alone").replace("4 2\n", "4 2 # head\n", 1),
    "ids": PLAIN.replace("\n4 2 1", "\n(b 2) 4 2 1").replace("\n1 3 0", "\n(c)1 3 0"),
    "one line": PLAIN.replace("\n", " "),
    "line ends": PLAIN.replace("\n", "\r\n"),
    "decimals of nothing": PLAIN.replace("\n1 3 0", "\n1.0 3 0"),
    "no title": PLAIN.replace('"Board"\n', ""),
}


@pytest.mark.parametrize("kind", SAME)
def test_blt_files_of_other_programs_are_read(kind):
    votes, note = read(ra.io.read_blt, SAME[kind])
    assert votes.profile == read(ra.io.read_blt, PLAIN)[0].profile
    assert (votes.seats, votes.n_ballots, note) == (2, 10, "")
    assert [one.format for one in ra.recognize(StringIO(SAME[kind])).readings] == ["blt"]


def test_decimals_of_blt_are_weights():
    profile = read(ra.io.read_blt, PLAIN.replace("\n1 3 0", "\n2.5 3 0"))[0].profile
    assert profile.counts.tolist() == [1, 1, 1, 1]
    assert profile.weights.tolist() == [3, 4, 2.5, 2]
    assert firsts(profile) == {"Elm B": 7, "Ash C": 2.5, "Yew D": 2}
