"""Columns and rows that hold no scores are left out or asked about, and never read silently."""

from datetime import date
from io import StringIO

import pandas as pd
import pytest

import rankagg as ra
from rankagg.exceptions import DataFormatError, DataWarning, InvalidInputError


def read(text, **options):
    return ra.read_scores(StringIO(text), higher_is_better=True, **options)


def test_empty_columns_are_left_out_of_scores_and_of_questions():
    with pytest.warns(DataWarning, match="left out, without scores: gsm8k"):
        table = read("model,mmlu,gsm8k\nA,70,\nB,71,NA\n")
    assert table.tasks.labels == ("mmlu",)
    asked = ra.recognize(StringIO("model,mmlu,bbh,gsm8k,params\nA,70,60,,7\nB,71,61,,13\n"))
    assert asked.readings[0].parameters == {"only": ["mmlu", "bbh"]}
    assert "without params and gsm8k" in str(asked)
    # An empty choice is no column of numbers.
    choices = "choice1,choice2,choice10,choice3\nA,B,,C\nB,A,,C\nC,B,,A\n"
    assert all(one.format != "scores" for one in ra.recognize(StringIO(choices)).readings)
    # Below judges, an empty column is no reason for an error either.
    assert ra.recognize(StringIO("voter,Ann,Bob,Cid\nv1,1,2,\nv2,2,1,\nv3,1,2,\n")).readings


@pytest.mark.parametrize("heading", ["", "#", "Unnamed: 0"])
def test_row_numbers_are_no_task_where_a_column_names_the_systems(heading):
    text = f"{heading},model,qa,nli\n4,A,72,61.5\n1,B,70,63\n7,C,60,65\n"
    with pytest.warns(DataWarning, match="left out, without scores"):
        assert read(text, system="model").tasks.labels == ("qa", "nli")
    assert read(text, drop=[heading]).systems.labels == ("A", "B", "C")
    with pytest.raises(DataFormatError, match=r"numbers the rows; words are in model.*'model'"):
        read(text)
    # Numbers that repeat are no index.
    with pytest.raises(DataFormatError, match="may be no tasks"):
        read(text.replace("4,", "1,"), system="model")


def test_row_numbers_are_the_systems_only_where_no_column_has_words():
    assert read(",qa,nli\n4,72,61.5\n1,70,63\n").systems.labels == ("4", "1")
    long = "#,model,task,score\n0,A,x,1\n1,B,x,2\n"
    with pytest.raises(DataFormatError, match=r"words are in model"):
        read(long, task="task", score="score")


def test_row_numbers_are_no_system_where_each_has_a_column(tmp_path):
    with pytest.warns(DataWarning, match="left out, without scores"):
        table = read(",judge,A,B\n0,Ann,7,6\n1,Bo,9,8\n", task="judge")
    assert table.systems.labels == ("A", "B")
    path = tmp_path / "wide.csv"
    path.write_text(",q,A,B\n0,a,7,6\n1,b,9,8\n")
    with pytest.raises(InvalidInputError, match="`systems` must be given where a column has no"):
        ra.io.scan_scores(path, higher_is_better=True, instance="q")
    scan = ra.io.scan_scores(path, higher_is_better=True, instance="q", systems=["A", "B"])
    assert scan.summarize().systems.labels == ("A", "B")


def test_names_beside_row_numbers_are_asked_about():
    found = ra.recognize(StringIO(",thing,x,y\n0,A,1.5,2\n1,B,2.5,1\n"))
    assert [one.is_certain for one in found.readings] == [False]


def test_numbers_below_the_first_thousand_rows_are_seen():
    rows = [f"s{at},{at % 7}.5,{at if at > 1200 else '-'}" for at in range(1300)]
    with pytest.raises(DataFormatError, match=r"column 'late' must be a finite number.*Got '-'"):
        read("\n".join(["system,x,late", *rows]))


@pytest.mark.parametrize("cell", ["$60", "**60.1**", r"\textbf{60}", "~60", "↑ 5", "<b>7</b>"])
def test_numbers_behind_signs_are_refused_and_not_left_out(cell):
    with pytest.raises(DataFormatError, match="must be a finite number"):
        read(f"system,x,y\nA,1,{cell}\nB,2,{cell}\n")


