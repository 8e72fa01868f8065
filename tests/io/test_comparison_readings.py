"""Tables of battles as people have them: each is read right, asked about, or not taken for one."""

import warnings
from io import StringIO

import pytest

import rankagg as ra
from rankagg.io.comparisons import comparison_readings
from rankagg.io.tables.look import TableLook
from rankagg.io.tables.sources import read_table


def readings(text):
    """Return what is read, by each reading, with whether it is certain."""
    found = []
    for what, parameters, is_certain in comparison_readings(TableLook(read_table(text()), [])):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            battles = ra.read_comparisons(text(), **parameters)
        one, other = battles.items.at(battles.first), battles.items.at(battles.second)
        rows = zip(map(str, one), map(str, other), battles.outcomes.tolist(), strict=True)
        found.append((" ".join(f"{a}{'<=>'[sign + 1]}{b}" for a, b, sign in rows), is_certain))
        assert what.startswith("comparisons of ")
    return found


# Wins are written x>y, ties x=y, by the sides of the file.
CERTAIN = {
    "three columns of 0 and 1": (
        "nr,player_a,player_b,win_a,win_b,win_tie\n1,x,y,1,0,0\n2,y,z,0,1,0\n3,z,x,0,0,1\n",
        "x>y y<z z=x",
    ),
    "true and false, the tie first": (
        "tie;b_won;a_won;left;right\nFalse;False;True;x;y\nTrue;False;False;y;z\n"
        "False;True;False;z;x\n",
        "x>y y=z z<x",
    ),
    "grades of a baseline": (
        "q,model,baseline,grade\n1,x,z,[[A>>B]]\n2,x,z,[[B>A]]\n3,y,z,[[A=B]]\n4,y,z,B>>A\n",
        "x>z x<z y=z y<z",
    ),
    "grades in numbers": ("answer_1,answer_2,g\nx,y,1>2\ny,z,2>>1\nz,x,1=2\n", "x>y y<z z=x"),
    "1, 2 and 1.5": ("output 1\toutput 2\tpreferred\nx\ty\t1\ny\tz\t2\nz\tx\t1.5\n", "x>y y<z z=x"),
    "wins of numbered players": (
        "player_1,player_2,wins_1,wins_2\n11,12,2,1\n12,13,0,1\n13,11,1,0\n",
        "11>12 11>12 11<12 12<13 13>11",
    ),
    "wins and draws": (
        "draws,won_b,won_a,team_a,team_b\n1,0,2,x,y\n0,3,0,y,x\n", "x>y x>y x=y y<x y<x y<x",
    ),
    "goals, half time first": (
        "HomeTeam,AwayTeam,HomeGoalsHT,AwayGoalsHT,HomeGoals,AwayGoals\nx,y,0,1,2,1\ny,x,0,0,0,0\n",
        "x>y y=x",
    ),
    "goals in German": ("Heim;Gast;Tore Heim;Tore Gast\nx;y;2;3\ny;x;1;1\n", "x<y y=x"),
    "goals in Spanish": (
        "local;visitante;goles_local;goles_visitante\nx;y;2;1\ny;x;1;1\n", "x>y y=x",
    ),
    "winners in French": ("joueur_1;joueur_2;vainqueur\nx;y;x\ny;z;nul\nz;x;x\n", "x>y y=z z<x"),
    "results": ("White\tBlack\tResult\nx\ty\t1-0\ny\tz\t½-½\nz\tx\t0-1\n", "x>y y=z z<x"),
    "results of games": ("team 1,team 2,score\nx,y,3:1\ny,z,2:2\nz,x,0:1\n", "x>y y=z z<x"),
    "a winner beside goals": (
        "home,away,home_score,away_score,winner\nx,y,2,1,x\ny,z,0,0,draw\n", "x>y y=z",
    ),
    "the second side first": ("model_b,model_a,winner\nx,y,model_a\ny,x,tie\n", "y>x x=y"),
    "opponents": ("player,opponent,result\nx,y,W\ny,x,L\nx,y,D\n", "x>y y<x x=y"),
    "chosen and rejected": (
        "chosen,rejected,chosen_model,rejected_model\nt,s,x,y\nu,v,y,x\n", "x>y y>x",
    ),
    "losers first": ("loser,winner,winner_age,loser_age\nx,y,20,30\ny,x,30,20\n", "x<y y<x"),
    "ties alone": ("left,right,verdict\nx,y,tie\ny,z,tie\nz,x,tie\n", "x=y y=z z=x"),
    "no draw in a column of draws": ("winner,loser,draw\nx,y,0\ny,x,0\n", "x>y y>x"),
}  # fmt: skip


