"""Several rules on one data set, side by side."""
