"""The first lines name the columns used and left out, and ballots lost by `--drop` are counted."""

import shutil
from pathlib import Path

CHOICES = "Choice 1,Choice 2,Choice 3,Count\nAnn,Bob,Cid,5\nBob,Cid,Ann,3\nCid,Ann,Bob,2\n"
RANKS = "Ann,Bob,Cid,Dan,weight\n1,2,3,4,5\n2,1,3,4,3\n4,3,2,1,2\n1,3,2,4,2\n"
BLT = '3 1\n4 1 2 3 0\n3 2 3 1 0\n2 1 0\n1 3 - 1 0\n0\n"A"\n"B"\n"C"\n"Council"\n'


def test_counts_are_named_and_not_left_out(called, output, refused):
    Path("choices.csv").write_text(CHOICES)
    text = output("count choices.csv")
    assert "\ncounts: Count\n" in text
    assert "left out" not in text
    text = output("count choices.csv --weight Count")
    assert "\nweights: Count\n" in text
    assert "3 ballots cast" in text
    Path("choices.csv").write_text(CHOICES.replace("5\n", "1.5\n"))
    assert "--weight takes a column of other numbers" in refused("count choices.csv")
    Path("ranks.csv").write_text(RANKS)
    assert "\ncounts: weight\nranks: 1 is the best\n" in output("count ranks.csv")
    assert "\nweights: weight\nranks: " in output("count ranks.csv --weight weight")


def test_candidates_dropped_from_blt_count_as_withdrawn(called, output, refused):
    Path("a.blt").write_text(BLT)
    Path("b.blt").write_text(BLT.replace("3 1\n", "3 1\n-1\n", 1))
    text = output("count a.blt --drop A").replace("a.blt", "b.blt").splitlines()
    dropped = [line for line in text if "(--drop)" not in line]
    assert dropped == output("count b.blt").splitlines()
    text = output("rank a.blt --drop A --unranked ignore --rule borda").replace("a.blt", "b.blt")
    assert text.replace("left out: A (--drop)\n", "") == output(
        "rank b.blt --unranked ignore --rule borda"
    )
    assert "10 ballots cast: 8 read (0 as cast, 8 changed), 0 blank, 2 spoilt" in "\n".join(dropped)
    assert "fewer than all items" in refused("count a.blt --drop A --drop B --drop C")


def test_columns_left_out_of_the_long_form_are_named(called, output):
    Path("long.csv").write_text("model,task,run,score\nA,x,1,6\nA,y,2,7\nB,x,2,9\nB,y,1,5\n")
    line = "compare long.csv --format scores --system model --task task --score score"
    for one in ("compare long.csv", line):
        assert "\nleft out: run, not named by an option such as --instance\n" in output(one)


def test_dropped_columns_come_before_the_column_of_systems(called, output):
    Path("t.csv").write_text("rank,model,mmlu,bbh\n1,A,72,61.5\n2,B,70,63\n")
    assert "2 systems x 2 tasks" in output("rank t.csv --rule mean --drop rank")


def test_words_for_missing_numbers_explain_cells(called, output, refused):
    Path("t.csv").write_text("thing,x,y\nA,-,3.5\nB,OOM,5\nC,2,1\n")
    assert "says what '-' is" in refused("compare t.csv")
    assert "Got 'OOM'" in refused("compare t.csv --na -")
    assert "2 of 6 scores missing" in output("compare t.csv --na - --na OOM")


def test_folders_and_patterns_of_tables_are_no_evaluations(called, refused):
    Path("folder").mkdir()
    Path("folder/t.csv").write_text("model,x\nA,1\nB,2\n")
    assert "Is a directory" in refused("rank folder")
    for pattern in ("folder/*.csv", "none*.csv"):
        assert "No such file" in refused(f"rank {pattern}")
    Path("folder/log.json").write_text("{}")
    assert "holds evaluations" in refused("rank folder")
    shutil.rmtree("folder")


def test_other_separators_are_named(called, refused):
    Path("t.csv").write_text("model|x|y\nA|1|3\nB|2|5\n")
    assert "or a table once commas, tabs or semicolons separate its cells" in refused("rank t.csv")