@pytest.mark.parametrize("kind", CERTAIN)
def test_battles_that_are_certain(kind):
    text, expected = CERTAIN[kind]
    assert readings(lambda: StringIO(text)) == [(expected, True)]


ASKED = {
    "errors": ("left,right,verdict\nx,y,left\ny,z,Error\nz,x,\nz,y,tie\n", ["x>y z=y"]),
    "a code for no goals": (
        "home,away,home_goals,away_goals\nx,y,2,1\ny,z,-999,-999\nz,x,1,1\n", ["x>y z=x"],
    ),
    "two games": (
        "model_1,model_2,g1_winner,g2_winner\nx,y,model_1,tie\nz,y,error,model_2\n",
        ["x>y", "x=y z<y"],
    ),
    "goals that say otherwise": (
        "home,away,home_score,away_score,winner\nx,y,2,1,y\ny,x,0,0,draw\n", ["x<y y=x", "x>y y=x"],
    ),
    "votes": ("a,b,votes_a,votes_b\nx,y,2,1\ny,x,0,1\n", ["x>y y<x", "x>y x>y x<y y<x"]),
    "two numbers of ties": ("a,b,ties,even,won_a,won_b\nx,y,0,1,2,0\n", ["x>y x>y"]),
    "0 and 1": ("model_a,model_b,model_a_won\nx,y,1\ny,x,0\n", ["x>y y<x"]),
    "two columns of 0 and 1": ("model_a,model_b,a_wins,b_wins\nx,y,1,0\ny,x,0,0\n", ["x>y y=x"]),
    "weights": ("model_a,model_b,winner,votes\nx,y,model_a,2\ny,x,model_b,1\n", ["x>y y<x"]),
    "numbers of players": ("player_1,player_2,won\n3,7,3\n7,5,5\n5,3,3\n", ["3>7 7<5 5<3"]),
    "winners who never lose": ("winner,loser\nx,z\ny,z\nx,z\n", ["x>z y>z x>z"]),
    "an item called as a side": ("home,away,result\nA,B,H\nB,C,D\nC,A,A\n", ["A>B B=C C<A"]),
}  # fmt: skip


@pytest.mark.parametrize("kind", ASKED)
def test_battles_that_are_asked_about(kind):
    text, expected = ASKED[kind]
    assert readings(lambda: StringIO(text)) == [(one, False) for one in expected]


@pytest.mark.parametrize(
    "text",
    [
        "model_a,model_b,winner\nx,y,model_a\ny,x,modle_b\n",  # a typing error
        "model_a,model_b,winner\nx,y,1\ny,x,0\n",  # the number of a side, or a win
        "model_a,model_b,model_b_won\nx,y,True\ny,x,False\n",
        "winner,loser,is_draw\nx,y,no\ny,x,yes\n",
        "winner,loser,type\nx,y,win\ny,x,Draw\n",
        "white,black,white_elo,black_elo\nx,y,1500,1600\ny,x,1600,1500\n",
        "model_a,model_b,model_c,winner\nx,y,z,x\ny,x,z,y\n",
        "choice_1,choice_2,choice_3\nx,y,z\ny,x,z\nx,z,y\n",
        "voter,choice_1,choice_2,party\nv,x,y,l\nw,y,x,r\n",
        "model,a,b\nA,5,3\nB,3,5\n",
        "who,whom,best\nx,y,x\ny,z,z\n",  # no headings of sides
        "m;task 1;task 2\nA;0,8;0,7\nB;0,7;0,8\n",
        "option1,option2,label\nred,blue,0\ngreen,red,1\n",
        "x,y,z\nx,y,x\ny,z,z\n",  # no headings
        "system,acc\nx,.5\ny,.7\n",
    ],
)
def test_what_cannot_be_vouched_for_is_no_reading(text):
    assert readings(lambda: StringIO(text)) == []


def test_json_with_cells_that_are_no_labels(tmp_path):
    path = tmp_path / "battles.json"
    rows = ['{"model_a": "x", "model_b": "y", "winner": "model_b", "talk": [{"say": "hi"}]}',
            '{"model_a": "y", "model_b": "x", "winner": "tie", "talk": []}']  # fmt: skip
    for text in (f"[{rows[0]},\n{rows[1]}]", "\n".join(rows)):
        path.write_text(text, encoding="utf-8")
        assert readings(lambda: path) == [("x<y y=x", True)]
