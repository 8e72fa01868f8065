"""Tables that fit the width of a page or of a terminal, whatever their labels."""
