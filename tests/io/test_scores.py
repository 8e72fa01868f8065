"""Reading score tables: all forms, refusals, and small tables."""

import csv
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankagg as ra
from rankagg.exceptions import DataFormatError, DataWarning, InvalidInputError
from rankagg.io.output_files import guard_frame
from tests.io.made_files import content
from tests.strategies import score_arrays

nan = float("nan")


def read(text, *, higher_is_better=True, **names):
    return ra.read_scores(StringIO(text), higher_is_better=higher_is_better, **names)


# -- one row per system ---------------------------------------------------------------------------

WIDE = "system,acc,f1\nB,0.5,70\nA,0.25,\nC,0.75,60.5\n"
TABLE = ra.ScoreTable(
    [[0.5, 70], [0.25, nan], [0.75, 60.5]], systems="BAC", tasks=["acc", "f1"],
    higher_is_better=True,
)  # fmt: skip


def test_tables_by_task_are_read():
    table = read(WIDE)
    assert table == TABLE
    assert table.systems.labels == ("B", "A", "C")
    assert table.tasks.labels == ("acc", "f1")
    assert table.values.tolist()[0] == [0.5, 70]
    assert np.argwhere(table.missing).tolist() == [[1, 1]]
    assert not table.is_instance_level
    for name in ("Model", "", "Unnamed: 0", "team name"):
        assert read(WIDE.replace("system", name)) == TABLE
    assert read("acc,model,f1\n0.5,B,70\n0.25,A,\n0.75,C,60.5\n", system="model") == TABLE


CARDS = "model,Mean win rate,#Params (B),mmlu,arc,License\nA,.1,70,8,9,mit\nB,.9,1,7,6,bsd\n"


def test_columns_that_may_be_no_tasks_are_refused_with_a_question():
    message = (
        r"stream: Mean win rate, #Params \(B\) may be no tasks\. Name those to take with `only` "
        r"\(mmlu, arc are left\), or take all with `only='\*'`\."
    )
    with pytest.raises(DataFormatError, match=message):
        read(CARDS, drop="License")
    assert read(CARDS, only=["mmlu", "arc"]).tasks.labels == ("mmlu", "arc")
    # Names go before patterns, and the order of the table stays.
    assert read(CARDS, only=["a*", "mm*"], drop="arc").tasks.labels == ("mmlu",)
    assert read(CARDS, only="*", drop="License").n_tasks == 4
    with pytest.raises(InvalidInputError, match=r"`only` must be tasks of the table .*Got 'mmul'"):
        read(CARDS, only=["mmul"])
    # Where nothing else is there, it is what systems are ranked by.
    assert read("model,Elo\nA,1000\nB,1100\n").tasks.labels == ("Elo",)
    assert read("s,t,k,v\nA,price,1,2\nA,y,1,3\n", task="t", score="v", only="p*").n_tasks == 1


@pytest.mark.parametrize(
    ("heading", "is_doubtful"),
    [
        ("HubLikes", True), ("max_tokens", True), ("Arena Score", True), ("Score", True),
        ("release date", True), ("avg", True), ("F1 score", False), ("ARC-Challenge", False),
        ("BoolQ", False), ("Arena-Hard", False), ("task 2", False), ("averages", False),
    ],
)  # fmt: skip
def test_headings_that_may_be_no_tasks_are_refused(heading, is_doubtful):
    text = f"model,{heading},x\nA,1,2\nB,2,1\n"
    if is_doubtful:
        with pytest.raises(DataFormatError, match="may be no tasks"):
            read(text)
    else:
        assert read(text).n_tasks == 2


def test_columns_of_words_are_left_out_and_named():
    with pytest.warns(DataWarning, match="left out, without scores: maker and License"):
        table = read("system,maker,x,License\nA,O,1,mit\nB,P,2,\n")
    assert table.tasks.labels == ("x",)
    # A number among words may be a score, and so may words that begin as numbers.
    for column in ("7,DNF", "12*,11*", "1h 2min,1h 3min"):
        one, other = column.split(",")
        with pytest.raises(DataFormatError, match="must be a finite number"):
            read(f"system,x,y\nA,1,{one}\nB,2,{other}\n")


