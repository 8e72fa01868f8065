"""A page for each kind of data: its own words, and descriptions given by the user."""

import re
import warnings
from io import StringIO

import numpy as np
import pandas as pd
import pytest

import rankagg as ra
from rankagg.exceptions import DataWarning, InvalidInputError
from rankagg.report.page import kind_of
from tests.conftest import slow_but
from tests.report.test_page import Page
from tests.tournaments import PALEY

NAN = float("nan")
RNG = np.random.default_rng(0)


def battles(m=300, n=5, **options):
    first = RNG.integers(0, n, m)
    second = (first + RNG.integers(1, n, m)) % n
    won = RNG.random(m) < 1 / (1 + np.exp((first - second) / 2))
    outcomes = np.where(RNG.random(m) < 0.1, 0, np.where(won, 1, -1))
    return ra.Comparisons("ABCDE"[:n], first, second, outcomes, **options)


def lists():
    orders = [RNG.permutation(12)[:5].tolist() for _ in range(6)]
    ranks = np.full((6, 12), -2, dtype=np.int32)
    for row, order in zip(ranks, orders, strict=True):
        row[order] = np.arange(5)
    items = ra.ItemSet([f"g{k}" for k in range(12)])
    return ra.Profile([ra.PartialRanking(row, items) for row in ranks])


def ballots():
    orders = ["ABC", "BCA", "CBA", "AB", "B", "C"]
    rows = [dict(zip(("1", "2", "3"), order, strict=False)) for order in orders]
    return ra.read_cast_votes(pd.DataFrame(rows * 3))


SCORES = ra.ScoreTable(
    RNG.random((4, 6)) + np.linspace(1, 0, 4)[:, None], systems=[f"s{k}" for k in range(4)],
    higher_is_better=True,
)  # fmt: skip
DATA = {
    "scores": (SCORES, {}),
    "scores with gaps": (
        ra.ScoreTable([[1.0, 2.0, 9.0], [2.0, NAN, 8.0]], systems="AB", higher_is_better=True), {},
    ),
    "battles": (battles(), {}),
    "battles of judges": (
        battles(clusters=RNG.integers(0, 40, 300), covariates={"length": RNG.normal(size=300)},
                sides=np.ones(300, dtype=int)),
        {"about": {"cluster": "judge"}},
    ),
    "battles without ratings": (ra.Comparisons("AB", [0] * 30, [1] * 30, [1] * 30), {}),
    "election": (ballots(), {}),
    "rankings as an election": (ra.datasets.load("tennessee"), {"kind": "election"}),
    "rankings": (ra.datasets.load("tennessee"), {}),
    "lists": (lists(), {}),
}  # fmt: skip
INFERRED = ("uncertain", "95 %", "decided at", "sample", "interval", "independent")
FOREIGN = {
    "scores": ("battle", "ballot", "candidate", "judge", "cluster", "voter", "list"),
    "battles": (
        "vote", "ranking", "ballot", "candidate", "task", "system", "score", "comparisons",
    ),
    "election": (
        "task", "system", "score", "battle", "rating", "judge", "cluster", "ranking", *INFERRED,
    ),
    "rankings": ("task", "system", "score", "battle", "ballot", "candidate", "cluster", "rating"),
    "lists": (
        "task", "system", "score", "battle", "ballot", "candidate", "ranking", "voter",
        # The p-values of lists assume independence.
        *INFERRED[:-1],
    ),
}  # fmt: skip


def words_of(html):
    """Return what readers see of the data: without scripts, sources of methods and the title."""
    text = re.sub(r"<(script|style|svg|title|h1)\b.*?</\1>", " ", html, flags=re.DOTALL)
    text = re.sub(r'<section id="made".*?</section>', " ", text, flags=re.DOTALL)
    # A certificate describes itself in the words of its own kind.
    text = re.sub(r"<dt>Certificate</dt><dd>.*?</dd>", " ", text)
    labels = re.findall(r'(?:aria-label|content)="([^"]*)"', text)
    return " ".join([*labels, re.sub(r"<[^>]+>", " ", text)])


