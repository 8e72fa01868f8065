from self_reported import SelfReported, compare

import rankagg as ra
from rankagg.testing.studies import RemovalContract


class TestSelfReported(RemovalContract):
    removal = SelfReported(systems=(0, 1))


def test_mechanisms_stand_beside_each_other():
    result = compare(ra.datasets.load("superglue_human"), ("T5", "Human"))
    assert "self-reported" in result.to_latex()
    assert len(result.plot(panels=[]).get_legend().get_texts()) == 5
