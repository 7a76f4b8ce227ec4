"""All judges as configuration: the list, how a judge is written on a command line, and the default judge."""

import json
import re

from foible.engines.programs import CAREFUL, QUICK, STEADY, installed_stockfish
from foible.errors import ConfigError
from foible.fields import LARGEST
from foible.judges.engine import UciJudgeSpec
from foible.judges.net import NetJudgeSpec, SearchJudgeSpec
from foible.mistakes import brief
from foible.nets.choices import MASTER, default_threads
from foible.toml import inline

__all__ = [
    "CAREFUL",
    "FORMS",
    "QUICK",
    "STEADY",
    "JudgeSpec",
    "NetJudgeSpec",
    "SearchJudgeSpec",
    "UciJudgeSpec",
    "as_table",
    "net_and_nodes",
    "parse_judge",
    "usual_judge",
]

JudgeSpec = NetJudgeSpec | SearchJudgeSpec | UciJudgeSpec

FORMS = "a net (master), a net that searches (master@100), or an engine (uci:stockfish:depth=10)"

NET_NODES = 100
"""Visits of the net of masters that judges where there is no Stockfish."""
_ENGINE = re.compile(r"uci:|stockfish(@|$)", re.IGNORECASE)
"""How people begin who mean an engine where a net would be looked for."""
_HANG_SECONDS = 60.0
"""Seconds after which Stockfish counts as hung: some hundred times what a careful search takes on a slow machine."""


def usual_judge(nodes: int) -> JudgeSpec:
    """The judge where none is named: Stockfish where it is installed, else the net of masters.

    `nodes`: the nodes of a search by Stockfish. It runs in one process for each processor, each with a single thread:
    with more threads the answers would not be repeatable.
    """
    command = installed_stockfish()
    if command is None:
        return SearchJudgeSpec(net=MASTER, nodes=NET_NODES)
    return UciJudgeSpec(
        command=command,
        options={"Threads": 1, "Hash": 16},
        nodes=nodes,
        processes=default_threads(),
        hang_after=_HANG_SECONDS,
    )


def parse_judge(text: str) -> JudgeSpec:
    """A judge as the command line names it: NET, NET@NODES, uci:COMMAND:LIMIT=N, or an inline table of TOML.

    >>> parse_judge("master@100")
    SearchJudgeSpec(net='master', nodes=100)

    :raises ConfigError: the text is none of these; says what would be right.
    """
    text = text.strip()
    source = f"judge {text!r}"
    table = as_table(text, source)
    if table.startswith("{"):
        spec: JudgeSpec = inline(table, JudgeSpec, source)
        return spec
    net, nodes = net_and_nodes(text, source, FORMS)
    return SearchJudgeSpec(net=net, nodes=nodes) if nodes else NetJudgeSpec(net=net)


def net_and_nodes(text: str, source: str, forms: str) -> tuple[str, int | None]:
    """The net and the nodes of a text NET or NET@NODES; without nodes `None`.

    :raises ConfigError: the text is neither, or names an engine; the message begins with `source` and says that `forms`
        is expected.
    """
    match = re.fullmatch(r"(.+)@(0*[1-9][0-9]*)|([^@]+)", text)
    if match is None or _ENGINE.match(text):
        raise ConfigError(f"{source}: expected {forms}")
    if match[3]:
        return match[3], None
    visits = match[2].lstrip("0")
    if len(visits) > len(str(LARGEST)) or int(visits) > LARGEST:
        raise ConfigError(f"{source}: {brief(visits)} visits, expected at most {LARGEST}")
    return match[1], int(visits)


def as_table(text: str, source: str) -> str:
    """A text uci:COMMAND:SETTING=VALUE… as an inline table of TOML with `kind = "uci"`; any other text as it stands.

    :raises ConfigError: the text begins with uci: and is not written like that.
    """
    if not text.startswith("uci:"):
        return text
    command, *settings = text.removeprefix("uci:").split(":")
    if not command or not all(re.fullmatch(r"\w+=[\w.]+", setting) for setting in settings):
        raise ConfigError(f"{source}: expected uci:COMMAND:depth=10")
    return "{" + ", ".join(['kind="uci"', f"command={json.dumps(command)}", *settings]) + "}"
