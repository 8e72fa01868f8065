"""Files that earlier versions wrote are read, and say what they said."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import rankagg as ra
from rankagg.cli import main
from rankagg.exceptions import DataFormatError, VerificationError
from rankagg.io.json_files import read_summary

OLDER = Path(__file__).with_name("older")


def stored(name):
    return json.loads((OLDER / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("version", ["0.1", "0.2"])
def test_certificates_still_prove(version):
    given = stored(f"certificate-{version}.json")
    votes = ra.PairwiseMatrix.from_wins(np.array(given["wins"], dtype=float))
    certificate = ra.Certificate.from_dict(given["certificate"])
    assert certificate.verify(votes)
    assert certificate.to_dict()["version"] == 3
    assert certificate.cost == ra.Kemeny().aggregate(votes).cost


@pytest.mark.parametrize(
    "proofs",
    [
        *(3, [3], [{"nodes": [{"cycles": [[]]}]}]),
        *([{"rows": [], "nodes": []}], [{"nodes": [{"cycles": [], "rows": [1]}]}]),
    ],
)
def test_damaged_certificates_of_the_second_version_are_refused(proofs):
    given = {**stored("certificate-0.1.json")["certificate"], "proofs": proofs}
    with pytest.raises(DataFormatError, match="of version 2 is malformed"):
        ra.Certificate.from_dict(given)


def changed(plain):
    """Yield plain data with one integer of the proofs one larger."""
    nodes = [node for proof in plain["proofs"] for node in proof["nodes"]]
    places = [(node, key) for node in nodes for key in node if isinstance(node[key], int)]
    places += [(cycle, k) for node in nodes for cycle in node.get("cycles", ()) for k in range(4)]
    for holder, key in places:
        holder[key] += 1
        yield plain
        holder[key] -= 1


def test_a_changed_certificate_of_the_second_version_proves_nothing_false():
    given = stored("certificate-0.1.json")
    votes = ra.PairwiseMatrix.from_wins(np.array(given["wins"], dtype=float))
    least, refused = ra.Kemeny().aggregate(votes).cost, 0
    for plain in changed(given["certificate"]):
        try:
            certificate = ra.Certificate.from_dict(plain)
            certificate.verify(votes)
            assert certificate.lower_bound <= least
        except (DataFormatError, VerificationError):
            refused += 1
    assert refused > 50


def test_sums_say_what_their_scores_say():
    sums = read_summary(OLDER / "sums-0.1.json")
    columns = {name: name for name in ("system", "task", "instance", "score")}
    table = ra.read_scores(OLDER / "scores.csv", higher_is_better=True, **columns)
    assert sums.systems == table.systems
    np.testing.assert_array_equal(sums.pairwise().wins, table.rankings().pairwise().wins)


@pytest.mark.parametrize("version", ["0.1", "0.2"])
def test_journals_are_gone_on_with(version, tmp_path, capsys):
    journal = tmp_path / "journal.jsonl"
    shutil.copy(OLDER / f"journal-{version}.jsonl", journal)
    before = journal.read_bytes()
    drawn = ["--mallows", "0.8", "--items", "4", "--rankings", "5", "--repetitions", "3"]
    ratios = []
    for more in (["--journal", str(journal)], []):
        with pytest.raises(SystemExit) as ended:
            main(["study", *drawn, "--json", *more])
        assert not ended.value.code
        rows = json.loads(capsys.readouterr().out)["results"]
        ratios.append([row["mean_ratio"] for row in rows])
    assert journal.read_bytes() == before
    assert ratios[0] == ratios[1]


def test_distributions_are_read():
    found = ra.distribution_from_dict(stored("distribution-0.1.json"))
    assert found.to_dict() == stored("distribution-0.1.json")
