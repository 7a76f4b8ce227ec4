"""From a configuration to a report: what `foible match` does, for a notebook."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from foible.agents.base import Agent, Limits
from foible.arena.chess import ChessReferee, ChessRules
from foible.arena.chess_store import ChessStore
from foible.arena.config import MatchConfig, to_toml_dict
from foible.arena.frameworks import Framework, standard
from foible.arena.live import LiveFile
from foible.arena.match import AGENTS_OWN, Match, Progress, complete_pairs
from foible.arena.opened import MAY_CHANGE, open_match
from foible.arena.parts import Parts, check_untimed
from foible.arena.record import GameRecord
from foible.arena.report import Report, report_on
from foible.arena.sprt import Stop
from foible.nets.shelf import NetShelf
from foible.runs.folder import check_folder
from foible.scale import Executor
from foible.scale.parts import merge_all

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
    with open_match(config, folder, shelf) as match:
        config = match.config
        with ChessStore(folder, to_toml_dict(config), MAY_CHANGE) as store, LiveFile(folder) as live:
            parts = Parts(store, config, any_processor=any_processor)
            merge_all(folder, parts.merge)
            speed, part = None, range(config.pairs) if pairs is None else pairs
            if part:
                games = range(2 * part.start, 2 * part.stop)
                enough = Stop(config.sprt) if config.sprt and not part.start else None
                if executor is not None:
                    records, speed = parts.play(games, executor, live, on_progress, enough)
                else:
                    records, speed = match.play(games, store, live, on_progress, enough)
                store.keep(records)
            store.write_results()
            reported = complete_pairs(store.records, part.start)
            if not reported:
                return None
            played = speed if speed and speed.plies else None
            finished = len(store.records)
            report = report_on(reported, match.framework, match.judge, config.sprt, finished=finished, speed=played)
            store.write_report({**report.with_speed(), **({} if played else _recorded_speed(folder))})
            return report


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


def _recorded_speed(folder: Path) -> dict[str, Any]:
    """What an earlier call noted, for one that has nothing left to play."""
    try:
        return {"speed": json.loads((folder / "report.json").read_text("utf-8"))["speed"]}
    except (OSError, ValueError, KeyError):
        return {}
