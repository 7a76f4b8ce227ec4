"""`foible play`: a game that a person plays on the terminal."""

import secrets
from datetime import date
from pathlib import Path
from typing import Annotated, Final

import typer

from foible._core import ChessPosition
from foible.agents.spec import HandBrainSpec, HumanSpec, TagTeamSpec, TeamSpec, parse_player, parse_team, read_team
from foible.analysis.game_review import review
from foible.arena.adjudication import Manners
from foible.arena.session import Colour, GameSession
from foible.arena.setup import GameSetup
from foible.errors import ConfigError
from foible.games.odds import ODDS
from foible.interfaces.cli import INTERRUPTED
from foible.interfaces.cli.options import Precision, Runtime, Threads, judge_line, judge_option, start_fen
from foible.interfaces.cli.output import examples, print_table, say
from foible.interfaces.cli.progress import progress_line
from foible.interfaces.cli.terminal_game import Hangup, TerminalGame, ending_text, side_name
from foible.judges.spec import STEADY, JudgeSpec, parse_judge, usual_judge
from foible.loop import each, wait
from foible.nets.shelf import NetShelf, Runtimes, check_chess
from foible.runs.files import write_atomically

PLAY_EXAMPLES = examples(
    "foible play",
    "foible play master@100 --colour black --out games.pgn",
    "foible play club:1500 --partner master@50           (a coin each ply: you or the partner)",
    "foible play club:1500 --hand-of master@100          (the net names a piece, you move it)",
    "foible play master --brain-of club:1300             (you name a piece, the net moves it)",
    "foible play master@100 --odds queen",
    """foible play club:1700 --partner '{kind="tag_team_tree", net="master", junior="club:1500", nodes=100}'""",
)

OPPONENT: Final = "club:1500"
_SEEDS: Final = 2**31
_AS_PEOPLE_DO: Final = 1.0
"""The temperature of nets that play without search: with it they vary as much as the people whose games they learnt."""


