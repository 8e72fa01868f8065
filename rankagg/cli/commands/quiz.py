"""`rankagg quiz`: a question on a small random profile, and its solution."""

from __future__ import annotations

import click

from rankagg.cli.options.names import SEED, OneOf
from rankagg.cli.options.output import echo_json, json_option
from rankagg.cli.options.wording import options_named
from rankagg.teaching.quizzes import TOPICS, quiz

__all__ = ["command"]

NAMES = {topic.replace(" ", "-"): topic for topic in TOPICS}


@click.command("quiz")
@click.argument("topic", type=OneOf(list(NAMES)), required=False, metavar="[TOPIC]")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Which question is asked.")
@click.option("--answer", metavar="ANSWER", help="Say whether this is right.")
@click.option("--solution", is_flag=True, help="Print the steps to the answer too.")
@click.option("--list", "listing", is_flag=True, help="List the topics and ask nothing.")
@json_option
def command(
    topic: str | None,
    *,
    seed: int,
    answer: str | None,
    solution: bool,
    listing: bool,
    as_json: bool,
) -> None:
    """Ask a question on a small random profile that has one right answer.

    A seed asks the same question again. An order, or a cycle, is written as letters: BCA.

    \b
        rankagg quiz --list
        rankagg quiz kemeny --seed 3
        rankagg quiz kemeny --seed 3 --answer BCA
        rankagg quiz kemeny --seed 3 --solution
    """
    if listing:
        if as_json:
            echo_json({"schema": "rankagg.quiz_topics", "version": 1, "topics": list(NAMES)})
        else:
            click.echo("\n".join(NAMES))
        return
    if topic is None:
        raise click.UsageError(f"Give a TOPIC: {', '.join(NAMES)}.")
    asked = quiz(NAMES[topic], rng=seed)
    right = None
    if answer is not None:
        with options_named({"answer": "--answer"}):
            right = asked.check(answer)
    if as_json:
        content = asked.to_dict()
        if not solution:
            del content["answer"], content["solution"]
        echo_json(content if right is None else {**content, "given": answer, "right": right})
        return
    click.echo(asked.summary())
    if right is not None:
        click.echo("right" if right else "wrong")
    if solution:
        click.echo(f"\n{asked.solution.summary(rows=None)}")
