"""What people write for a judge on a command line."""

import re
import tomllib

import msgspec

from foible.errors import ConfigError
from foible.judges.spec import JudgeSpec, NetJudgeSpec, SearchJudgeSpec

FORMS = "a net (maia-1900), a net that searches (maia-1900@100), or an engine (uci:stockfish:depth=10)"


def parse_judge(text: str) -> JudgeSpec:
    """A judge as the command line names it: NET, NET@NODES, uci:COMMAND:LIMIT=N, or an inline table of TOML.

    >>> parse_judge("maia-1900@100")
    SearchJudgeSpec(net='maia-1900', nodes=100)

    :raises ConfigError: says what would be right.
    """
    text = text.strip()
    if text.startswith("{"):
        return _convert(text, text)
    if text.startswith("uci:"):
        command, *settings = text.removeprefix("uci:").split(":")
        pairs = [re.fullmatch(r"(\w+)=([\w.]+)", setting) for setting in settings]
        if not command or not all(pairs):
            raise ConfigError(f"judge {text!r}: expected uci:COMMAND:depth=10")
        limits = "".join(f", {pair[1]} = {pair[2]}" for pair in pairs if pair)
        return _convert(f'{{ kind = "uci", command = {msgspec.json.encode(command).decode()}{limits} }}', text)
    net, at, nodes = text.rpartition("@")
    if not at:
        net = text
    if not net or (at and not (nodes.isdigit() and int(nodes))):
        raise ConfigError(f"judge {text!r}: expected {FORMS}")
    return SearchJudgeSpec(net=net, nodes=int(nodes)) if at else NetJudgeSpec(net=net)


def _convert(table: str, text: str) -> JudgeSpec:
    try:
        spec: JudgeSpec = msgspec.convert(tomllib.loads(f"judge = {table}")["judge"], JudgeSpec)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise ConfigError(f"judge {text!r}: {error}") from None
    return spec
