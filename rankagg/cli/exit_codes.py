"""What the exit codes of all commands mean."""

__all__ = ["BAD_INPUT", "DONE", "FAILED", "INTERRUPTED", "UNPROVED"]

DONE, FAILED, BAD_INPUT, UNPROVED, INTERRUPTED = 0, 1, 2, 3, 130
