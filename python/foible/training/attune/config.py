"""The configuration of an attuned net: whose partner it becomes, on how many games, how it is tuned and tested."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec

from foible.agents.spec import parse_player
from foible.agents.uci_engine import UciSpec
from foible.errors import ConfigError
from foible.fields import LearningRate, Positive, SummableSeed
from foible.nets.choices import Precision, Runtime, Threads
from foible.toml import convert, without_none

FrameworkName = Literal["stt", "hb"]
"""Stochastic tag team, or hand and brain."""
Plies = Literal["all", "senior"]
ValueTarget = Literal["wdl", "released"]
ENGINES: Final = ("uci:", "{")
"""How a text begins that describes an engine."""
OF_JUNIOR: Final = "junior."
"""How the keys of an engine as junior begin."""
LEAST_GAMES: Final = 6
"""The least number of games: one of them is held out for validation and one for tests."""


class TuneConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the senior's net learns (skill-compatible §4.2, whose values are the defaults)."""

    lr: LearningRate = 1e-5
    """Learning rate, constant."""
    steps: Positive = 10_000
    batch: Positive = 1024
    thin: Positive = 32
    """Each ply is kept with probability 1 / thin in a pass over the games."""
    plies: Plies = "all"
    """The plies to learn from: those of the whole team, or the senior's alone (§4.3)."""
    value_target: ValueTarget = "wdl"
    """How draws count: as draws (`wdl`), or as losses for both sides as in the released program (`released`)."""


class AttuneConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One attuned net, from its games to its test."""

    framework: FrameworkName
    senior: str
    """The net that is tuned, a residual lc0 net."""
    junior: str | UciSpec
    """The partner: a net; or in tag team an engine, of which only the moves are known."""
    games: Annotated[int, msgspec.Meta(ge=LEAST_GAMES)] = 10_000
    """Games of the senior's team with itself, rounded up to whole pairs."""
    nodes: Positive = 1500
    """Visits per move of seniors and brains, in the games and in the tests."""
    tune: TuneConfig = TuneConfig()
    test_games: Positive = 1000
    """The games of ATT's team against the senior's, rounded up to whole pairs."""
    alone_games: Positive = 200
    """The games of ATT without a partner against the senior, from balanced openings (§1.3)."""
    seed: SummableSeed = 1
    data: str | None = None
    """The run folder of a match whose games are learnt from, in place of playing new ones."""
    runtime: Runtime | Literal["auto"] = "auto"
    precision: Precision | Literal["auto"] = "f32"
    threads: Threads | None = None
    resolved: dict[str, str] = {}
    """Added by the run itself and written into its folder: the version of foible and the hashes of the nets."""

    @property
    def pairs(self) -> int:
        return -(-self.games // 2)

    @property
    def junior_name(self) -> str:
        """The junior's net; the name of an engine that is given one, or its program."""
        if isinstance(self.junior, str):
            return self.junior
        command = self.junior.command
        return self.junior.name or Path(command if isinstance(command, str) else command[0]).name


def make_config(options: Mapping[str, Any]) -> AttuneConfig:
    """The configuration from the options of a command line that are not `None`. Keys of `tune` stand among the others,
    and an engine as `parse_player` reads it.

    :raises ConfigError: a value is missing or out of range, or two do not go together.
    """
    asked = without_none(options)
    tune = {name: asked.pop(name) for name in TuneConfig.__struct_fields__ if name in asked}
    config: AttuneConfig = convert({**asked, "tune": tune}, AttuneConfig, "command line")
    if isinstance(config.junior, str) and config.junior.startswith(ENGINES):
        config = msgspec.structs.replace(config, junior=_engine(config.junior))
    if config.framework == "hb" and isinstance(config.junior, UciSpec):
        raise ConfigError(f"--junior {config.junior_name}: a hand plays by the policy of a net; expected a net")
    if config.framework == "hb" and config.tune.plies == "senior":
        raise ConfigError("--plies senior is for tag team (stt): in hand and brain the hand makes every move")
    return config


def _engine(text: str) -> UciSpec:
    """:raises ConfigError: the text describes no engine."""
    found = parse_player(text)
    if not isinstance(found, UciSpec):
        raise ConfigError(f"--junior {text}: expected a net, or an engine such as uci:stockfish:nodes=25")
    return found


def option(key: str) -> str:
    """The option of the command line that sets a key of the configuration; of an engine's keys, with the key.

    >>> option("tune.value_target")
    '--value-target'
    >>> option("junior.options.UCI_Elo")
    'options.UCI_Elo of --junior'
    """
    if key.startswith(OF_JUNIOR):
        return f"{key.removeprefix(OF_JUNIOR)} of --junior"
    return f"--{key.removeprefix('tune.').replace('_', '-')}"
