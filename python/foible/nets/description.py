"""What can be said of a net without running it."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final, Literal, TypeAlias

from foible.nets.lc0_heads import DEFAULT_HEADS

DEFAULTS: Final[Mapping[str, str]] = {"policies": DEFAULT_HEADS.policy, "values": DEFAULT_HEADS.value}
"""Which of several heads is taken where nothing is said."""

Game: TypeAlias = Literal["chess", "go"]
FormatName: TypeAlias = Literal["lc0", "onnx", "leela-zero", "mixture", "built-in", "katago", "pytorch"]


@dataclass(frozen=True, slots=True)
class NetDescription:
    """What can be said of a net without running it. `None` where the file does not say."""

    name: str
    format: FormatName
    """`leela-zero`: text with the weights of a net for Go; `built-in`: no net at all."""
    game: Game = "chess"
    path: Path | None = None
    size: int | None = None
    """Bytes of the file."""
    sha256: str | None = None
    licence: str | None = None
    """The licence of a public net, or what there is to say of that of a Maia-2 or Maia-3."""
    history: int | None = None
    """Boards that a Maia-3 sees."""
    blocks: int | None = None
    filters: int | None = None
    squeeze: int | None = None
    """Width of the squeeze-excite layers; 0 for plain blocks."""
    encoders: int | None = None
    """Layers of an attention body."""
    width: int | None = None
    """Numbers that an attention body keeps of each square."""
    attention_heads: int | None = None
    smolgen: bool | None = None
    """Whether attention also depends on the whole board."""
    embedding: str | None = None
    """What squares know beside their planes: `map`, `dense` or `none`."""
    policy: str | None = None
    """`classical`, `convolution` or `attention`."""
    policies: tuple[str, ...] | None = None
    """Policy heads to choose from, where there may be several."""
    values: tuple[str, ...] | None = None
    """Value heads to choose from."""
    heads: str | None = None
    """Those in use."""
    value: str | None = None
    """`classical` (one number) or `wdl`; of a net for Go the kind of its head: `lz` (one number), `v`, `y` or `t`."""
    moves_left: bool | None = None
    activation: str | None = None
    ffn_activation: str | None = None
    smolgen_activation: str | None = None
    input: str | None = None
    """Which planes a net for chess takes."""
    encoding: str | None = None
    training_steps: int | None = None
    board: int | None = None
    """Points on a side, in Go."""
    planes: int | None = None
    """Input planes of a net for Go."""
    gate: str | None = None
    """What tells the phases apart in a mixture."""
    vote: str | None = None
    """`split` or `majority`."""
    nets: tuple[str, ...] | None = None
    """For each phase."""
    ratings: str | None = None
    """At which it plays, and whose they are."""
    not_opened: str | None = None
    """Why a net of that name cannot be opened; `None` where it can."""
    notes: tuple[str, ...] | None = None
    """What is to be known before it is used."""

    def facts(self) -> dict[str, str]:
        """All that is known, in words, by what it is called."""
        known = {one.name: getattr(self, one.name) for one in fields(self)}
        return {name.replace("_", " "): _words(name, value) for name, value in known.items() if value is not None}


def _words(name: str, value: object) -> str:
    match value:
        case tuple() if name == "notes":
            return "\n".join(value)
        case tuple():
            return ", ".join(f"{one} (default)" if one == DEFAULTS.get(name) else str(one) for one in value)
        case bool():
            return "yes" if value else "no"
        case int() if name == "size":
            return f"{value:,} bytes"
        case _:
            return str(value)
