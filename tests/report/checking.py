"""The checker of the page, run in a browser on many texts at once, and what it must say."""

import json
from collections import Counter
from io import StringIO

import rankagg as ra
from rankagg import check_certificate
from rankagg.exceptions import DataFormatError, InvalidInputError, VerificationError
from rankagg.io.json_files import votes_to_dict
from rankagg.report.page import CHECKER, _checker_script

# Every verdict is true, false, or a word about an error that is no verdict.
RUN = """cases => Promise.all(cases.map(async ([votes, certificate]) => {
    try {
        const steps = proofChecker.check(votes, certificate);
        let step = steps.next();
        while (!step.done) step = steps.next(step.value instanceof Promise ? await step.value : 0);
        return [true, step.value.status];
    } catch (error) {
        return [error instanceof proofChecker.Refused ? false : null, String(error.message)];
    }
}))"""


def checker_page(browser, folder, *, doubles=True):
    """Return a page that holds the checker and nothing else; without doubles all is in BigInts."""
    script = _checker_script(CHECKER[:-1])
    if not doubles:
        fast = "const SAFE = BigInt(Number.MAX_SAFE_INTEGER);"
        assert fast in script
        script = script.replace(fast, "const SAFE = -1n;")
    path = folder / f"checker_{doubles}.html"
    path.write_text(f"<!doctype html><script>{script}</script>", encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    return page


def verdicts(page, cases):
    """Return what the browser says of (votes, certificate) pairs of texts."""
    return [tuple(found) for found in page.evaluate(RUN, [list(case) for case in cases])]


def by_package(votes, certificate):
    """Return whether the package accepts two texts."""
    try:
        ra.Certificate.from_json(certificate).verify(ra.io.read_votes(StringIO(votes)))
        return True
    except (DataFormatError, InvalidInputError, VerificationError):
        return False


def by_stand_alone(votes, certificate):
    """Return whether the stand-alone checker accepts two texts."""
    try:
        check_certificate.check(
            check_certificate._parse(certificate), check_certificate._parse(votes)
        )
    except check_certificate.RefusedError:
        return False
    return True


def judge(blank, texts):
    """Check that all checkers agree; count the verdicts."""
    counted = Counter()
    judged = [verdicts(page, texts) for page in blank]
    for (votes, certificate), *answers in zip(texts, *judged, strict=True):
        accepts = by_package(votes, certificate)
        assert accepts == by_stand_alone(votes, certificate), (votes, certificate)
        for verdict, why in answers:
            assert verdict is accepts, (why, votes, certificate)
            counted[verdict] += 1
    return counted


def stated(votes, order, proofs):
    """Return texts of three certificates: the bound that is proved, one more, and one less."""
    certificate = ra.Certificate.build(votes, order, proofs).to_dict()
    texts = []
    for more in (0, 1, -1):
        bound = certificate["scaled_lower_bound"] + more
        if 0 <= bound <= certificate["scaled_cost"]:
            status = "optimal" if bound == certificate["scaled_cost"] else "gap"
            changed = {"scaled_lower_bound": bound, "lower_bound": str(bound), "status": status}
            texts.append((json.dumps(votes_to_dict(votes)), json.dumps(certificate | changed)))
    return texts
