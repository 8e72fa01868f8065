"""The button of a page: genuine pages, pages edited by hand, and the content policy."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

import rankagg as ra
from rankagg.exceptions import VerificationError
from rankagg.report.chapters_result import _verified
from rankagg.report.first_screen import _FirstScreen, _PlaceGroup, _PlaceRow
from rankagg.report.page import CHARACTERS, ITEMS, _checker_script, _proof_blocks
from rankagg.report.sections import RowDrawing, Strip, render_page
from tests.conftest import slow_but
from tests.report.checking import by_package, by_stand_alone
from tests.tournaments import PALEY


def press(visit):
    """Press the button and return the verdict."""
    visit.page.click("#check-proof")
    verdict = visit.page.locator("#proof-verdict.holds, #proof-verdict.fails")
    verdict.wait_for(timeout=120_000)
    return verdict.inner_text()


def block(html, name):
    """Return what a block of a page holds, as text."""
    (text,) = re.findall(rf'<script type="application/json" id="{name}">(.*?)</script>', html)
    return text


def small_page(consensus, shown=None):
    """Return a page with the order, its proof, and nothing else."""
    _, blocks = _proof_blocks(consensus)
    order = consensus.ranking.order if shown is None else shown
    rows = tuple(
        _PlaceRow(rank, 0, str(item), Strip(None), "", ("",)) for rank, item in enumerate(order, 1)
    )
    groups = (_PlaceGroup(rows, is_open=False),)
    screen = _FirstScreen("", "", (), groups, RowDrawing((), (), (), ""), (), "Item", "", ("",))
    scripts = [_checker_script()] if blocks else []
    return render_page("small", [], screen=screen, scripts=scripts, blocks=blocks)


SMITHS = ra.PairwiseMatrix.from_wins(
    [[0, 7, 2, 9], [3, 0, 8, 9], [8, 2, 0, 9], [1, 1, 1, 0]], items=["Human", "B", "C", "Last"]
)


@pytest.fixture
def opened(visit_page, tmp_path):
    """Return a function that opens a text as a page."""

    def visit(html):
        (tmp_path / "page.html").write_text(html, encoding="utf-8")
        return visit_page(tmp_path / "page.html")

    return visit


@pytest.fixture
def edited(opened):
    """Return a function from an edit of the text of a page to the verdict of the edited page."""

    def verdict(edit):
        visit = opened(edit(small_page(ra.Kemeny().aggregate(SMITHS))))
        text = press(visit)
        assert visit.messages == []
        return text

    return verdict


def with_certificate(html, **changes):
    old = block(html, "proof-certificate")
    return html.replace(old, json.dumps({**json.loads(old), **changes}))


def order_turned(html):
    old = json.loads(block(html, "proof-certificate"))["order"]
    return with_certificate(html, order=old[::-1])


def one_more_vote(html):
    old = block(html, "proof-votes")
    votes = json.loads(old)
    votes["wins"][0][1] += 1
    return html.replace(old, json.dumps(votes))


def half_a_certificate(html):
    whole = block(html, "proof-certificate")
    return html.replace(whole, whole[:-3])


# What is done to the page, and what the verdict says of it: texts that others replace, what the
# certificate says instead, or a function.
B, C = " data-item>B<", " data-item>C<"
EDITS = {
    "names of two rows": (
        [(B, "\0"), (C, B), ("\0", C)], 'shows "C" in place 1, and the proof has "B" there',
    ),
    "ranks of two rows": (
        [(' data-rank>1<', ' data-rank>2<')],
        'shows "B" in place 2, and the proof has "C" there',
    ),
    "a row twice": (
        [(' data-rank>2<', ' data-rank>1<'), (C, B)], "the page shows two items in place 1",
    ),
    "a row less": (
        lambda html: re.sub(r"<tr [^>]*><td[^>]* data-rank.*?</tr>", "", html, count=1),
        "the page shows 3 items, and the proof has 4",
    ),
    "the order": (order_turned, "the ranking costs 46, and 14 is stated"),
    "the votes": (one_more_vote, "the certificate is for other votes"),
    "the bound": ({"scaled_lower_bound": 0}, "the status is another"),
    "no proofs": (
        {"proofs": []}, "the proof shows that no ranking costs less than 10, and 14 is stated",
    ),
    "two certificates": (
        [("</main>", '</main><script type="application/json" id="proof-certificate">{}</script>')],
        'the page has two elements "proof-certificate"',
    ),
    "half a certificate": (half_a_certificate, "the certificate cannot be read"),
}  # fmt: skip


# What is shown, what is proved, and what is no longer there.
QUICK = ("names of two rows", "a row less", "the votes", "no proofs", "half a certificate")


@pytest.mark.parametrize(
    "kind",
    [*QUICK, *(pytest.param(kind, marks=pytest.mark.slow) for kind in EDITS if kind not in QUICK)],
)
def test_a_page_that_was_edited_is_refused(edited, kind) -> None:
    edit, reason = EDITS[kind]

    def applied(html):
        if isinstance(edit, dict):
            return with_certificate(html, **edit)
        if callable(edit):
            return edit(html)
        for old, new in edit:
            html = html.replace(old, new)
        return html

    text = edited(applied)
    assert text.startswith("✕ The proof does not hold: ")
    assert reason in text


def test_hostile_names_of_items_are_harmless(opened) -> None:
    names = [
        "</script><script>alert(1)</script>", '<img src=x onerror="alert(2)">', "<!--<script>",
        "\u2028 and \u2029", "line\nbreak\x1b\x9b\t.",
        "'\"`${alert(3)}\\", "  two  blanks ", "&lt;é&#65;", "\U0001f600",
    ]  # fmt: skip
    orders = [names, names[3:] + names[:3], names[1:] + names[:1]]
    html = small_page(ra.Kemeny().aggregate(ra.Profile.from_orders(orders)))
    assert html.count("<script>alert") == 0
    visit = opened(html)
    assert press(visit).startswith("✓ The proof holds")
    assert visit.messages == []


def test_the_content_policy_blocks_added_scripts(opened) -> None:
    html = small_page(ra.Kemeny().aggregate(SMITHS))
    html = html.replace("</main>", "</main><script>document.title = 'taken'</script>")
    visit = opened(html.replace("<h1>", "<h1 onclick=\"document.title = 'taken'\">"))
    visit.page.click("h1")
    assert visit.page.title() == "small"
    assert sum("Content Security Policy" in message for message in visit.messages) == 2
    assert press(visit).startswith("✓")
    reached = visit.page.evaluate(
        "fetch('https://example.org/').then(() => 'reached', () => 'blocked')"
    )
    assert reached == "blocked"
    assert any("Content Security Policy" in message for message in visit.messages[2:])


def test_a_gap_is_no_proof_of_the_optimum(edited) -> None:
    text = edited(
        lambda html: with_certificate(html, scaled_lower_bound=13, lower_bound="13", status="gap")
    )
    assert text.startswith(
        "✓ The bound holds: this ranking contradicts 14 votes, and none fewer than 13. Checked here"
    )


def test_too_large_proofs_are_left_out_with_a_sentence() -> None:
    exact = ra.Kemeny().aggregate(ra.Profile.from_orders([range(ITEMS + 1)]))
    sentence, blocks = _proof_blocks(exact)
    assert blocks == {}
    assert "the limit is 500 items, and there are 501" in sentence
    assert CHARACTERS >= 10 * ITEMS**2  # four digits and a comma for each of two matrices


def test_every_page_states_how_to_check_its_proof(pages, monkeypatch) -> None:
    assert "and the order shown too" in pages("superglue_human").read_text("utf-8")
    exact = ra.Kemeny().aggregate(SMITHS)
    monkeypatch.setattr("rankagg.report.page.CHARACTERS", 500)
    sentence, blocks = _proof_blocks(exact)
    assert blocks == {}
    assert re.search(r"limit is 500 characters, and the proof takes \d{3}", sentence)
    assert "`rankagg solve` writes it with --certificate and --votes" in sentence


def test_a_page_states_whether_its_proof_was_verified(monkeypatch) -> None:
    assert "a second program verified it" in ra.make_report(SMITHS).html
    monkeypatch.setattr("rankagg.report.chapters_result.SECONDS_TO_VERIFY", 0.0)
    assert "could not verify it within its limits" in ra.make_report(SMITHS).html
    monkeypatch.undo()
    # What a page reads of a proof is what the second program reads, as of other votes.
    other = ra.PairwiseMatrix.from_wins([[0, 3], [1, 0]], items="AB")
    exact = ra.Kemeny().aggregate(other)
    swapped = replace(exact, certificate=ra.Kemeny().aggregate(SMITHS).certificate)
    with pytest.raises(VerificationError, match="items"):
        _verified(swapped, "vote")


VERDICTS = [
    ((1, 0), 0, "", "no ranking contradicts fewer than 0 votes, and this one contradicts 0."),
    ((3, 1), 0, "", "no ranking contradicts fewer than 1 vote, and this one contradicts 1."),
    ((3, 2.5), 0, "", "contradicts fewer than 2.5 votes, and this one contradicts 2.5."),
    ((5000, 1234), 0, "", "fewer than 1,234 votes, and this one contradicts 1,234."),
    ((10**20, 10**15), 0, "", "fewer than 1,000,000,000,000,000 votes, and"),
    ((3, 1), 0.25, "", "less than 1 vote (a tied vote costs 1/4), and this one costs 1."),
    ((3, 1), 0, "BA", "no ranking under the constraints contradicts fewer than 3 votes, and"),
    ((2**0.5, 3**-0.5), 0, "", "no ranking contradicts fewer than about 0.57735 votes"),
]


# A number, one with a constraint, and one that is rounded: the other words are made alike.
@pytest.mark.parametrize(
    ("wins", "tie_cost", "above", "text"), slow_but(VERDICTS[3:4] + VERDICTS[5:], VERDICTS)
)
def test_the_verdict_has_the_expected_words(opened, wins, tie_cost, above, text) -> None:
    votes = ra.PairwiseMatrix.from_wins([[0, wins[0]], [wins[1], 0]], items=["A", "B"])
    held = ra.Constraints(above=[tuple(above)]) if above else None
    consensus = ra.Kemeny(tie_cost=tie_cost, constraints=held).aggregate(votes)
    assert text in press(opened(small_page(consensus)))


# -- genuine proofs of every kind and size --------------------------------------------------------


def uniform(n, m):
    rng = np.random.default_rng(1)
    return ra.Profile.from_orders([rng.permutation(n).tolist() for _ in range(m)])


def matrix(n, high, scale=1):
    return ra.PairwiseMatrix.from_wins(
        np.random.default_rng(1).integers(0, high, size=(n, n)) * scale
    )


CONSTRAINTS = ra.Constraints(
    above=[(5, 0)], first=[3], quotas=[ra.Quota([1, 2, 4, 6], within=8, at_least=3)]
)
# Data, made when they are needed, and options of the rule.
KINDS = {
    "gaps": (lambda: ra.datasets.load("xtreme_gaps"), {}),
    "branching": (lambda: uniform(50, 60), {}),
    "Paley": (lambda: PALEY, {}),
    "gap": (lambda: matrix(75, 100_000), {"time_limit": 10}),
    "two hundred items": (
        lambda: ra.Mallows(list(range(200)), theta=0.02).sample(30, rng=1), {"time_limit": 60},
    ),
    "large numbers": (lambda: matrix(9, 50, 10.0**20), {}),
    "enumeration": (lambda: matrix(16, 50), {"backend": "subset-dp"}),
    "weights": (
        lambda: ra.Profile.from_orders(["ABCDE", "BCADE", "CABED"], weights=[0.1, 1 / 3, 2**0.5]),
        {},
    ),
    "ties that cost": (
        lambda: ra.Profile.from_ranks(np.random.default_rng(5).integers(1, 5, size=(9, 12))),
        {"tie_cost": 0.3},
    ),
    "constraints": (lambda: matrix(30, 50), {"constraints": CONSTRAINTS}),
    "nobody votes": (lambda: ra.PairwiseMatrix.from_wins(np.zeros((5, 5))), {}),
}  # fmt: skip


def check(consensus, tmp_path, visit_page):
    html = small_page(consensus)
    votes, certificate = block(html, "proof-votes"), block(html, "proof-certificate")
    assert by_package(votes, certificate)
    if len(certificate) < 50_000 and len(consensus.items) < 60 and "enumeration" not in certificate:
        assert by_stand_alone(votes, certificate)
    path = tmp_path / "kind.html"
    path.write_text(html, encoding="utf-8")
    visit = visit_page(path)
    text = press(visit)
    assert visit.messages == []
    what = "proof" if consensus.is_proved else "bound"
    assert text.startswith(f"✓ The {what} holds: "), text
    assert re.search(r"integers, \d+\.\d\d s\.$", text)
    return json.loads(certificate)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_genuine_proof_holds(kind, tmp_path, visit_page) -> None:
    make, options = KINDS[kind]
    certificate = check(ra.Kemeny(**options).aggregate(make()), tmp_path, visit_page)
    nodes = [node for proof in certificate["proofs"] for node in proof["nodes"]]
    if kind == "Paley":
        assert sum("pair" in node for node in nodes) >= 2
    if "enumerat" in kind:
        assert {"enumeration": True} in nodes
    if "large numbers" in kind:
        assert certificate["scaled_cost"] > 10**20
    if kind == "gap":
        assert certificate["status"] == "gap"
    if kind == "constraints":
        assert "constraints" in certificate
