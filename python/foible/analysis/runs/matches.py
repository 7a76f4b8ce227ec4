"""Chess matches, finished or under way: the score and its errors, the sequential test, the losses of each role, and the
latest games.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from foible._core import ChessPosition
from foible.analysis.runs.run_progress import Standing, noted, recorded, whole_number, written_report
from foible.arena.elo import Elo
from foible.arena.losses import RoleLoss
from foible.arena.match import complete_pairs
from foible.arena.pgn import PgnForm, finished_bytes, read_records
from foible.arena.record import GameRecord
from foible.arena.report import report_on
from foible.arena.sprt import Sprt, SprtStanding, Verdict
from foible.arena.stats import NO_PAIRS, Tally, sample_of, tally_games
from foible.arena.store import ChessStore, read_pairs
from foible.runs.journal import FollowedFile

LATEST: Final = 4
"""The number of latest games that are shown."""
END_OF_FILE: Final = 1 << 18
"""The number of bytes at the end of a file of games in which the latest ones are searched."""
NO_GAMES: Final = Tally.of_games(0, 0, 0)


class ChessGame(msgspec.Struct, frozen=True, kw_only=True):
    """A game of a run, for display."""

    number: int
    """The number of the game in the run, from 0."""
    white: str
    black: str
    start: str
    """The starting position as FEN."""
    chess960: bool
    """Whether the rules of Chess960 apply."""
    moves: list[str]
    """The moves in UCI, those of the opening included."""
    result: str
    termination: str
    """The rule that ended the game, or `max_plies`, `resignation`, …"""


class WrittenTest(msgspec.Struct, frozen=True):
    """What the report says of the sequential test."""

    verdict: Verdict


class _WrittenNet(msgspec.Struct, frozen=True):
    busy: float


class _WrittenSpeed(msgspec.Struct, frozen=True):
    seconds: float
    plies_per_s: float
    nets: dict[str, _WrittenNet]


class WrittenMatch(msgspec.Struct, frozen=True):
    """What the report of a match says beyond its games: a judge's losses, the speed, and the end by the test."""

    games: int = 0
    judge: str | None = None
    roles: list[RoleLoss] = []
    sprt: WrittenTest | None = None
    speed: _WrittenSpeed | None = None

    @property
    def decided_after(self) -> int | None:
        """The number of games after which the sequential test ended the match; `None` where it did not."""
        return self.games if self.sprt and self.sprt.verdict is not Verdict.CONTINUE else None


class MatchSpeed(msgspec.Struct, frozen=True, kw_only=True):
    """The speed of the last process that played in the folder; known once that process has ended."""

    seconds: float
    plies_per_second: float
    busy: dict[str, float]
    """For each net, the share of the time in which it computed, 0 to 1."""


class MatchRun(msgspec.Struct, frozen=True, kw_only=True, tag="match"):
    """The state of a match, as seen by the player under test."""

    focal: str
    alter: str
    """The opponent; both names are empty until a game is finished."""
    framework: str
    finished: int
    """The number of finished games; where the sequential test has ended the match, that of the games that decided it.

    The figures below, except the next two, cover only the longest initial run of complete pairs among these games, so
    that short games are not favoured.
    """
    finished_share: float | None
    """Points per game over all finished games, 0 to 1: known early, but biased towards the winner of short games."""
    finished_standard_error: float | None
    """The standard error of `finished_share`, by pairs."""
    wins: int
    draws: int
    losses: int
    pairs: list[int]
    """The number of pairs with the results LL, LD, WL or DD, WD, WW."""
    share: float | None
    """Points per game, 0 to 1."""
    paired_error: float | None
    """The standard error of the share, by pairs."""
    elo: Elo | None
    """The Elo difference, by pairs; `None` below two."""
    repetition: str | None
    """How many games are different, and what to do where these are too few for errors; `None` where all are."""
    sprt: SprtStanding | None
    """The state of the match's sequential test, by these pairs. Once it has ended the match, share and Elo tend to
    overstate the difference."""
    terminations: dict[str, int]
    """The number of games by the way they ended, the most frequent first."""
    mean_plies: float | None
    roles: list[RoleLoss]
    """The mean loss of each role, in percentage points of expected score per move."""
    judge: str | None
    """The judge whose expected scores give the losses; `None` for the players' own."""
    speed: MatchSpeed | None
    latest: list[ChessGame]
    """The games that finished last, the newest first."""


