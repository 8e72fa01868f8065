from loser_study import LoserStudy

import rankagg as ra
from rankagg.testing.studies import StudyContract


class TestLoserStudy(StudyContract):
    study = LoserStudy(data=ra.cultures.ImpartialCulture(), rules=[ra.Plurality()], rng=0)