def play(
    opponent: Annotated[
        str,
        typer.Argument(
            help="NET, whose moves are drawn as it thinks them likely; NET@NODES, which searches; "
            "uci:COMMAND:nodes=N; or a table of TOML, also of a team."
        ),
    ] = OPPONENT,
    colour: Annotated[Colour, typer.Option("--colour", "--color", help="The colour of your side.")] = "white",
    partner: Annotated[
        str | None,
        typer.Option(help="Tag team: a coin decides at every ply who of the two of you moves.", show_default=False),
    ] = None,
    hand_of: Annotated[
        str | None, typer.Option(help="A brain, which names the piece type that you move.", show_default=False)
    ] = None,
    brain_of: Annotated[
        str | None, typer.Option(help="A hand, which moves a piece of the type that you name.", show_default=False)
    ] = None,
    team: Annotated[
        str | None,
        typer.Option(
            help='Your side as a table of TOML or a .toml file, with {kind="human"} in it.', show_default=False
        ),
    ] = None,
    fen: Annotated[
        str | None,
        typer.Option(help="Where to start; Chess960 where its castling rights say so.", show_default="start position"),
    ] = None,
    odds: Annotated[
        str | None, typer.Option(help=f"What the opponent starts without: {', '.join(ODDS)}.", show_default=False)
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Of coins and draws: the same seed, the same replies.", show_default="new")
    ] = None,
    to_the_end: Annotated[
        bool, typer.Option("--to-the-end", help="The opponent neither gives up nor offers or takes a draw.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="A PGN file to which the game is appended, finished or not.", show_default=False)
    ] = None,
    no_review: Annotated[bool, typer.Option("--no-review", help="Do not judge the moves after the game.")] = False,
    judge: Annotated[str | None, judge_option(STEADY)] = None,
    runtime: Runtime = "auto",
    precision: Precision = "auto",
    threads: Threads = None,
) -> None:
    """Play a game on the terminal: against a net or an engine, beside one, or as its hand or its brain.

    Moves are typed as SAN (Nf3) or UCI (g1f3); `help` lists the other words, among them `back`, which takes back your
    last move and what followed. Lines may also come through a pipe. After the game each player's losses of win
    probability are told.
    """
    start = start_fen(fen)
    setup = GameSetup(
        opponent=parse_team(opponent, temperature=_AS_PEOPLE_DO),
        own=_own_side(partner, hand_of, brain_of, team),
        colour=colour,
        fen=start,
        chess960=ChessPosition(start, chess960=None).chess960,
        odds=odds,
        manners=None if to_the_end else Manners(),
        seed=secrets.randbelow(_SEEDS) if seed is None else seed,
    )
    setup.check()
    if no_review and judge is not None:
        raise ConfigError(f"--judge {judge}: judges in the review; give it without --no-review")
    judged_by = None if no_review else parse_judge(judge) if judge else usual_judge(STEADY)
    if out is not None:
        _check_writable(out)
    shelf = NetShelf(Runtimes(runtime, precision, threads))
    with setup.begin(shelf, setup.new_game(f"{date.today():%Y.%m.%d}")) as session:
        check_chess(shelf.nets)
        interrupted = _play(session, colour, setup.seed, out)
    if interrupted:
        raise typer.Exit(INTERRUPTED)
    if session.ending is not None and session.decisions and judged_by is not None:
        _review(session, judged_by, shelf, asked=judge)


def _own_side(partner: str | None, hand_of: str | None, brain_of: str | None, team: str | None) -> TeamSpec:
    """The user's side: alone, or with the partner that an option gives.

    :raises ConfigError: more than one option is given, or what is given is no player.
    """
    options = {"--partner": partner, "--hand-of": hand_of, "--brain-of": brain_of, "--team": team}
    if len(given := [name for name, value in options.items() if value is not None]) > 1:
        raise ConfigError(f"{' and '.join(given)}: expected one of these at most")
    you = HumanSpec()
    if partner is not None:
        return TagTeamSpec(senior=parse_player(partner, temperature=_AS_PEOPLE_DO), junior=you)
    if hand_of is not None:
        return HandBrainSpec(brain=parse_player(hand_of), hand=you)
    if brain_of is not None:
        return HandBrainSpec(brain=you, hand=parse_player(brain_of, temperature=_AS_PEOPLE_DO))
    if team is not None:
        return parse_team(team) if team.lstrip().startswith("{") else read_team(Path(team))
    return you


def _play(session: GameSession, colour: Colour, seed: int, out: Path | None) -> bool:
    """Play until the game or the input ends; returns whether Ctrl-C ended it. The game is written in any case."""
    terminal = TerminalGame(session, colour)
    interrupted = False
    try:
        terminal.greet(seed)
        terminal.play()
    except Hangup:
        pass
    except KeyboardInterrupt:
        interrupted = True
    finally:
        wait(session.close())
        if out is not None and session.decisions:
            _append(out, session.pgn())
    terminal.say(ending_text(session), *([f"The game was appended to {out}."] if out and session.decisions else []))
    return interrupted


def _check_writable(path: Path) -> None:
    """Check that the file of the game can be written, before the game and not after it.

    :raises ConfigError: no file can be written there.
    """
    if path.is_dir() or not path.parent.is_dir():
        what = "is a folder" if path.is_dir() else f"there is no folder {path.parent}"
        raise ConfigError(f"--out {path}: {what}; expected the name of a PGN file")


def _append(path: Path, pgn: str) -> None:
    """Write the file anew with one more game. Where that fails, print the game, so that it is not lost."""
    try:
        before = path.read_bytes() if path.exists() else b""
        gap = b"" if not before or before.endswith(b"\n\n") else b"\n\n"
        write_atomically(path, before + gap + pgn.encode())
    except OSError:
        say(pgn)
        raise


def _review(session: GameSession, spec: JudgeSpec, shelf: NetShelf, *, asked: str | None) -> None:
    """Judge the moves, and print how much each player lost."""
    with progress_line("moves") as line:
        judge = spec.build(shelf)
        try:
            for so_far in each(review(session.record(), judge)):
                line.show("judging", len(so_far.moves), so_far.total)
        finally:
            judge.close()
    rows = [
        (
            "White" if player.white else "Black",
            side_name(session, "white" if player.white else "black", player.who),
            player.worst.text if player.worst.loss >= 1 else None,
            player.moves,
            f"{player.mean:.1f}",
            f"{player.worst.loss:.0f}",
        )
        for player in so_far.players
    ]
    print_table(
        "Who gave away how much, in % of win probability",
        ("side", "player", "costliest move", "moves", "loss a move", "largest loss"),
        rows,
        left=3,
        note=judge_line(so_far.judge, asked=asked),
    )
