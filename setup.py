"""What setup.cfg cannot say: on a package index the README's links lead to the documentation."""

import re
from configparser import ConfigParser
from pathlib import Path

from setuptools import setup

config = ConfigParser()
config.read("setup.cfg", encoding="utf-8")
urls = dict(line.split(" = ") for line in config["metadata"]["project_urls"].split("\n") if line)
readme = Path("README.md").read_text(encoding="utf-8")
readme = re.sub(r"\]\(docs/(.+?)\.rst\)", rf"]({urls['Documentation']}/\1.html)", readme)
readme = readme.replace("](docs/", f"]({urls['Documentation']}/")
setup(long_description=readme)
