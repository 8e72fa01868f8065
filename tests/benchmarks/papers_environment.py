"""Make a folder with the papers' own programs, and Python with the packages that they need.

    python -m tests.benchmarks.papers_environment FOLDER
    python -m tests.benchmarks.papers_environment FOLDER --p1 CHECKOUT --p2 CHECKOUT

Then: RANKAGG_PEERS=FOLDER pytest -o addopts='' tests/benchmarks/test_papers_programs.py

The second form is for machines without access to the repositories; what it names is a checkout or a
git directory. Nothing of theirs becomes part of this project.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import click

# The second program's requirements.txt states numpy and pandas twice each, with two versions, and
# a SciPy that Python 3.11 has no build of: these are the later ones, and SciPy and loguru are those
# of its requirements_all.txt. The first states nothing; it calls what pandas 2 no longer has.
REQUIREMENTS = ("numpy==1.23.5", "pandas==1.5.3", "scipy==1.10.1", "loguru==0.6.0")
# The last one that NumPy 1.23 is built for.
NEWEST = (3, 11)


@dataclass(frozen=True)
class Repository:
    """Where a program is published, at which version, and which of its files are needed."""

    url: str
    commit: str
    files: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.url.rsplit("/", 1)[1]

    def put_into(self, folder: Path, given: Path | None) -> None:
        target = folder / self.name
        if target.exists():
            click.echo(f"{target} is there already")
        elif given is not None and (given / "ranking_cli.py").exists():
            target.symlink_to(given.resolve(), target_is_directory=True)
        else:
            self._clone(target, str(given or self.url))

    def _clone(self, target: Path, source: str) -> None:
        run("git", "clone", "--quiet", "--filter=blob:none", "--no-checkout", source, str(target))
        here = ("git", "-C", str(target))
        run(*here, "sparse-checkout", "set", "--no-cone", *self.files)
        run(*here, "-c", "advice.detachedHead=false", "checkout", "--quiet", self.commit)


P1 = Repository(
    "https://github.com/PierreColombo/RankingNLPSystems",
    "21c8cc7ea1466833bb8c9991c261d16e25cedd04",
    ("/*.py", "/sample_df/glue.csv", "/final_df/TAC_08.csv"),
)
P2 = Repository(
    "https://github.com/AnasHimmi/MissingDataRanking",
    "45ed75719cf9d44b75805bc7045e8e257bd55104",
    ("/*.py", "/example_data_cli/"),
)


def run(*command: str) -> None:
    subprocess.run(command, check=True)


@click.command(help="Make FOLDER with the papers' own programs and what they need.")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--p1", type=click.Path(exists=True, path_type=Path), help=f"In place of {P1.url}.")
@click.option("--p2", type=click.Path(exists=True, path_type=Path), help=f"In place of {P2.url}.")
@click.option(
    "--python", "interpreter", default=sys.executable, help="Python 3.11 or older; default: this."
)
def main(folder: Path, p1: Path | None, p2: Path | None, interpreter: str) -> None:
    if interpreter == sys.executable and sys.version_info[:2] > NEWEST:
        raise click.UsageError(f"{REQUIREMENTS[0]} needs Python 3.11 or older: name one, --python")
    folder.mkdir(parents=True, exist_ok=True)
    P1.put_into(folder, p1)
    P2.put_into(folder, p2)
    run(interpreter, "-m", "venv", str(folder / "python"))
    run(str(folder / "python" / "bin" / "pip"), "install", "--quiet", *REQUIREMENTS)
    click.echo(f"RANKAGG_PEERS={folder.resolve()}")


if __name__ == "__main__":
    main()