def test_a_minus_of_typesetting_is_a_minus():
    assert read("system,x\nA,\u22121.5\nB,2\n").values.tolist() == [[-1.5], [2.0]]
    with pytest.raises(DataFormatError, match=r"which no 64-bit float holds|must be a finite"):
        read("system,x\nA,\u22129007199254740993\nB,2\n")


def test_the_systems_are_in_the_first_column_that_is_not_dropped():
    text = "rank,model,mmlu\n1,A,72\n2,B,70\n"
    assert read(text, drop=["rank"]).systems.labels == ("A", "B")
    with pytest.raises(InvalidInputError, match="`drop` must be tasks"):
        read(text, system="rank", drop="rank")


def test_columns_of_truth_values_and_dates_are_left_out_by_name(tmp_path):
    frame = pd.DataFrame({"model": ["A", "B"], "x": [1.5, 2.5], "open": [True, False]})
    frame["when"] = [date(2024, 1, 5), date(2024, 2, 6)]
    frame.to_parquet(tmp_path / "t.parquet")
    with pytest.warns(DataWarning, match="left out, without scores: open and when"):
        found = ra.recognize(tmp_path / "t.parquet").read(higher_is_better=True)
    assert found.tasks.labels == ("x",)


def test_words_for_missing_numbers_are_compared_by_value():
    frame = pd.DataFrame({"model": ["A", "B", "C"], "x": [-1.0, 2, 2], "y": [3, -1, 5]})
    for source in (frame, StringIO("model,x,y\nA,-1.0,3\nB,2,-1\nC,2,5\n")):
        with pytest.warns(DataWarning, match=r"2 cells with '-1' read as missing"):
            table = ra.read_scores(source, higher_is_better=True, missing=["-1"])
        assert table.n_missing == 2
    with pytest.warns(DataWarning, match="no cell holds 'nothing', given as missing"):
        read("model,x\nA,1\nB,2\n", missing="nothing")


def test_a_column_that_depends_on_the_system_is_asked_about_in_the_long_form():
    rows = [("A", "x", 60), ("A", "y", 70), ("B", "x", 90), ("B", "y", 95)]
    frame = pd.DataFrame(rows, columns=["model", "task", "score"])
    found = ra.recognize(frame.assign(split=["test", "test", "train", "train"]))
    assert [one.is_certain for one in found.readings] == [False]
    assert "without split" in str(found)
    for harmless in (["v1"] * 4, ["a", "b", "a", "b"]):
        assert ra.recognize(frame.assign(split=harmless)).is_certain
    # A file sorted by system shows it only below the rows that are looked at first.
    many = pd.DataFrame({"model": ["A"] * 1500 + ["B"] * 1500, "task": [*range(1500)] * 2})
    many["score"] = many["task"] / 2
    assert ra.recognize(many).is_certain
    assert not ra.recognize(many.assign(split=many["model"].map({"A": "p", "B": "q"}))).is_certain


@pytest.mark.parametrize("label", ["Average", "Grand total", "**Mean**", "Total:"])
def test_rows_of_sums_are_asked_about(label):
    text = f"model,x,y\nA,1.5,3\nB,2.5,5\n{label},2,4\n"
    found = ra.recognize(StringIO(text))
    assert not found.is_certain
    assert f", with {label} (remove rows that sum up others)" in str(found)
    assert found.calls == ("read_scores(stream, higher_is_better=...)",)
    with pytest.warns(DataWarning, match="is read as one of them, though it may sum up"):
        read(text)
    assert ra.recognize(StringIO(text.replace(label, "Mean teacher"))).is_certain
    votes = f"1st choice,2nd choice,count\nAnn,Bob,5\nBob,Ann,3\n{label},,8\n"
    assert not ra.recognize(StringIO(votes)).is_certain