def test_labels_that_look_like_numbers_stay_text():
    table = read("system,2020,2021\n1,5,6\n02,7,8\n")
    assert (table.systems.labels, table.tasks.labels) == (("1", "02"), ("2020", "2021"))


def test_tables_with_a_column_for_each_system_are_read():
    turned = pd.DataFrame(TABLE.values.T, index=["acc", "f1"], columns=list("BAC"))
    assert read(turned.to_csv(index_label="judge"), task="judge") == TABLE
    assert ra.read_scores(turned, higher_is_better=True, task="index") == TABLE
    rows = INSTANCE_TABLE.to_frame().T.reset_index()
    rows.columns = ["task", "k", "B", "A"]
    rows = rows.assign(note="x").sample(frac=1, random_state=1).sort_values("task", kind="stable")
    table = read(rows.to_csv(index=False), task="task", instance="k", drop="note")
    assert content(table) == content(INSTANCE_TABLE)


@pytest.mark.parametrize(
    "reading",
    [
        lambda: read("system,x\nGPT-4,1\ngpt-4 ,2\n"),
        lambda: ra.read_rankings(StringIO("l,m\nGPT-4,B\nB,gpt-4 \n")),
        lambda: ra.read_rankings(
            StringIO("l,i,r\n1,GPT-4,1\n2,gpt-4,1\n"), ranking="l", item="i", rank="r"
        ),
        lambda: ra.read_comparisons(
            StringIO("a,b,w\nGPT-4,B,B\nB,gpt-4,tie\n"), first="a", second="b", outcome="w"
        ),
        lambda: ra.read_cast_votes(StringIO("1,2\nGPT-4,B\nB,gpt-4\n")),
    ],
)
def test_names_that_differ_in_case_or_blanks_are_reported(reading):
    with pytest.warns(DataWarning, match="'GPT-4' and 'gpt-4' are read as two") as caught:
        reading()
    assert [Path(warning.filename).name for warning in caught] == ["test_scores.py"]


# -- one row per system and instance --------------------------------------------------------------

INSTANCES = "system,k,acc,f1\nB,1,0.5,70\nB,2,0.4,71\nA,1,0.25,\nA,3,0.1,5\n"
INSTANCE_TABLE = ra.ScoreTable(
    [[0.5, 0.4, nan, 70, 71, nan], [0.25, nan, 0.1, nan, nan, 5]], systems="BA",
    tasks=["acc"] * 3 + ["f1"] * 3, instances=["1", "2", "3"] * 2, higher_is_better=True,
)  # fmt: skip


def test_tables_by_instance_are_read():
    table = read(INSTANCES, instance="k")
    assert table == INSTANCE_TABLE
    assert table.is_instance_level
    assert (table.n_systems, table.n_tasks, table.n_units) == (2, 2, 6)
    text = "k,acc,f1,model\n1,0.5,70,B\n2,0.4,71,B\n1,0.25,,A\n3,0.1,5,A\n"
    assert read(text, instance="k", system="model") == INSTANCE_TABLE
    assert read(INSTANCES.replace("system", "Model"), instance="k") == INSTANCE_TABLE


def test_an_instance_without_scores_is_left_out_with_a_warning():
    text = "system,k,acc,f1\nB,1,0.5,70\nB,2,,71\nA,1,0.25,\nA,2,,72\n"
    with pytest.warns(DataWarning) as caught:
        table = ra.read_scores(StringIO(text), higher_is_better=True, instance="k")
    assert [str(warning.message) for warning in caught] == [
        "the stream: 1 of 4 instances (of one task each) have no score of any system and were left "
        "out."
    ]
    assert [Path(warning.filename).name for warning in caught] == ["test_scores.py"]
    assert (table.instances, table.n_units) == (("1", "1", "2"), 3)


# -- one row per score ----------------------------------------------------------------------------


def test_long_tables_are_read():
    text = "system,task,value\nB,acc,0.5\nA,acc,0.25\nB,f1,70\nC,f1,60.5\nC,acc,0.75\n"
    assert read(text, task="task", score="value") == TABLE
    assert read(text + "A,f1,\n", task="task", score="value") == TABLE