@pytest.mark.parametrize(
    "name", slow_but(["scores", "battles of judges", "election", "rankings", "lists"], DATA)
)
def test_no_word_of_another_kind_is_on_a_page(name) -> None:
    data, options = DATA[name]
    kind = options.get("kind", name.split(" ")[0])
    text = words_of(ra.make_report(data, title="Page", **options).html)
    found = {
        word: text[max(match.start() - 60, 0) : match.end() + 30]
        for word in FOREIGN[kind]
        if (match := re.search(rf"\b{word}", text, flags=re.IGNORECASE))
    }
    assert found == {}
    assert "judge" not in name or "40 judges cannot tell them apart" in text


def test_an_election_of_several_seats_is_counted_by_stv():
    ballots = ra.Profile.from_orders(["ABCD", "CDAB", "BA"], counts=[60, 25, 15])
    rule = ra.STV(2)
    html = ra.make_report(ballots, kind=rule).html
    assert "A and B are elected by STV after 2 rounds" in html
    page = Page(html)
    facts = page.sections["count"]
    text = "Seats2, by Scottish rulesQuota34 votes (Droop)Ties broken byearlier rounds, then the or"
    assert text in facts
    assert "Closest pair" not in facts
    assert "STV(" not in page.sections["made"]
    assert "SSI 2007/42" in page.sections["made"]
    with pytest.raises(InvalidInputError, match="`kind` must be one of scores for a ScoreTable"):
        ra.make_report(ra.datasets.load("superglue_human"), kind=rule)


# -- kinds, and what is shown ---------------------------------------------------------------------


def test_the_kind_is_that_of_the_data_or_the_named_one() -> None:
    cases = {name: (data, options) for name, (data, options) in DATA.items()}
    cases["rankings as an election"] = (ra.datasets.load("tennessee"), {})
    cases["votes"] = (battles().pairwise(), {})
    found = {name: kind_of(data).name for name, (data, _) in cases.items()}
    assert found.pop("rankings as an election") == kind_of(ballots().profile).name == "rankings"
    assert all(name.startswith(kind) for name, kind in found.items())
    for message, refused in (
        ("`kind` must be one of battles for a Comp", lambda: kind_of(battles(), "election")),
        ("Did you mean 'lists'", lambda: kind_of(lists(), "list")),
    ):
        with pytest.raises(InvalidInputError, match=message):
            refused()


def scored(values, unranked="uniform", **options):
    table = ra.ScoreTable(values, systems="AB", tasks=["x", "y"], **options)
    return ra.make_report(table.with_unranked(unranked)).html


def test_a_mean_is_shown_for_one_direction_and_scale_only() -> None:
    alike = scored([[0.9, 0.7], [0.8, 0.75]], higher_is_better=True)
    assert "Mean score" in alike
    assert "No mean score" not in alike
    mixed = scored([[0.9, 20.0], [0.8, 30.0]], higher_is_better={"x": True, "y": False})
    assert "No mean score is shown: lower is better on y, higher on other tasks." in mixed
    apart = scored([[0.9, 70.0], [0.8, 75.0]], higher_is_better=True)
    assert "y has another scale than x." in apart
    errors = scored([[0.9, 0.7], [0.8, 0.75]], higher_is_better=False)
    rows = [row.split("</tr>")[0] for row in errors.split("<tr data-position")[1:]]
    means = [re.findall(r'class="score">([^<]*)', row) for row in rows]
    assert sorted(means) == [["0.775"], ["0.800"]]
    for page in (mixed, apart):
        assert "Mean score" not in page
        assert "Win rate" in page


def test_scores_of_each_task_have_the_best_in_bold_and_gaps_shown() -> None:
    html = ra.make_report(DATA["scores with gaps"][0]).html
    rows = [row for row in Page(html).table("Scores by task") if row["System"] == "B"]
    assert [list(row.values())[3:5] for row in rows] == [["\N{EN DASH}", "8.00"]]
    assert [row["Mean"] for row in rows] == ["\N{EN DASH}"]
    assert html.count("<strong>2.00</strong>") == 2
    assert html.count("<strong>1.00</strong>") == 0


