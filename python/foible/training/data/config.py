"""What to train on, as configuration: which sources, games and positions, and what is held out."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Final, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from foible.errors import ConfigError
from foible.fields import (
    Names,
    NonEmpty,
    NonNegative,
    Positive,
    PositiveShare,
    Share,
    ShareBelowOne,
)
from foible.games.phases import PhaseTable
from foible.nets.encoding import PLANES, Encoding
from foible.opponents.game_tags import name_key
from foible.training.data.columns import Columns, without_game

Rating = Annotated[int, msgspec.Meta(ge=1, le=5000)]
Result = Literal["1-0", "1/2-1/2", "0-1"]
RESULTS: dict[Result, int] = {"1-0": 1, "1/2-1/2": 0, "0-1": -1}
"""The numbers that stand for results in columns of games: 1 where White won, −1 where Black did."""
ValueTarget = Literal["result", "evals", "released"]
"""The target of the value head. `result`: the result of the game. `evals`: an evaluation of the position, from the
`[%eval …]` comments of a PGN file, the search of self-play or a teacher; the result where there is none. `released`:
the result as the published code of ATT counts it, a draw being a loss for both sides (skill-compatible §4.1).
"""
LEAST_WEIGHT: Final = 1e-6
MOST_WEIGHT: Final = 1_000_000.0
"""The range of weights of samples above 0: the product of two of them is neither 0 nor infinite, and leaves a loss that
is a number.
"""
Held = NonNegative | ShareBelowOne
"""A whole number of games, or a share of them."""


class Filters(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which games and positions to use. Bounds are inclusive. A game without the fact that a bound is about, such as a
    rating, is left out.
    """

    min_rating: Rating | None = None
    """The least rating of both players."""
    max_rating: Rating | None = None
    min_mover_rating: Rating | None = None
    """The least rating of the player to move; the opponent's may be any."""
    max_mover_rating: Rating | None = None
    player: Annotated[str, msgspec.Meta(min_length=1)] | None = None
    """Only moves of the player of this name, by the tags `White` and `Black` of PGN; see `Columns.is_player`."""
    results: NonEmpty[Result] | None = None
    """Decided games only: `["1-0", "0-1"]`."""
    min_plies: NonNegative = 9
    """The least length of the game (phase-experts §10, item 13); labelled positions that belong to no game pass."""
    max_plies: NonNegative | None = None
    min_base_seconds: NonNegative | None = None
    """The least base time of the time control, without increments."""
    max_base_seconds: NonNegative | None = None
    duplicates: bool = False
    """Keep games with the same start, moves and result as an earlier one. A folder of labels is compared with itself
    alone: a game and its copy with a teacher's labels are both kept.
    """
    phases: NonEmpty[Annotated[int, msgspec.Meta(ge=0, le=4)]] | None = None
    """The phases to use: 0 opening, 1 middlegame, 2 endgame. Only for training and validation: tests take all phases.
    """
    first_ply: NonNegative = 0
    """The least ply of the position in its game, counted from 0."""
    last_ply: NonNegative | None = None
    side: Literal["white", "black", "all"] = "all"
    """The side that is to move in the positions."""
    who: Names | None = None
    """Only moves of these members of a team, as foible's matches name them: `["senior"]`."""

    def check(self, phases: int) -> None:
        """`phases`: how many phases there are.

        :raises ConfigError: bounds let nothing through, the player's name says nothing, or a phase does not exist.
        """
        for low, high in (
            ("min_rating", "max_rating"),
            ("min_mover_rating", "max_mover_rating"),
            ("min_plies", "max_plies"),
            ("min_base_seconds", "max_base_seconds"),
            ("first_ply", "last_ply"),
        ):
            least, most = getattr(self, low), getattr(self, high)
            if least is not None and most is not None and least > most:
                raise ConfigError(f"filters: {low} = {least} is above {high} = {most}")
        if self.player is not None and not name_key(self.player):
            raise ConfigError(f"filters: player = {self.player!r}; expected a name")
        if self.phases is not None and max(self.phases) >= phases:
            raise ConfigError(f"filters: phase {max(self.phases)}; expected 0 to {phases - 1}")


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The games and positions that one filter removed of those that the filters before it had left."""

    filter: str
    games: int
    """Whole games; 0 for filters of positions."""
    positions: int


def filter_games(columns: Columns, filters: Filters) -> tuple[NDArray[np.bool_], list[LeftOut]]:
    """`[G]`: the games that pass, and what each filter left out."""
    kept = np.ones(columns.games, np.bool_)
    left_out = []
    for name, passes in _game_tests(columns, filters):
        lost = kept & ~passes
        kept &= passes
        left_out.append(LeftOut(name, int(lost.sum()), int(columns.plies[lost].sum())))
    if not filters.duplicates:
        lost = kept.copy()
        lost[_first_of_equals(columns, np.flatnonzero(kept))] = False
        kept &= ~lost
        left_out.append(LeftOut("duplicates", int(lost.sum()), int(columns.plies[lost].sum())))
    return kept, left_out


def filter_rows(
    columns: Columns, filters: Filters, games: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], list[LeftOut]]:
    """`[P]`: the rows of the `games` that pass all filters but that of phases, and what each filter left out."""
    kept = columns.by_row(games)
    left_out = []
    for name, passes in _row_tests(columns, filters):
        before = np.count_nonzero(kept)
        kept &= passes
        left_out.append(LeftOut(name, 0, int(before - np.count_nonzero(kept))))
    return kept, left_out


def _game_tests(columns: Columns, filters: Filters) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    weaker, stronger = np.minimum(*columns.ratings.T), np.maximum(*columns.ratings.T)
    base = columns.clocks[:, 0]
    if filters.min_rating is not None:
        yield "min_rating", weaker >= filters.min_rating
    if filters.max_rating is not None:
        yield "max_rating", (weaker > 0) & (stronger <= filters.max_rating)
    if filters.player is not None:
        yield "player", np.logical_or(*columns.is_player(filters.player).T)
    if filters.results is not None:
        yield "results", np.isin(columns.results, [RESULTS[result] for result in filters.results])
    if filters.min_plies:
        yield "min_plies", (columns.plies >= filters.min_plies) | without_game(columns.plies, columns.labelled)
    if filters.max_plies is not None:
        yield "max_plies", columns.plies <= filters.max_plies
    if filters.min_base_seconds is not None:
        yield "min_base_seconds", base >= filters.min_base_seconds
    if filters.max_base_seconds is not None:
        yield "max_base_seconds", (base >= 0) & (base <= filters.max_base_seconds)


def _row_tests(columns: Columns, filters: Filters) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    if columns.usable is not None:
        yield "no target", columns.usable
    if filters.min_mover_rating is not None:
        yield "min_mover_rating", columns.of_mover(columns.ratings >= filters.min_mover_rating)
    if filters.max_mover_rating is not None:
        ratings = columns.ratings
        yield "max_mover_rating", columns.of_mover((ratings > 0) & (ratings <= filters.max_mover_rating))
    if filters.player is not None:
        yield "moves of the player's opponents", columns.of_mover(columns.is_player(filters.player))
    if filters.first_ply:
        yield "first_ply", columns.ply_index() >= filters.first_ply
    if filters.last_ply is not None:
        yield "last_ply", columns.ply_index() <= filters.last_ply
    if filters.side != "all":
        yield "side", columns.white == (filters.side == "white")


def _first_of_equals(columns: Columns, games: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers of the games without duplicates: of those with the same key and result the first; each folder of
    labels is compared with itself alone.
    """
    equal = np.stack([columns.keys[games], columns.results[games].astype(np.uint64)], 1)
    if columns.sources is not None and columns.labelled is not None:
        folders = np.where(columns.labelled, columns.sources + 1, 0)
        equal = np.column_stack([equal, folders[games].astype(np.uint64)])
    return games[np.unique(equal, axis=0, return_index=True)[1]]


