"""Reads the games to analyse: those of a run folder, or one player's games in any PGN file."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from foible._core import ChessPosition
from foible.analysis.estimates import mean_over_games
from foible.analysis.games.game_ends import result_of
from foible.arena.config import MatchConfig, read_config
from foible.arena.match import complete_pairs
from foible.arena.record import BY_RULE, GameRecord, MoveRecord
from foible.arena.stats import Tally, count_different, is_repetitive, tally_games
from foible.arena.store import ChessStore, read_games as read_run_games, read_pairs
from foible.errors import ConfigError, GameFileError
from foible.games.chess import positions_along
from foible.games.pgn import WHITE_POINTS, PgnGame, PgnReader, read_pgn
from foible.opponents.game_tags import NameKey, name_key, nearest_hint
from foible.runs.folder import CONFIG, kind_of_run
from foible.toml import AnyPath, expand

NOBODY = "?"
"""The name of a player whom the game does not name."""
MOST_REASONS = 100
"""The most left-out games of other players that are listed one by one; further ones are only counted."""


@dataclass(frozen=True, slots=True)
class AnalysedGame:
    """A game from the position on in which its players began to choose the moves."""

    number: int
    pair: int
    """Games of a pair share coins or an opening; a game of a PGN file is a pair of its own. Where fewer than half of
    the games are different all are one pair, which tells no error: repetition is no sample."""
    start: ChessPosition
    """The position after the opening's moves."""
    moves: tuple[MoveRecord, ...]
    focal_white: bool
    white_score: float | None
    """1, ½ or 0; `None` for a game without a result."""
    exact_end: bool
    """Whether the rules ended the game, so that the last position is worth exactly `white_score`."""
    bits: str = ""
    """In tag team games, the coin of every ply, those of the opening included: 1 where a senior moved, else 0."""
    contradicted: bool = False
    """Whether the rules give the last position another result than the stated one, which counts."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """The tags of PGN's roster, and the ratings where they are known."""

    @property
    def course(self) -> Hashable:
        """Start and moves: equal for games that are move for move the same."""
        return self.start.fen, tuple(move.move for move in self.moves)

    def positions(self) -> list[ChessPosition]:
        """The position before each move, and the last one."""
        return positions_along(self.start, [move.move for move in self.moves])

    @property
    def focal_score(self) -> float | None:
        """1, ½ or 0 for the side under test; `None` for a game without a result."""
        return self.white_score if self.focal_white or self.white_score is None else 1 - self.white_score


@dataclass(frozen=True, slots=True)
class AnalysedGames:
    """The games to analyse, with the two teams and their configuration."""

    source: Path
    focal: str
    """The team or player under test."""
    alter: str
    games: tuple[AnalysedGame, ...]
    config: MatchConfig | None = None
    """The configuration of the run; `None` for a PGN file."""
    skipped: tuple[str, ...] = field(default=())
    """The games that were left out, each with the reason."""

    @property
    def folder(self) -> Path:
        """The folder for the analysis: inside a run folder, or beside a PGN file.

        :raises ConfigError: the games were read from a pipe, beside which there is no place for it.
        """
        if self.source.is_dir():
            return self.source / "analysis"
        if not self.source.is_file():
            raise ConfigError(f"{self.source}: no file; name the folder for the analysis with --out")
        return self.source.with_name(f"{self.source.name}.analysis")

    @property
    def contradicted(self) -> int:
        """The number of games whose stated result is not the one that the rules give their last position."""
        return sum(game.contradicted for game in self.games)

    @property
    def tally(self) -> Tally:
        """Wins, draws and losses of the focal team."""
        return tally_games(self.games)

    @property
    def standard_error(self) -> float | None:
        """The standard error of the focal team's share, by pairs; `None` where these tell none: there are fewer than
        two, or all ended alike.
        """
        scores: dict[int, list[float]] = {}
        for game in self.games:
            if game.focal_score is not None:
                scores.setdefault(game.pair, []).append(game.focal_score)
        return mean_over_games(list(map(sum, scores.values())), list(map(len, scores.values()))).standard_error

    @property
    def different(self) -> int:
        """The number of games without those that repeat another move for move."""
        return count_different(self.games)