def test_scores_that_differ_look_different_and_many_tasks_give_no_warning() -> None:
    values = [[91.32, 12.31, -0.00012, 1e-9, 0.3], [91.28, 12.35, -0.00013, 2e-9, 0.1 + 0.2],
              [90.1, 1250.0, 3.0, 3.0, 1.0]]  # fmt: skip
    minus, tasks = "\N{MINUS SIGN}", "vwxyz"
    table = ra.ScoreTable(values, systems="ABC", tasks=tasks, higher_is_better=True)
    rows = {row["System"]: row for row in Page(ra.make_report(table).html).table("Scores by task")}
    assert [[rows[system][task] for task in tasks] for system in "ABC"] == [
        ["91.32", "12.31", f"{minus}0.00012", f"1.00e{minus}09", "0.30"],
        ["91.28", "12.35", f"{minus}0.00013", f"2.00e{minus}09", "0.30"],
        ["90.10", "1250.00", "3.00000", "3.00e+00", "1.00"],
    ]
    many = ra.ScoreTable(RNG.random((3, 150)), higher_is_better=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ra.make_report(many, [], time_limit=0.0)


def test_descriptions_of_data_and_items_are_in_the_header_and_tables() -> None:
    items = pd.DataFrame(
        {"by": ["Uni", None], "year": [1, 2], "Link": ["https://example.org/?a=1&b=2", None]},
        index=["s1", "s3"],
    )
    facts = {"date": "1 May", "URL": "https://example.org", "categories": {SCORES.tasks[0]: "x"}}
    with pytest.warns(DataWarning, match=r"2 items of the data without a row \(s0, s2\)"):
        html = ra.make_report(SCORES, about=facts, about_items=items).html
    page = Page(html)
    assert "Date: 1 May" in " ".join(page.header.split())
    assert html.count('data-category="x"') == 1
    assert {"https://example.org", "https://example.org/?a=1&b=2"} <= set(page.links)
    headings = page.tables[0][0]
    assert headings[-2:] == ["by", "year"]
    cards = {row[1].split(" (")[0]: row[-2:] for row in page.tables[0][1:]}
    assert cards == {"s0": ["\N{EN DASH}"] * 2, "s1": ["Uni", "1"], "s2": ["\N{EN DASH}"] * 2,
                     "s3": ["\N{EN DASH}", "2"]}  # fmt: skip
    description = re.search(r'<meta property="og:description" content="([^"]*)">', html)[1]
    assert description in " ".join(page.header.split())


def test_rows_of_other_items_are_counted_and_left_out() -> None:
    items = pd.DataFrame({"size": [7.0, 13.0, None]}, index=["s1", "old", "older"])
    with pytest.warns(DataWarning) as warned:
        html = ra.make_report(SCORES, about_items=items).html
    lines = [str(one.message) for one in warned]
    assert lines[0] == "about items: 2 rows of no item of the data, left out (old, older)"
    assert all(line in Page(html).sections["data"] for line in lines)
    assert [row[-1] for row in Page(html).tables[0][1:] if row[1].startswith("s1")] == ["7"]


def about_items(column, *index):
    return {"about_items": pd.DataFrame(column, index=list(index))}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"about": {"link": "javascript:alert(1)"}}, "`about` must be links that begin with http"),
        ({"about": {3: "x"}}, "`about` must be a mapping from texts"),
        ({"about": {"categories": "x"}}, "mapping from tasks to their categories. Got 'x'"),
        ({"about": {"link": "https://a.b", "URL": "https://a.c"}}, "with one link"),
        (about_items({"link": ["https://a.b"], "URL": ["https://a.c"]}, "s1"), "one column of"),
        (about_items({"a": [1]}, "Z"), "Labels are the index"),
        (about_items({"link": ["file:///etc"]}, "s1"), "`about_items` must be links"),
        (about_items({"a": [1, 2]}, "s1", "s1"), "a row for each item"),
        ({"about": {"categories": "x"}}, "a mapping from tasks to their categories"),
        ({"about": {"anchor": {"s1": 1}}}, "a mapping from one item of battles to its rating"),
        ({"about": {"judges": True}}, "False unless Comparisons have clusters"),
        ({"about": {"judges": "yes"}}, "judges"),
    ],
)
def test_bad_descriptions_are_refused(options, message) -> None:
    with pytest.raises(InvalidInputError, match=message):
        ra.make_report(SCORES, **options)


