"""What the exit codes of all commands mean."""

DONE, FAILED, BAD_INPUT, UNPROVED, GATE, INTERRUPTED = 0, 1, 2, 3, 4, 130
