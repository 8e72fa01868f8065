"""Files and frames as tables of labels and numbers, whatever their format."""
