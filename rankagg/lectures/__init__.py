"""A course of six lectures: marimo notebooks, each one plain file, served by `rankagg teach`."""
