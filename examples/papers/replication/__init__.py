"""The experiments of three papers, run again and compared with what is printed."""