def test_long_tables_with_instances_are_read():
    text = (
        "score,k,task,model,note\n0.5,1,acc,B,x\n70,1,f1,B,\n0.4,2,acc,B,\n71,2,f1,B,\n"
        "0.25,1,acc,A,\n0.1,3,acc,A,\n5,3,f1,A,\n"
    )
    names = {"system": "model", "task": "task", "instance": "k", "score": "score"}
    assert read(text, **names) == INSTANCE_TABLE


def test_long_tables_with_tasks_of_different_sizes_are_read():
    text = "system,task,k,v\nA,x,1,1\nA,x,2,2\nA,y,9,3\nB,y,9,4\nB,x,2,5\n"
    table = read(text, task="task", instance="k", score="v")
    assert (table.tasks.labels, table.instances) == (("x", "y"), ("1", "2", "9"))
    assert table.values.tolist() == pytest.approx(np.array([[1, 2, 3], [nan, 5, 4]]), nan_ok=True)


# -- frames ---------------------------------------------------------------------------------------


def test_a_long_frame_keeps_whole_numbers_as_labels():
    frame = pd.DataFrame({"system": [2, 1, 2], "t": [10, 10, 11], "v": [1.0, 2.0, 3.0]})
    table = ra.read_scores(frame, higher_is_better=True, task="t", score="v")
    assert (table.systems.labels, table.tasks.labels) == ((2, 1), (10, 11))


# -- directions, weights, drop --------------------------------------------------------------------


def test_the_direction_has_no_default():
    with pytest.raises(TypeError, match="higher_is_better"):
        ra.read_scores(StringIO(WIDE))


def test_one_direction_for_all_tasks_or_one_each():
    assert read(WIDE, higher_is_better=False).higher_is_better == {"acc": False, "f1": False}
    mixed = read(WIDE, higher_is_better={"f1": False, "acc": True})
    assert mixed.higher_is_better == {"acc": True, "f1": False}
    assert mixed.rankings()[0].order == ("C", "B", "A")
    assert mixed.rankings()[1].order == ("C", "B")


@pytest.mark.parametrize("drop", ["acc", ["acc"], ("acc",), {"acc"}, iter(["acc"])])
def test_dropped_tasks_are_left_out(drop):
    table = read(WIDE, drop=drop)
    assert (table.tasks.labels, table.systems.labels) == (("f1",), ("B", "A", "C"))


# -- refusals -------------------------------------------------------------------------------------


LONG = {"system": "s", "task": "t", "instance": "k", "score": "v"}
IN_LONG = {"task": "t", "score": "v"}
NO_TABLES = [
    ("system,x\nA,1\nB,2\n A ,3\n", {}, "two scores for system 'A'"),
    (
        "system,t,i,v\nA,x,1,1\nA,x,1,2\n",
        {**IN_LONG, "instance": "i"},
        "two scores for system 'A', instance '1', task 'x'.*Average several runs",
    ),
    ("system,t,v\nA,x,1\nA,x,2\n", IN_LONG, "two scores for system 'A', task 'x'.*`instance=`"),
    ("system,k\nA,1\n", {"instance": "k"}, "no tasks besides"),
    ("system,x,y\nA,1,2\nB,3,inf\n", {}, "row 3, column 'y'.*'inf'"),
    ("system,x\nA,1\n,2\n", {}, "row 3, column 'system' is empty"),
    ("system,k,x\nA,,2\n", {"instance": "k"}, "row 2, column 'k' is empty"),
    ("system,t,v\nA,,2\n", IN_LONG, "row 2, column 't' is empty"),
    ("system,t,v\nA,x,high\n", IN_LONG, "row 2, column 'v'.*'high'"),
    (WIDE, {"drop": ["acc", "f1"]}, "no task"),
]
REFUSED = [
    (WIDE, {"higher_is_better": {"acc": True}}, "`higher_is_better`.*none for 'f1'"),
    (WIDE, {"higher_is_better": {"acc": True, "f1": True, "em": True}}, "higher_is_better.*'em'"),
    (WIDE, {"higher_is_better": 1}, "higher_is_better.*Got 1"),
    ("system,acc,f1\nA,1,\nB,2,NA\n", {"only": "*"}, "every task has a score.*'f1'"),
    (
        "system,k,acc,f1\nA,1,1,\nB,1,2,NA\n",
        {"instance": "k", "only": "*"},
        "every task has a score.*'f1'",
    ),
    *(
        ("s,t,k,v\nA,x,1,1\n", names, message)
        for names, message in [
            (
                {"task": "t"},
                "column 's' must be a finite .* Without `score` each column but `task`",
            ),
            ({"task": "t", "system": "s"}, "`system` must be None where each system has a column"),
            ({"task": "t", "instance": "t"}, "`task and instance` must be different columns"),
            ({"task": "t", "drop": ["s", "k", "v"]}, "has no columns besides 't'"),
            ({"task": "t", "drop": ["z"]}, r"`drop` must be columns of the table \(s, k, v\)"),
            ({"score": "v"}, r"`task and score` must be given together .* Got 'score'"),
            ({"instance": "s"}, "`system and instance` must be different columns. Got ..s', 's'"),
            ({**LONG, "instance": "t"}, "`system, task, instance and score` must be different"),
            *(({**LONG, part: "n"}, f"`{part}` must be a column of the stream") for part in LONG),
            ({"drop": "z"}, r"`drop` must be tasks of the table \(t, k, v\). Got 'z'"),
            ({**IN_LONG, "drop": [["x"]]}, r"`drop` must be tasks of the table \(x\)"),
            ({**IN_LONG, "drop": ["x"]}, "task"),
            ({"instance": "k", "drop": ["t", "v"]}, "has no tasks besides"),
        ]
    ),
]