def test_a_search_that_was_ended_is_not_called_the_fewest_battles():
    first, second = np.nonzero(np.kron(PALEY.wins, np.ones((3, 3))))
    won = np.ones(len(first))
    rated = ra.Comparisons(range(33), first, second, won)
    separated = ra.Comparisons(range(33), first, second, won, covariates={"length": won})
    for data, chapter in (rated, "header"), (separated, "ratings"):
        page = Page(ra.make_report(data, time_limit=0.0).html)
        text = page.header if chapter == "header" else page.sections[chapter]
        assert "was found (not proved to contradict the fewest battles)" in text
        assert "contradicts the fewest battles" not in text
    assert "There are no ratings" in page.sections["ratings"]


def test_battles_have_one_order_and_state_differences_from_others() -> None:
    data = DATA["battles"][0]
    page = Page(ra.make_report(data).html)
    fit = ra.BradleyTerry.fit(data)
    order = [data.items[i] for i in np.argsort(-fit.log_worths)]
    assert [data.items[i] for i in page.positions] == order
    for caption in ("Ratings", "Ranks by rule"):
        assert [row["Item"] for row in page.table(caption)] == order
    exact = ra.Kemeny().aggregate(data).order
    turned = sum(
        order.index(a) > order.index(b) for k, a in enumerate(exact) for b in exact[k + 1 :]
    )
    assert turned
    assert f"The order that contradicts the fewest battles differs on {turned} pair" in page.header
    effects = Page(ra.make_report(DATA["battles of judges"][0]).html).table("Effects on the")
    assert [row["Effect"] for row in effects] == ["side", "length"]
    known = ra.BradleyTerry.fit(DATA["battles of judges"][0], side=True, covariates=["length"])
    for name in ("estimate", "lower", "upper", "factor"):
        numbers = [float(row[name]) for row in effects]
        assert numbers == pytest.approx(known.effects(0.05)[name].to_list(), abs=6e-4)


def with_newcomer(outcomes, judges):
    """Return battles of judges with one more item, which one of them knows less well."""
    rng = np.random.default_rng(3)
    first, second = rng.integers(0, 5, 600), rng.integers(1, 5, 600)
    second = (first + second) % 5
    won = np.where(rng.random(600) < 1 / (1 + np.exp((first - second) / 4)), 1, -1)
    n = len(outcomes)
    return ra.Comparisons(
        ["a", "b", "c", "d", "e", "new"], np.append(first, np.full(n, 5)),
        np.append(second, np.arange(n) % 5), np.append(won, outcomes),
        clusters=np.append(np.arange(600) % 25, judges),
    )  # fmt: skip


def ratings_on(page):
    rows = page.table("Ratings, the highest first")
    name = next(column for column in rows[0] if column.endswith("rating"))
    return {row["Item"]: float(row[name].replace(",", "")) for row in rows}


def test_an_unbeaten_newcomer_does_not_change_other_ratings() -> None:
    data = with_newcomer([1] * 12, np.arange(12))
    alone = data.take(np.arange(600)).restrict("abcde")
    report = ra.make_report(data, gates=["first=new", "first=a"])
    page = Page(report.html)
    assert ratings_on(page) == ratings_on(Page(ra.make_report(alone).html))
    assert ratings_on(page) == pytest.approx(
        dict(ra.BradleyTerry.fit(alone).elo()["elo"]), abs=0.51
    )
    assert "new has no rating yet (see below)." in page.header
    (row,) = page.table("Items without a rating")
    assert list(row.values()) == ["new", "12", "12", "0", "0", "won every battle: no finite rating"]
    assert str(report.gates[0]) == "gate first=new fails: new has no rating yet."
    assert report.gates[1].reason == "a is first by rating"
    assert "left out, of items without a rating 12" in " ".join(page.text.split()).lower()


def test_ratings_take_half_a_win_where_most_never_lost_or_never_won() -> None:
    data = ra.Comparisons.from_arrays("AAABBC", "BCDCDD", [1] * 6)
    page = Page(ra.make_report(data).html)
    assert "never lost or never won against the others, or tied: ratings add half" in page.header
    fit = ra.BradleyTerry.fit(data, pseudo_rankings=0.5)
    assert ratings_on(page) == pytest.approx(dict(fit.elo()["elo"]), abs=0.51)


