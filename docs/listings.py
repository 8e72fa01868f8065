"""What pages list from the package itself: options, kinds of data, and rules worked out.

``.. command-listing::`` becomes the commands, with options that several share stated once;
``.. kind-listing::`` the kinds of data that files hold;
``.. worked-rule:: Nanson()`` the steps of a rule on nine ballots, and the axioms proved of it.
"""

import inspect
import re
from collections import Counter

import click

import rankagg as ra
from rankagg.cli.app import app
from rankagg.cli.options import DATA_OPTIONS, Option
from rankagg.kinds import KINDS as DATA_KINDS

COMMANDS = re.compile(r"^\.\. command-listing::$", flags=re.MULTILINE)
KINDS = re.compile(r"^\.\. kind-listing::$", flags=re.MULTILINE)
RULE = re.compile(r"^\.\. worked-rule:: (.+)$", flags=re.MULTILINE)
OPTION = re.compile(r"`+[^`]+`+|(?<!\w)--?[a-z][a-z-]*")  # what is code already is left alone
# Options that so many commands share are stated once.
COMMON = 5


def code(text):
    """Mark options as code, so that two dashes stay two."""
    return OPTION.sub(lambda found: f"``{found.group().strip('`')}``", text)


def block(kind, lines):
    return [f".. code-block:: {kind}", "", *(f"   {line}".rstrip() for line in lines), ""]


def commands(_):
    """Return all commands as reStructuredText."""
    root = click.Context(app, info_name="rankagg")
    found = {name: app.get_command(root, name) for name in app.list_commands(root)}
    records = {name: _records(command.params) for name, command in found.items()}
    held = Counter(record for own in records.values() for record in own)
    data = _records(DATA_OPTIONS)
    common = sorted(one for one in held if held[one] >= COMMON and one not in data)
    lines = _section("Options of data", "~", _options(data), "options-of-data")
    lines += _section(
        "Options of several commands", "~", _options([(*one[:2], "") for one in common])
    )
    for name, command in found.items():
        usage = command.collect_usage_pieces(click.Context(command, info_name=name))
        body = block("none", [" ".join(["rankagg", name, *usage])]) + _help(command)
        body += _options([one for one in records[name] if one not in {*common, *data}])
        body += _shared(records[name], common, data)
        lines += _section(f"rankagg {name}", "~", body, f"rankagg-{name}")
    return "\n".join(lines)


def _records(params):
    """Return what is typed, what it means, and the group, for each option."""
    context = click.Context(click.Command("any"))
    options = [one for one in params if isinstance(one, Option)]
    return [(*one.get_help_record(context), one.group) for one in options]


def _section(title, sign, body, label=""):
    return [*([f".. _{label}:", ""] if label else []), title, sign * len(title), "", *body, ""]


def _options(records):
    lines = []
    for group in dict.fromkeys(["", *(group for *_, group in records)]):
        lines += [f"**{group}**", ""] if group else []
        for stated, said, own in records:
            lines += [f"``{stated}``", f"   {code(said)}", ""] if own == group else []
    return lines


def _shared(own, common, data):
    names = [one[0].split()[0].strip(",") for one in own if one in common]
    told = [", ".join(f"``{name}``" for name in names)] if names else []
    told += [":ref:`options of data <options-of-data>`"] if {*data} & {*own} else []
    return [f"Also {' and '.join(told)}.", ""] if told else []


def _help(command):
    lines = []
    for part in inspect.cleandoc(command.help or "").split("\n\n"):
        shown = part.removeprefix("\b\n")
        if shown == part:
            lines += [code(" ".join(part.split())), ""]
        else:
            lines += block("console", [f"$ {one.strip()}" for one in shown.splitlines()])
    return lines


def kinds(_):
    """Return the kinds of data as a table."""
    lines = [".. csv-table::", "   :header-rows: 1", "", "   ``--format``, A file holds, Read by"]
    for kind in DATA_KINDS.values():
        name = kind.read.__name__
        reader = f":func:`~rankagg.{name}`" if name in ra.__all__ else "commands alone"
        lines.append(f'   ``{kind.name}``, "{kind.what}", {reader}')
    return "\n".join([*lines, ""])


def worked(found):
    """Return the steps of a rule and what it keeps as reStructuredText."""
    rule = eval(f"ra.{found[1]}")
    # Slater agrees with other rules but where majorities are cyclic.
    cyclic = isinstance(rule, ra.Slater)
    orders, counts = ["ABCD", "BCDA", "CDBA"], [4, 3, 2]
    if cyclic:
        orders, counts = ["ABCD", "BCDA", "DABC"], [3, 2, 2]
    profile = ra.Profile.from_orders(orders, counts=counts)
    try:
        steps, what = ra.teaching.show_steps(rule, profile), "Step by step"
    except ra.exceptions.InvalidInputError:
        steps, what = rule.aggregate(profile).summary(), "An example"
    # Points of four places say nothing of other numbers of items.
    tried = [] if type(rule) is ra.Positional else [rule]
    found = [ra.axioms.axiom_table([one], n_items=2, n_rankings=1).to_frame() for one in tried]
    kept = [", ".join(table.axiom[table.proved == "keeps"]) for table in found]
    keeps = [f"Proved to keep: {kept[0]}.", ""] if any(kept) else []
    summary = f"<details><summary>{what}</summary>"
    raw = [".. raw:: html", "", f"   {summary}", ""], [".. raw:: html", "", "   </details>", ""]
    return "\n".join([*raw[0], *block("none", str(steps).splitlines()), *raw[1], *keeps])


def fill(app, docname, source):
    """Put listings where a page asks for them; what is tested needs none."""
    tested = app.builder.name == "doctest"
    for place, listing in ((COMMANDS, commands), (KINDS, kinds), (RULE, worked)):
        source[0] = place.sub("" if tested else listing, source[0])


def setup(app):
    app.connect("source-read", fill)
    return {"parallel_read_safe": True}