class HoldOut(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Games that are not trained on, chosen by a hash of their moves.

    The same game is always on the same side, whatever file it is in. A share does not depend on other games at all; a
    number takes the games with the most extreme hashes, so that with more sources some of the old ones return to
    training.
    """

    validation: Held = 0.02
    """The games by which the best checkpoint is chosen."""
    test: Held = 0.02
    """The games that the reported losses are measured on."""
    pairs: bool = False
    """Whether games 1 and 2, 3 and 4, … of each source are pairs with one start, which stay together. Equal games of
    different pairs may then be on different sides.
    """


class Source(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Games, and what is learnt from them. A path alone stands for a source with the defaults."""

    path: str
    """A PGN file, plain or packed; a folder of a match, of self-play or of labels."""
    weight: Annotated[float, msgspec.Meta(ge=LEAST_WEIGHT, le=MOST_WEIGHT)] = 1.0
    """The weight of its samples in every term of the loss."""
    teacher: Share = 1.0
    """Share of the policy target that a search or a teacher gives; the rest is the move that was played."""
    temperature: Annotated[float, msgspec.Meta(gt=0, le=100)] = 1.0
    """The temperature T of a teacher's distribution: each p becomes p^(1/T), divided by their sum."""


class DataConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where samples come from and what they teach."""

    sources: NonEmpty[str | Source]
    """PGN files, plain or packed; folders of matches, of self-play and of labels. Of equal games the first counts: name
    sources with evaluations first.
    """
    filters: Filters = Filters()
    hold_out: HoldOut = HoldOut()
    games: Positive | None = None
    """The most games to train on, chosen by their hash: a smaller number takes a subset of a larger one's games."""
    value_target: ValueTarget = "result"
    eval_share: Share = 1.0
    """The weight of the evaluation where `value_target` is `evals`; the result has the rest."""
    encoding: Encoding = "lc0"
    rating_plane: bool = False
    """Write the rating of the side to move into plane 110, which lc0 leaves empty."""
    phase_table: PhaseTable = "current"
    """The table that tells opening, middlegame and endgame apart."""
    move_phases: Annotated[int, msgspec.Meta(ge=1, le=5)] | None = None
    """The number of phases by the move counter, in place of those of `phase_table` (phase-experts §1.5)."""
    phase_weights: list[Annotated[float, msgspec.Meta(ge=0, le=MOST_WEIGHT)]] | None = None
    """The weight of the samples of each phase; 1 for all when absent (weighted regime: phase-experts §4.4)."""
    thin: PositiveShare = 1.0
    """The share of the samples that a pass takes, drawn anew for each pass (1/32 in skill-compatible §4.1)."""

    @property
    def all_sources(self) -> list[Source]:
        """All sources; one that is given as a path alone becomes a `Source` with the defaults."""
        return [Source(path=source) if isinstance(source, str) else source for source in self.sources]

    @property
    def phases(self) -> int:
        """How many phases there are."""
        return 3 if self.move_phases is None else self.move_phases

    @property
    def weighted_phases(self) -> list[int] | None:
        """The phases of `filters` whose samples weigh more than 0; `None`: all phases."""
        if self.phase_weights is None:
            return self.filters.phases
        weighted = np.flatnonzero(self.phase_weights).tolist()
        return [phase for phase in weighted if self.filters.phases is None or phase in self.filters.phases]

    @property
    def planes(self) -> int:
        return PLANES[self.encoding]

    def check(self) -> None:
        """Check that the values go together.

        :raises ConfigError: they do not; says which.
        """
        self.filters.check(self.phases)
        if self.rating_plane and self.encoding != "lc0":
            raise ConfigError(f'rating_plane needs encoding = "lc0", found "{self.encoding}"')
        if self.eval_share != 1 and self.value_target != "evals":
            raise ConfigError(f'eval_share is for value_target = "evals", found "{self.value_target}"')
        if self.filters.who is not None and self.value_target == "evals":
            raise ConfigError('filters.who: games of a team have no evaluations; expected value_target = "result"')
        if self.phase_weights is not None and len(self.phase_weights) != self.phases:
            raise ConfigError(f"phase_weights has {len(self.phase_weights)} weights; expected {self.phases}")
        if self.phase_weights is not None and not any(self.phase_weights):
            raise ConfigError("phase_weights are all 0; expected one above")
        if small := [weight for weight in self.phase_weights or () if 0 < weight < LEAST_WEIGHT]:
            raise ConfigError(f"phase_weights: {small[0]:g} is too small; expected 0, or at least {LEAST_WEIGHT:g}")
        held = (self.hold_out.validation, self.hold_out.test)
        if sum(share for share in held if isinstance(share, float)) >= 1:
            raise ConfigError(f"hold_out takes all games: validation = {held[0]}, test = {held[1]}")
