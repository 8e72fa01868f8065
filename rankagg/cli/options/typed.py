"""Names and numbers that are typed: what is out of range is refused in one sentence.

Everything is checked when the command line is read, before any work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf, isfinite
from reprlib import Repr
from typing import TYPE_CHECKING, Any

import click

from rankagg._numbers import ascii_number
from rankagg.exceptions import InvalidInputError, nearest, shown

if TYPE_CHECKING:
    from rankagg._typing import Label
    from rankagg.core import ItemSet

# Names of which a message lists all.
MOST_NAMES = 12


class OneOf(click.Choice):  # type: ignore[type-arg]
    """One of some names, which may be found when they are needed; else the nearest is suggested."""

    def __init__(self, choices: Iterable[str] | Callable[[], Iterable[str]]) -> None:
        self._find = choices if callable(choices) else lambda: choices
        self.case_sensitive = True

    @property
    def choices(self) -> Sequence[str]:  # type: ignore[override]
        """All names."""
        return tuple(self._find())

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None) -> str:
        """Return the names, in one line."""
        return f"Choose from {', '.join(self.choices)}"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name, or name the option and what was meant."""
        from rankagg.core import listed

        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            names, told = self.choices, error.message
            if len(names) > MOST_NAMES:
                told = f"{shown(value)} is none of the {len(names)} names ({listed(names)})."
            self.fail(f"{told} {nearest(value, names)}".rstrip(), param, ctx)


def labels_of(option: str, names: Iterable[str], items: ItemSet, noun: str) -> list[Label]:
    """Return the labels that are written so; numbers in a file are numbers."""
    from rankagg.core import counted, listed, raw_text

    known = {raw_text(label): label for label in items}
    found = []
    for name in names:
        if name not in known:
            allowed = f"one of the {counted(len(items), noun)} ({listed(items.labels)})"
            raise InvalidInputError(option, allowed, name, nearest(name, items))
        found.append(known[name])
    return found


def two_items(pair: Sequence[str], items: ItemSet) -> tuple[Label, Label]:
    """Return the items of --pair."""
    first, second = labels_of("--pair", pair, items, "item")
    if first == second:
        raise InvalidInputError("--pair", "two different items", first)
    return first, second


def split(option: str, texts: Iterable[str], form: str, *, last: bool = True) -> dict[str, str]:
    """Return names and values of texts NAME=VALUE, each name once; the last "=" or the first."""
    found: dict[str, str] = {}
    for text in texts:
        name, sign, value = text.rpartition("=") if last else text.partition("=")
        if not sign or not name:
            raise InvalidInputError(option, form, text)
        if name in found:
            raise InvalidInputError(option, f"{form}, each name once", text)
        found[name] = value
    return found


def named_numbers(option: str, texts: Iterable[str], form: str) -> dict[str, float]:
    """Return names and numbers of texts NAME=NUMBER, each name once."""
    found = {}
    for name, value in split(option, texts, form).items():
        try:
            found[name] = float(ascii_number(value))
        except ValueError:
            raise InvalidInputError(option, form, f"{name}={value}") from None
    return found


def weights_of(option: str, texts: Iterable[str], items: ItemSet, noun: str) -> dict[Label, float]:
    """Return tasks or items and their weights, of texts TASK=NUMBER."""
    weights = named_numbers(option, texts, f"{noun.upper()}=NUMBER")
    return dict(zip(labels_of(option, weights, items, noun), weights.values(), strict=True))


_short = Repr()
_short.maxstring = 40


