"""A GTP engine at a position: it is told only what is new."""

from foible._core import GoPosition
from foible.engines.gtp import ANSWER_SECONDS, GtpProcess, RefusedError
from foible.errors import EngineError
from foible.games.go import chains, handicap_compensation, replayed, turn_of


def start_commands(start: GoPosition, *, free_handicap: bool) -> list[str]:
    """What leads an engine to a position without moves: board, komi, stones.

    Black's stones with White to move are a handicap where the engine knows such: it then adds to the komi what the
    rules give White for them, so that what is agreed is told (SAI, §1.1). All other stones are played, those of a chain
    one beside the other from one with a liberty on: nothing is captured on the way.
    """
    black, white = start.setup
    komi, placing = start.komi, [f"play {colour} {stone}" for colour, chain in chains(start) for stone in chain]
    if free_handicap and len(black) > 1 and not white and start.first_mover == "white":
        komi -= handicap_compensation(start.rules, len(black))
        placing = [f"set_free_handicap {' '.join(black)}"]
    return [f"boardsize {start.size}", "clear_board", f"komi {komi:g}", *placing]


class GtpBoard:
    """A process and the position that it stands at. One thread at a time."""

    def __init__(self, process: GtpProcess) -> None:
        self._process = process
        self._known: tuple[int, GoPosition] | None = None
        """The game that the engine stands at, by its number and its start."""
        self._moves: list[str] = []
        self._seconds_told: int | None = None

    def generate(self, position: GoPosition, game: int, seconds: float, *, move_seconds: int | None = None) -> str:
        """The engine's move at a position that is not over: a legal one, or `resign`. Starts the engine if need be.

        :param game: games differ by number; each begins with an empty board when its turn comes.
        :param seconds: within which the answer must come.
        :param move_seconds: what the engine is told it may think.
        :raises EngineError: there is none; says why. The engine is killed then.
        """
        try:
            return self._generate(position, game, seconds, move_seconds)
        except EngineError:
            self.kill()
            raise

    def kill(self) -> None:
        """The next question starts it anew."""
        self._known = None
        self._seconds_told = None
        self._process.kill()

    def _generate(self, position: GoPosition, game: int, seconds: float, move_seconds: int | None) -> str:
        if not self._process.running:
            self._process.start()
        if move_seconds is not None and move_seconds != self._seconds_told:
            self._process.ask(f"time_settings 0 {move_seconds} 1")
            self._seconds_told = move_seconds
        self._go_to(position, game)
        answer = self._process.ask(f"genmove {turn_of(position)}", seconds)
        move = answer.lower() if answer.lower() in ("pass", "resign") else answer.upper()
        if move == "resign":
            return move
        if move not in position.legal_moves:
            raise EngineError(f"not a legal move: {answer[:100]!r}")
        self._moves.append(move)
        return move

    def _go_to(self, position: GoPosition, game: int) -> None:
        start = replayed(position, [])
        if self._known != (game, start) or not self._take_back(position.moves):
            self._known, self._moves = None, []
            for command in start_commands(start, free_handicap=self._process.knows("set_free_handicap")):
                self._process.ask(command, ANSWER_SECONDS)
            self._known = game, start
        before = len(self._moves)
        for ply, move in enumerate(position.moves[before:], before):
            first, second = ("black", "white") if start.first_mover == "black" else ("white", "black")
            self._process.ask(f"play {second if ply % 2 else first} {move}", ANSWER_SECONDS)
            self._moves.append(move)

    def _take_back(self, moves: list[str]) -> bool:
        """Undo what was played beyond these moves; whether that could be done."""
        shared = next(
            (i for i, (old, new) in enumerate(zip(self._moves, moves, strict=False)) if old != new),
            min(len(self._moves), len(moves)),
        )
        if shared < len(self._moves) and not self._process.knows("undo"):
            return False
        try:
            while len(self._moves) > shared:
                self._process.ask("undo", ANSWER_SECONDS)
                self._moves.pop()
        except RefusedError:
            return False
        return True
