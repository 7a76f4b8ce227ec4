"""Opponent models as configuration: one record per kind, and how each is built."""

from typing import Annotated

import msgspec

from foible.nets.shelf import NetShelf, short_name
from foible.opponents.base import OpponentModel
from foible.opponents.net import NetModel

Names = Annotated[list[str], msgspec.Meta(min_length=1)]


class _Spec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """Common to all kinds."""

    name: str = ""
    """What tables call it; made up from the rest when empty."""


class NetModelSpec(_Spec, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="net"):
    """A net's policy: Maia at a level."""

    net: str | Names
    temperature: Annotated[float, msgspec.Meta(gt=0, le=100)] = 1.0


ModelSpec = NetModelSpec


def build_model(spec: ModelSpec, shelf: NetShelf) -> OpponentModel:
    """:raises FoibleError: a net, an engine or a file is missing or broken."""
    return NetModel(shelf.evaluator(spec.net), temperature=spec.temperature, name=spec.name or short_name(spec.net))
