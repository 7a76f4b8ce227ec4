"""A match played by several processes or machines: each plays parts, in run folders of their own inside the match's."""

from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec

from foible.arena.config import MatchConfig, convert_config, players
from foible.arena.live import LiveFile
from foible.arena.match import Decided
from foible.arena.open_match import MAY_CHANGE, open_match
from foible.arena.part_work import MergedWork, record_work
from foible.arena.parts_progress import GameFile
from foible.arena.pgn import PgnForm
from foible.arena.record import GameRecord
from foible.arena.sprt import Sprt, Stop
from foible.arena.store import ChessStore, read_games
from foible.errors import ConfigError, GameFileError
from foible.nets.choices import threads_of_worker
from foible.nets.shelf import may_change, shelf_of_worker
from foible.runs.folder import CONFIG, read_recorded
from foible.scale.parts import Parts, Work, check_same, run_of
from foible.toml import to_toml_dict

MOST_GAMES: Final = 200
"""The most games of one unit."""


def check_untimed(config: MatchConfig) -> None:
    """Check that no move has a time limit, so that several games may be played at once on shared cores.

    :raises ConfigError: moves are timed.
    """
    both = [*players("focal", config.focal), *players("alter", config.alter)]
    timed = [key for key in ("seconds", "clock") if getattr(config, key)]
    timed += [place for place, player in both if getattr(player, "seconds", None) is not None]
    if timed:
        beside = "moves are timed, and games beside them would take their time; play with --on inline"
        raise ConfigError(f"{timed[0]}: {beside}")


CHESS_GAMES: Final[GameFile[int, GameRecord]] = GameFile(
    ChessStore.GAMES,
    PgnForm(),
    identity=ChessStore.identity,
    title=lambda game: f"game {game.number + 1}",
    course=lambda game: (game.moves_uci, game.result, game.termination),
)


class MatchParts(Parts):
    """The parts of a match whose run folder is open."""

    noun, largest_unit, multiple_of = "games", MOST_GAMES, 2

    def __init__(
        self, store: ChessStore, config: MatchConfig, numbers: Collection[int] = (), *, any_processor: bool
    ) -> None:
        """`config`: resolved. `numbers`: the games to be played; without any, parts that are there can be merged.

        `any_processor`: whether games count that were played on another kind of processor, which may have rounded
        differently.
        """
        super().__init__(store.folder, may_change(MAY_CHANGE, any_processor=any_processor))
        self._store, self._config, self._numbers = store, config, numbers
        self.merged_work = MergedWork()
        """What the nets did for the games that this object has merged."""

    def missing(self) -> list[int]:
        there = {game.number for game in self._store.records}
        return [number for number in self._numbers if number not in there]

    def work(self, numbers: list[int], workers: int) -> Work:
        threads = threads_of_worker(self._config.threads, workers)
        plain = to_toml_dict(msgspec.structs.replace(self._config, threads=threads, judge=None))
        return play_part, (plain, numbers, self.may_change)

    def take(self, part: Path) -> None:
        games = CHESS_GAMES.read(part)
        if games:
            check_same(to_toml_dict(self._config), read_recorded(part / CONFIG), part, self.may_change)
        self.merged_work.add(part, sum(game.played for game in games))
        self._store.append(CHESS_GAMES.new_games(games, part, self._store.records, self.folder / ChessStore.GAMES))


def play_part(folder: str, plain: dict[str, Any], numbers: list[int], may_change: list[str]) -> None:
    """Play one unit of a match in the folder of its part, as a worker; does nothing where the match is already decided.

    :param plain: the resolved configuration of the match, as plain values.
    :param may_change: configuration keys whose values on this machine may differ from those in `plain`.
    :raises ConfigError: this machine does not have the folder, or has other players or nets, or another processor.
    """
    part, config = Path(folder), convert_config(plain, "unit")
    run = run_of(part)
    if _is_decided(run, config.sprt):
        return
    with open_match(config, part, shelf_of_worker(config.runtimes)) as match:
        check_same(to_toml_dict(match.config), plain, run, may_change)
        with ChessStore(part, to_toml_dict(match.config), MAY_CHANGE) as store, LiveFile(part) as live:
            _, speed = match.play(numbers, store, live)
            record_work(part, speed)
            if len(store.records) < len(numbers):
                raise KeyboardInterrupt


def _is_decided(run: Path, test: Sprt | None) -> bool:
    """Whether the games merged so far decide the match; false while they cannot be read, as they are
    being rewritten.
    """
    if test is None:
        return False
    with suppress(GameFileError, OSError):
        return Decided[GameRecord](Stop(test)).by(read_games(run)) is not None
    return False
