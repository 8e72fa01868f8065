"""Commands called in this process, in an empty folder."""

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
    """Return a function that calls a command in an empty folder, however it ends."""
    monkeypatch.chdir(tmp_path)

    def call(*args) -> Told:
        with pytest.raises(SystemExit) as stop:
            main([str(arg) for arg in args])
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
