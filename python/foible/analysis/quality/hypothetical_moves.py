"""Moves that nobody played: the losses that either senior's choice would induce in the junior's reply
(skill-compatible §5.5, method 2; table 6), and how often players choose the same move (§5.7; figure 5).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import polars as pl

from foible._core import ChessPosition
from foible.agents.spec import PlayerSpec, TagTeamSpec
from foible.analysis.estimates import Comparison, Estimate, Sample, mean, sample
from foible.analysis.quality.analysed_games import AnalysedGames
from foible.analysis.quality.judging import Judging, OnProgress, silent
from foible.analysis.quality.player_choices import Chooser, Choosers, players_of, without_sampling
from foible.analysis.quality.plies_table import INDUCED, WpMode, win_probability
from foible.errors import ConfigError
from foible.judges.units import clipped_loss, raw_loss


@dataclass(frozen=True, slots=True)
class InducedLosses:
    """Mean loss of the junior's reply in percentage points, by the team to move on the board and the senior who moves.

    In each comparison the first mean is after the focal senior's move, the second after the alter senior's. Both
    seniors are asked on the same boards; the difference is the mean over those boards where both moves have a reply.
    """

    alter_boards: Comparison
    focal_boards: Comparison


def induced_losses(boards: pl.DataFrame) -> InducedLosses:
    """Table 6, computed from a table of the form `plies_table.INDUCED`."""
    alter, focal = (_on(boards.filter(pl.col("focal") == team)) for team in (False, True))
    return InducedLosses(alter, focal)


def _on(boards: pl.DataFrame) -> Comparison:
    by_focal, by_alter = pl.col("loss_focal"), pl.col("loss_alter")
    columns: list[Sample] = [sample(boards, column) for column in (by_focal, by_alter, by_focal - by_alter)]
    return Comparison(*(mean(column) for column in columns))


@dataclass(frozen=True, slots=True)
class Agreement:
    """For each two players, the share of positions in which they choose the same move."""

    players: tuple[str, ...]
    percent: tuple[tuple[Estimate, ...], ...]
    """`[players][players]`, symmetric, 0 to 100; the `independent_error` is the binomial one with divisor n − 1."""


def agreement_matrix(choices: pl.DataFrame) -> Agreement:
    """The agreement of every two players (figure 5).

    choices: one row per position, with `pair`, the pair of games that it is from, and one column of moves per player.
    Where a player has no move the cell is null, and the position does not count in comparisons with that player.
    """
    players = tuple(column for column in choices.columns if column != "pair")
    cells: dict[tuple[str, str], Estimate] = {}
    for place, one in enumerate(players):
        for other in players[place:]:
            same = sample(choices, 100.0 * (pl.col(one) == pl.col(other)).cast(pl.Float64))
            cells[one, other] = cells[other, one] = mean(same)
    return Agreement(players, tuple(tuple(cells[one, other] for other in players) for one in players))


AGREEMENT_STEP = 20
"""Plies from one position of figure 5 to the next (skill-compatible §5.7)."""


@dataclass(frozen=True, slots=True)
class Board:
    """A position of one of the games in which a move was still to be played."""

    game: int
    """The number of the game among the analysed games."""
    pair: int
    ply: int
    focal: bool
    """Whether the focal team is to move."""
    position: ChessPosition


def boards_of(games: AnalysedGames, every: int) -> Iterator[Board]:
    """One position in every `every` plies of each game, at an offset that changes from pair to pair to cover all plies.

    Both games of a pair have the same offset: with an even step, each team is to move in the boards of one of them.
    """
    for number, game in enumerate(games.games):
        opening = len(game.start.moves)
        for index, position in enumerate(game.positions()):
            if index < len(game.moves) and (index + game.pair) % every == 0:
                focal = (position.turn == "first") == game.focal_white
                yield Board(number, game.pair, opening + index, focal, position)


@dataclass(frozen=True, slots=True)
class Members:
    """The players of two tag teams: `True` leads to the focal team's member, `False` to the alter team's."""

    seniors: dict[bool, Chooser]
    juniors: dict[bool, Chooser]

    def reply_to(self, board: Board, *, focal_senior: bool) -> tuple[Chooser, ChessPosition]:
        """The junior of the team not to move, and the position after the senior's move, in which the junior replies."""
        move = self.seniors[focal_senior].move(board.position)
        if move is None:
            raise ConfigError(f"{self.seniors[focal_senior].name} names no move: it is a brain, not a senior")
        return self.juniors[not board.focal], board.position.play(move)

    def replies(self, boards: Iterable[Board]) -> Iterator[tuple[Chooser, ChessPosition]]:
        """`reply_to` for each board, after the move of the alter senior and after that of the focal one."""
        for board in boards:
            for focal_senior in (False, True):
                yield self.reply_to(board, focal_senior=focal_senior)


