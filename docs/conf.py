"""Settings of the documentation; it builds without a network.

Pages: sphinx-build -W --keep-going -b html docs docs/_build/html
Tests: sphinx-build -W -b doctest docs docs/_build/doctest
"""

import doctest
import inspect
import sys
from pathlib import Path

from sphinx.ext.autosummary import autosummary_toc

import rankagg
from rankagg.core.results import Result

sys.path.insert(0, str(Path(__file__).parent))
# The rows of the papers know their data.
sys.path.insert(0, str(Path(__file__).parents[1] / "examples" / "papers"))

project = "rankagg"
author = "the rankagg developers"
copyright = author
version = release = rankagg.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.doctest",
    "matplotlib.sphinxext.plot_directive",
    "numpydoc",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "sphinxcontrib.bibtex",
    "listings",
    "replication_rows",
]
exclude_patterns = ["_build", "_templates"]
bibtex_bibfiles = ["references.bib"]
nitpicky = False
default_role = "code"  # docstrings mark names with single backticks

# Pictures are drawn while the pages are built.
plot_formats = [("png", 150)]
plot_include_source = True
plot_html_show_formats = False
plot_html_show_source_link = False

# The gallery: scripts are run, and their pages written to docs/gallery, which is not kept.
sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",
    "subsection_order": [
        f"../examples/gallery/{room}"
        for room in ("worked", "rankings", "votes", "certainty", "robustness", "distributions")
    ],
    "within_subsection_order": "FileNameSortKey",
    "reset_modules": ("matplotlib", "gallery_look.set_look"),
    "reset_modules_order": "both",
    "capture_repr": (),
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "min_reported_time": 60,
}

html_theme = "furo"
html_static_path = ["_static"]
html_search_scorer = str(Path(__file__).with_name("search_order.js"))
html_css_files = ["gallery.css"]
html_title = f"rankagg {version}"
html_copy_source = False
html_show_sourcelink = False

# The reference lists names by hand; each has a page in docs/api, which is not kept.
autosummary_generate = ["reference/index.rst"]
templates_path = ["_templates"]
autodoc_member_order = "bysource"
autodoc_typehints = "none"
numpydoc_show_class_members = False

doctest_default_flags = doctest.NORMALIZE_WHITESPACE | doctest.DONT_ACCEPT_TRUE_FOR_1
doctest_global_setup = f"""
import contextlib, io, os, shlex, shutil, sys, tempfile
from pathlib import Path

before, scratch = os.getcwd(), tempfile.mkdtemp()
os.chdir(scratch)


def provide(*names):
    "Copy the pages' sample files into the scratch folder, which is the current one."
    for name in names:
        shutil.copy(Path({__file__!r}).parent / "howto" / "files" / name, scratch)


def command(line):
    "Run the command line of the package and print what it prints."
    from rankagg.cli import main
    with contextlib.redirect_stderr(sys.stdout), contextlib.suppress(SystemExit):
        main(shlex.split(line))
"""
doctest_global_cleanup = """
if "matplotlib.pyplot" in sys.modules:
    sys.modules["matplotlib.pyplot"].close("all")
os.chdir(before)
shutil.rmtree(scratch)
"""


# -- Generated pages --


def without_generated(app):
    """Generate no pages for tests, which run while others are built."""
    if app.builder.name == "doctest":
        app.config.autosummary_generate = False
        app.config.exclude_patterns += ["api", "reference/index.rst"]
        app.config.sphinx_gallery_conf.update(examples_dirs=[], gallery_dirs=[])
        app.config.exclude_patterns.append("gallery")
        app.config.suppress_warnings += ["toc.excluded", "toc.not_readable", "toc.not_included"]


def without_docstrings(app, *rest):
    """Leave the examples of docstrings to pytest, which runs all of them."""
    if app.builder.name == "doctest":
        rest[-1].clear()


def without_constructor(app, what, name, obj, *rest):
    """Show no parameters of classes that users are given and do not make."""
    made = what != "class" or not (issubclass(obj, Result) or inspect.isabstract(obj))
    return None if made else ("", "")


def out_of_sidebar(app, doctree):
    """Keep the pages of names out of the sidebar, which every page has in full."""
    for node in list(doctree.findall(autosummary_toc)):
        node.parent.remove(node)


def setup(app):
    app.connect("doctree-read", out_of_sidebar, priority=0)
    app.connect("autodoc-process-docstring", without_docstrings, priority=0)
    app.connect("autodoc-process-signature", without_constructor)
    app.connect("builder-inited", without_generated, priority=0)
