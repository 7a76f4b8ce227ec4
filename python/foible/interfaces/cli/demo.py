"""`foible demo`: a match of a minute that shows what foible is about."""

import math
import tempfile
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer

from foible.arena.demo import Demo, demo_match
from foible.arena.play import play
from foible.arena.progress import MatchProgress
from foible.arena.record import GameRecord
from foible.arena.report import MatchReport
from foible.arena.tables import render
from foible.interfaces.cli import Stopped
from foible.interfaces.cli.match import note
from foible.interfaces.cli.output import Console, Json, examples, print_json
from foible.interfaces.cli.progress import ProgressLine, progress_line
from foible.wording import counted

DEMO_EXAMPLES = examples("foible demo", "foible demo --out runs/demo")

CLEAR: Final = 2.0
"""A difference of losses is spoken of from so many standard errors on."""
INTRODUCTION = """\
Tag team: a senior and a junior share each side, and before every move a coin says which of the two plays it.
Both seniors search equally much and judge positions alike, by counting pieces; both juniors capture whatever they
can. LEELA's search takes everybody for its equal. The coin tree knows that coins will fall, and what the juniors
will play."""


def demo(
    out: Annotated[
        Path | None, typer.Option(help="Keep the run folder there; it is thrown away when absent.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """Play a tag-team match in a minute: two seniors of the same strength, of whom one knows that its partner errs."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    console.print(INTRODUCTION)
    chosen = demo_match()
    console.print(_size(chosen))
    with tempfile.TemporaryDirectory() as scratch, progress_line("games") as line:
        judging = partial(line.show, "judging")
        report = play(chosen.config, out or Path(scratch) / "demo", _News(line, console), on_judged=judging)
    if report is None or report.games.n < chosen.config.games:
        raise Stopped("stopped before the end")
    if as_json:
        print_json(report.with_speed())
        return
    Console().print(render(report))
    Console(highlight=False, soft_wrap=True).print(_lesson(report))


def _size(chosen: Demo) -> str:
    config = chosen.config
    return (
        f"This machine searches {chosen.rate:,.0f} visits a second: {config.games} games of {config.nodes} visits "
        "a move, about a minute."
    )


class _News:
    """The progress line, and a word on the first game that ends."""

    def __init__(self, line: ProgressLine, console: Console) -> None:
        self._line, self._console = line, console
        self._told = False

    def __call__(self, now: MatchProgress[GameRecord]) -> None:
        if now.finished and not self._told:
            self._told = True
            first = now.finished[0]
            winner = {"1-0": first.white, "0-1": first.black}.get(first.result)
            end = f"{winner} won" if winner else "a draw"
            moves = counted((first.plies + 1) // 2, "move")
            self._console.print(f"The first game has ended: {end} after {moves} ({first.termination}).")
        self._line.show("match", len(now.finished), now.total, left=now.seconds_left, note=note(now))


def _lesson(report: MatchReport) -> str:
    """What the match shows, in a sentence or two that say no more than its errors allow."""
    won = f"\n{report.focal} won {report.percent} of the points"
    if report.elo is None or report.elo.low <= 0:  # of Elo there is an interval even where all pairs end alike
        return (
            f"{won}, which does not show that it is stronger: foible match --preset demo --games 400 plays more games."
        )
    return (
        f"{won}, with a senior that searches no more and knows no chess beyond the other's. What it knows is who will "
        f"move{_juniors(report)}."
    )


def _juniors(report: MatchReport) -> str:
    """How much less the focal team's junior lost, where these games show it; empty where they do not."""
    juniors = {role.team: role for role in report.roles if role.role == "junior"}
    ours, theirs = juniors.get(report.focal), juniors.get(report.alter)
    if ours is None or theirs is None or ours.mean is None or theirs.mean is None:
        return ""
    error = math.hypot(ours.standard_error or math.inf, theirs.standard_error or math.inf)
    if theirs.mean - ours.mean <= CLEAR * error:
        return ""
    return (
        f": its moves leave its own junior less to spoil than the other one ({ours.loss} points of win probability a "
        f"move against {theirs.loss})"
    )