@pytest.mark.parametrize("name", ["plain", "adjusted", "with a prior"])
def test_the_call_on_the_page_returns_its_ratings(name) -> None:
    data, about = {
        "plain": (DATA["battles"][0], {}),
        "adjusted": (DATA["battles of judges"][0], {"anchor": {"B": 1000}}),
        "with a prior": (ra.Comparisons.from_arrays("AAABBC", "BCDCDD", [1] * 6), {}),
    }[name]
    page = Page(ra.make_report(data, about=about).html)
    call = page.table("Methods, calls and sources")[0]["Call"]
    elo = eval(call, {"BradleyTerry": ra.BradleyTerry, "battles": data})
    assert ratings_on(page) == pytest.approx(dict(elo["elo"]), abs=0.51)


def test_judges_have_reliabilities_and_contradicting_ones_are_named() -> None:
    rng = np.random.default_rng(4)
    judge, first, step = np.arange(400) % 4, rng.integers(0, 4, 400), rng.integers(1, 4, 400)
    second = (first + step) % 4
    chance = 1 / (1 + np.exp(np.array([2, 1, 1, -1])[judge] * (first - second) / 2))
    outcomes = np.where(rng.random(400) < chance, 1, -1)
    names = ["Ida", "Jo", "Kim", "Lee"]
    data = ra.Comparisons("ABCD", first, second, outcomes, clusters=judge, cluster_labels=names)
    about = {"cluster": "rater", "judges": True}
    page = Page(ra.make_report(data, about=about).html)
    rows = {row["Rater"]: row for row in page.table("Reliabilities")}
    known = ra.BradleyTerry.fit(data, judges=True).reliabilities()
    assert list(rows) == list(known.sort_values("estimate", ascending=False).index)
    for name, row in rows.items():
        numbers = [float(row[column]) for column in ("reliability", "lower", "upper")]
        expected = known.loc[name, ["estimate", "lower", "upper"]]
        assert numbers == pytest.approx(expected.to_list(), abs=0.006)
        assert row["battles"] == "100"
    assert "which contradict the others: Lee." in page.sections["judges"]
    agreed = Page(ra.make_report(data.take(np.flatnonzero(judge < 3)), about=about).html)
    assert "which contradict the others: none." in agreed.sections["judges"]
    assert "judges" not in Page(ra.make_report(data).html).sections
    # Ida agrees with the ranking in every battle: without a ridge there is no estimate.
    rule = np.where(judge == 0, np.where(first > second, 1, -1), outcomes)
    sure = ra.Comparisons("ABCD", first, second, rule, clusters=judge, cluster_labels=names)
    ridged = Page(ra.make_report(sure, about=about).html)
    assert "a ridge of 0.1 shrinks them to 1" in ridged.sections["judges"]
    known = ra.BradleyTerry.fit(sure, judges=True, ridge=0.1).reliabilities()
    rows = {row["Rater"]: float(row["reliability"]) for row in ridged.table("Reliabilities")}
    assert rows == pytest.approx(dict(known["estimate"]), abs=0.006)
    alone = data.take(np.flatnonzero(judge == 0))
    assert "two or more judges" in Page(ra.make_report(alone, about=about).html).sections["judges"]


def test_adjusted_ratings_are_labelled_with_the_reason() -> None:
    # All met all 40 times; answers of C are long, and long ones win.
    first, second = np.array(["AB", "AC", "BC"] * 40).view("U1").reshape(-1, 2).T
    longer = np.where(second == "C", -4.0, 0) + np.random.default_rng(2).normal(size=120)
    won = np.random.default_rng(5).random(120) < 1 / (1 + np.exp(-0.4 - 0.5 * longer))
    data = ra.Comparisons.from_arrays(
        first, second, np.where(won, 1, -1), covariates={"words": longer}
    )
    fit, plain = ra.BradleyTerry.fit(data, covariates=["words"]), ra.BradleyTerry.fit(data)
    assert np.argmax(fit.log_worths) != np.argmax(plain.log_worths)
    page = Page(ra.make_report(data).html)
    assert "has the highest adjusted rating" in page.header
    turned = {row["although"] for row in page.table("Neighbors")}
    assert turned - {""} == {"ratings are adjusted for words"}
    section = page.sections["ratings"]
    assert "They are adjusted for words." in section
    assert "differently: they are not adjusted for words:" in section
    (first, *_) = page.table("Ratings, the highest")
    assert float(first["adjusted rating"].replace(",", "")) == pytest.approx(
        fit.elo()["elo"].max(), abs=0.51
    )
    assert "Removing" not in section