@dataclass(frozen=True)
class Number(click.ParamType):  # type: ignore[type-arg]
    """A finite number in a range."""

    low: float = -inf
    high: float = inf
    open_low: bool = False
    open_high: bool = False
    name: str = "float"

    def read(self, text: str) -> float:
        """Return the number that a text states; raise `ValueError` where it states none."""
        return float(ascii_number(text))

    @property
    def allowed(self) -> str:
        """What a value must be."""
        if self.low == -inf:
            return "a finite number"
        low = f"a number above {self.low:g}" if self.open_low else f"a number of {self.low:g}"
        if self.high == inf:
            return f"{low} or more" if not self.open_low else low
        return f"{low} {'and below' if self.open_high else 'to'} {self.high:g}"

    def holds(self, value: float) -> bool:
        """Say whether a number is in the range."""
        above = value > self.low if self.open_low else value >= self.low
        below = value < self.high if self.open_high else value <= self.high
        return above and below and isfinite(value)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number, or name the option."""
        try:
            number = self.read(str(value))
        except ValueError:
            number = inf
        if not self.holds(number):
            self.fail(f"must be {self.allowed}. Got {_short.repr(str(value))}.", param, ctx)
        return number


@dataclass(frozen=True)
class Whole(Number):
    """A whole number in a range."""

    name: str = "integer"

    def read(self, text: str) -> int:
        """Return the whole number that a text states."""
        return int(ascii_number(text))

    @property
    def allowed(self) -> str:
        """What a value must be."""
        return f"a whole number from {self.low} to {self.high}"


@dataclass(frozen=True)
class Jobs(Whole):
    """A number of processes, or -1 for one a core."""

    low: float = 1
    high: float = 1024

    @property
    def allowed(self) -> str:
        """What a value must be."""
        return f"-1 for all cores, or {super().allowed}"

    def holds(self, value: float) -> bool:
        """Say whether a number is one of these."""
        return value == -1 or super().holds(value)


#: Seconds of a time limit.
TIME = Number(0, 1e9, name="seconds")
PROBABILITY = Number(0, 1, open_low=True, open_high=True)


class Option(click.Option):
    """An option, and the group of options under which help lists it.

    Options without a group are those that most people use: each has its lines in every help.
    """

    def __init__(self, *names: str, group: str = "", **settings: Any) -> None:
        super().__init__(names, show_default="default" in settings, **settings)
        self.group = group

    def make_metavar(self, ctx: click.Context) -> str:
        """Return what stands for the value; dots say that the option may be repeated."""
        return super().make_metavar(ctx) + ("..." if self.multiple else "")


def grouped(group: str, *options: Option) -> list[Option]:
    """Return options that help lists in one group."""
    for one in options:
        one.group = group
    return [*options]


def several(name: str, metavar: str, about: str, *dest: str, **settings: Any) -> Option:
    """Return an option that may be repeated."""
    return Option(name, *dest, metavar=metavar, multiple=True, help=about, **settings)


def choice(name: str, words: Sequence[str], about: str, *dest: str, **settings: Any) -> Option:
    """Return an option that takes one of some words."""
    return Option(name, *dest, type=OneOf(words), help=about, **settings)


def flag(*names: str, **settings: Any) -> Option:
    """Return an option without a value."""
    return Option(*names, is_flag=True, **settings)


def seed(about: str = "For the random numbers.") -> Option:
    """Return --seed, which says what is drawn, as `rng`."""
    most = 2**64 - 1
    return Option("--seed", "rng", group="Computation", type=Whole(0, most), default=0, help=about)


def alpha(what: str = "Probability of error") -> Option:
    """Return --alpha, a probability of error."""
    return Option("--alpha", type=PROBABILITY, default=0.05, help=f"{what}.")


def jobs(where: str = "Processes") -> Option:
    """Return --jobs: how many processes share the work, as `n_jobs`."""
    about = f"{where}; -1 for all cores."
    return Option("--jobs", "n_jobs", group="Computation", type=Jobs(), default=1, help=about)


SCHEDULER = Option(
    "--scheduler",
    group="Computation",
    metavar="ADDRESS",
    help="Let a cluster of Dask do the work, whose scheduler has this address, as tcp://host:8786.",
)


@contextmanager
def workers(scheduler: str | None, n_jobs: int) -> Iterator[dict[str, Any]]:
    """Give what shares the work, as parameters: a cluster, or processes."""
    from rankagg.io.cluster import connected

    if scheduler is None:
        yield {"n_jobs": n_jobs}
        return
    if n_jobs != 1:
        raise click.UsageError("--jobs has no meaning with --scheduler, which has workers.")
    with connected(scheduler) as client:
        yield {"client": client}
