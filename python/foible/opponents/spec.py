"""Opponent models as configuration: one record per kind, how each is built, and how it is written on a command line
(opponent-modelling §2.1).
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from foible.errors import ConfigError
from foible.fields import Names, NonEmpty, NonNegativeNumber, PositiveNumber, PositiveShare, Share
from foible.nets.shelf import NetShelf, short_name
from foible.opponents.base import OpponentModel
from foible.opponents.engine import EngineModelSpec, build_engine_model
from foible.opponents.estimate import LevelEstimate
from foible.opponents.floor import EPSILON, FloorModel
from foible.opponents.levels import default_levels, default_levels_at, level_of_net, weights_of_rating
from foible.opponents.mixture import MixtureModel
from foible.opponents.net import NetModel
from foible.opponents.opening_table import opening_table, read_book
from foible.opponents.player import KAPPA, PlayerModel
from foible.opponents.player_games import HALF_LIFE, game_weights, read_player_games
from foible.opponents.posterior import SD, TAU
from foible.toml import convert, inline, read_toml

Rating = Annotated[float, msgspec.Meta(ge=0, le=5000)]
Level = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{1,4}$", description="a level in rating points, written in quotes")]


_NUMBER = re.compile(r"[0-9]+(\.[0-9]*)?")


class _Spec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """Common to all kinds."""

    name: str = ""
    """What tables call it; made up from the rest when empty."""


class NetModelSpec(_Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="net"):
    """A net's policy: Maia at a level."""

    net: str | Names
    """A net, or several of which the first that is at hand is taken."""
    temperature: Annotated[float, msgspec.Meta(gt=0, le=100)] = 1.0


class RatingModelSpec(_Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="rating"):
    """A player of a rating, between the two levels that are nearest."""

    rating: Rating
    """Rating points; outside the levels the nearest one plays."""
    nets: dict[Level, str | Names] = {}
    """The net of each level. When empty maia-1100 to maia-1900, or club where they are not on this machine."""


class MixtureModelSpec(_Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="mixture"):
    """One of several models, each with its probability."""

    of: NonEmpty["ModelSpec"]
    weights: list[NonNegativeNumber] = []
    """Of any sum; equal when empty."""


class FloorModelSpec(_Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="floor"):
    """A model for which no legal move is impossible."""

    of: "ModelSpec"
    epsilon: Share = EPSILON
    """The share that is spread evenly over all legal moves."""


class EstimateModelSpec(_Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="estimate"):
    """A player whose level is learnt from the moves played so far (opponent-modelling §4)."""

    rating: Rating | None = None
    """Around which the prior is normal; uniform over the levels when absent."""
    sd: PositiveNumber = SD
    """Standard deviation of that prior, in rating points."""
    tau: PositiveShare = TAU
    """How much each move counts; 1 is exact Bayes."""
    epsilon: PositiveShare = EPSILON
    """Floor under the probability of a move."""
    forgetting: PositiveShare = 1.0
    """The factor by which what was seen fades at each move: 0.98 follows play that changes."""
    book: str | None = None
    """An EPD file of positions whose moves say nothing of a player."""
    nets: dict[Level, str | Names] = {}
    """The net of each level. When empty maia-1100 to maia-1900, or club where they are not on this machine."""


class GamesModelSpec(_Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="games"):
    """A player by their own games, and where they never were by players like them (opponent-modelling §5.2)."""

    file: str
    """A PGN file, plain or packed."""
    player: str
    """The name in it, `Last, First` or `First Last`, in any case."""
    base: "ModelSpec"
    """How players like them play."""
    kappa: PositiveNumber = KAPPA
    """κ: the games that the base counts for in each position."""
    color: Literal["white", "black"] | None = None
    """Only the games with one colour."""
    half_life: PositiveNumber = HALF_LIFE
    """Months after which a game counts half."""


ModelSpec = (
    NetModelSpec
    | RatingModelSpec
    | MixtureModelSpec
    | FloorModelSpec
    | EstimateModelSpec
    | EngineModelSpec
    | GamesModelSpec
)


