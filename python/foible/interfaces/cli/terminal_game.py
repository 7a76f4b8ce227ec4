"""A game on the terminal: a person who types, or lines from a pipe; what is shown, and what may be typed."""

import contextlib
import io
import sys
from collections.abc import Callable, Mapping
from typing import Final

from foible._core import ChessPosition
from foible.agents.base import Decision
from foible.agents.human import PIECES, Question, allowed_moves, movable_pieces
from foible.analysis.explain import board_text
from foible.analysis.game_review import numbered, who_moved
from foible.arena.record import LONE_PLAYER
from foible.arena.session import AGREED, RESIGNED, Colour, GameSession
from foible.errors import MoveError
from foible.interfaces.cli.output import output_console
from foible.loop import wait
from foible.mistakes import visible
from foible.wording import counted, percent


class Hangup(Exception):  # noqa: N818 - nothing is wrong
    """The input has ended, or the user has typed `quit`."""


class Terminal:
    """Reads input line by line, from a terminal or a pipe, and prints to the output stream."""

    def __init__(self) -> None:
        self._console = output_console()
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")
        if sys.stdin.isatty():
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401, PLC0415  # The line can be edited, and earlier ones come back.

    def say(self, *lines: str) -> None:
        """Lines for the person."""
        for line in lines:
            self._console.print(line, soft_wrap=True)

    def read(self, prompt: str) -> str:
        """The next line of input, which is printed again where it comes from a pipe.

        :raises Hangup: there is nothing more to read.
        """
        try:
            text = input(visible(prompt)).strip()
        except EOFError:
            self.say("")
            raise Hangup from None
        if not sys.stdin.isatty():
            self.say(text)
        return text


HELP: Final = """\
a move     as SAN (Nf3, exd5, O-O, e8=Q) or UCI (g1f3, e1g1, e7e8q); of a hand: of the piece that was named
a piece    of a brain: P, N, B, R, Q or K, or pawn, knight, …
back       take back your last move and all that followed it
board      show the board
moves      list what can be played
draw       take the draw that is offered, or offer one; a move declines it
resign     give up
quit       stop; the game is kept as unfinished (also Ctrl-D)
help       this list"""

_SURE: Final = 0.995
"""A move with at least this probability is so sure that its probability is not told."""


class TerminalGame(Terminal):
    """A person, or two, at a terminal or behind a pipe."""

    def __init__(self, session: GameSession, colour: Colour) -> None:
        """`colour`: the side of the person to whom the game is shown."""
        super().__init__()
        self._session, self._colour = session, colour
        self._words: Mapping[str, Callable[[Question], None]] = {
            "help": lambda _question: self.say(HELP),
            "board": lambda _question: self._show_board(),
            "moves": lambda question: self.say(_choices(question)),
            "back": lambda _question: self._take_back(),
            "draw": lambda _question: self._draw(),
            "resign": lambda _question: wait(self._session.resign(self._session.to_move)),
            "quit": lambda _question: self._hang_up(),
        }

    def greet(self, seed: int) -> None:
        """Say who plays whom, and how to get help."""
        white, black = (team.name for team in self._session.teams.values())
        self.say(f"{white} (White) against {black} (Black); seed {seed}. `help` lists what can be typed.")

    def play(self) -> None:
        """Ask for moves and show the game until it is over.

        :raises Hangup: the input ended, or somebody typed `quit`.
        :raises FoibleError: an agent failed.
        """
        while (question := self._next_question()) is not None:
            self._show_board()
            if self._session.draw_offer is not None:
                name = self._session.teams[self._session.draw_offer].name
                self.say(f"{name} offers a draw: `draw` takes it, a move declines.")
            self._ask(question)
        ending = self._session.ending
        if ending is not None and ending.termination not in (RESIGNED, AGREED):
            self._show_board()

    def _next_question(self) -> Question | None:
        with self._console.status("thinking") if self._console.is_terminal else contextlib.nullcontext():
            return wait(self._session.advance(self._tell))

    def _ask(self, question: Question) -> None:
        """Read lines until the question is answered, or is no longer the session's question."""
        while self._session.question is question:
            text = self.read(_prompt(question))
            try:
                if act := self._words.get(text.lower()):
                    act(question)
                elif text:
                    wait(self._session.reply(text))
            except MoveError as error:
                self.say(f"{error}")

    def _tell(self, decision: Decision) -> None:
        """Print a move that was just made: what it is, who made it and why."""
        position = self._session.position
        before = ChessPosition(position.start_fen, position.moves[:-1], chess960=position.chess960)
        colour: Colour = "white" if before.turn == "first" else "black"
        ours = colour == self._colour
        who = side_name(self._session, colour, who_moved(decision.info.get("who", LONE_PLAYER), decision.info))
        reasons = "; ".join(_reasons(before, decision, ours=ours))
        self.say(f"{numbered(before, decision.move)}  {who}{f': {reasons}' if reasons else ''}")

    def _show_board(self) -> None:
        self.say("", board_text(self._session.position, white=self._colour == "white"))

    def _take_back(self) -> None:
        plies = self._session.plies_to_last_answer
        if plies is None:
            raise MoveError("back: there is no move of yours to take back")
        wait(self._session.take_back(plies))
        self.say(f"Taken back: {counted(plies, 'ply')}.")

    def _draw(self) -> None:
        if not wait(self._session.draw()):
            self.say("The draw is declined.")

    def _hang_up(self) -> None:
        raise Hangup


