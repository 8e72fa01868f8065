"""Files and frames of any format as tables of labels and numbers."""
