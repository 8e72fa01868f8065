"""A consensus as Every Eval Ever: as its schema wants it, and read back."""

import json
from types import SimpleNamespace

import pytest

import rankagg as ra
from rankagg.exceptions import InvalidInputError, OutputError
from tests.io.evaluations.schema import faults

HOSTILE = ["org/model:7b", "ORG/model:7b", "../../up", "<script>", "模型", ".hidden", "a" * 300]


def consensus(items=("A", "B", "C")):
    return ra.Kemeny().aggregate(ra.Profile.from_orders([list(items)] * 2))


def test_the_check_of_schemas_knows_right_and_wrong(data) -> None:
    folder = data("evaluations/every_eval_ever")
    schema = json.loads((folder / "eval.schema.json").read_text("utf-8"))
    right = json.loads((folder / "aggregate.json").read_text("utf-8"))
    assert faults(right, schema) == []
    for wrong in ({"schema_version": 3}, {"more": 1}, {"eval_library": {}}, {"model_info": {}}):
        assert faults({**right, **wrong}, schema)
    right["evaluation_results"][0]["metric_config"].pop("min_score")
    assert faults(right, schema) == [".evaluation_results[0].metric_config.min_score is missing"]
    lines = json.loads((folder / "instance_level_eval.schema.json").read_text("utf-8"))
    sample = json.loads((folder / "aggregate_samples.jsonl").read_text("utf-8"))
    assert faults(sample, lines) == []
    assert faults({**sample, "output": None}, lines)


@pytest.mark.parametrize(
    "rule", [ra.Kemeny(), ra.Borda(), ra.Kemeny(consensus_ties=True, tie_cost=0.5)]
)
def test_what_is_written_is_what_the_schema_wants(tmp_path, data, rule) -> None:
    schema = json.loads(data("evaluations/every_eval_ever/eval.schema.json").read_text("utf-8"))
    found = rule.aggregate(ra.datasets.load("tennessee"))
    for file in ra.write_evaluations(found, tmp_path / "new" / "folder"):
        assert faults(json.loads(file.read_text("utf-8")), schema) == []


def test_ranks_come_back_with_their_direction(tmp_path) -> None:
    profile = ra.Profile.from_orders([["A", "B", "C"], ["B", "A", "C"]])
    found = ra.Borda().aggregate(profile)
    ra.write_evaluations(found, tmp_path, title="mine", timestamp=7)
    table = ra.read_evaluations(tmp_path).table()
    assert table.to_frame()["mine"].to_dict() == {"A": 1, "B": 1, "C": 3}
    assert dict(table.higher_is_better) == {"mine": False}


def test_any_label_makes_a_file_of_its_own_in_the_folder(tmp_path) -> None:
    found = consensus(HOSTILE)
    files = ra.write_evaluations(found, tmp_path / "x")
    assert len({file.name.lower() for file in files}) == len(HOSTILE)
    assert {file.parent for file in files} == {tmp_path / "x"}
    assert set(ra.read_evaluations(tmp_path / "x").systems) == set(HOSTILE)


def test_all_items_must_be_ranked(tmp_path) -> None:
    (ranking,) = ra.Profile.from_orders([["A", "B"]], items=["A", "B", "C"])
    found = SimpleNamespace(ranking=ranking, aggregator=None, is_proved=None, cost=0.0)
    with pytest.raises(InvalidInputError, match=r"ranking of all items. Got 'C'"):
        ra.write_evaluations(found, tmp_path)


@pytest.mark.parametrize(
    "change", [{"title": " "}, {"organization": 3}, {"timestamp": -1}, {"timestamp": "now"}]
)
def test_bad_parameters_are_named(tmp_path, change) -> None:
    (name,) = change
    with pytest.raises(InvalidInputError, match=name):
        ra.write_evaluations(consensus(), tmp_path, **change)


def test_a_file_in_place_of_the_folder_is_told(tmp_path) -> None:
    (tmp_path / "x").write_text("")
    with pytest.raises(OutputError, match="cannot be made"):
        ra.write_evaluations(consensus(), tmp_path / "x")