def build_model(spec: ModelSpec, shelf: NetShelf) -> OpponentModel:
    """:raises FoibleError: a net, an engine or a file is missing or broken."""
    model: OpponentModel
    match spec:
        case NetModelSpec():
            model = _net_model(spec.net, shelf, spec.temperature, spec.name)
        case RatingModelSpec():
            nets = _nets_of(spec, default_levels_at(spec.rating))
            weights = weights_of_rating(nets, spec.rating)
            levels = [_net_model(nets[level], shelf) for level in weights]
            model = MixtureModel(levels, list(weights.values()), spec.name or _rating_name(spec.rating, nets))
        case MixtureModelSpec():
            model = MixtureModel([build_model(part, shelf) for part in spec.of], spec.weights, spec.name)
        case FloorModelSpec():
            model = FloorModel(build_model(spec.of, shelf), spec.epsilon, spec.name)
        case EstimateModelSpec():
            model = build_estimate(spec, shelf)
        case EngineModelSpec():
            model = build_engine_model(spec)
        case GamesModelSpec():
            model = _games_model(spec, build_model(spec.base, shelf))
    return model


def _games_model(spec: GamesModelSpec, base: OpponentModel) -> PlayerModel:
    white = None if spec.color is None else spec.color == "white"
    found = read_player_games(Path(spec.file), spec.player).only(white=white)
    table = opening_table(found.games, game_weights(found.games, spec.half_life))
    return PlayerModel(table, base, kappa=spec.kappa, name=spec.name or f"games of {found.player}")


def build_estimate(spec: EstimateModelSpec, shelf: NetShelf) -> LevelEstimate:
    """As `build_model`: what it makes of this kind, with the posteriors to be asked for."""
    return LevelEstimate(
        {level: _net_model(net, shelf) for level, net in _nets_of(spec, default_levels()).items()},
        tau=spec.tau,
        epsilon=spec.epsilon,
        forgetting=spec.forgetting,
        rating=spec.rating,
        sd=spec.sd,
        book=read_book(Path(spec.book)) if spec.book else frozenset(),
        name=spec.name,
    )


def level_of(spec: ModelSpec) -> float | None:
    """The one rating that a model stands for, where it stands for one."""
    match spec:
        case NetModelSpec():
            return level_of_net(short_name(spec.net))
        case RatingModelSpec():
            return spec.rating
        case FloorModelSpec():
            return level_of(spec.of)
        case _:
            return None


def _rating_name(rating: float, levels: Iterable[int]) -> str:
    """Says which level plays where the rating lies beyond all of them."""
    nearest = max(min(levels), min(rating, max(levels)))
    return f"rating {rating:g}" + ("" if nearest == rating else f" (as {nearest:g})")


def _nets_of(
    spec: RatingModelSpec | EstimateModelSpec, default: Mapping[int, str]
) -> Mapping[int, str] | Mapping[int, str | list[str]]:
    return {int(level): net for level, net in spec.nets.items()} if spec.nets else default


def _net_model(net: str | list[str], shelf: NetShelf, temperature: float = 1.0, name: str = "") -> NetModel:
    return NetModel(shelf.evaluator(net), temperature=temperature, name=name or short_name(net))


def parse_model(text: str) -> ModelSpec:
    """A rating (`1537`), a TOML table (`{kind = "floor", of = {kind = "rating", rating = 1537}}`), the path of a .toml
    file that holds such keys, or else the name or path of a net (`maia-1500`, `club:1500`).

    :raises ConfigError: it is none of these; says where it goes wrong.
    """
    text = text.strip()
    if not text:
        raise ConfigError("an empty model: expected a net, a rating, a TOML table or the path of a .toml file")
    found: ModelSpec = NetModelSpec(net=text)
    if text.startswith("{"):
        found = inline(text, ModelSpec, text)
    elif text.endswith(".toml"):
        found = convert(read_toml(_read(Path(text)), text), ModelSpec, text)
    elif _NUMBER.fullmatch(text):
        found = convert({"kind": "rating", "rating": float(text)}, ModelSpec, text)
    return found


def _read(path: Path) -> str:
    try:
        return path.expanduser().read_text("utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: cannot be read (not UTF-8)") from None
