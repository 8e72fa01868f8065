from slipped import Slipped

from rankagg.testing.studies import CorruptionContract


class TestSlipped(CorruptionContract):
    corruption = Slipped()
