"""The content of the page: the library's own figures, and what is not known."""

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from rankagg.report import findings as computing
from rankagg.report.findings import Findings
from rankagg.report.first_screen import _has_other_letters, first_screen
from rankagg.report.page import kind_of
from rankagg.report.sections import Section, page_table
from tests.io.scan.scan_files import drawn
from tests.tournaments import PALEY

VOID = {"meta", "link", "br", "img", "input", "hr"}


class Page(HTMLParser):
    """Tables, texts and ids of a page; raises where elements are not closed in order."""

    def __init__(self, html):
        super().__init__()
        self.open, self.ids, self.tables, self.links, self.sections = [], [], [], [], {}
        self.captions, self.positions, self.styled = [], [], []
        self.keys, self.seen, self.text = [], [], ""
        self._section = self.header = ""
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.seen.append(tag)
        if "id" in found:
            self.ids.append(found["id"])
        self.styled += [tag] * ("style" in found)
        if "data-position" in found:
            self.positions.append(int(found["data-position"]))
        self.links += [value for name, value in attrs if name in ("src", "href", "xlink:href")]
        if tag == "section":
            self._section = found.get("id", "")
            self.sections[self._section] = ""
        if tag == "table":
            self.tables.append([])
            self.keys.append([])
            self.captions.append("")
        if tag == "tr":
            self.tables[-1].append([])
            self.keys[-1].append([])
        if tag in ("td", "th"):
            self.tables[-1][-1].append("")
            self.keys[-1][-1].append(found.get("data-key"))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += f"{data} "
        if {"td", "th"} & {*self.open} and "svg" not in self.open:
            self.tables[-1][-1][-1] += data
        if "header" in self.open:
            self.header += data
        if "caption" in self.open:
            self.captions[-1] += data
        if "section" in self.open and "svg" not in self.open:
            self.sections[self._section] += data

    def cells(self, caption):
        """Return the rows of a table: each cell as its text and what it is sorted by."""
        k = self.captions.index(caption)
        rows = zip(self.tables[k], self.keys[k], strict=True)
        return [[(text.strip(), key) for text, key in zip(*row, strict=True)] for row in rows]

    def table(self, caption):
        """Return the table whose caption starts so as a list of dicts from heading to text."""
        (k,) = (k for k, text in enumerate(self.captions) if text.startswith(caption))
        head, *rows = self.tables[k]
        return [dict(zip(head, row, strict=True)) for row in rows]


@pytest.fixture
def human(reports):
    """The page of humans and models on SuperGLUE, and its data."""
    return reports("superglue_human"), ra.datasets.load("superglue_human")


def test_places_figures_and_the_proof_are_those_of_the_library(human) -> None:
    report, table = human
    page, comparison = Page(report.html), ra.compare(table)
    places = comparison.ranks()
    rows = page.table("Ranks by rule")
    assert [row["System"] for row in rows] == list(places.index)
    for method in ("Mean", "Borda", "Copeland"):
        assert [int(row[method]) for row in rows] == places[method].tolist()
    assert [int(row["Rank"]) for row in rows] == places["Kemeny"].tolist()
    text = page.sections["methods"]
    assert "Borda differs on 1 pair" in text
    assert "Copeland orders all pairs as the exact consensus does." in text
    exact = ra.Kemeny().aggregate(table)
    section = page.sections["exact"]
    assert exact.certificate.summary() in section
    assert "The consensus is proved optimal, and no other is as good." in section
    assert f"At least {exact.optima.addition_radius} more tasks would be needed" in section
    assert report.is_proved


def test_several_optima_are_counted_and_their_leaders_named() -> None:
    report = ra.make_report(ra.Profile.from_orders(["ABC", "BCA", "CAB"]))
    page = Page(report.html)
    assert "two others are as good, in another order inside A, B and C." in page.sections["exact"]
    assert "They differ on 3 of 3 pairs" in page.sections["exact"]
    cycle = "A beats B (2 to 1), B beats C (2 to 1), and C beats A (2 to 1)."
    assert cycle in page.sections["majorities"]
    assert {row["All optima"] for row in page.table("Ranks by rule")} == {"1 to 3"}
    assert "First place is open: A, B and C each lead an order" in report.html
    assert "two others are as good, in another order inside the shaded group" in page.header


def test_an_unproved_consensus_is_reported() -> None:
    votes = ra.PairwiseMatrix.from_wins(np.kron(PALEY.wins, np.ones((3, 3))))
    report = ra.make_report(votes, time_limit=0.0)
    page = Page(report.html)
    assert not report.is_proved
    assert "Not known. It is not proved optimal" in page.sections["exact"]
    assert "It is not proved optimal: another may contradict up to" in page.header
    assert "leads the best order of 33 items that was found" in page.header
    assert "which is not proved" in report.html


