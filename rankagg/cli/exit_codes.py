"""What the exit codes of all commands mean."""

__all__ = ["BAD_INPUT", "DONE", "FAILED", "GATE", "INTERRUPTED", "UNPROVED"]

DONE, FAILED, BAD_INPUT, UNPROVED, GATE, INTERRUPTED = 0, 1, 2, 3, 4, 130
