"""No file is misread: random ones of all kinds, clean and unusual, and real ones."""

from collections import Counter
from io import StringIO

import pytest

import rankagg as ra
from rankagg.exceptions import DataFormatError, RankaggError
from tests.conftest import DATA
from tests.io.made_files import Maker, content


def fate(path, truth) -> str:
    """Return whether a file is recognised, asked about, refused, or taken for something else."""
    try:
        found = ra.recognize(path)
    except RankaggError:
        return "refused"
    if not found.is_certain:
        with pytest.raises(DataFormatError):
            found.read()
        return "asked"
    needed = {"higher_is_better": True} if found.readings[0].format == "scores" else {}
    return "recognised" if content(found.read(**needed)) == truth else "wrong"


@pytest.mark.filterwarnings("ignore::rankagg.exceptions.DataWarning")
@pytest.mark.parametrize(("n", "seed"), [(60, 1), pytest.param(1000, 2, marks=pytest.mark.slow)])
def test_no_random_file_is_misread(tmp_path, n, seed):
    maker = Maker(seed)
    fates: Counter[tuple[str, str]] = Counter()
    for _ in range(n):
        made = maker.make()
        path = tmp_path / made.name
        path.write_bytes(made.data)
        found = fate(path, made.truth)
        assert found != "wrong", (made, str(ra.recognize(path)))
        known = "doubtful" if made.truth is None else "odd" if made.odd else "clean"
        fates[known, found] += 1
    clean = {found: times for (known, found), times in fates.items() if known == "clean"}
    assert clean["recognised"] >= 0.95 * sum(clean.values())
    odd = {found: times for (known, found), times in fates.items() if known == "odd"}
    assert odd["recognised"] >= 0.75 * sum(odd.values())


def test_a_row_without_a_number_gives_no_warning(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("name,a,b\nx,1,2\ny,,\nz,2,1\n", encoding="utf-8")
    assert not ra.recognize(path).is_certain


# Of real files: what those are that are certain, by the first folder of their path and the ending.
REAL = {
    **{("preflib", ending): "preflib" for ending in (".soc", ".soi", ".toc", ".toi")},
    **{(folder, ".csv"): "scores" for folder in ("tasks", "instances", "authors")},
    ("evaluations", ".json"): "evaluations", ("evaluations", ".jsonl"): "evaluations",
    ("lolib", ""): "matrix", ("pairwise", ".csv"): "comparisons", ("rankings", ".csv"): "ballots",
}  # fmt: skip


@pytest.mark.parametrize(("step", "least"), [(9, 10), pytest.param(1, 110, marks=pytest.mark.slow)])
def test_no_real_file_is_misread(step, least):
    if not DATA.is_dir():
        pytest.skip("the optional data are not there")
    certain = 0
    for path in sorted(one for one in DATA.rglob("*") if one.is_file())[::step]:
        try:
            found = ra.recognize(path)
        except RankaggError:
            continue
        # Of a leaderboard with a column "Score" all but that column are tasks.
        asked = [one for one in found.readings if one.parameters and "only" in one.parameters]
        certain += bool(asked)
        if found.is_certain:
            certain += 1
            place = path.relative_to(DATA).parts
            suffix = "" if place[0] == "lolib" and place[1].startswith("N-") else path.suffix
            expected = "cast-votes" if "cast_vote" in path.name else REAL[place[0], suffix]
            assert found.readings[0].format == expected, path
            if expected == "scores":
                table = found.read(higher_is_better=True)
                assert table.is_instance_level == (place[0] == "instances")
    assert certain >= least


ASKED = {
    "ranks in all columns": ("system,x,y\nA,1,2\nB,2,1\nC,3,3\n", {"scores", "lists"}),
    "one column of ranks": ("item,place\nA,2\nB,1\nC,3\n", {"scores", "lists"}),
    "pairs with counts": ("a,b,winner,n\nx,y,a,2\ny,x,b,3\n", {"comparisons"}),
    "wins of pairs": (",A,B\nA,0,30\nB,20,0\n", {"scores"}),
    "numbers that may be counts": ("1st,2nd,karty\nA,B,2\nB,A,5\nA,,3\n", {"cast-votes"}),
    "ranks from 0": ("system,x,y\nA,0,1\nB,1,0\nC,2,2\n", {"scores", "lists"}),
    "places in a larger field": ("name,QS,THE\nA,1,3\nB,3,2\nC,7,11\n", {"scores"}),
    "a row for each of something": ("subject,A,B\nlaw,.5,.7\nmath,.6,.4\n", {"scores"}),
    "orders in rows or columns": ("x,y,z\nA,B,C\nB,C,A\nC,A,B\n", {"lists"}),
    "words that go together": (
        "x,y,z\nA,A,A\nB,B,B\nC,D,C\nE,E,E\nF,F,F\nG,G,G\nH,H,H\n",
        {"lists"},
    ),
    "orders without headings": ("A,B,C\nB,A,C\nA,C,B\n", {"cast-votes"}),
    "a leaderboard": ("Rank,Model,Maker,Average,x\n1,A,O,.7,.9\n2,B,O,.6,.5\n", {"scores"}),
    "critics": ("Rank,x,y,z\n1,A,B,B\n2,C,A,D\n3,D,E,A\n", {"lists"}),
    "a form of ranks": ("Timestamp,Email,Q [A],Q [B]\nx,a,1st,2nd\ny,b,2nd,1st\n", {"ballots"}),
    "judges in rows": ("judge,A,B\nx,14.5,12\ny,abs.,11\n", {"scores"}),
    "two lists or a path": ("from,to\nA,B\nB,C\nC,D\n", {"lists"}),
}


def test_ambiguous_files_list_all_possible_formats():
    for kind, (text, formats) in ASKED.items():
        found = ra.recognize(StringIO(text))
        assert not found.is_certain, kind
        assert {one.format for one in found.readings} >= formats, kind
        with pytest.raises(DataFormatError, match="may hold"):
            found.read()


@pytest.mark.parametrize(
    ("text", "parameters"),
    [
        (ASKED["a leaderboard"][0], {"system": "Model", "only": ["x"]}),
        ("model,maker,Price,x\nA,O,1,80%\nB,O,2,—\n", None),
        (ASKED["judges in rows"][0], None),
        (
            "id,age,gender,A,B\n1,31,f,7,n/a\n2,28,m,9,6\n",
            {"task": "id", "only": ["A", "B"]},
        ),
        (
            "system,task_id,query_id,ndcg\nA,x,1,.5\nB,x,1,.6\nA,x,2,.5\nB,x,2,.7\n",
            {"system": "system", "task": "task_id", "instance": "query_id", "score": "ndcg"},
        ),
        (
            "model,seed,task,acc\nA,0,x,.5\nA,1,x,.6\nB,0,x,.7\nB,1,x,.5\n",
            {"system": "model", "task": "task", "instance": "seed", "score": "acc"},
        ),
    ],
)
def test_questions_name_the_columns(text, parameters):
    one, *_ = ra.recognize(StringIO(text)).readings
    assert (one.format, one.parameters, one.is_certain) == ("scores", parameters, False)


def test_systems_in_several_rows_are_no_leaderboard():
    assert ra.recognize(StringIO("model,maker,x\nA,O,1\nA,P,2\n")).readings == ()


def test_the_suggested_call_reads_the_file(tmp_path):
    text = "q,Model A,Model B,verdict\n1,x,y,Model A\n2,y,z,tie\n"
    (tmp_path / "battles.csv").write_text(text, encoding="utf-8")
    found = ra.recognize(tmp_path / "battles.csv")
    (call,) = found.calls
    assert "first='Model A'" in call
    assert found.read() == ra.read_comparisons(
        StringIO(text), first="Model A", second="Model B", outcome="verdict"
    )
    assert found.read(cluster="q").cluster_labels is not None


@pytest.fixture
def ranked(tmp_path, output):
    """Return a function that calls `rankagg rank` on a text, with options."""

    def call(text, *options, code=0):
        (tmp_path / "file.csv").write_text(text, encoding="utf-8")
        return " ".join(output("rank file.csv --rule borda", *options, code=code).split())

    return call


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b,winner,n\nx,y,a,2\ny,x,b,3\n", "--format comparisons --first a --second b"),
        (
            "home,away,x,y\nA,B,7,9\n",
            "file.csv is of no known kind: state its kind by --format, or name columns of comp",
        ),
        (
            "model,x,Price\nA,.5,3\nB,.6,2\n",
            "scores of each model on 1 task (without Price): type `rankagg rank file.csv --rule "
            "borda --format scores --only x`",
        ),
    ],
)
def test_the_command_line_names_the_options_to_type(ranked, text, words):
    assert words in ranked(text, code=2)


