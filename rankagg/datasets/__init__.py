"""Small data sets typed from papers and textbooks, each with its source and a known answer."""

from rankagg.datasets.catalogue import DatasetInfo, info, load, names

__all__ = ["DatasetInfo", "info", "load", "names"]