def read_games(source: AnyPath, focal: str | None = None) -> AnalysedGames:
    """Read the games of a run folder or a PGN file (also .gz, .bz2, .xz, .zip, .zst).

    Of a run that is under way, or was stopped, the games count that its own report is on (`complete_pairs`).

    `focal`: the player under test in a PGN file, in any spelling that has the same words; may be absent if the file has
    two players, and is then White of the first game.

    :raises GameFileError: there is no game to analyse, or a run's games are damaged.
    :raises ConfigError: the folder is no run, or `focal` does not say which player.
    """
    source = expand(source)
    if not source.is_dir():
        return _read_pgn(source, focal)
    if focal is not None:
        raise ConfigError(f"{source}: a run says itself which team is under test; --player is for PGN files")
    return _read_run(source)


def _read_run(folder: Path) -> AnalysedGames:
    if (kind := kind_of_run(folder)) not in (None, "match"):
        raise ConfigError(f"{folder}: a folder of kind {kind}; expected that of a match of chess, or a PGN file")
    if not (folder / CONFIG).is_file():
        raise GameFileError(f"{folder}: a folder without {CONFIG}; expected that of a match, or a PGN file")
    config = read_config(folder / CONFIG)
    try:
        records = read_run_games(folder)
    except OSError as error:
        raise GameFileError(f"{folder / ChessStore.GAMES}: cannot be read ({error.strerror})") from None
    if not records:
        raise GameFileError(f"{folder / ChessStore.GAMES}: no finished game")
    pairs = read_pairs(folder)
    counted = complete_pairs(records, pairs.start if pairs else 0)
    if not counted:
        raise GameFileError(f"{folder / ChessStore.GAMES}: of the first pair of games not both are finished yet")
    first, last = counted[0], counted[-1]
    teams = (first.white, first.black) if first.focal_white else (first.black, first.white)
    later = sorted(record.number for record in records if record.number > last.number)
    skipped = tuple(f"game {number + 1}: finished before both of pair {last.pair + 2} were" for number in later)
    return AnalysedGames(folder, *teams, _sample(map(_of_record, counted)), config, skipped)


def _sample(games: Iterable[AnalysedGame]) -> tuple[AnalysedGame, ...]:
    """The games, as one pair where fewer than half of them are different."""
    found = tuple(games)
    if not is_repetitive(count_different(found), len(found)):
        return found
    return tuple(replace(game, pair=0) for game in found)


def _of_record(record: GameRecord) -> AnalysedGame:
    return AnalysedGame(
        number=record.number,
        pair=record.pair,
        start=record.opening.position(),
        moves=tuple(record.moves),
        focal_white=record.focal_white,
        white_score=record.white_score,
        exact_end=record.termination in BY_RULE,
        bits=record.bits,
        tags=_roster(
            {
                "Event": record.framework,
                "Round": f"{record.pair + 1}.{record.game_in_pair}",
                "White": record.white,
                "Black": record.black,
                "Result": record.result,
            }
        ),
    )


def _read_pgn(path: Path, focal: str | None) -> AnalysedGames:
    names = _Names()
    found, players, skipped = _sift(read_pgn(path, comments=False), names, focal)
    if not players:
        raise GameFileError(f"{path}: no game that can be replayed" + (f" ({skipped[0]})" if skipped else ""))
    if set(players) == {NOBODY}:
        raise GameFileError(f"{path}: the games name no players (tags White and Black)")
    name = _focal(path, players, None if focal is None else names.first(focal))
    games: list[AnalysedGame] = []
    opponents: set[str] = set()
    for game in found:
        pair = names.of(game)
        if pair.count(name) != 1:
            skipped.append(_not_against_another(pair, game, name))
        elif not game.moves:
            skipped.append(f"game {game.number}: no move")
        else:
            opponents.add(pair[pair[0] == name])
            games.append(_of_pgn(game, len(games), pair[0] == name))
    if not games:
        raise GameFileError(f"{path}: no game with a move of {name} against another ({skipped[0]})")
    alter = opponents.pop() if len(opponents) == 1 else "all others"
    return AnalysedGames(path, name, alter, _sample(games), skipped=tuple(skipped))


