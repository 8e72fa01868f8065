"""Tables of battles from practice: each is recognized, ambiguous with a question, or rejected."""

import warnings
from io import StringIO

import pytest

import rankagg as ra
from rankagg.exceptions import DataFormatError, DataWarning
from rankagg.io.ballot_columns import BallotLook
from rankagg.io.table_readings import _comparisons
from rankagg.io.tables.reading import read_table


def reading(text):
    """Return what is read, with whether it is certain; None where no call is vouched for."""
    found = next(_comparisons(BallotLook(read_table(text()), [])), None)
    if found is None or found.parameters is None:
        return None
    _, what, parameters, is_certain = found
    assert what.startswith("comparisons of ")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        battles = ra.read_comparisons(text(), **parameters)
    one, other = battles.items.at(battles.first), battles.items.at(battles.second)
    rows = zip(map(str, one), map(str, other), battles.outcomes.tolist(), strict=True)
    return " ".join(f"{a}{'<=>'[sign + 1]}{b}" for a, b, sign in rows), is_certain


# Wins are written x>y, ties x=y, by the sides of the file.
CERTAIN = {
    "three columns of 0 and 1": (
        "nr,player_a,player_b,win_a,win_b,win_tie\n1,x,y,1,0,0\n2,y,z,0,1,0\n3,z,x,0,0,1\n",
        "x>y y<z z=x",
    ),
    "true and false, the tie first": (
        "tie;right_won;left_won;left;right\nFalse;False;True;x;y\nTrue;False;False;y;z\n"
        "False;True;False;z;x\n",
        "x>y y=z z<x",
    ),
    "grades of a baseline": (
        "q,model,baseline,grade\n1,x,z,[[A>>B]]\n2,x,z,[[B>A]]\n3,y,z,[[A=B]]\n4,y,z,B>>A\n",
        "x>z x<z y=z y<z",
    ),
    "grades in numbers": ("answer_1,answer_2,score\nx,y,1>2\ny,z,2>>1\nz,x,1=2\n", "x>y y<z z=x"),
    "1, 2 and 1.5": ("output 1\toutput 2\tpreferred\nx\ty\t1\ny\tz\t2\nz\tx\t1.5\n", "x>y y<z z=x"),
    "wins of players": (
        "player_1,player_2,wins_1,wins_2\nx,y,2,1\ny,z,0,1\nz,x,1,0\n", "x>y x>y x<y y<z z>x",
    ),
    "wins and draws": (
        "draws,won_b,won_a,team_a,team_b\n1,0,2,x,y\n0,3,0,y,x\n", "x>y x>y x=y y<x y<x y<x",
    ),
    "goals, half time first": (
        "HomeTeam,AwayTeam,HomeGoalsHT,AwayGoalsHT,HomeGoals,AwayGoals\nx,y,0,1,2,1\ny,x,0,0,0,0\n",
        "x>y y=x",
    ),
    "results": ("White\tBlack\tResult\nx\ty\t1-0\ny\tz\t½-½\nz\tx\t0-1\n", "x>y y=z z<x"),
    "results of games": ("team 1,team 2,score\nx,y,3:1\ny,z,2:2\nz,x,0:1\n", "x>y y=z z<x"),
    "a winner beside goals that say otherwise": (
        "home,away,home_score,away_score,winner\nx,y,1,1,x\ny,z,0,0,draw\n", "x>y y=z",
    ),
    "the second side first": ("model_b,model_a,winner\nx,y,model_a\ny,x,tie\n", "y>x x=y"),
    "opponents": ("player,opponent,result\nx,y,W\ny,x,L\nx,y,D\n", "x>y y<x x=y"),
    "letters for home and away": ("home,away,result\nA,B,H\nB,C,D\nC,A,A\n", "A>B B=C C<A"),
    "chosen and rejected": (
        "chosen,rejected,chosen_model,rejected_model\nt,s,x,y\nu,v,y,x\n", "x>y y>x",
    ),
    "losers first": ("loser,winner,winner_age,loser_age\nx,y,20,30\ny,x,30,20\n", "y>x x>y"),
    "firms of models": (
        "model_a,model_b,firm_a,firm_b,winner\nx,y,f,g,model_a\ny,x,g,f,tie\n", "x>y y=x",
    ),
    "a toss beside who won": (
        "team1,team2,toss_winner,winning_team\nx,y,y,x\ny,x,x,y\n", "x>y y>x",
    ),
    "a choice": ("left,right,choice,sure\nx,y,left,3\ny,x,right,2\n", "x>y y<x"),
    "votes for one side": ("a,b,winner,a_votes\nx,y,a,3\ny,x,b,2\n", "x>y y<x"),
    "ties alone": ("left,right,verdict\nx,y,tie\ny,z,tie\nz,x,tie\n", "x=y y=z z=x"),
}  # fmt: skip


@pytest.mark.parametrize("kind", CERTAIN)
def test_unambiguous_battles_are_recognized(kind):
    text, expected = CERTAIN[kind]
    assert reading(lambda: StringIO(text)) == (expected, True)


