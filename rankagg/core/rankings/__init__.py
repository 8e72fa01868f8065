"""Rankings of labeled items, with ties and gaps, and arrays of their places."""