def test_equal_opponents_weigh_no_wins() -> None:
    wins = [[0, 6, 6], [4, 0, 10], [4, 0, 0]]
    met = [(i, j) for i in range(3) for j in range(3) for _ in range(wins[i][j])]
    first, second = np.transpose(met)
    data = ra.Comparisons("ABC", first, second, [1] * 30)
    rows = Page(ra.make_report(data).html).table("Neighbors")
    (row,) = [one for one in rows if one["although"]]
    assert (row["Item"], row["although"]) == ("A", "ratings count wins against all others")


def test_a_page_states_the_fewest_battles_that_decide_the_first_place() -> None:
    data = DATA["battles"][0]
    text = ra.analysis.removal_radius(data).headline().replace("comparisons", "battles")
    assert f"{text[:1].upper()}{text[1:]}." in Page(ra.make_report(data).html).sections["ratings"]


def test_categories_are_rated_by_their_own_battles_with_the_anchor() -> None:
    data = battles(900)
    names = np.array(["code", "text"])[np.arange(900) % 2]
    names[::60] = "rare"
    categories = {name: data.take(names == name) for name in ("code", "text", "rare")}
    page = Page(ra.make_report(data, about={"anchor": {"C": 1000}, "categories": categories}).html)
    assert "on the Elo scale with C at 1,000; 400 points" in page.text
    overall = ra.BradleyTerry.fit(data).elo(anchor={"C": 1000})["elo"]
    assert ratings_on(page) == pytest.approx(dict(overall), abs=0.51)
    section = page.sections["categories"]
    assert f"rare: {(names == 'rare').sum()} battles, too few for ratings (below 20)" in section
    rows = page.table("Ratings by category")
    assert [row["Item"] for row in rows] == list(overall.index)
    for name in ("code", "text"):
        part = categories[name]
        assert f"{name}: {len(part)} battles, 5 items rated" in section
        elo = ra.BradleyTerry.fit(part).elo(anchor={"C": 1000})
        for row in rows:
            known = elo.loc[row["Item"]]
            error = known["upper"] - known["elo"]
            numbers = [float(one) for one in row[name].replace(",", "").split(" ± ")]
            want = [known["elo"]] if np.isnan(error) else [known["elo"], error]
            assert numbers == pytest.approx(want, abs=0.51)


def test_a_page_names_tied_candidates_and_the_effect_of_data_order() -> None:
    orders = [["Ann", "Bob"], ["Bob", "Cid"], ["Cid", "Bob"], ["Dan"]]
    votes = ra.Profile.from_orders(orders, counts=[5, 3, 3, 2], items=["Ann", "Bob", "Cid", "Dan"])
    page = Page(ra.make_report(votes, kind="election").html)
    assert ra.InstantRunoff(tie_breaking="order").count(votes).elected == ("Bob",)
    header = " ".join(page.header.split())
    assert "Bob and Cid are tied after 3 rounds of instant runoff." in header
    assert "Only the order of the data elects Bob: a lot has to decide." in header
    assert "A tie in round 2 was broken by the" in header
    assert (
        "round 2: Bob, Cid tie; by the order of the data Cid is eliminated"
        in page.sections["count"]
    )


def test_an_election_is_by_one_policy_whatever_that_of_the_ballots() -> None:
    votes = ra.Profile.from_orders([["A"], ["B"], ["C"]], counts=[60, 30, 10])
    for policy in ("uniform", "ignore", "last"):
        page = Page(ra.make_report(votes.with_unranked(policy), kind="election").html)
        assert "A also beats every other candidate in pairs." in page.header
        assert "30 votes ahead of B" in page.sections["count"]
        assert "Condorcet winnerA" in page.sections["majorities"]


