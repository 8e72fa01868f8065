"""The course on the path, and one server of it for all tests of the browser."""

import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

COURSE = Path(__file__).parents[3] / "examples" / "course"
sys.path.insert(0, str(COURSE))


@pytest.fixture(scope="session")
def address():
    """Let marimo serve the course in a process of its own, and return where."""
    pytest.importorskip("marimo", reason="pip install marimo lets this test run")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "marimo", "run", str(COURSE), "--headless", "--port", str(port)],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        for _ in range(300):
            try:
                urlopen(f"http://127.0.0.1:{port}/").close()
                break
            except URLError:
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/"
    finally:
        process.terminate()
        process.wait(timeout=20)
