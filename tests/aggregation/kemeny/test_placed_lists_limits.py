"""Time limits, interruptions and too many lists: what comes back is true."""

import rankagg as ra
from rankagg.aggregation.kemeny import placed_lists, placed_rules
from rankagg.aggregation.kemeny.placed_lists import Bounds
from tests.tournaments import PALEY

RULE = ra.TopK(k=6)


def best() -> float:
    found = RULE.aggregate(PALEY)
    assert found.is_proved
    return found.cost


def test_a_listener_hears_of_it_and_can_stop_it(monkeypatch) -> None:
    monkeypatch.setattr("rankagg.aggregation.kemeny.parts.SECONDS_BETWEEN_CALLS", 0.0)
    optimum = best()
    heard = []
    ra.TopK(k=6, on_progress=lambda *both: heard.append(both)).aggregate(PALEY)
    assert heard[-1] == (optimum, optimum)
    assert all(low <= optimum <= high for high, low in heard)
    stopped = ra.TopK(k=6, on_progress=lambda high, low: True).aggregate(PALEY)
    assert stopped.notes == ("stopped by `on_progress`: the best list so far, not proved optimal",)


def test_more_lists_than_there_is_room_for_leave_a_gap(monkeypatch) -> None:
    optimum = best()
    monkeypatch.setattr(placed_lists, "LAYER_CELLS", 200)
    found = RULE.aggregate(PALEY)
    assert found.certificate.status == "gap"
    assert "more beginnings of lists than memory is used for" in found.notes[0]
    assert found.certificate.lower_bound <= optimum <= found.cost
    assert found.certificate.verify(PALEY)  # with as little room


def test_room_is_kept(monkeypatch) -> None:
    """No layer is wider than it may be, and pieces that come together are not much wider."""
    widths = []
    real = Bounds.least

    def watched(self, used, *rest):
        widths.append(len(used))
        return real(self, used, *rest)

    monkeypatch.setattr(Bounds, "least", watched)
    monkeypatch.setattr(placed_lists, "GROWN_AT_ONCE", 50 * 121)
    monkeypatch.setattr(placed_lists, "LAYER_CELLS", 11 * 30)
    RULE.aggregate(PALEY)
    assert 30 < max(widths) <= 11 * 50


def test_wider_beams_are_taken_until_one_is_complete(monkeypatch) -> None:
    monkeypatch.setattr(placed_rules, "NARROW", 2)
    monkeypatch.setattr(placed_rules, "WIDER", 2)
    assert RULE.aggregate(PALEY).cost == best()