def test_a_title_above_the_header_of_a_workbook(tmp_path):
    cells = [["My table", None, None], ["model", "x", "y"], ["A", 1, 2]]
    pd.DataFrame(cells).to_excel(tmp_path / "t.xlsx", header=False, index=False)
    with pytest.raises(DataFormatError, match=r"2 columns without a heading.*remove the lines"):
        ra.recognize(tmp_path / "t.xlsx")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Model,qa,nli\nA,71,80\n* rerun by us,,\nB,70,82\n", "with no score of * rerun by us"),
        ("Model,qa,nli\nA,71,80\nMedian,70,81\nB,70,82\n", "with Median (remove rows"),
        (
            "Org,Model,qa,nli\nX,A,71,80\nY,B,70,82\nAll,Mean ± std,7,8\n",
            "with Mean ± std (remove",
        ),
        ("A,71,80\nB,70,81\nC,68,78\n", "with numbers in the line of headings"),
        (",A,B,C\nA,,30,50\nB,20,,40\nC,10,20,\n", "`PairwiseMatrix` in Python"),
        ("Wine,J1,J2\nW1,1,2\nW2,2,1\nW3,3,3\n", "lower is better as in ranks"),
        ("Team,W,L,T,PF\nX,14,3,0,477\nY,3,14,0,326\n", "with `only` for tasks among W, L, T, PF"),
        ("Model,Rank,Elo,95% CI\nA,1,1257,+4/-4\nB,2,1253,+5/-4\n", "among Rank, Elo, 95% CI"),
        ("Team,Submission ID,qa\nX,3041,71\nY,2210,70\n", "(without Submission ID)"),
        ("Model,qa,± qa\nA,71,1.5\nB,70,0.5\n", "(without ± qa)"),
    ],
)
def test_tables_that_may_be_misread_are_asked_about(text, what):
    found = ra.recognize(StringIO(text))
    assert not found.is_certain
    assert what in str(found)


def test_a_reading_with_a_row_of_sums_keeps_its_columns():
    text = "Org,Model,qa,nli\nX,A,71,80\nY,B,70,82\nAll,Average,70.5,81\n"
    assert ra.recognize(StringIO(text)).calls == (
        "read_scores(stream, system='Model', higher_is_better=...)",
    )
    ranks = ra.recognize(StringIO("Wine,J1,J2\nW1,1,2\nW2,2,1\nW3,3,3\n"))
    assert "read_scores(stream, higher_is_better=False)" in ranks.calls


def test_codes_of_missing_scores_are_asked_about():
    text = "model,qa,nli\nA,-1,80\nB,71,-1\nC,68,82\n"
    with pytest.raises(DataFormatError, match=r"has -1 for system 'A', task 'qa': a code"):
        read(text)
    with pytest.warns(DataWarning, match="2 cells with '-1' read as missing"):
        assert read(text, missing=["-1"]).missing.sum() == 2
    # Of which others are negative, or 1 is the largest.
    assert read(text.replace("80", "-2")).missing.sum() == 0
    assert read("model,x,y\nA,-1,1\nB,0,1\n").missing.sum() == 0


@pytest.mark.parametrize(("sign", "style"), [(".", {}), (",", {"decimal": ","})])
def test_signs_of_thousands_are_refused(sign, style):
    text = f"model;x;y\nA;1{sign}200;3\nB;900;4\nC;1{sign}100;5\n"
    with pytest.raises(DataFormatError, match=r"column 'x' has '1.200' beside 900: its sign may"):
        read(text, **style)
    assert read(text.replace("900", f"900{sign}000"), **style).values.max() == 900
    assert read(text.replace("900", "9"), **style).values.max() == 9
    # Numbers that are no text have no such sign.
    frame = pd.DataFrame({"model": ["A", "B"], "x": pd.Series([1.234, 150], dtype=object)})
    assert ra.read_scores(frame, higher_is_better=True).values.tolist() == [[1.234], [150.0]]
    other = {".": ",", ",": "."}[sign]
    with pytest.raises(DataFormatError, match=r"[Rr]emove the signs of thousands"):
        read(text.replace(sign, other), **style)


@pytest.mark.parametrize("cell", ["80.1*", "98.6/99.2", "45/50", "0x1F", "2nd"])
def test_only_remedies_that_read_a_cell_are_given(cell):
    with pytest.raises(DataFormatError, match="Write a plain number, or leave the cell empty"):
        read(f"system,x\nA,1\nB,{cell}\n")
    for other in ("71.2%", "81.1 (±0.3)", "1.5 ± 2", "-", "?"):
        with pytest.raises(DataFormatError, match="`decimal`, `percent`, `errors` and `missing`"):
            read(f"system,x\nA,1\nB,{other}\n")
    with pytest.warns(DataWarning, match="with an error behind"):
        assert read("system,x\nA,81.1 (±0.3)\nB,2\n", errors="drop").values[0] == 81.1


