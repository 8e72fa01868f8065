"""Things to click for a lecture: marimo apps, each one plain file, served by `rankagg teach`."""
