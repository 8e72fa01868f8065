"""The kinds of data that pages are about: their words, first columns and chapters."""
