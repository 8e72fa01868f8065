"""Studies at the terminal: on a cluster, and with a journal."""

import rankagg as ra
from tests.io.scan.test_count_dask import client, pytestmark  # noqa: F401 - a fixture, and marks


def test_commands_take_a_cluster(client, said):  # noqa: F811
    ra.datasets.load("superglue_human").to_frame().to_csv("scores.csv")
    command = "study missing-scores scores.csv --repetitions 3 --json"
    address = client.scheduler.address
    assert said(f"{command} --scheduler {address}") == said(command)
    wrong = said(f"{command} --scheduler {address} --jobs 2", code=2)
    assert "--jobs has no meaning with --scheduler" in wrong


def test_journals_have_a_file_of_their_own(said):
    ra.datasets.load("superglue_human").to_frame().to_csv("scores.csv")
    for other in ("--out", "--html"):
        wrong = said(f"study missing-scores scores.csv --journal same {other} same", code=2)
        assert "--journal needs a file of its own" in wrong
