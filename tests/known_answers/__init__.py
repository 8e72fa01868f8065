"""Answers that are known from the literature, from other programs and from the papers."""

from fnmatch import fnmatchcase


class Ledger:
    """Accounts for every expected value: tested, or left for later with a reason.

    Values are named by paths ("tennessee/all_optima"), groups of them by patterns with `*`.
    """

    def __init__(self, left):
        self.left = left
        self.covered = []

    def covers(self, *patterns):
        """Mark a test as the one of some values."""
        self.covered += patterns
        return lambda test: test

    def check(self, paths):
        """Fail unless each path is tested or left, not both, and no pattern is empty."""
        forgotten = [path for path in paths if not self._among(path, (*self.covered, *self.left))]
        both = [
            path
            for path in paths
            if self._among(path, self.covered) and self._among(path, self.left)
        ]
        idle = [
            pattern
            for pattern in (*self.covered, *self.left)
            if not any(fnmatchcase(path, pattern) for path in paths)
        ]
        assert (forgotten, both, idle) == ([], [], [])

    @staticmethod
    def _among(path, patterns):
        return any(fnmatchcase(path, pattern) for pattern in patterns)


def leaves(tree, path):
    """Yield the paths of all values in nested dicts."""
    if not isinstance(tree, dict):
        yield path
        return
    for key, value in tree.items():
        yield from leaves(value, f"{path}/{key}")
