"""`rankagg verify`: whether a certificate proves what it states about these votes."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import click

from rankagg.aggregation.evidence import Evidence
from rankagg.aggregation.kemeny.certificate import Certificate, WeakCertificate
from rankagg.aggregation.kemeny.placed_lists import PlacedCertificate
from rankagg.aggregation.kemeny.proved import Proved
from rankagg.check_certificate import BYTES
from rankagg.check_certificate import SECONDS as TIME
from rankagg.cli.options.inputs import DASH, NAME, AnyInput, any_input_options, buffered
from rankagg.cli.options.names import SECONDS, Number
from rankagg.cli.options.wording import options_named
from rankagg.core.items import counted
from rankagg.exceptions import DataFormatError, VerificationError
from rankagg.io.strict_json import parse_json
from rankagg.io.tables.sources import read_text

__all__ = ["command"]

KINDS: dict[object, type[Proved]] = {
    kind._schema: kind for kind in (Certificate, WeakCertificate, PlacedCertificate)
}

# Fractions over more than this are told as decimals.
READABLE = 1000


@click.command("verify")
@click.argument("certificate", type=click.Path(dir_okay=False, path_type=Path))
@any_input_options
@click.option(
    "--time-limit",
    type=SECONDS,
    default=TIME,
    show_default=True,
    metavar="SECONDS",
    help="What the check may take.",
)
@click.option(
    "--memory-limit",
    type=Number(0, 1e15),
    default=BYTES,
    show_default=True,
    metavar="BYTES",
    help="What the check may take beside the files, estimated from their sizes.",
)
def command(given: AnyInput, *, certificate: Path, time_limit: float, memory_limit: float) -> None:
    """Check that CERTIFICATE proves what it states about the votes of FILE.

    All of it is computed again in integers, without a solver. The data and the options that say
    what they are must be those that the certificate was made with: other votes are noticed. The
    exit code is 0 where the proof holds, 1 where it does not, and 3 where the limits do not suffice
    to say.

    \b
        rankagg solve election.soc --certificate proof.json
        rankagg verify proof.json election.soc
        rankagg verify proof.json --dataset condorcet_1785
    Votes as JSON, which `solve --votes` and `compare --out` write:
        rankagg verify proof.json votes.json
    """
    votes = Evidence(given.data, given.tolerance).votes(given.unranked)
    if str(certificate) == DASH and given.name == NAME:
        raise click.UsageError("The standard input is either CERTIFICATE or FILE, not both.")
    with options_named({"source": "CERTIFICATE"}), buffered((str(certificate),)) as (path,):
        name, text = read_text(path)
    try:
        data = parse_json(text, name)
        schema = data.get("schema") if type(data) is dict else None
        proof = KINDS.get(schema if type(schema) is str else None, Certificate).from_dict(data)
        proof.verify(votes, time_limit=time_limit, memory_limit=memory_limit)
    except (DataFormatError, VerificationError) as error:
        raise VerificationError(f"{name} is no valid proof for these votes. {error}") from None
    click.echo(_told(proof))


def _told(proof: Proved) -> str:
    cost = _votes(Fraction(proof.scaled_cost, proof.denominator))
    bound = _votes(Fraction(proof.scaled_lower_bound, proof.denominator))
    exactness = f", all to within {_votes(proof.tolerance)}" if proof.tolerance else ""
    if proof.status == "optimal":
        return f"The proof holds: this ranking costs {cost}, and none costs less{exactness}."
    return f"The bound holds: this ranking costs {cost}, and none less than {bound}{exactness}."


def _votes(number: Fraction) -> str:
    """Return a number of votes, exact unless it says "about"."""
    if number.denominator > READABLE:
        return f"about {counted(float(number), 'vote', '.6g')}"
    return counted(number, "vote")
