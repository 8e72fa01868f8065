"""Good orders quickly: local, memetic, and within windows."""
