"""Files that evaluation tools write: a module for each format, one value for what all say."""
