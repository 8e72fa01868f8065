"""The checker of the page against the package and the stand-alone checker, in a real browser."""

import json
import re
from fractions import Fraction
from hashlib import sha256
from itertools import permutations
from math import gcd
from random import Random

import numpy as np
import pytest

import rankagg as ra
from rankagg.aggregation.kemeny.problem import Problem
from rankagg.aggregation.kemeny.proof import Proof
from rankagg.exceptions import VerificationError
from rankagg.io.json_files import votes_to_dict
from tests.aggregation.kemeny.forging import (
    N,
    change,
    early_chain,
    keeps,
    mutant,
    quick_specimens,
    random_leaf,
    random_rows,
    random_tree,
)
from tests.aggregation.kemeny.test_certificate import BOMBS
from tests.report.checking import judge, stated, verdicts


def forged(cases, how_many, seed):
    """Return genuine texts, and mutants of their certificates and of their votes."""
    rng = Random(seed)
    texts = []
    for case in cases:
        votes, certificate = json.dumps(case.votes_plain), json.dumps(case.plain)
        texts.append((votes, certificate))
        texts += [(votes, as_text(mutant(case, rng))) for _ in range(how_many)]
        for _ in range(how_many // 4):
            other = json.loads(votes)
            change(other, rng)
            texts.append((as_text(other), certificate))
    return [pair for pair in texts if None not in pair]


def as_text(plain):
    """Return JSON, with NaN and the like; None for what no text can hold."""
    try:
        return json.dumps(plain)
    except (TypeError, ValueError):
        return None


def test_genuine_and_forged_texts_get_the_verdicts_of_the_other_checkers(blank) -> None:
    cases = quick_specimens().values()
    counted = judge(blank, forged(cases, 6, seed=1))
    assert counted[True] > 2 * len(cases)
    assert counted[False] > 100


def built(rng):
    """Return votes and a certificate that nobody searched for, whose bound is what is proved."""
    wins = [[rng.randrange(9) * (i != j) for i in range(N)] for j in range(N)]
    votes = ra.PairwiseMatrix.from_wins(wins)
    problem = Problem.from_pairwise(votes)
    order = rng.sample(range(N), N)
    cost = problem.cost(np.array(order))
    rows = random_rows(rng)
    chain = early_chain(rng, problem) if rng.random() < 0.5 else ()
    tree = random_tree(rng, cost - rng.randrange(12), len(rows), start=len(chain))
    tree = tree if rng.random() < 0.7 else (random_leaf(rng, len(rows)),)
    return votes, order, [Proof(tuple(rng.sample(range(N), N)), (*chain, *tree), rows)]


@pytest.mark.parametrize("count", [40, pytest.param(3000, marks=pytest.mark.slow)])
def test_the_bound_is_the_same_to_the_last_unit(blank, count) -> None:
    rng = Random(3)
    texts = []
    while len(texts) < count:
        votes, order, proofs = built(rng)
        try:
            texts += stated(votes, order, proofs)
        except VerificationError:  # every case contradicts itself, or a row counts too much
            continue
    counted = judge(blank, texts)
    assert min(counted[True], counted[False]) > count // 4


SURROGATE = re.compile("[\ud800-\udfff]")
CERTIFICATE = quick_specimens()["one cycle"].plain
VOTES = quick_specimens()["one cycle"].votes_plain


# Replacements of a number or a text of the certificate.
IN_PLACE = {
    '"scaled_cost": 76': [
        *("76.0", "7.6e1", "76e0", "076", "+76", '"76"', "true", "1e999999999", "0x4c", "76n"),
        *('76, "scaled_cost": 76', '76, "scaled\\u005fcost": 76', "76,", "NaN", "-Infinity"),
        *("null", "[76]", "76 /* so it is */", "\u00a076", "\u066776", "7" * 1001),
        "[" * 5000 + "]" * 5000,
    ],
    '"order": [1, 2, 0]': [
        *("[1, 2, -0]", "[1, 2, 00]", "[1, 2, 0,]", "[1 2 0]", "[1, 2, 0]\u2028"),
        '{"0": 1, "1": 2, "2": 0}',
    ],
    '"tie_cost": "0"': ['"0/1"', '"0\\n"', '"-0"', '" 0"', '"0.0"', '"\u0660"'],
    '"version": 1': ["0", "2", "4"],
    '"items": ["A", "B", "C"]': [
        *('["A", "B", "\ud800"]', '["A", "B", "C\t"]', '["A", "B", "\\x43"]'),
        *('["A", "B", "\\u43"]', '["\\u0041", "B", "C"]'),
    ],
}
REPLACED = [
    ('"scaled_cost": 76', "'scaled_cost': 76"),
    ('"order": [1, 2, 0]', '"__proto__": {}, "order": [1, 2, 0]'),
    ('"order": [1, 2, 0]', '"constraints": null, "order": [1, 2, 0]'),
    ('"tie_cost": "0"', '"tie\\u005fcost"\t:\r\n"\\u0030"'),
    ("{", "\ufeff{"),
    *(("}", end) for end in ("} ", "} {}", "", "}\x00")),
    *((old, f"{old.partition(':')[0]}: {new}") for old, some in IN_PLACE.items() for new in some),
]


def test_texts_that_are_no_plain_json_are_refused(blank) -> None:
    certificate, texts = json.dumps(CERTIFICATE), []
    for old, new in REPLACED:
        assert old in certificate
        at = certificate.rindex(old) if old == "}" else certificate.index(old)
        text = certificate[:at] + new + certificate[at + len(old) :]
        texts.append((json.dumps(VOTES), text.replace("\ud800", "\\ud800")))
    judge(blank, texts)


def test_votes_of_every_form_get_the_same_verdict(blank) -> None:
    # Whatever else follows from the change is restated, where the package reads the votes at all.
    texts = []
    for change_of_votes in (
        {"rounding": "1/3"}, {"rounding": "2/4"}, {"items": ["A", "B", "\ud800"]},
        {"rounding": "1/2"}, {"rounding": "9007199254740993"},
        {"rounding": "1" + "0" * 400}, {"rounding": f"1/{2**1074}"}, {"rounding": f"1/{2**1075}"},
        {"denominator": 2}, {"denominator": 0}, {"denominator": 10**300}, {"items": []},
        {"items": ["A", "B"]}, {"items": ["A", "B", "B"]}, {"items": ["A", "B", 3]},
        {"items": ["", "B", "C"]}, {"items": [0, 1, 2]}, {"items": [0, 1, True]},
        {"items": ["A", "B", "\U0001f600"]}, {"items": ["A", "B", "é<\u2028"]},
        {"ties": [[0, 1, 0], [0, 0, 0], [0, 0, 0]]}, {"ties": [[0, 1, 0], [1, 0, 0], [0, 0, 0]]},
        {"wins": [[0, 33], [27, 0]]}, {"wins": [[1, 33, 25], [27, 0, 42], [35, 18, 0]]},
        {"wins": [[0, 10**101, 25], [27, 0, 42], [35, 18, 0]]},
        {"wins": [[0, 3300, 2500], [2700, 0, 4200], [3500, 1800, 0]], "denominator": 100},
    ):  # fmt: skip
        votes = json.dumps({**VOTES, **change_of_votes})
        certificate = json.dumps({**CERTIFICATE, **restated(votes)})
        texts += [(votes, json.dumps(CERTIFICATE)), (votes, certificate)]
    judge(blank, texts)


def restated(votes):
    """Return what a certificate states about the votes except costs, valid or not."""
    plain = json.loads(votes)
    n = len(plain["items"])
    tolerance = str(Fraction(plain["rounding"]) * n * (n - 1))
    numbers = [x for matrix in (plain["wins"], plain["ties"]) for row in matrix for x in row]
    common = gcd(plain["denominator"], *numbers)
    wins, ties = ([[x // common for x in row] for row in plain[key]] for key in ("wins", "ties"))
    text = f"rankagg.votes 1\n{n} {plain['denominator'] // common}\n"
    for label in plain["items"]:
        name = SURROGATE.sub("\ufffd", str(label))
        text += f"i{name}\n" if isinstance(label, int) else f"s{len(name.encode())}:{name}\n"
    content = text.encode()
    for matrix in (wins, ties):
        width = (max(map(max, matrix)).bit_length() + 7) // 8
        content += b"%d\n" % width
        content += b"".join(x.to_bytes(width, "little") for row in matrix for x in row)
    mark = sha256(content).hexdigest()
    return {"items": plain["items"], "tolerance": tolerance, "fingerprint": mark}


def proof_of(nodes, rows=()):
    return {**CERTIFICATE, "proofs": [{"positions": [0, 1, 2], "rows": list(rows), "nodes": nodes}]}


LEAF = {"cycles": [[0, 2, 1, 6291456]], "rows": []}


def test_malformed_trees_are_refused(blank) -> None:
    trees = [
        # Loops, shared children, nobody's child, one's own child, children before parents.
        ([{"pair": [0, 1], "before": 0, "after": 1}, LEAF], ()),
        ([{"pair": [0, 1], "before": 1, "after": 1}, LEAF], ()),
        ([LEAF, LEAF], ()),
        ([{"pair": [0, 1], "before": 1, "after": 2}, LEAF, LEAF], ()),
        ([{"pair": [0, 1], "before": 1, "after": 2},
          {**LEAF, "threshold": 76, "rest": 1}, LEAF], ()),
        ([{"pair": [0, 1], "before": 1, "after": 3}, LEAF], ()),
        ([{"pair": [0, 0], "before": 1, "after": 2}, LEAF, LEAF], ()),
        ([{"pair": [0, 3], "before": 1, "after": 2}, LEAF, LEAF], ()),
        # A case that contradicts itself, and is dropped.
        ([{"pair": [0, 1], "before": 1, "after": 2}, {"pair": [0, 1], "before": 3, "after": 4},
          LEAF, LEAF, {"cycles": [], "rows": []}], ()),
        # Cycles that are none, weights that are none, too many of them.
        ([{**LEAF, "cycles": [*LEAF["cycles"], [0, 1, 1, 5]]}], ()),
        ([{**LEAF, "cycles": [*LEAF["cycles"], [0, 1, 2, 0]]}], ()),
        ([{**LEAF, "cycles": [*LEAF["cycles"], [0, 2, 1, 1]]}], ()),
        ([{**LEAF, "cycles": [*LEAF["cycles"], [0, 2, 1, 1], [0, 2, 1, 1]]}], ()),
        # A row that is too large and that nobody uses.
        ([LEAF], [{"terms": [[2**31 - 1, [0, 1]], [2**31 - 1, [0, 1]]], "divisor": 1}]),
        ([LEAF], [{"terms": [[2**31 - 1, [0, 1]], [2**31 - 1, [0, 1]]], "divisor": 2}]),
        ([LEAF], [{"terms": [[1, 0]], "divisor": 1}]),
        ([LEAF], [{"terms": [[1, {"ahead": [[0], [1]]}]], "divisor": 1}]),
        ([LEAF], [{"terms": [[1, {}]], "divisor": 1}]),
        ([LEAF], [{"terms": [], "divisor": 1}]),
        ([{"enumeration": True}, LEAF], ()),
        ([{"enumeration": 1}], ()),
        ([{"exchange": [[1, 0]], "up": 0, "down": 0, "rest": 1}, LEAF], ()),
        ([{"pair": [0, 1], "before": 1, "after": 2}, LEAF,
          {"exchange": [[1, 2]], "up": 1, "down": 1, "rest": 3}, LEAF], ()),
    ]  # fmt: skip
    judge(blank, [(json.dumps(VOTES), json.dumps(proof_of(*tree))) for tree in trees])


def test_false_statements_are_refused(blank) -> None:
    stated_so = [
        {"status": "gap"}, {"cost": "77"}, {"lower_bound": "75"}, {"weight_denominator": 1},
        {"schema": "rankagg.weak_certificate"}, {"proofs": CERTIFICATE["proofs"] * 2},
        {"order": [1, 2, 1]}, {"order": [0, 1, 2]}, {"scaled_lower_bound": 77},
        {"scaled_lower_bound": 75, "lower_bound": "75", "status": "gap"},
        {"tie_cost": "3/2", "denominator": 2, "scaled_cost": 152, "scaled_lower_bound": 152,
         "proofs": [{"positions": [0, 1, 2], "rows": [],
                     "nodes": [{"cycles": [[0, 2, 1, 2 * 6291456]], "rows": []}]}]},
    ]  # fmt: skip
    judge(
        blank,
        [(json.dumps(VOTES), json.dumps({**CERTIFICATE, **changes})) for changes in stated_so],
    )


def test_one_more_than_is_proved_is_refused_for_every_kind_of_proof(blank) -> None:
    for kind, case in quick_specimens().items():
        problem = Problem.from_pairwise(case.votes, Fraction(case.plain["tie_cost"]))
        orders = permutations(range(problem.n))
        costs = {order: problem.cost(np.array(order)) for order in orders}
        is_free = "constraints" not in case.plain
        held = [order for order in costs if is_free or keeps(case.plain, order)]
        worst = max(held, key=costs.get)
        wrong = max(set(costs) - set(held), key=costs.get, default=None)
        expected, texts = [], []
        for order, more in ((worst, 0), (worst, 1), *([(wrong, 0)] if wrong else [])):
            bound, over = case.plain["scaled_lower_bound"] + more, case.plain["denominator"]
            stated_so = {
                "order": order, "scaled_cost": costs[order], "scaled_lower_bound": bound,
                "cost": str(Fraction(costs[order], over)),
                "lower_bound": str(Fraction(bound, over)),
                "status": "gap" if bound < costs[order] else "optimal",
            }  # fmt: skip
            texts.append((json.dumps(case.votes_plain), json.dumps({**case.plain, **stated_so})))
            expected.append(order == worst and more == 0)
        assert costs[worst] > case.plain["scaled_lower_bound"]
        for page in blank:
            assert [verdict for verdict, _ in verdicts(page, texts)] == expected, kind
        judge(blank, texts)


def test_rows_that_grow_exponentially_are_refused(blank) -> None:
    rows = [{"terms": [[2**31 - 1, [0, 1, 2]]], "divisor": 1}]
    rows += [{"terms": [[2**31 - 1, at]] * 3, "divisor": 1} for at in range(40)]
    assert judge(blank, [(json.dumps(VOTES), json.dumps(proof_of([LEAF], rows)))]) == {False: 2}


# -- votes of every size, and budgets -------------------------------------------------------------

LIMITED = """async ([votes, certificate, seconds, bytes]) => {
    try {
        const steps = proofChecker.check(votes, certificate, seconds, bytes);
        let step = steps.next();
        while (!step.done) step = steps.next(step.value instanceof Promise ? await step.value : 0);
        return "holds";
    } catch (error) {
        if (error instanceof proofChecker.BeyondBudget) return "not checked";
        return error instanceof proofChecker.Refused ? "refused" : String(error);
    }
}"""


@pytest.mark.parametrize("name", [name for name in BOMBS if name != "lists"])
def test_checks_beyond_the_budget_end_undecided(blank, name: str) -> None:
    votes, plain = BOMBS[name]()
    texts = [json.dumps(votes_to_dict(votes)), json.dumps(plain)]
    for page in blank:
        assert page.evaluate(LIMITED, [*texts, 0.001, 2**24]) == "not checked"