class _Names:
    """The players of a file, each under the spelling that comes first: names of the same words are one player's."""

    def __init__(self) -> None:
        self._first: dict[NameKey, str] = {}

    def of(self, game: PgnGame) -> tuple[str, str]:
        """The names of White and Black."""
        white, black = (self._first.setdefault(name_key(name), name) for name in _players(game))
        return white, black

    def first(self, name: str) -> str:
        """The first spelling of a name; the name itself where no game has it."""
        return self._first.get(name_key(name), name)


def _sift(reader: PgnReader, names: _Names, focal: str | None) -> tuple[list[PgnGame], Counter[str], list[str]]:
    """The games of the player `focal`, the number of games of every player, and why games were left out.

    Only the player's games are kept in memory: a file may hold a hundred megabytes of other people's games.
    """
    kept: list[PgnGame] = []
    players = Counter[str]()
    reasons: list[str] = []
    others = 0
    for game in reader:
        pair = names.of(game)
        players.update(list(dict.fromkeys(pair)))
        if focal is None and len(players) > 2:
            kept.clear()
        elif focal is None or names.first(focal) in pair:
            kept.append(game)
        else:
            others += 1
            if others <= MOST_REASONS:
                reasons.append(_not_against_another(pair, game, focal))
    if others > MOST_REASONS:
        reasons.append(f"{others - MOST_REASONS} more games without {focal}")
    if reader.skipped > len(reader.errors):
        reasons.append(f"{reader.skipped - len(reader.errors)} more games that cannot be replayed")
    return kept, players, [*reader.errors, *reasons]


def _not_against_another(pair: tuple[str, str], game: PgnGame, name: str) -> str:
    white, black = pair
    return f"game {game.number}: {white} against {black}, not {name} against another"


def _focal(path: Path, players: Counter[str], asked: str | None) -> str:
    """The name of the player under test. `players`: the number of games of each, White of the first game first."""
    if asked is None and len(players) > 2:
        names = ", ".join(repr(name) for name, _ in players.most_common(5))
        raise ConfigError(f"{path}: {len(players)} players; name the one under test with --player, e.g. {names}")
    name = next(iter(players)) if asked is None else asked
    if name not in players:
        raise ConfigError(f"{path}: no game of {name!r}; {nearest_hint(name, players)}")
    return name


def _players(game: PgnGame) -> tuple[str, str]:
    return game.tags.get("White", NOBODY), game.tags.get("Black", NOBODY)


def _of_pgn(game: PgnGame, number: int, focal_white: bool) -> AnalysedGame:
    start = ChessPosition(game.start_fen, chess960=game.chess960)
    last = ChessPosition(game.start_fen, game.moves, chess960=game.chess960)
    outcome = last.outcome()
    result = result_of(game.result, outcome)
    claimed = result == "1/2-1/2" and last.outcome(claim_draw=True) is not None
    return AnalysedGame(
        number=number,
        pair=number,
        start=start,
        moves=tuple(MoveRecord(move) for move in game.moves),
        focal_white=focal_white,
        white_score=WHITE_POINTS.get(result),
        exact_end=claimed or (outcome is not None and outcome.result == result),
        contradicted=outcome is not None and outcome.result != result,
        tags=_roster({**game.tags, "Result": result}),
    )


_ROSTER: Final = {
    "Event": "?",
    "Site": "?",
    "Date": "????.??.??",
    "Round": "?",
    "White": NOBODY,
    "Black": NOBODY,
    "Result": "*",
}
"""The seven tags that every game in PGN has, and what stands there where nothing is known."""
_RATINGS: Final = ("WhiteElo", "BlackElo")


def _roster(tags: Mapping[str, str]) -> dict[str, str]:
    """Of all tags those of the roster, and the ratings where there are some."""
    found = {name: tags.get(name) or unknown for name, unknown in _ROSTER.items()}
    return {**found, **{name: tags[name] for name in _RATINGS if tags.get(name)}}