def test_votes_without_rankings_state_what_is_unknown() -> None:
    page = Page(ra.make_report(ra.datasets.load("tennessee").pairwise()).html)
    assert "Not known." in page.sections["certainty"]
    assert "without the items that rankings left out" in page.sections["data"]
    assert {"missing", "stability"} & {*page.sections} == set()


def test_names_that_need_a_font_are_noted_once() -> None:
    other = (
        "\u6a21\u578b", "\uc778\uacf5", "\u30e2\u30c7\u30eb", "\u0646\u0645\u0648", "\u05d0",
        "\u0915", "\U00020000",
    )  # fmt: skip
    usual = (
        "B", "\u00e9\u00df\u0141", "\u03b1 \u03a9", "\u0416\u044f", "\u00b5",
        "10\u207b\u00b2 \u00b1 \u2192", "Vi\u1ec7t", "",
    )  # fmt: skip
    for label in (*other, *usual):
        assert _has_other_letters(f"GPT-4 {label}") == (label in other)
    for label in (other[0], usual[0]):
        scores = pd.DataFrame({"system": ["A", "B"], label: [1, 2], "x": [2, 1]})
        scores = ra.read_scores(scores, higher_is_better=True)
        for data in (ra.Profile.from_orders([["A", label]] * 3), scores):
            html = ra.make_report(data).html
            assert html.count("need a font that has their letters") == (label in other)


def test_a_place_outside_its_interval_is_linked_and_explained() -> None:
    # By majorities C is third; Borda points, which count how far, have it first.
    votes = ra.Profile.from_orders(["ABCD", "CDBA"], counts=[1040, 960])
    rows = first_screen(findings_of(votes)).rows
    outside = {row.name for row in rows if row.strip.mark == "outside"}
    assert {"A", "C"} <= outside
    for row in rows:
        if row.strip.mark == "outside":
            low, high = row.strip.link
            assert row.strip.at in (low, high)
            assert {low, high} & set(row.strip.bar)
            assert low < high
        else:
            assert row.strip.link is None
    html = ra.make_report(votes).html
    assert "place outside its interval, which is by another rule" in html
    assert html.count('class="link"') == len(outside)
    assert "although by mean Borda points only C may be first" in html


def test_groups_are_cut_where_the_rows_of_the_page_end() -> None:
    orders = [["A", "B", "C", "D", "E"], ["A", "D", "C", "B", "E"]]
    screen = first_screen(findings_of(ra.Profile.from_orders(orders)))
    assert [len(block.rows) for block in screen.blocks] == [1, 3, 1]
    for k in range(6):
        first, later = screen.slice_blocks(0, k), screen.slice_blocks(k, 5)
        cut = [(row.name, block.is_open) for block in (*first, *later) for row in block.rows]
        assert cut == [(row.name, block.is_open) for block in screen.blocks for row in block.rows]
        assert sum(len(block.rows) for block in first) == k


def findings_of(data, rules=None):
    """Return all that a page tells of the data."""
    return Findings.of(
        kind_of(data), rules, tolerance=0.0, unit=None, alpha=0.05,
        time_limit=None, optima=True, rng=0,
    )  # fmt: skip


def test_other_possible_leaders_are_named_with_the_reason() -> None:
    values = np.array([[9.0], [5.0], [1.0], [8.0]]) + np.random.default_rng(0).random((4, 9))
    values[3, 6:] = np.nan
    values[3, 0] += 2.0
    scores = ra.ScoreTable(values, systems="ABCD", higher_is_better=True)
    sentence = "but D may be first too: nine tasks cannot tell them apart."
    assert sentence in first_screen(findings_of(scores)).result


def test_cut_lists_state_the_number_of_further_lines() -> None:
    (part,) = Section("name", "Title").items("wxyz", 2).parts
    assert part.content == ("w", "x", "and 2 more")


def test_the_page_is_self_contained(human) -> None:
    report, _ = human
    page = Page(report.html)
    assert len(set(page.ids)) == len(page.ids)
    assert all(link.startswith(("#", "data:")) for link in page.links)
    inside = [link[1:] for link in page.links if link.startswith("#")]
    assert set(inside) <= set(page.ids)
    urls = re.findall(r"url\(#([^)]+)\)", report.html)
    assert set(urls) <= set(page.ids)
    scripts = re.findall(r"<script>(.*?)</script>", report.html, flags=re.DOTALL)
    (style,) = re.findall(r"<style>(.*?)</style>", report.html, flags=re.DOTALL)
    digests = " ".join(f"'sha256-{digest_of(script)}'" for script in scripts)
    assert f"style-src 'sha256-{digest_of(style)}'; script-src {digests};" in report.html
    assert page.styled == []


