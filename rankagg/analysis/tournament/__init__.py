"""The majority graph: winners, sets that contain them, cycles."""
