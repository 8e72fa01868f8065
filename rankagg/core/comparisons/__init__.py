"""Results of two items each."""
