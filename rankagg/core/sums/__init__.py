"""What any number of scores add up to, in integers."""