class MatchReader:
    """Reads a match, repeatedly."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._games = FollowedFile(folder / ChessStore.GAMES, PgnForm())
        self._seen: tuple[Sequence[GameRecord], WrittenMatch, MatchRun] | None = None

    def read(self) -> MatchRun:
        """Errors as `describe_run`."""
        records, written = self._games.read(), written_report(self._folder, WrittenMatch)
        if self._seen is None or self._seen[0] is not records or self._seen[1] != written:
            test = recorded(self._folder).get("sprt")
            sprt = None if test is None else msgspec.convert(test, Sprt)
            pairs = read_pairs(self._folder)
            self._seen = records, written, match_run(records, written, sprt, pairs.start if pairs else 0)
        return self._seen[2]


def match_run(
    records: Sequence[GameRecord], written: WrittenMatch, sprt: Sprt | None = None, first: int = 0
) -> MatchRun:
    """The state of a match, from its finished games in the order of finishing.

    :param written: what the report in the folder says.
    :param sprt: the sequential test, if the match has one.
    :param first: the pair with which it begins, where it is a part of a match.
    """
    decisive = written.decided_after
    counted = complete_pairs(records, first)[:decisive]
    finished = records if decisive is None else counted
    report = report_on(counted) if counted else None
    judged = report is not None and bool(written.judge) and written.games == report.games.n
    games, pairs = (report.games, report.pairs) if report else (NO_GAMES, NO_PAIRS)
    losses, draws, wins = games.counts
    scores, last = tally_games(finished), records[-1] if records else None
    return MatchRun(
        focal=_focal(last) if last else "",
        alter=_alter(last) if last else "",
        framework=last.framework if last else "",
        finished=len(finished),
        finished_share=scores.share,
        finished_standard_error=sample_of(finished).sample_error,
        wins=wins,
        draws=draws,
        losses=losses,
        pairs=list(pairs.counts),
        share=games.share,
        paired_error=report.standard_error if report else None,
        elo=report.elo if report else None,
        repetition=report.repetition if report else None,
        sprt=sprt.standing(pairs) if sprt else None,
        terminations=report.terminations if report else {},
        mean_plies=report.mean_plies if report else None,
        roles=written.roles if judged else list(report.roles) if report else [],
        judge=written.judge if judged else None,
        speed=_speed(written.speed),
        latest=[chess_game(record) for record in records[: -LATEST - 1 : -1]],
    )


def _focal(record: GameRecord) -> str:
    return record.white if record.focal_white else record.black


def _alter(record: GameRecord) -> str:
    return record.black if record.focal_white else record.white


def _speed(written: _WrittenSpeed | None) -> MatchSpeed | None:
    if written is None:
        return None
    busy = {name: net.busy for name, net in written.nets.items()}
    return MatchSpeed(seconds=written.seconds, plies_per_second=written.plies_per_s, busy=busy)


def match_standing(folder: Path) -> Standing:
    """The number of finished games, by the ledger, or of those that decided the sequential test.

    While such a test goes on, the total is unknown. No test ends a part of a match.
    """
    config, pairs = recorded(folder), read_pairs(folder)
    done, games = noted(folder, ChessStore.GAMES), whole_number(config, "games")
    if pairs is not None:
        return Standing(done, 2 * len(pairs), "games")
    total = None if games is None else games + games % 2  # a match plays whole pairs
    if config.get("sprt") is not None:
        decisive = written_report(folder, WrittenMatch).decided_after
        if decisive is not None:
            return Standing(decisive, decisive, "games")
        if total is None or done < total:
            return Standing(done, None, "games")
    return Standing(done, total, "games")


def chess_game(record: GameRecord, number: int | None = None) -> ChessGame:
    """A finished game for display. `number`: replaces the number in the record."""
    return ChessGame(
        number=record.number if number is None else number,
        white=record.white,
        black=record.black,
        start=record.opening.fen or ChessPosition().fen,
        chess960=record.opening.chess960,
        moves=list(record.moves_uci),
        result=record.result,
        termination=record.termination,
    )


def last_records(path: Path, most: int = LATEST) -> list[GameRecord]:
    """The games at the end of a PGN file, the newest first; none where there is no file.

    :raises GameFileError: the games are damaged.
    """
    try:
        data = _end_of_games(path)
    except FileNotFoundError:
        return []
    games = data[: finished_bytes(data)].split(b"\n\n[Event ")[-most:]
    text = b"\n\n[Event ".join(games)
    return read_records(text if text.startswith(b"[Event ") or not text else b"[Event " + text)[::-1]


def _end_of_games(path: Path) -> bytes:
    """The last `END_OF_FILE` bytes of a PGN file, from the first game on that begins there; more where none does."""
    with path.open("rb") as stream:
        size, window = stream.seek(0, 2), END_OF_FILE
        while window < size:
            stream.seek(size - window)
            data = stream.read()
            if (begin := data.find(b"\n\n[Event ")) >= 0:
                return data[begin + 2 :]
            window *= 2
        stream.seek(0)
        return stream.read()