def digest_of(text):
    return b64encode(sha256(text.encode()).digest()).decode()


def test_the_same_data_give_the_same_page(human) -> None:
    report, table = human

    def still(html):
        return re.sub(r"\b0\.\d{3,}\b|\d\.\d+e-\d+", "", html)

    assert still(ra.make_report(table, title="superglue_human").html) == still(report.html)


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"title": " "}, "title"), ({"unit": "voter"}, "unit"), ({"alpha": 1.0}, "alpha"),
     ({"optima": 1}, "optima"), ({"rules": ["borda"]}, "rule object")],
)  # fmt: skip
def test_bad_input_is_named(changes, message) -> None:
    with pytest.raises(InvalidInputError, match=message):
        ra.make_report(ra.datasets.load("tennessee"), **changes)


SMALLEST = {
    "one system": ra.ScoreTable([[1.0, 2.0]], systems=["A"], higher_is_better=True),
    "one task": ra.ScoreTable([[1.0], [2.0]], systems="AB", higher_is_better=True),
    "all tied": ra.Profile([ra.PartialRanking.from_buckets([["A", "B", "C"]])]),
    "never compared": ra.Profile.from_ranks([[1, 2, np.nan, np.nan], [np.nan, np.nan, 1, 2]]),
    "no votes": ra.PairwiseMatrix.from_wins([[0, 0], [0, 0]]),
}


@pytest.mark.parametrize("data", SMALLEST.values(), ids=SMALLEST)
def test_the_smallest_data_have_a_page(data) -> None:
    page = Page(ra.make_report(data).html)
    assert page.sections["exact"]
    assert sorted(page.positions) == list(range(len(ra.compare(data).votes.items)))


def test_the_fewest_removals_are_named(human, monkeypatch) -> None:
    monkeypatch.setattr(computing, "SECONDS_FOR_REMOVALS", 60.0)
    section = Page(ra.make_report(human[1]).html).sections["stability"]
    found = ra.analysis.removal_radius(human[1])
    assert f"{found.headline().replace('removing', 'Removing')}." in section
    assert "Removing 5 of 10 tasks (" in section
    assert "no longer alone in first place." in section
    one = Page(ra.make_report(ra.Profile.from_orders(["ABC"])).html).sections["stability"]
    assert "emoving" not in one


def test_a_single_item_has_a_page_without_comparisons() -> None:
    page = Page(ra.make_report(ra.Profile.from_orders(["A"])).html)
    assert "There is one item, A: nothing to rank." in page.header
    assert set(page.sections) == {"exact", "data", "made"}
    votes = Page(ra.make_report(ra.PairwiseMatrix.from_wins([[0]])).html)
    assert "how sure" not in votes.header


def test_numbers_rounded_to_zero_have_no_sign() -> None:
    frame = pd.DataFrame({"a": [-0.0001, -0.1, -0.0], "b": [-1e6, 1234567.5, 62065.714285]})
    rows = page_table(frame, "caption", formats={"a": ".2f"}, meanings={"a": "x", "b": "x"})
    assert [[cell.text for cell in row] for row in rows.rows] == [
        ["0.00", "-1,000,000"], ["-0.10", "1,234,567.5"], ["0.00", "62,065.7"],
    ]  # fmt: skip
    assert rows.notes == (("a, b", "x"),)
    table = ra.ScoreTable([[-0.001, -0.001], [9.0, 9.0]], higher_is_better=True)
    shown = [row.numbers for row in first_screen(findings_of(table)).rows]
    assert shown == [("9.00",), ("0.00",)]


# -- summed scores --------------------------------------------------------------------------------


def text_of(report):
    without = re.sub(r"<(script|style|svg).*?</\1>", "", report.html, flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", without))


def test_the_page_of_sums_states_what_sums_lack():
    table = drawn(1, n=5, m=60)
    text = text_of(ra.make_report(ra.ScoreSummary.from_scores(table)))
    full = text_of(ra.make_report(table, unit="ranking"))
    for part in (r"Cost [\d.]+ \(votes", r"TwoLevel\(Borda, Borda\) [\d.]+", r"Scores \d+ of 300"):
        assert re.search(part, text)[0] == re.search(part, full)[0]
    assert "sums of scores, not the scores themselves" in text
    assert re.search(r"Without one of the 3 tasks.*?largest change first", text)[0] in full
    assert "Each instance of each task counts as independent" in text
    assert "hoeffding (Bonferroni)" in text
