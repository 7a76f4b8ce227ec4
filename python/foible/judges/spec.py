"""Judges as configuration: one record per kind, how each is built, and how it is written on a command line."""

import json
import re

import msgspec

from foible.engines.pool import EnginesSpec, open_engines
from foible.errors import ConfigError
from foible.fields import Names, Positive
from foible.judges.base import Judge
from foible.judges.engine import UciJudge
from foible.judges.net import NetJudge, SearchJudge
from foible.nets.shelf import NetShelf, short_name
from foible.search.params import PRESETS
from foible.search.trees import Trees
from foible.toml import inline


class _Spec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """Common to all kinds."""


class NetJudgeSpec(_Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="net"):
    """A net's value, without search."""

    net: str | Names


class SearchJudgeSpec(_Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="net_search"):
    """A net's value after a search."""

    net: str | Names
    nodes: Positive = 1500


class UciJudgeSpec(EnginesSpec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="uci"):
    """An external engine's value at a depth or in so many nodes."""

    wdl: bool = False
    """Take the engine's own W + D/2 for the win probability, in place of a curve over its centipawns."""


JudgeSpec = NetJudgeSpec | SearchJudgeSpec | UciJudgeSpec


def build_judge(spec: JudgeSpec, shelf: NetShelf) -> Judge:
    """:raises FoibleError: a net or an engine is missing or broken."""
    match spec:
        case NetJudgeSpec():
            return NetJudge(shelf.evaluator(spec.net), short_name(spec.net))
        case SearchJudgeSpec():
            name = f"{short_name(spec.net)} at {spec.nodes} nodes"
            trees = Trees([shelf.evaluator(spec.net)], PRESETS["lc0-0.28"])
            return SearchJudge(trees, spec.nodes, name)
        case UciJudgeSpec():
            return UciJudge(open_engines(spec), wdl=spec.wdl)


FORMS = "a net (master), a net that searches (master@100), or an engine (uci:stockfish:depth=10)"


def parse_judge(text: str) -> JudgeSpec:
    """A judge as the command line names it: NET, NET@NODES, uci:COMMAND:LIMIT=N, or an inline table of TOML.

    >>> parse_judge("master@100")
    SearchJudgeSpec(net='master', nodes=100)

    :raises ConfigError: says what would be right.
    """
    text = text.strip()
    source = f"judge {text!r}"
    table = _engine_table(text.removeprefix("uci:"), source) if text.startswith("uci:") else text
    if table.startswith("{"):
        spec: JudgeSpec = inline(table, JudgeSpec, source)
        return spec
    net, nodes = net_and_nodes(text, source, FORMS)
    return SearchJudgeSpec(net=net, nodes=nodes) if nodes else NetJudgeSpec(net=net)


def net_and_nodes(text: str, source: str, forms: str) -> tuple[str, int | None]:
    """NET or NET@NODES.

    :raises ConfigError: it is neither; `source` says what is wrong and `forms` what would be right.
    """
    found = re.fullmatch(r"(.+)@(0*[1-9][0-9]*)|([^@]+)", text)
    if found is None:
        raise ConfigError(f"{source}: expected {forms}")
    return (found[3], None) if found[3] else (found[1], int(found[2]))


def _engine_table(text: str, source: str) -> str:
    command, *settings = text.split(":")
    if not command or not all(re.fullmatch(r"\w+=[\w.]+", setting) for setting in settings):
        raise ConfigError(f"{source}: expected uci:COMMAND:depth=10")
    return "{" + ", ".join(['kind="uci"', f"command={json.dumps(command)}", *settings]) + "}"
