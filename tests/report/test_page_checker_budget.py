"""Certificates under constraints with votes of every size, and those that ask for too much."""

import json

import pytest

from rankagg.io.json_files import votes_to_dict
from tests.aggregation.kemeny.forging import QUOTAS, WISH
from tests.aggregation.kemeny.test_certificate_budget import BOMBS
from tests.aggregation.kemeny.test_certificate_scales import SIZES, large
from tests.report.checking import judge
from tests.report.test_page_checker import forged

LIMITED = """([votes, certificate, seconds, bytes]) => {
    try {
        const steps = proofChecker.check(votes, certificate, seconds, bytes);
        let step = steps.next();
        while (!step.done) step = steps.next();
        return "holds";
    } catch (error) {
        if (error instanceof proofChecker.BeyondBudget) return "not checked";
        return error instanceof proofChecker.Refused ? "refused" : String(error);
    }
}"""


@pytest.mark.parametrize("size", SIZES)
def test_three_checkers_agree_under_constraints(blank, size: int) -> None:
    for wish in (WISH, QUOTAS):
        judge(blank, forged([large(size, constraints=wish)], 8, size))


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
def test_three_checkers_agree_on_five_thousand(blank, size: int) -> None:
    for wish in (WISH, QUOTAS):
        counted = judge(blank, forged([large(size, constraints=wish)], 500, size))
        assert min(counted[True], counted[False]) > 20


@pytest.mark.parametrize("name", [name for name in BOMBS if name != "lists"])
def test_what_asks_for_too_much_ends_undecided(blank, name: str) -> None:
    votes, plain = BOMBS[name]()
    texts = [json.dumps(votes_to_dict(votes)), json.dumps(plain)]
    for page in blank:
        assert page.evaluate(LIMITED, [*texts, 0.2, 2**24]) == "not checked"
