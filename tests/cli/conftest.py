"""Commands called in this process, in an empty folder."""

import json
from shlex import split
from typing import NamedTuple

import pytest

from rankagg.cli import main


class Told(NamedTuple):
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str


@pytest.fixture
def called(capsys, monkeypatch, tmp_path):
    """Return a function that calls a line and more words in an empty folder, however it ends."""
    monkeypatch.chdir(tmp_path)

    def call(line: str, *more) -> Told:
        with pytest.raises(SystemExit) as stop:
            main([*split(line), *map(str, more)])
        return Told(stop.value.code or 0, *capsys.readouterr())

    return call


@pytest.fixture
def run(called):
    """Return a function that calls a command, which must end with a code, by default 0."""

    def call(*args, code: int | tuple[int, ...] = 0) -> Told:
        told = called(*args)
        assert told.code in (code if isinstance(code, tuple) else (code,)), told.err
        return told

    return call


@pytest.fixture
def said(run):
    """Return a function from a call to what it prints, or to what it says is wrong."""

    def call(*args, code=0) -> str:
        told = run(*args, code=code)
        return told.err if code else told.out

    return call


@pytest.fixture
def parsed(said):
    """Return a function from a call to what it prints as JSON, which has no NaN."""

    def call(*args, code=0) -> dict:
        out = said(*args, "--json", code=code)
        assert "NaN" not in out
        return json.loads(out)

    return call


@pytest.fixture
def refused(called):
    """Return a function from a call of bad input to its one sentence, without backticks."""

    def call(*args) -> str:
        code, out, err = called(*args)
        assert (code, out) == (2, ""), err
        assert "Traceback" not in err
        (line,) = [line for line in err.splitlines() if line.lower().startswith("error:")]
        return line.replace("`", "")

    return call
