"""`foible explain`: what the moves of a position are worth against a player who errs."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from foible._core import ChessPosition
from foible.agents.candidates import EVERYTHING, Candidate, Reply, Width
from foible.analysis.explain import Explanation, board_svg, board_text, explanations, to_json, verdict
from foible.errors import ConfigError, PositionError
from foible.interfaces.cli import INTERRUPTED
from foible.interfaces.cli.options import (
    Precision,
    Runtime,
    Threads,
    check_picture,
    judge_line,
    judge_option,
    start_fen,
    written_moves,
)
from foible.interfaces.cli.output import (
    Console,
    Json,
    examples,
    output_console,
    print_json,
    table,
)
from foible.judges.base import Judge, exact_score
from foible.judges.spec import CAREFUL, JudgeSpec, parse_judge, usual_judge
from foible.loop import each
from foible.mistakes import brief, visible
from foible.nets.shelf import NetShelf, Runtimes
from foible.opponents.base import OpponentModel
from foible.opponents.spec import ModelSpec, parse_model
from foible.runs.files import write_atomically
from foible.wording import percent, signed

FEN = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3"
EXPLAIN_EXAMPLES = examples(
    f"foible explain '{FEN}' --opponent club:1500",
    "foible explain startpos --moves 'e4 e5 Nf3 Nf6 Nxe5' --opponent 1537 --board board.svg",
    "foible explain startpos --moves 'e4 e5 Nf3 Nc6' --me 1500 --judge master",
    "foible explain startpos --moves 'd4 d5 c4 e6' --judge uci:stockfish:nodes=1000000:processes=4",
)
REPLIES = 3
HOW_TO_READ = (
    "In % of win probability for the side to move, 50 is even. E: expected after the replies that this opponent plays; "
    "V: against best play; price: what V falls short of the soundest move's; gain: what E exceeds that move's; trap: "
    "probability of a reply that gives away 10 or more."
)
HOW_TO_READ_EVAL = (
    " Eval: the judge's own score after the move for the side to move now, one ply less deep than V, in pawns; # is "
    "mate in so many moves."
)
WHO_ERRS = " In E we go on as the model of ourselves does; V takes us to play our best."


def explain(
    fen: Annotated[str, typer.Argument(help="The position, in which we are to move; or startpos.", show_default=False)],
    opponent: Annotated[
        str,
        typer.Option(
            help="The model: a rating (1537: Maia where it is on this machine, else club:1537), a net (club:1500), "
            "a table of TOML, or a .toml file."
        ),
    ] = "1500",
    me: Annotated[
        str | None,
        typer.Option(
            help="A model of our own later moves, written as that of the opponent: what is each move worth for us, who "
            "err as well? Looks two moves of ours ahead or more.",
            show_default="we play our best",
        ),
    ] = None,
    judge: Annotated[str | None, judge_option(CAREFUL)] = None,
    moves: Annotated[str, typer.Option(help="Moves that follow the position, in UCI or SAN.", show_default=False)] = "",
    depth: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=4,
            help="Moves of ours that are looked ahead. Each more takes some 40 times as long: with Stockfish minutes "
            "at 2 and hours at 3; --judge master is quicker.",
            show_default="1, with --me 2",
        ),
    ] = None,
    all_moves: Annotated[bool, typer.Option("--all", help="Look at every move and every reply.")] = False,
    board: Annotated[
        Path | None, typer.Option(help="Write the board with arrows as SVG here.", show_default=False)
    ] = None,
    runtime: Runtime = "auto",
    precision: Precision = "auto",
    threads: Threads = None,
    as_json: Json = False,
) -> None:
    """What each of our moves is worth against a player who errs.

    All in % of win probability. E is what we may expect when the opponent replies as the model says, and we go on as
    --me says; V is what is left against the best reply. Price is what V falls short of the soundest move's, gain what E
    exceeds that move's. Trap is the probability of a reply that gives away 10 % or more. Moves that cost more than 5 %
    stand below a line.

    On a terminal the first table is there at once, judged in haste, and gets better while the judge thinks on; Ctrl-C
    ends that and keeps what is there.

    For study and training only: help during rated games against people is cheating.
    """
    _check_is_no_game(fen)
    position = ChessPosition(start_fen(fen), written_moves(moves), chess960=None)
    if exact_score(position, claim_draws=True):
        over = "the game is over" if position.outcome() else "a draw may be claimed"
        raise PositionError(f"{position.fen}: {over} here; expected a position with moves to explain")
    if board is not None:
        check_picture(board, [".svg"])
    depth = _depth(depth, me)
    spec = parse_judge(judge) if judge else usual_judge(CAREFUL)
    console, width = output_console(), EVERYTHING if all_moves else Width()
    specs = [parse_model(model) for model in (opponent, me) if model is not None]
    models, judging = _open(specs, spec, Runtimes(runtime, precision, threads))
    model, ourselves = models[0], models[1] if me is not None else None
    explanation: Explanation | None = None
    try:
        if not as_json:
            console.print(judge_line(judging.name, asked=judge), board_text(position), sep="\n")
        with _drafts(console, hidden=as_json) as live:
            for explanation in each(
                explanations(position, model, judging, depth=depth, width=width, ourselves=ourselves)
            ):
                thinking = Spinner("dots", Text(visible(f"{judging.name}: thinking")))
                live.update(Group(_table(console, explanation), thinking), refresh=True)
    except KeyboardInterrupt:
        if explanation is None:
            raise
    finally:
        _close(models, judging)
    assert explanation is not None
    if as_json:
        print_json(to_json(explanation))
    else:
        console.print(_table(console, explanation))
    if board is not None:
        write_atomically(board, board_svg(explanation))
    if not explanation.complete:
        raise typer.Exit(INTERRUPTED)


def _check_is_no_game(fen: str) -> None:
    """Refuse what people give in place of a position.

    :raises ConfigError: it is a file, or the moves of a game.
    """
    if os.path.isfile(fen):  # `Path.is_file` raises an OSError for texts that are longer than names of files
        raise ConfigError(
            f"{fen} is a file; expected a FEN or startpos. foible web explains a game, foible analyse judges many"
        )
    if "/" not in fen and start_fen(fen):
        raise ConfigError(f"{brief(fen)}: expected a FEN or startpos; moves belong in --moves, after either")


def _depth(asked: int | None, me: str | None) -> int:
    """The moves of ours that are looked ahead.

    :raises ConfigError: too few for our later moves to come into it.
    """
    least = 1 if me is None else 2
    if asked is not None and asked < least:
        raise ConfigError(f"--depth {asked} with --me: expected {least} or more; our later moves come after the first")
    return asked or least


def _open(models: Sequence[ModelSpec], judge: JudgeSpec, runtimes: Runtimes) -> tuple[list[OpponentModel], Judge]:
    """Open models and judge at the same time: starting an engine takes as long as opening a net."""
    with ThreadPoolExecutor(1) as aside:
        judging: Future[Judge] = aside.submit(judge.build, NetShelf(runtimes))
        shelf = NetShelf(runtimes)
        return [model.build(shelf) for model in models], judging.result()


def _close(models: Sequence[OpponentModel], judge: Judge) -> None:
    for model in models:
        model.close()
    judge.close()


@contextmanager
def _drafts(console: Console, *, hidden: bool) -> Iterator[Live]:
    """A live display of drafts while a better one is made; it shows nothing where there is no terminal."""
    live = Live(console=console, transient=True, refresh_per_second=8)
    if console.is_terminal and not hidden:
        with live:
            yield live
    else:
        yield live


def _table(console: Console, explanation: Explanation) -> Group:
    position = explanation.position
    judged = any(c.score.cp is not None or c.score.mate is not None for c in explanation.candidates)
    columns = ["move", *(["eval"] if judged else []), "E %", "V %", "price", "gain", "trap %", "best reply"]
    rows = [
        (
            position.san(c.move),
            *([_eval(c)] if judged else []),
            *(f"{100 * x:.1f}" for x in (c.expected, c.safe, c.price)),
            signed(100 * c.gain),
            f"{100 * c.trap_probability:.0f}",
            position.play(c.move).san(c.best_reply) if c.best_reply else None,
            _replies(position.play(c.move), c.replies),
        )
        for c in explanation.candidates
    ]
    legal, mass = len(position.legal_moves), min(c.mass for c in explanation.candidates)
    wide = len(rows) == legal and mass > 0.999
    replies = "all replies" if wide else f"replies that make up {percent(mass, digits=0)} or more; --all looks at all"
    note = f"{len(rows)} of {legal} moves, with {replies}"
    how_to_read = HOW_TO_READ + HOW_TO_READ_EVAL * judged + WHO_ERRS * bool(explanation.ourselves)
    we = f"we: {explanation.ourselves}; " if explanation.ourselves else ""
    return table(
        console,
        f"Opponent: {explanation.opponent}; {we}judge: {explanation.judge}",
        [*columns, "likely replies (and what they lose)"],
        rows,
        note=f"{verdict(explanation)}\n{note}\n{how_to_read}",
        spare=("gain", "best reply"),
        section=len(explanation.affordable),
    )


def _eval(candidate: Candidate) -> str | None:
    score = candidate.score
    if score.mate is not None:
        return f"{'' if score.wp > 0.5 else '−'}#{abs(score.mate) + (score.wp > 0.5)}"
    return None if score.cp is None else signed(score.cp / 100, 2)


def _replies(after: ChessPosition, replies: Sequence[Reply]) -> str:
    return ", ".join(_reply(after, reply) for reply in replies[:REPLIES]) or "the game is over"


def _reply(after: ChessPosition, reply: Reply) -> str:
    lost = round(100 * reply.loss)
    return f"{after.san(reply.move)} {percent(reply.p, digits=0)}" + (f" (−{lost})" if lost > 0 else "")
