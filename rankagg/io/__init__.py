"""Reading and writing score tables and ballots."""
