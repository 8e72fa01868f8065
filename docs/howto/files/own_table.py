"""Every study of the table in scores.csv: a row for each system, a column for each task."""

from every_study import write

import rankagg as ra

if __name__ == "__main__":
    write(ra.read_scores("scores.csv", higher_is_better=True))
