"""What a run finds out before anything is written: whether it can play, its version, and the nets of its panel."""

import msgspec

from foible._core import __version__
from foible.arena.go.panel import nets_in
from foible.errors import ConfigError
from foible.nets.catalogue import find_net
from foible.nets.download import file_sha256
from foible.nets.runtimes import has_bf16
from foible.training.go.config import SHA256, GoTrainConfig
from foible.training.go.contests import open_playing


def resolved(config: GoTrainConfig) -> GoTrainConfig:
    """With all that it finds out. Copies of a net are one opponent.

    :raises ConfigError: values do not go together, at the official komi one side could not win, the precision is not to
        be had, a folder of the panel has no net, or a net of it is not for this board.
    :raises NetFileError: a net of the panel is not there, or cannot be used.
    """
    config.check()
    official, board = config.selfplay.komi.official, config.size**2
    if abs(official) >= board:
        raise ConfigError(
            f"selfplay.komi.official = {official:g}: one side could not win; expected less than {board} either way"
        )
    if config.precision == "bf16" and not has_bf16():
        raise ConfigError("precision: this processor has no bf16 arithmetic; f32 works everywhere")
    found: dict[str, str] = {}
    """By hash."""
    for place in config.panel.nets if config.panel else ():
        for net in nets_in(place):
            path = find_net(net)
            open_playing(config, path)
            found.setdefault(file_sha256(path), str(path))
    panel = {path: f"{SHA256}{digest}" for digest, path in found.items()}
    return msgspec.structs.replace(config, resolved={"foible": __version__, **panel})