def members_of(games: AnalysedGames, choosers: Choosers) -> Members:
    """The seniors and juniors that are asked for induced losses.

    :raises FoibleError: the games are not those of two tag teams, or a player cannot be had.
    """
    focal, alter = _tag_teams(games)
    return Members(
        {True: choosers.member(focal.senior), False: choosers.member(alter.senior)},
        {who: choosers.member(without_sampling(team.junior)) for who, team in ((True, focal), (False, alter))},
    )


def induced_boards(
    games: AnalysedGames,
    judging: Judging,
    choosers: Choosers,
    every: int = 1,
    mode: WpMode = "q",
    on_progress: OnProgress = silent,
) -> pl.DataFrame:
    """The table `plies_table.INDUCED`: at every `every`-th ply both seniors choose a move, and a junior replies.

    The reply is the most probable move of the junior of the team that is not to move.

    :raises ConfigError: the games are not those of two tag teams.
    """
    members = members_of(games, choosers)
    for senior in _distinct(members.seniors.values()):
        senior.choose(lambda: (board.position for board in boards_of(games, every)), on_progress)
    for junior in _distinct(members.juniors.values()):
        junior.choose(partial(_asked, junior, members, games, every), on_progress)
    judging.judge(lambda: _to_judge(members, games, every), on_progress)
    rows = [
        (b.game, b.pair, b.ply, b.focal, *(_induced(members, b, who, judging, mode) for who in (False, True)))
        for b in boards_of(games, every)
    ]
    return pl.DataFrame(rows, schema=INDUCED, orient="row")


def _asked(junior: Chooser, members: Members, games: AnalysedGames, every: int) -> Iterator[ChessPosition]:
    return (position for who, position in members.replies(boards_of(games, every)) if who is junior)


def _to_judge(members: Members, games: AnalysedGames, every: int) -> Iterator[ChessPosition]:
    """The positions before and after every junior's reply."""
    for junior, position in members.replies(boards_of(games, every)):
        reply = junior.move(position)
        if reply is not None:
            yield position
            yield position.play(reply)


def _induced(members: Members, board: Board, focal_senior: bool, judging: Judging, mode: WpMode) -> float | None:
    """The loss of the junior's reply, 0 to 100; `None` where the senior's move ends the game."""
    junior, before = members.reply_to(board, focal_senior=focal_senior)
    reply = junior.move(before)
    if reply is None:
        return None
    worth = np.array([judging.score(before).wp, 1 - judging.score(before.play(reply)).wp])
    return float(clipped_loss(raw_loss(*win_probability(2 * worth - 1, mode))))


def agreement_players(games: AnalysedGames, choosers: Choosers, also: Sequence[PlayerSpec] = ()) -> list[Chooser]:
    """The players that are asked for agreement: those of the run and those of `also`.

    :raises FoibleError: they are fewer than two, or one cannot be had.
    """
    config = games.config
    members = [*players_of(config.focal), *players_of(config.alter)] if config else []
    guests = [choosers.guest(without_sampling(spec)) for spec in also]
    players = _distinct([*(choosers.member(without_sampling(spec)) for spec in members), *guests])
    if len(players) < 2:
        raise ConfigError(f"{games.source}: agreement needs two players; name some with --also")
    return players


def agreement_choices(
    games: AnalysedGames,
    choosers: Choosers,
    also: Sequence[PlayerSpec] = (),
    step: int = AGREEMENT_STEP,
    on_progress: OnProgress = silent,
) -> pl.DataFrame:
    """The moves of the run's players, and of those of `also`, at every `step`-th ply.

    The table has a column `pair`, the pair of games, and a column of moves for each player.

    :raises ConfigError: fewer than two players.
    """
    players = agreement_players(games, choosers, also)
    for player in players:
        player.choose(lambda: (board.position for board in boards_of(games, step)), on_progress)
    boards = list(boards_of(games, step))
    columns = {"pair": [board.pair for board in boards]}
    return pl.DataFrame(columns).with_columns(
        pl.Series(name, [player.move(board.position) for board in boards], dtype=pl.String)
        for name, player in zip(_unique_names(players), players, strict=True)
    )


def _distinct(players: Iterable[Chooser]) -> list[Chooser]:
    return list(dict.fromkeys(players))


def _unique_names(players: Sequence[Chooser]) -> list[str]:
    """The names of the players; where a name repeats, a number is added to it."""
    names: list[str] = []
    for player in players:
        same = sum(other.name == player.name for other in players[: len(names)])
        names.append(f"{player.name} ({same + 1})" if same else player.name)
    return names


def _tag_teams(games: AnalysedGames) -> tuple[TagTeamSpec, TagTeamSpec]:
    config = games.config
    if config and isinstance(config.focal, TagTeamSpec) and isinstance(config.alter, TagTeamSpec):
        return config.focal, config.alter
    raise ConfigError(f"{games.source}: induced losses need the seniors and juniors of a run of two tag teams")
