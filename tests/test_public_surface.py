"""Public names are those in `public_surface.txt`; a change is intended and in the changelog.

python -m tests.test_public_surface writes the file anew.
"""

import importlib
import inspect
import sys
from pathlib import Path
from types import ModuleType

import pytest

STORED = Path(__file__).with_name("public_surface.txt")
PACKAGES = ["", "analysis", "axioms", "cultures", "datasets", "distances", "distributions"]
PACKAGES += ["inference", "io", "plotting", "studies", "teaching"]


def parameters(value):
    """Return the parameters of a callable, and which have defaults, as a signature shows them."""
    found = inspect.signature(value).parameters.values()
    kept = [one.replace(annotation=inspect.Parameter.empty) for one in found]
    return str(inspect.Signature(kept))


def surface():
    """Yield a line for each public name, and for each public method of a class."""
    for package in PACKAGES:
        module = importlib.import_module(f"rankagg.{package}".rstrip("."))
        for name in sorted(module.__all__):
            value, place = getattr(module, name), f"{package}.{name}".lstrip(".")
            if not callable(value):
                yield place
                continue
            yield place + ("" if inspect.isabstract(value) else parameters(value))
            if not inspect.isclass(value):
                continue
            for method, one in inspect.getmembers(value, callable):
                if not method.startswith("_") and str(one.__module__).startswith("rankagg"):
                    yield f"{place}.{method}{parameters(one)}"


def test_the_public_surface_is_the_stored_one():
    stored, found = STORED.read_text(encoding="utf-8").splitlines(), list(surface())
    gone, new = set(stored) - set(found), set(found) - set(stored)
    assert not gone | new, f"gone: {sorted(gone)}\nnew: {sorted(new)}\n{__doc__}"
    assert len(stored) > 500


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_can_be_sent_to_another_process(package):
    # lazy_loader changes the type if a public name is also that of its module; cloudpickle, and so
    # joblib, then rejects functions that use the package.
    assert type(importlib.import_module(f"rankagg.{package}".rstrip("."))) is ModuleType


if __name__ == "__main__":
    STORED.write_text("\n".join(surface()) + "\n", encoding="utf-8")
    sys.stdout.write(f"{STORED.name} is written\n")
