"""Tables of scores: systems by tasks, or by instances of tasks."""