def side_name(session: GameSession, colour: Colour, who: str) -> str:
    """What a player of a side is called: `you`, `senior`, …; a lone player by its name."""
    return session.teams[colour].name if who == LONE_PLAYER else who


def ending_text(session: GameSession) -> str:
    """How the game ended, or that it did not."""
    if session.ending is None:
        return f"Unfinished after {counted(session.ply, 'ply')}."
    result, reason = session.ending.result, session.ending.termination.replace("_", " ")
    winner = {"1-0": session.teams["white"].name, "0-1": session.teams["black"].name}.get(result)
    return f"{result}, {reason}: {f'{winner} won' if winner else 'a draw'}."


def _prompt(question: Question) -> str:
    if question.wanted == "piece":
        return f"your piece ({' '.join(movable_pieces(_chess(question)))}): "
    return f"the brain names a {PIECES[question.named]}, your move: " if question.named else "your move: "


def _choices(question: Question) -> str:
    """The list of answers that a question allows."""
    position = _chess(question)
    if question.wanted == "piece":
        return ", ".join(f"{letter} ({PIECES[letter]})" for letter in movable_pieces(position))
    return ", ".join(sorted(map(position.san, allowed_moves(question))))


def _chess(question: Question) -> ChessPosition:
    position = question.turn.position
    assert isinstance(position, ChessPosition)
    return position


def _reasons(before: ChessPosition, decision: Decision, *, ours: bool) -> list[str]:
    """Why a move was made, as far as its player says so."""
    info, reasons = decision.info, list[str]()
    view = "for us" if ours else "for itself"
    if (own := info.get("brain")) is not None and info.get("who") == "hand":
        value = f", {percent(info['brain_value'], digits=0)} {view}" if "brain_value" in info else ""
        agreed = "the brain's own move" if own == decision.move else f"the brain would have played {before.san(own)}"
        reasons.append(f"{agreed}{value}")
    elif "named" in info and "u_sampled" not in info and "brain_value" in info:
        reasons.append(f"the brain expected {percent(info['brain_value'], digits=0)} {view}")
    elif decision.value is not None:
        reasons.append(f"sees {percent(decision.value, digits=0)} {view}")
    if info.get("person") == "piece":
        free = info["u_sampled"]
        name = PIECES[str(info["named"])]
        alike = "the hand would have played it unasked" if free == decision.move else f"unasked {before.san(free)}"
        reasons.append(f"you named a {name}; {alike}")
    if decision.policy and (p := decision.policy.get(decision.move, 0.0)) < _SURE:
        reasons.append(f"{percent(p, digits=0)} {'of its visits' if 'nodes' in info else 'likely'}")
    if (search := info.get("search")) is not None and search != decision.move:
        reasons.append(f"its search alone would have played {before.san(str(search))}")
    return reasons