@pytest.mark.parametrize(("text", "names", "message"), NO_TABLES + REFUSED, ids=str)
def test_bad_tables_are_refused(text, names, message):
    with pytest.raises((DataFormatError, InvalidInputError), match=f"(?s){message}") as caught:
        read(text, **names)
    if (text, names, message) in NO_TABLES:
        assert caught.type is DataFormatError


def test_a_task_without_any_score_may_be_dropped():
    assert read("system,acc,f1\nA,1,\nB,2,NA\n", drop="f1").n_tasks == 1


# -- the smallest tables --------------------------------------------------------------------------


# -- round trips ----------------------------------------------------------------------------------


@st.composite
def tables(draw):
    """Draw a task-level table in which every task has a score."""
    values = draw(score_arrays())
    values[draw(st.integers(0, len(values) - 1))] = draw(st.sampled_from([0.1, 1e-300, 2 / 3]))
    name = st.text("abcÄß \"',;'.|-", min_size=1, max_size=6).filter(lambda s: s == s.strip())
    m, n = values.shape
    labels = enumerate(draw(st.lists(name, min_size=n, max_size=n)))
    return ra.ScoreTable(
        values, systems=draw(st.lists(name, min_size=m, max_size=m, unique=True)),
        tasks=[f"{label}{k}" for k, label in labels], higher_is_better=draw(st.booleans()),
    )  # fmt: skip


@given(table=tables(), tabs=st.booleans())
@settings(max_examples=25)
def test_a_table_is_read_back_from_a_file_and_from_frames(table, tabs, tmp_path_factory):
    path = tmp_path_factory.mktemp("scores") / "table.csv"
    frame, directions = table.to_frame(), table.higher_is_better
    guard_frame(frame).to_csv(
        path, sep="\t" if tabs else ",", index_label="system", quoting=csv.QUOTE_ALL
    )
    for source in (path, frame):
        assert ra.read_scores(source, higher_is_better=directions) == table
    long = frame.rename_axis("system").reset_index()
    long = long.melt(id_vars="system", var_name="task", value_name="score")
    found = ra.read_scores(long, higher_is_better=directions, task="task", score="score")
    assert found == table


def test_a_first_column_without_a_name_holds_the_systems() -> None:
    frame = pd.DataFrame([["a", 1, 2], ["b", 3, 4]], columns=[None, "x", "y"])
    table = ra.read_scores(frame, higher_is_better=True)
    assert list(table.systems) == ["a", "b"]
    assert list(table.tasks) == ["x", "y"]


def test_a_cell_that_holds_an_array_is_refused() -> None:
    frame = pd.DataFrame({"system": ["a", "b"], "x": [np.zeros(2), 1.0]})
    with pytest.raises(DataFormatError, match="must be a finite number"):
        ra.read_scores(frame, higher_is_better=True)
