"""`foible web`: foible in the browser."""

import secrets
import webbrowser
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from foible.analysis.puzzles.training_deck import NEW_A_DAY
from foible.engines.programs import STEADY
from foible.errors import ConfigError, GameFileError
from foible.interfaces.cli.options import Precision, Runtime, Threads, judge_option
from foible.interfaces.cli.output import Console, examples
from foible.interfaces.web.server import PAGE, is_loopback, listen, server
from foible.runs.folder import expect_folder

if TYPE_CHECKING:
    from foible.interfaces.web.shared import Shared

WEB_EXAMPLES = examples(
    "foible web",
    "foible web --openings masters.pgn.xz --openings club.pgn",
    "foible web --port 0 --no-browser --runs runs",
)
PORT = 8420
TOKEN_BYTES = 18


def web(
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes one that is free.")] = PORT,
    host: Annotated[
        str, typer.Option(help="Address to listen on. From another machine than this one it wants a token.")
    ] = "127.0.0.1",
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")] = True,
    runs: Annotated[Path, typer.Option(help="Folder whose run folders are shown.")] = Path("runs"),
    games: Annotated[
        Path, typer.Option(help="Folder in which games are kept, those played here and those of opponents.")
    ] = Path("runs/web"),
    openings: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="PGN, plain or packed, with games whose openings Explain shows. May be repeated.",
            show_default=False,
        ),
    ] = None,
    puzzles: Annotated[
        Path, typer.Option(help="Folder whose tables of puzzles, and those below it, are trained with.")
    ] = Path("runs"),
    new_a_day: Annotated[int, typer.Option(min=0, help="Puzzles of a deck that are new on one day.")] = NEW_A_DAY,
    players: Annotated[
        list[Path] | None,
        typer.Option(
            help="Players of your own as TOML, see docs/web.md, or a match whose players join; may be repeated.",
            show_default=False,
        ),
    ] = None,
    judge: Annotated[str | None, judge_option(STEADY)] = None,
    runtime: Runtime = "auto",
    precision: Precision = "auto",
    threads: Threads = None,
) -> None:
    """Open foible in the browser: play with, against and beside players who err, prepare, explain moves, and train.

    Everything stays on this machine: the page loads nothing from elsewhere, the server answers to its own pages alone,
    and fetches a player's games or a net only when you tell it to. Ctrl-C ends it; games go on where they were when it
    is started again.
    """
    if not (PAGE / "index.html").exists():
        raise ConfigError(f"{PAGE}: the page is not built; `npm ci && npm run build` in web/ makes it")
    if missing := [path for path in openings or () if not path.is_file()]:
        raise GameFileError(f"--openings {missing[0]}: no such file; expected PGN, plain or packed")
    for folder in (runs, games, puzzles):
        expect_folder(folder)
    token = None if is_loopback(host) else secrets.token_urlsafe(TOKEN_BYTES)
    console = Console(stderr=True, highlight=False)

    def ready(address: str) -> None:
        console.print(f"foible is at {address} (Ctrl-C ends it)", soft_wrap=True)
        if browser:
            webbrowser.open(address)

    def opened() -> "Shared":
        from foible.interfaces.web.shared import open_shared  # noqa: PLC0415  while the browser loads the page
        from foible.nets.runtimes import Runtimes  # noqa: PLC0415

        return open_shared(
            runtimes=Runtimes(runtime, precision, threads),
            judge=judge,
            players=players or (),
            runs=runs,
            games=games,
            puzzles=puzzles,
            new_a_day=new_a_day,
            openings=openings or (),
        )

    # Errors in `--judge` and `--players` are to be reported before there is a page.
    shared = opened() if judge or players else None
    listening = listen(host, port)
    with suppress(KeyboardInterrupt):  # the way to end a server
        server(lambda: shared or opened(), listening, token=token, on_ready=ready).run([listening])
