"""Genuine proofs of every kind and size: each page says that its proof holds."""

import json
import re

import numpy as np
import pytest

import rankagg as ra
from tests.report.checking import by_package, by_stand_alone
from tests.report.test_page_checked import block, press, small_page
from tests.tournaments import PALEY

pytestmark = pytest.mark.slow


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
    "tennessee": (lambda: ra.datasets.load("tennessee"), {}),
    "condorcet": (lambda: ra.datasets.load("condorcet_1785"), {}),
    "gaps": (lambda: ra.datasets.load("xtreme_gaps"), {}),
    "branching": (lambda: uniform(50, 60), {}),
    "Paley": (lambda: PALEY, {}),
    "gap": (lambda: matrix(75, 100_000), {"time_limit": 10}),
    "two hundred items": (
        lambda: ra.Mallows(list(range(200)), theta=0.02).sample(30, rng=1), {"time_limit": 60},
    ),
    "large numbers": (lambda: matrix(9, 50, 10.0**20), {}),
    "enumeration": (lambda: matrix(16, 50), {"backend": "subset-dp"}),
    "large numbers, enumerated": (lambda: matrix(12, 50, 1e20), {"backend": "subset-dp"}),
    "weights": (
        lambda: ra.Profile.from_orders(["ABCDE", "BCADE", "CABED"], weights=[0.1, 1 / 3, 2**0.5]),
        {},
    ),
    "ties that cost": (
        lambda: ra.Profile.from_ranks(np.random.default_rng(5).integers(1, 5, size=(9, 12))),
        {"tie_cost": 0.3},
    ),
    "constraints": (lambda: matrix(30, 50), {"constraints": CONSTRAINTS}),
    "one item": (lambda: ra.Profile.from_orders(["A"]), {}),
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
    said = press(visit)
    assert visit.messages == []
    what = "proof" if consensus.is_proved else "bound"
    assert said.startswith(f"✓ The {what} holds: "), said
    assert re.search(r"integers, \d+\.\d\d s\.$", said)
    return json.loads(certificate)


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


def test_glue_holds(data, tmp_path, visit_page) -> None:
    consensus = ra.Kemeny().aggregate(ra.read_scores(data("tasks/glue.csv"), higher_is_better=True))
    assert len(check(consensus, tmp_path, visit_page)["items"]) == 105
