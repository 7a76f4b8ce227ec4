"""Playing a match from its configuration to its report, as `foible match` does, for use in notebooks."""

from collections.abc import Callable
from pathlib import Path

from foible.agents.base import Agent, Limits
from foible.arena.chess import ChessReferee, ChessRules
from foible.arena.config import MatchConfig
from foible.arena.elsewhere import play_elsewhere
from foible.arena.folder import MatchFolder
from foible.arena.frameworks import Framework, standard
from foible.arena.match import AGENTS_OWN, Match, Progress
from foible.arena.opened import MAY_CHANGE, open_match
from foible.arena.parts import check_untimed
from foible.arena.record import GameRecord
from foible.arena.report import Report
from foible.nets.shelf import NetShelf
from foible.runs.folder import check_folder
from foible.scale import Executor

__all__ = ["MAY_CHANGE", "chess_match", "play"]


def play(
    config: MatchConfig,
    folder: Path,
    on_progress: Callable[[Progress[GameRecord]], None] = lambda now: None,
    *,
    shelf: NetShelf | None = None,
    pairs: range | None = None,
    executor: Executor | None = None,
    any_processor: bool = False,
) -> Report | None:
    """Play the match, or what is left of it, and report on it; `None` where no pair of games is finished.

    Of a match that was stopped the report is on its longest beginning that is complete (`complete_pairs`); of one that
    its sequential test has ended, on the games that decided it.

    `shelf`: nets that are open already; it runs them in its own way.
    `pairs`: those that are finished when this returns, all of the match's when absent; of none of them nothing is
    played. Where they do not begin with the first this is a part of the match, in a folder of its own, which no
    sequential test ends.
    `executor`: who plays, in parts that are merged here; when absent this process does. The folder ends with the same
    bytes, but for the speed in its report.
    `any_processor`: whether parts count that were played on a processor of another kind than this machine's.

    :raises ConfigError: the folder is a file, or holds another match or a run of another kind; or others are to play
        moves that are timed.
    :raises WorkerError: the executor's workers are lost again and again.
    """
    check_folder(folder, "match")
    if executor is not None:
        check_untimed(config)
    with (
        open_match(config, folder, shelf) as match,
        MatchFolder(match, folder, any_processor=any_processor) as run,
    ):
        part, speed = range(match.config.pairs) if pairs is None else pairs, None
        games = range(2 * part.start, 2 * part.stop)
        if games and executor is not None:
            speed = play_elsewhere(run, games, executor, on_progress, part.start)
        elif games:
            _, speed = match.play(games, run.store, run.live, on_progress, run.enough(part.start))
        return run.report(part.start, speed)


def chess_match(
    focal: Agent,
    alter: Agent,
    *,
    games: int = 100,
    framework: Framework | None = None,
    seed: int = 0,
    limits: Limits = AGENTS_OWN,
    concurrency: int = 64,
) -> Match[GameRecord]:
    """A match of two players or teams, for scripts, which `play` it, and notebooks, which `await` its `run`.

    Without chance in the players or in the openings of the framework all pairs are alike.

    :param games: rounded up to pairs, in which the colours are swapped.
    :param framework: ordinary chess from the start position when absent.
    :param limits: of every move; the agents' own where not set.
    :raises ConfigError: a number that is out of range.
    """
    rules = ChessRules(pairs=-(-games // 2), seed=seed)
    referee = ChessReferee(framework or standard(), rules, focal.name, alter.name)
    return Match(focal, alter, referee, concurrency=concurrency, limits=limits)
