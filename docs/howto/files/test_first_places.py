from first_places import first_places, first_places_plot

import rankagg as ra
from rankagg.testing.plots import Picture, PlotContract
from rankagg.testing.results import ResultContract

ODD = ra.Profile.from_orders([["<script>", "B", "C"], ["C", "<script>", "B"]])
FOUND = first_places(ra.datasets.load("tennessee"))


class TestFirstPlaces(ResultContract):
    results = {"first places": lambda: first_places(ODD)}


class TestFirstPlacesPlot(PlotContract):
    pictures = (
        Picture(
            lambda ax: first_places_plot(FOUND, ax=ax),
            labels=["Nashville", "Memphis"],
            drawn=lambda ax: [bar.get_width() for bar in ax.patches],
            data=sorted(FOUND.firsts, reverse=True),
        ),
    )
