"""Rankings that flow from column to column."""

import matplotlib.pyplot as plt
import numpy as np

from rankagg.replication.panels import FlowPanel, draw_flows


def test_flows():
    panels = [
        FlowPanel("first", ("A", "B"), "B", {("x", "r"): (1, 2), ("x", "s"): (2, 1)}),
        FlowPanel("second", ("A", "B"), "A", {("x", "r"): (1, 2), ("y", "r"): (1, 2)}),
    ]
    ax = draw_flows(panels)
    lines = {line.get_gid(): line for line in ax.get_lines()}
    assert set(lines) == {"system-0-0", "system-1-0"}
    assert lines["system-1-0"].get_ydata().tolist() == [2, 1]
    assert lines["system-1-0"].get_linewidth() > lines["system-0-0"].get_linewidth()
    assert [label.get_text() for label in ax.get_yticklabels()] == ["A", "B"]
    below = ax.figure.axes[1]
    # Blocks are apart, and no line joins them.
    assert {line.get_gid() for line in below.get_lines()} == {
        "system-0-0", "system-0-1", "system-1-0", "system-1-1",
    }  # fmt: skip
    assert np.diff(below.get_xticks())[0] > 1
    assert ax.get_ylim()[0] > ax.get_ylim()[1]
    plt.close(ax.figure)
