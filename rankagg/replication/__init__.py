"""The experiments of the three papers, run again and held beside what is printed."""
