"""Gates: whether they hold, why, and what the command does with them."""

import pytest

import rankagg as ra
from rankagg.exceptions import InvalidInputError
from rankagg.report.findings import Findings
from rankagg.report.page import _read_gates, kind_of
from tests.tournaments import PALEY

# A before the rest; the others in a cycle without a best order.
SEVERAL = ra.PairwiseMatrix.from_wins(
    [[0, 9, 9, 9], [0, 0, 2, 1], [0, 1, 0, 2], [0, 2, 1, 0]], items="ABCD"
)
TIED = ra.PairwiseMatrix.from_wins([[0, 1], [1, 0]], items="AB")


def found(data, *, time_limit=None, optima=True, alpha=0.05):
    return Findings.of(
        kind_of(data), [], tolerance=0.0, unit=None, alpha=alpha,
        time_limit=time_limit, optima=optima, rng=None,
    )  # fmt: skip


def judged(findings, *conditions):
    return [str(gate.judge(findings)) for gate in _read_gates(conditions, findings.exact.items)]


def test_gates_hold_only_if_all_optima_agree() -> None:
    assert judged(
        found(SEVERAL), "proved", "unique", "first=A", "first=B", "above=A,C", "above=C,A",
        "above=B,C", "first-decided", "decided=A,B",
    ) == [
        "gate proved holds: no ranking costs less than 4 votes.",
        "gate unique fails: 3 rankings are equally good.",
        "gate first=A holds: A is first in every optimum.",
        "gate first=B fails: A is first.",
        "gate above=A,C holds: A is above C in every optimum.",
        "gate above=C,A fails: A is above C in every optimum.",
        "gate above=B,C fails: equally good rankings differ on the two.",
        "gate first-decided fails: without rankings the uncertainty of votes is unknown.",
        "gate decided=A,B fails: without rankings the uncertainty of votes is unknown.",
    ]  # fmt: skip
    assert judged(found(TIED), "first=A", "unique") == [
        "gate first=A fails: another is first in an equally good ranking (B).",
        "gate unique fails: 2 rankings are equally good.",
    ]


def test_gates_on_unknown_facts_fail() -> None:
    late = judged(found(PALEY, time_limit=0), "proved", "unique", "first=1", "above=1,2")
    assert len(late) == 4
    for line in late:
        assert " fails: the exact consensus is not proved, a ranking may cost less by up" in line
    unseen = judged(found(SEVERAL, optima=False), "proved", "unique", "first=A")
    assert [" holds: " in line for line in unseen] == [True, False, False]
    assert all("other optima were not searched" in line for line in unseen[1:])


def test_gates_on_decisions_follow_the_data() -> None:
    clear = ra.Profile.from_orders([["A", "B", "C"]] * 12 + [["A", "C", "B"]] * 2)
    assert judged(found(clear), "first-decided", "decided=A,B", "decided=B,A") == [
        "gate first-decided holds: only A may be first at 95 %, by mean Borda points, and A is "
        "first in every optimum.",
        "gate decided=A,B holds: A is above B at 95 %, by mean Borda points.",
        "gate decided=B,A fails: A is above B at 95 %, by mean Borda points.",
    ]
    open_ = ra.Profile.from_orders([["A", "B"], ["B", "A"], ["A", "B"]])
    assert judged(found(open_), "first-decided", "decided=A,B") == [
        "gate first-decided fails: 2 items may be first at 95 %, by mean Borda points.",
        "gate decided=A,B fails: which of the two is above is not decided at 95 %, by mean Borda "
        "points.",
    ]


def battles_of(won):
    """Return comparisons from wins of both sides by pair."""
    rows = [(*pair, sign) for pair, n in won.items() for sign, k in zip((1, -1), n, strict=True)
            for _ in range(k)]  # fmt: skip
    return ra.Comparisons.from_arrays(*zip(*rows, strict=True))


def test_the_first_place_is_tested_alone_and_tiers_keep_decisions() -> None:
    won = {"AB": (38, 42), "AC": (60, 20), "AD": (70, 10), "AE": (70, 10), "BC": (45, 35)}
    won |= {"BD": (60, 20), "BE": (60, 20), "CD": (60, 20), "CE": (60, 20), "DE": (45, 35)}
    battles = battles_of(won)
    page = ra.make_report(battles, gates=["first-decided", "decided=A,B", "decided=A,C"])
    alone = "(for the first place alone)"
    assert list(map(str, page.gates)) == [
        f"gate first-decided holds: only A may be first at 95 %, by Bradley-Terry ratings {alone}, "
        "and A is first by rating.",
        "gate decided=A,B fails: which of the two is above is not decided at 95 %, by "
        "Bradley-Terry ratings.",
        "gate decided=A,C holds: A is above C at 95 %, by Bradley-Terry ratings.",
    ]
    text = " ".join(page.html.split())
    assert f"and no other item may be first, at 95 % {alone}." in text
    assert "tests the first place alone, which bars of others can reach." in text
    assert "In tiers, every item of a tier is decided to be above every item of the next" in text
    assert "A, B and C</" in text
    clear = ra.make_report(ra.Profile.from_orders(["ABC"] * 12)).html
    assert "for the first place alone" not in clear


def above(upper, lower):
    return f"above={upper},{lower}"


@pytest.mark.parametrize(
    ("conditions", "message"),
    [
        (["prooved"], "must be one of proved, .* Did you mean 'proved'"),
        (["first"], "Got 'first'. Write first=ITEM."),
        (["proved=A"], "Write proved."),
        (["first=a"], r"about items of the data \(A, B, C, D\). Got 'first=a'. Did you mean 'A'"),
        (["first="], "about items of the data"),
        (["above=A"], "must be above=ITEM,ITEM with different items. Got 'above=A'"),
        (["above=A,A"], "with different items"),
        (["above=A,B,C"], "with different items"),
        ([""], "must be one of proved"),
        ([3], "texts such as 'proved'"),
        ("proved", "a list of texts such as"),
    ],
)
def test_bad_gates_are_refused(conditions, message) -> None:
    with pytest.raises(InvalidInputError, match=message):
        _read_gates(conditions, SEVERAL.items)


def test_the_command_ends_with_a_code_and_a_sentence(tmp_path, run) -> None:
    line = "report --dataset tennessee --gate first=Nashville --gate proved"
    for more, code in (("", 0), (" --gate first=Memphis", 4)):
        result = run(f"{line}{more}", code=code)
        (tmp_path / "report.html").unlink()
        assert "gate first=Nashville holds: Nashville is first in every" in result.err
        assert "gate" not in result.out
    result = run(f"{line} --gate first=Paris", code=2)
    assert "`--gate` must be about items of the data" in result.err
    assert not (tmp_path / "report.html").exists()
