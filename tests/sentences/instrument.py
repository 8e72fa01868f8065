"""Hold the numbers of printed lines against their definitions, and leave no digit without one."""

import re
from collections import Counter
from math import isclose, isnan

from rankagg.core.names import _Sentence

DIGITS = re.compile(r"\d")
PRINTED = re.compile(r"-?[\d,]*\.?\d+(?:e[+-]?\d+)?")
# Digits that count nothing: an interval that excludes nothing, the first place.
CONSTANT = ("[0, 1]", "t1", "t2", "t3", "t4", "t5", "t0")


def numbers_of(line):
    return line.numbers if isinstance(line, _Sentence) else ()


def close(one, other):
    one, other = float(one), float(other)
    return (isnan(one) and isnan(other)) or isclose(one, other, rel_tol=1e-8, abs_tol=1e-12)


def is_format_of(text, number):
    """Say whether a printed text is a rounding of a number; words for numbers are not read."""
    found = PRINTED.search(text)
    if found is None:
        return True
    numbers = {number, 100 * number} if text.endswith("%") else {number}
    printed = float(found[0].replace(",", ""))
    if text.startswith(("under", "over")):
        return (printed > 100 * number) == text.startswith("under")
    return any(isclose(printed, one, rel_tol=0.051, abs_tol=0.0051) for one in numbers)


class Instrument:
    """What was stated, and what was false."""

    def __init__(self, known):
        self.known = known
        self.seen = Counter()

    def hold(self, lines, *arguments, skip=()):
        """Hold every number of some lines against `known[what](*arguments)`."""
        for line in lines:
            rest = str(line)
            for part in (*skip, *CONSTANT):
                rest = rest.replace(part, "")
            for stated in numbers_of(line):
                self.seen[stated.what] += 1
                assert stated.what in self.known, f"no definition of {stated.what!r} in {line!r}"
                self.judge(line, stated, self.known[stated.what](*arguments))
                # A number in words may begin the sentence.
                text = stated.text if stated.text in rest else stated.text.capitalize()
                assert text in rest, line
                rest = rest.replace(text, "", 1)
            assert not DIGITS.search(rest), f"a number without a value in {line!r}: {rest!r}"

    def judge(self, line, stated, true):
        """Compare a stated number, and its denominator, with the true ones."""
        value = dict(zip(("number", "of", "policy", "weighted"), as_tuple(true), strict=False))
        allowed = value["number"] if isinstance(value["number"], set) else {value["number"]}
        message = f"{stated} in {line!r}, but it is {value}"
        assert any(close(stated.number, one) for one in allowed), message
        assert is_format_of(stated.text, stated.number), message
        if value.get("of") is not None or stated.of is not None:
            assert stated.of is not None, message
            assert value.get("of") is not None, message
            assert close(stated.of, value["of"]), message
        assert stated.policy == value.get("policy"), message
        assert stated.weighted == value.get("weighted", False), message

    def require(self, *, but=()):
        """Say that every definition was needed."""
        missing = set(self.known) - set(self.seen) - set(but)
        assert not missing, f"never stated: {sorted(missing)}"


def as_tuple(value):
    return value if isinstance(value, tuple) else (value,)


def by_votes(number, policy, of=None):
    """Return what a number of votes is: under a policy, by weights."""
    return number, of, policy, True


def hold_facts(known, cases):
    """Compare the numbers of each case with the definitions, all of them needed."""
    held = Instrument(known)
    for case in cases:
        if case.found is not None:
            held.hold(case.found._facts(), case)
    held.require()
