"""One server of all apps for all tests of the browser, on this machine alone."""

import subprocess
import sys
import threading

import pytest

# A server that nobody ends ends then.
SECONDS = 300


@pytest.fixture(scope="session")
def address():
    """Serve the apps in a process of their own, and return where."""
    pytest.importorskip("marimo", reason="pip install 'rankagg[teach]' lets this test run")
    process = subprocess.Popen(
        [sys.executable, "-m", "rankagg", "teach", "--no-browser"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    latest = threading.Timer(SECONDS, process.kill)
    latest.daemon = True
    latest.start()
    try:
        assert process.stdout is not None
        said = process.stdout.readline()
        assert said.startswith("serving: http://127.0.0.1:"), said
        yield said.split()[1]
    finally:
        latest.cancel()
        process.terminate()
        process.wait(timeout=20)
        process.stdout.close()