def test_scores_are_no_names_of_systems():
    frame = pd.DataFrame({"qa": [71, 70, 68], "nli": [80, 81, 78]}, index=[3, 1, 2])
    with pytest.raises(DataFormatError, match="its first column, 'qa', holds numbers"):
        ra.read_scores(frame, higher_is_better=True)
    assert ra.read_scores(frame.rename_axis("id"), higher_is_better=True).systems.labels == (
        3,
        1,
        2,
    )
    assert ra.read_scores(frame, higher_is_better=True, system="qa").systems.labels == (71, 70, 68)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (
            "voter,A,B,C,D\nv1,1,1,3,4\nv2,2,1,3,4\nv3,1,4,2,2\nv4,1,2,3,4\n",
            "read_ballots(stream, drop=['voter'])",
        ),
        ("ballot,rank,candidate\nb1,1,Ann\nb1,2,none\nb2,1,Bob\n", "cast votes, one mark a row"),
        ("id,rank,candidate\n1,1,Ann\n1,2,Bob\n2,1,Bob\n", "cast votes, one mark a row"),
        (
            "model,dataset,metric,score\nA,qa,acc,71\nA,qa,f1,70\nB,qa,acc,70\nB,qa,f1,71\n",
            "once the rows are of one metric",
        ),
    ],
)
def test_ballots_and_metrics_are_no_scores(text, what):
    found = ra.recognize(StringIO(text))
    assert not found.is_certain
    assert what in str(found)
    assert "instance='metric'" not in str(found)
    assert ("scores" in str(found)) == ("candidate" not in text)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("gene\nTP53\nMYC\n", "the line 'gene'"),
        ("TP53\n# a comment\nMYC\n", "the line '# a comment'"),
        ("TP53\t3\nMYC\t2\n", r"the line 'TP53\\t3'"),
        ("1. TP53\n2. MYC\n", r"begin with their places, such as '1\. TP53'.*Remove the places"),
    ],
)
def test_lines_of_lists_that_are_no_items_are_refused(tmp_path, lines, message):
    path = tmp_path / "list.txt"
    path.write_text(lines)
    with pytest.raises(DataFormatError, match=message):
        ra.read_rankings([path])


def test_numbers_of_sides_are_no_outcomes():
    text = "model_0,model_1,winner\nx,y,1\ny,z,0\nz,x,0\n"
    names = {"first": "model_0", "second": "model_1", "outcome": "winner"}
    with pytest.raises(DataFormatError, match=r"0 and 1 in column 'winner' may be the sides"):
        ra.read_comparisons(StringIO(text), **names)
    named = "model_0,model_1,winner\nx,y,y\ny,z,z\nz,x,tie\n"
    assert ra.read_comparisons(StringIO(named), **names).outcomes.tolist() == [-1, -1, 0]


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("prompt_id,GPT,Claude\np1,8.5,7\np2,7,8\n", ("task='prompt_id'", "")),
        ("Country,Gold,Silver,Total\nA,40,44,84\nB,50,27,77\n", ("task='Country'", "only=")),
    ],
)
def test_both_directions_of_a_table_are_offered(text, readings):
    calls = ra.recognize(StringIO(text)).calls
    assert len(calls) == len(readings)
    assert all(words in call for call, words in zip(calls, readings, strict=True))


@pytest.mark.parametrize(
    ("headings", "n"),
    [
        ("Played,Won,Drawn,Lost", 4), ("Win,Draw,Loss", 3), ("Pts,GD", 2), ("P,W,L,F", 4),
        ("MMLU_err,p-value,acc_ci_low", 3), ("MMLU,+/-", 1), ("Context Window,acc", 1),
    ],
)  # fmt: skip
def test_columns_that_may_be_no_tasks_are_not_taken(headings, n):
    names = headings.split(",")
    rows = [",".join([label, *(f"{at}{k}.5" for at in range(len(names)))]) for k, label in
            enumerate("ABC")]  # fmt: skip
    found = str(ra.recognize(StringIO("\n".join([f"Team,{headings}", *rows]))))
    if n == len(names):
        assert f"tasks among {', '.join(names)}" in found
    else:
        assert f"(without {names[1] if headings.startswith('MMLU,') else names[0]})" in found