def test_a_column_that_may_be_weights_is_a_question():
    text = "model_a,model_b,winner,votes\nx,y,model_a,2\ny,x,model_b,1\n"
    assert reading(lambda: StringIO(text)) == ("x>y y<x", False)
    found = ra.recognize(StringIO(text))
    assert found.readings[0].parameters["weight"] == "votes"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("team1,team2,winner\nx,y,x\ny,x,maybe\n", "row 3, column 'winner' must name .*'maybe'"),
        ("a,b,winner\nx,y,upper\ny,x,lower\nx,y,upper\n", "row 2, .* must say .* Got 'upper'"),
        ("model_a,model_b,winner\nx,y,model_a\ny,x,modle_b\n", "row 3, .* Did you mean 'model b'"),
        (
            "left,right,verdict\nx,y,left\ny,x,Error\nx,y,tie\n",
            "row 3, .* Got 'Error'. `drop_outcome='Error'` leaves",
        ),
        ("left,right,verdict\nx,y,left\ny,x,\n", "row 3, .* is empty.*`drop_outcome`"),
        (
            "home,away,home_goals,away_goals\nx,y,2,1\ny,x,-999,-999\n",
            "row 3, column 'home_goals' is '?-999.*`drop_outcome='?-999",
        ),
        ("a,b,wins_a,wins_b,ties\nx,y,1,1,0\ny,x,0,1,0\n", "row 2 must have a single 1 .*is='wins"),
        ("home,away,result\nx,A,H\nA,x,A\n", "'A', an item and also a side"),
    ],
)
def test_unknown_cells_are_refused_by_the_reader(text, words):
    found = ra.recognize(StringIO(text))
    assert [one.format for one in found.readings] == ["comparisons"]
    with pytest.raises(DataFormatError, match=words):
        found.read()


def test_rows_of_errors_are_left_out_on_request():
    found = ra.recognize(StringIO("left,right,verdict\nx,y,left\ny,x,Error\nx,y,tie\n"))
    with pytest.warns(DataWarning, match="1 of 3 rows left out"):
        assert found.read(drop_outcome="error").outcomes.tolist() == [1, 0]


@pytest.mark.parametrize(
    "text",
    [
        "model_a,model_b,winner\nx,y,1\ny,x,0\n",  # the number of a side, or a win
        "model_a,model_b,winner\nx,y,1\ny,x,error\nx,y,0\n",
        "home,away,result\nx,y,A\ny,x,A\n",  # away, or the first
        "player_1,player_2,won\n3,7,3\n7,5,5\n5,3,3\n",  # numbers are no names
        "answer_a,answer_b,winner\nx,y,a\nz,w,b\n",  # nobody meets another
        "a,b,winner,verdict\nx,y,a,b\ny,x,a,b\n",  # two outcomes
        "option_a,option_b,votes_a,votes_b\nx,y,3,1\ny,x,2,2\n",  # points, or wins
    ],
)
def test_cells_in_doubt_below_headings_of_comparisons_need_names_of_columns(text):
    words = "may hold comparisons whose columns `first`, `second` and `outcome` must name"
    with pytest.raises(DataFormatError, match=words):
        ra.recognize(StringIO(text)).read()


@pytest.mark.parametrize(
    "text",
    [
        "model_a,model_b,model_b_won\nx,y,True\ny,x,False\n",
        "model_a,model_b,a_wins,b_wins\nx,y,1,0\ny,x,0,0\n",  # a tie, or none
        "a,b,ties,even,won_a,won_b\nx,y,0,1,2,0\ny,x,1,0,1,0\n",  # two numbers of ties
        "model_1,model_2,g1_winner,g2_winner\nx,y,model_1,tie\ny,x,error,model_2\n",  # two games
        "home,away,kickoff\nx,y,12:30\ny,x,15:00\n",
        "team_1,team_2,home_goals,away_goals\nx,y,2,1\ny,x,0,1\n",  # sides by other words
        "city_a,city_b,judge_a,judge_b,winner\nx,y,x,y,tie\ny,x,y,x,tie\n",  # cities, or judges
        "winner,loser\nx,z\ny,z\nx,z\n",  # nobody won and lost
        "winner,loser,is_draw\nx,y,no\ny,x,yes\n",
        "winner,loser,type\nx,y,win\ny,x,Draw\n",
        "Heim;Gast;Tore Heim;Tore Gast\nx;y;2;3\ny;x;1;1\n",
        "white,black,white_elo,black_elo\nx,y,1500,1600\ny,x,1600,1500\n",
        "choice_1,choice_2,choice_3\nx,y,z\ny,x,z\nx,z,y\n",
        "model,a,b\nA,5,3\nB,3,5\n",
        "m;task 1;task 2\nA;0,8;0,7\nB;0,7;0,8\n",
        "model_a,model_b,winner\nx,y,1\ny,x,1\n",
        "choice_1,choice_2,winner\nx,y,x\ny,x,y\n",
        "x,y,z\nx,y,x\ny,z,z\n",  # no headings
    ],
)  # fmt: skip
def test_tables_without_a_matching_rule_have_no_reading(text):
    assert reading(lambda: StringIO(text)) is None


def test_json_with_nested_cells_is_recognized(tmp_path):
    path = tmp_path / "battles.json"
    rows = ['{"model_a": "x", "model_b": "y", "winner": "model_b", "talk": [{"say": "hi"}]}',
            '{"model_a": "y", "model_b": "x", "winner": "tie", "talk": []}']  # fmt: skip
    for text in (f"[{rows[0]},\n{rows[1]}]", "\n".join(rows)):
        path.write_text(text, encoding="utf-8")
        assert reading(lambda: path) == ("x<y y=x", True)