def test_a_remedy_names_the_option(ranked):
    columns = ["--format", "comparisons", "--first", "p", "--second", "q", "--outcome", "won"]
    message = ranked("p,q,won\nA,B,A\nB,C,B\nC,A,first\n", *columns, code=2)
    assert "also a side. Set --outcome-is side or --outcome-is winner." in message


def test_a_file_name_with_braces_is_printed_unchanged(output, tmp_path):
    (tmp_path / "{x}.csv").write_text("a,b,winner\nx,y,a\ny,x,b\n", encoding="utf-8")
    assert "note: {x}.csv is read as comparisons" in " ".join(output("rank {x}.csv").split())


def test_the_command_line_states_the_recognized_columns(ranked):
    battles = "model_a,model_b,winner,judge\nx,y,model_a,j\ny,z,tie,j\nz,x,model_b,k\n"
    out = ranked(battles, "--cluster", "judge")
    assert "note: file.csv is read as comparisons of model_a and model_b by winner" in out
    assert "2 clusters" in out
    # Options of scores alone say that these are scores.
    ranked("system,x\nA,1\nB,2\n", "--lower-is-better")


@pytest.mark.parametrize(("last", "message"), [("x,t0,q0,.5", "two scores"), ("x,t9,q,no", "no")])
def test_a_later_row_that_is_no_such_score_is_refused(last, message):
    rows = "".join(f"x,t{at},q{at},.{at}\n" for at in range(1500))
    found = ra.recognize(StringIO(f"system,task,instance,score\n{rows}{last}\n"))
    assert found.is_certain
    with pytest.raises(DataFormatError, match=message):
        found.read(higher_is_better=True)


def test_lists_of_several_lengths_are_refused_naming_the_reader():
    lists, cut = "A,B,C\nB,A\nC,B,A,D\n", "system,x,y\nA,.5,.7\nB,.7\n"
    for text, is_lists in ((lists, True), (cut, False)):
        with pytest.raises(DataFormatError, match="one cell per column") as refused:
            ra.recognize(StringIO(text))
        assert ("`read_rankings`" in str(refused.value)) == is_lists


def test_right_and_wrong_are_read_as_scores():
    assert ra.recognize(StringIO("model,x,y\nA,0,1\nB,1,1\nC,0,1\n")).is_certain