def test_the_closest_pair_of_the_winner_may_be_one_that_it_wins() -> None:
    votes = ra.Profile.from_orders(["AXY", "YXA", "XAY", "XYA"], counts=[39, 38, 13, 12])
    html = ra.make_report(votes, kind="election").html
    assert "2 votes ahead of Y" in Page(html).sections["count"]


CIRCLE = ra.Profile.from_orders(["ABC", "BCA", "CAB"], counts=[4, 4, 4])
OF_BATTLES = ra.Comparisons.from_arrays("ABC" * 9, "BCA" * 9, [1] * 27)


@pytest.mark.parametrize(("data", "kind"), [(CIRCLE, "election"), (OF_BATTLES, "battles")])
def test_cycles_of_items_that_tie_are_no_majorities_against_the_order(data, kind) -> None:
    page = Page(ra.make_report(data, kind=kind).html)
    assert "no cycles" not in page.text
    assert "In 0 pairs the order is against a majority." in page.sections["majorities"]
    assert [row["Place"] for row in page.table("Neighbors")] == ["1", "1"]
    assert "against a majority" not in page.sections["why"]


def test_candidates_who_tie_share_a_place_and_a_lot_elects_only_some() -> None:
    orders = [["A", "B", "C"], ["B", "A", "C"], ["C", "D"], ["D", "E"], ["E", "D"], ["D"]]
    votes = ra.Profile.from_orders(orders, counts=[10, 10, 10, 6, 6, 5])
    page = Page(ra.make_report(votes, kind=ra.STV(3)).html)
    assert "Only the order of the data elects A and B: a lot has to decide." in page.header
    assert [row["Place"] for row in page.table("Neighbors")] == ["2", "2", "2", "5"]
    rows = [list(row.values())[:4] for row in page.table("Pairs that Copeland")]
    assert rows == [["A", "C", "tied", "above"], ["B", "C", "tied", "above"]]
    html = ra.make_report(votes, kind=ra.STV(3, tie_breaking="lot"), rng=1).html
    by_lot = r"D is elected by STV after 3 rounds, and . and . by lot: A, B and C were tied\."
    assert re.search(by_lot, Page(html).header)


def test_shares_of_a_pair_add_up_to_a_hundred() -> None:
    votes = ra.Profile.from_orders(["AB", "BA"], counts=[23, 17])
    html = ra.make_report(votes).html
    assert re.findall(r'<td class="[lw]\d[^>]*>(\d+)<', html) == ["58", "42"]


def test_weighted_battles_are_called_so() -> None:
    weights = np.tile([0.25, 1.0, 0.5], 10)
    data = ra.Comparisons("AB", [0] * 30, [1] * 30, [1, -1, 0] * 10, weights=weights)
    html = ra.make_report(data).html
    page = Page(html)
    rows = {row["Item"]: row for row in page.table("Ratings")}
    assert [rows[item][name] for item in "AB" for name in ("battles", "wins", "ties")] == [
        "17.5", "2.5", "5", "17.5", "10", "5",
    ]  # fmt: skip
    assert "<em>battles, wins, ties, win rate</em>: by weight" in html
    assert "weighted battles lost" in page.table("Neighbors")[0]
    effective = round(weights.sum() ** 2 / (weights**2).sum())
    assert f"{effective} effective battles" in page.header
    assert "effective" not in ra.make_report(battles()).html


