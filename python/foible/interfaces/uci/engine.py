"""The engine: what each command does."""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from foible.errors import ConfigError, FoibleError, PositionError
from foible.interfaces.standard_output import described
from foible.interfaces.uci.agent_search import AgentSearch, Players
from foible.interfaces.uci.game import UciGame, follow
from foible.interfaces.uci.go_command import Call, LagMeter, MoveFinder, Search, Task
from foible.interfaces.uci.options import NONE, Settings, change, introduce
from foible.interfaces.uci.personalities import Personality, SoloSpec, built_in, choose_personality
from foible.interfaces.uci.protocol import (
    MOST_COMPLAINTS,
    Send,
    parse_go,
    parse_position,
    parse_setoption,
    shown,
)
from foible.interfaces.uci.tree import EngineTrees
from foible.interfaces.uci.tree_search import TreeSearch
from foible.nets import describe_opened


class Engine:
    """The engine's state. Commands come from one thread and are answered at once, even during a search."""

    def __init__(self, send: Send, settings: Settings, personalities: Sequence[Personality] | None = None) -> None:
        """`personalities`: those to choose from; the built-in ones when absent."""
        self._send = send
        self._preparing = False
        self._held: list[str] = []
        """The names of what was opened while the engine prepared itself: a GUI expects `info` only during a search.
        Problems are told at once all the same.
        """
        self._personalities = built_in() if personalities is None else list(personalities)
        names = tuple(personality.name for personality in self._personalities)
        self._settings = self._defaults = replace(settings, personalities=names)
        self._announced = ""
        self._game = UciGame()
        self._trees = EngineTrees(send, self._announce)
        self._players = Players()
        self._lag = LagMeter()
        self._search: Search | None = None
        self._debug = False
        self._rng = random.Random(settings.search.params.seed)
        self._commands: dict[str, Callable[[str], None]] = {
            "uci": self._uci,
            "debug": self._set_debug,
            "isready": self._isready,
            "setoption": self._setoption,
            "ucinewgame": self._ucinewgame,
            "position": self._position,
            "go": self._go,
            "stop": self._stop,
            "ponderhit": self._ponderhit,
            "register": lambda _: None,
        }

    def handle(self, line: str) -> bool:
        """Carry out one line of input; returns false after `quit`. Bad input is answered with `info string`."""
        command, *rest = line.split(None, 1) or [""]
        if command == "quit":
            return False
        if not command:
            return True
        action = self._commands.get(command)
        if action is None:
            self._send(f"info string unknown command {shown(line)}")
            return True
        try:
            action(rest[0] if rest else "")
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            # A GUI cannot do without its engine: whatever goes wrong with a command, the next one is read.
            self._send(f"info string {described(error)}")
        return True

    def close(self) -> None:
        """Let the search under way answer and end, and close the players."""
        self._end()
        self._players.close()

    def _end(self) -> None:
        """Stop the search under way and wait until it has answered."""
        self._stop("")
        if self._search is not None:
            self._search.wait()

    def _searching(self) -> bool:
        """Whether an answer is still due; after it nothing holds the engine but a last batch."""
        return self._search is not None and not self._search.answered

    def _uci(self, _: str) -> None:
        introduce(self._defaults, self._send)

    def _set_debug(self, rest: str) -> None:
        self._debug = rest.strip() != "off"

    def _isready(self, _: str) -> None:
        try:
            if not self._searching():
                self._end()
                self._prepare()
        finally:
            self._send("readyok")  # the GUI waits for it, whatever fails

    def _announce(self, line: str) -> None:
        """Send the name of what was opened; while the engine prepares itself, hold it until the next search."""
        if self._preparing:
            self._held.append(line)
        else:
            self._send(line)

    def _prepare(self) -> None:
        """Open the nets now, while no clock runs."""
        self._preparing = True
        try:
            self._open()
        finally:
            self._preparing = False

    def _open(self) -> None:
        chosen = choose_personality(self._personalities, self._settings, self._game.position)
        if chosen.player is None:
            self._trees.evaluator(chosen.settings)
            return
        self._players.favourites(UciGame().position, chosen.settings, self._send)
        try:
            self._players.at(chosen.player, chosen.settings, self._announce)
        except FoibleError as error:
            self._send(f"info string {described(error)}")

    def _setoption(self, rest: str) -> None:
        name, value = parse_setoption(rest)
        before, changed = self._settings, change(self._settings, name, value)
        if changed.net != before.net:
            try:
                describe_opened(changed.net, "chess")
            except FoibleError as error:
                raise ConfigError(f"option Net: {before.net} goes on; {described(error)}") from None
        self._settings = changed
        if changed.search.params.seed != before.search.params.seed:
            self._rng = random.Random(self._settings.search.params.seed)
        if self._searching():
            self._send(f"info string option {name} holds from the next search on")

    def _ucinewgame(self, _: str) -> None:
        self._end()
        self._trees.forget()
        self._players.forget()
        self._lag.forget()
        self._prepare()

    def _position(self, rest: str) -> None:
        try:
            fen, moves = parse_position(rest.split())
            self._game = follow(self._game, fen, moves, chess960=self._settings.chess960)
        except FoibleError as error:
            raise PositionError(f"{described(error)}; the position before it stands") from None

    def _go(self, rest: str) -> None:
        started = time.monotonic()
        self._end()
        white = self._game.position.turn == "first"
        go, complaints = parse_go(rest.split(), white=white)
        searchmoves = []
        for text in go.searchmoves:
            try:
                searchmoves.append(self._game.position.play(text).moves[-1])
            except FoibleError as error:
                complaints.append(f"go searchmoves: {described(error)}; left out")
        for line in (*self._held, *(f"info string {complaint}" for complaint in complaints[:MOST_COMPLAINTS])):
            self._send(line)
        self._held.clear()
        chosen = choose_personality(self._personalities, self._settings, self._game.position)
        announcement = f"{chosen.name} ({chosen.reason})"
        if announcement != self._announced and (chosen.name, self._announced) != (NONE, ""):
            self._announced = announcement
            self._send(f"info string personality {announcement}")
        lag = self._lag.read(self._game, go, white=white)
        task = Task(self._game, go, chosen.settings, started, tuple(searchmoves), lag)
        self._lag.plan(self._game, go, task.seconds, white=white)
        if self._debug:
            self._send(f"info string go {replace(go, searchmoves=task.searchmoves)} at {self._game.position.fen}")
        self._search = self._begin(Call(task), chosen.player)

    def _begin(self, call: Call, spec: SoloSpec | None) -> Search:
        seed = self._rng.getrandbits(64)
        thought: MoveFinder = TreeSearch(call, self._trees, self._send, seed)
        if spec is not None:
            thought = AgentSearch(call, self._players, spec, self._send, seed=seed, otherwise=thought)
        return Search(call, thought, self._send)

    def _stop(self, _: str) -> None:
        if self._search is not None:
            self._search.stop()

    def _ponderhit(self, _: str) -> None:
        if self._search is not None:
            self._search.ponderhit()
