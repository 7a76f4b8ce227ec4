"""Judges as configuration: one record per kind, and how each is built."""

import msgspec

from foible.engines.spec import EnginesSpec, open_engines
from foible.fields import Names, Positive
from foible.judges.base import Judge
from foible.judges.engine import UciJudge
from foible.judges.net import NetJudge, SearchJudge
from foible.nets.shelf import NetShelf, short_name
from foible.search.params import PRESETS
from foible.search.trees import Trees


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