def test_a_page_lists_changes_since_the_previous_version() -> None:
    values = np.array(SCORES.values)
    values[3] += 0.5
    values[1] -= 1.0
    after = ra.ScoreTable(values[1:], systems=["s1", "s2", "s3"], higher_is_better=True)
    after = after.with_task_weights({task: 1.0 + k for k, task in enumerate(after.tasks)})
    found = ra.analysis.compare_tables(SCORES, after)
    page = Page(ra.make_report(after, before=SCORES).html)
    assert found.turns
    assert {*np.sign(found.ranks[0] - found.ranks[-1])} >= {-1, 1}
    rows = {row["System"]: row for row in page.table("Systems that moved")}
    moved = found.to_frame().query("moved != 0")
    assert list(rows) == list(moved.index)
    for system, row in moved.iterrows():
        cells = list(rows[system].values())[1:]
        names = ("before", "after", "moved", "gone", "own_scores", "other_scores", "tasks", "came")
        assert [int(text) for text in cells] == [row[name] for name in names]
    pairs = [(row["now above"], row["now below"]) for row in page.table("Pairs that changed")]
    assert pairs == [turn[:2] for turn in found.turns]
    assert f"{len(moved)} of 3 systems in both versions moved" in page.sections["changes"]
    assert "Systems that wents0" in " ".join(page.sections["changes"].split())
    late = ra.make_report(after, before=SCORES, time_limit=0.0)
    assert "Not known. What changed was" in Page(late.html).sections["changes"]
    assert not late.is_complete
    for data, before in ((DATA["lists"][0], SCORES), (SCORES, "old.csv")):
        with pytest.raises(InvalidInputError, match="`before` must be a ScoreTable"):
            ra.make_report(data, before=before)


def council(*, cast=500):
    """Return cast votes of 11 candidates with blank and spoilt ballots."""
    rng, names = np.random.default_rng(1), [f"c{k}" for k in range(11)]
    shares, lines = rng.dirichlet(np.ones(11)), []
    for row in range(cast):
        chosen = rng.choice(11, size=rng.integers(1, 7), replace=False, p=shares)
        marks = (
            [] if row % 50 == 0 else ["overvote"] if row % 71 == 0 else [names[k] for k in chosen]
        )
        lines.append(",".join(marks + [""] * (6 - len(marks))))
    text = "\n".join([",".join(f"choice {k}" for k in range(1, 7)), *lines, ""])
    return ra.read_cast_votes(StringIO(text))


def test_a_page_of_stv_has_all_rounds_transfers_and_cast_ballots():
    votes, rule = council(), ra.STV(3)
    count, page = rule.count(votes.profile), Page(ra.make_report(votes, kind=rule).html)
    assert (votes.n_ballots, votes.profile.n_rankings, votes.n_blank, votes.n_emptied) == (
        500, 483, 10, 7,
    )  # fmt: skip
    assert "483 ballots read, of 500 cast" in " ".join(page.header.split())
    assert (
        "Ballots cast500Blank ballots10Spoilt ballots (no valid choice left)7"
        in page.sections["data"]
    )
    rows = {row["Candidate"]: row for row in page.table("Votes by rounds")}
    moved = {row["Candidate"]: row for row in page.table("Votes that each round adds")}
    for at, name in enumerate(count.candidates):
        before = 0
        for k, stage in enumerate(count.stages, 1):
            votes_now = stage.counts[at]
            shown = rows[name][f"round {k}"]
            assert shown == ("\N{EN DASH}" if votes_now is None else f"{float(votes_now):,.15g}")
            if k > 1 and before is not None:
                change = float(
                    moved[name][f"round {k}"].replace("\N{MINUS SIGN}", "-").replace(",", "")
                )
                assert change == pytest.approx(float((votes_now or 0) - before), abs=1e-8)
            before = votes_now
    for k in range(2, len(count.stages) + 1):
        changes = [row[f"round {k}"].replace("\N{MINUS SIGN}", "-") for row in moved.values()]
        assert sum(float(x) for x in changes if x != "\N{EN DASH}") == pytest.approx(0, abs=1e-6)
    decided = page.table("What each round decides")
    assert [row["eliminated"] for row in decided] == [", ".join(s.eliminated) for s in count.stages]
    assert [row["surplus passed on by"] for row in decided] == [
        ", ".join(stage.surplus) for stage in count.stages
    ]
    assert "Instant runoff" not in page.sections["methods"]
    drawing = kind_of(votes, rule).drawing(None)
    assert drawing.key[1] == ("stroke", False, "quota, 121 votes")
    assert {strip.strokes for strip in drawing.strips} == {(2 + 96 * 121 / 483,)}


def test_rules_are_named_in_words_and_not_as_calls():
    page = Page(ra.make_report(council(cast=60)).html)
    text = " ".join(page.sections["methods"].split())
    assert "Instant runoff" in text
    assert "InstantRunoff(" not in text
