"""The description of a net: the facts that are known without running it."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final, Literal, TypeAlias

from foible.nets.lc0_heads import DEFAULT_HEADS

DEFAULTS: Final[Mapping[str, str]] = {"policies": DEFAULT_HEADS.policy, "values": DEFAULT_HEADS.value}
"""The heads that are used by default if a net has several, by the name of the field that lists them."""

_GO_VALUES: Final[Mapping[str, str]] = {"lz": "one number"} | dict.fromkeys("vyt", "alpha and beta")
"""What the kinds of a Go net's value head give."""

Game: TypeAlias = Literal["chess", "go"]
FormatName: TypeAlias = Literal["lc0", "onnx", "leela-zero", "mixture", "built-in", "katago", "pytorch"]


@dataclass(frozen=True, slots=True)
class NetDescription:
    """The facts about a net that are known without running it; `None` for facts that its file does not tell."""

    name: str
    format: FormatName
    """The format of the file; `leela-zero`: the weights of a Go net as text; `built-in`: no file and no net."""
    game: Game = "chess"
    path: Path | None = None
    size: int | None = None
    """The size of the file in bytes; for a mixture, of the files of its nets together."""
    sha256: str | None = None
    licence: str | None = None
    """The licence of a public net; for a Maia-2 or Maia-3, what is known about the licence of the published weights."""
    history: int | None = None
    """The number of boards, the current one and earlier ones, that a Maia-3 takes as input."""
    blocks: int | None = None
    filters: int | None = None
    squeeze: int | None = None
    """Width of the squeeze-excite layers; 0 for plain blocks."""
    encoders: int | None = None
    """The number of encoder layers of an attention body."""
    width: int | None = None
    """The width of an attention body's embedding: how many numbers it keeps for each square."""
    attention_heads: int | None = None
    smolgen: bool | None = None
    """Whether the net has smolgen, by which attention also depends on the whole board."""
    embedding: str | None = None
    """The input that each square gets in addition to its planes: `map`, `dense` or `none` (see `Embedding`)."""
    policy: str | None = None
    """`classical`, `convolution` or `attention`."""
    policies: tuple[str, ...] | None = None
    """The policy heads to choose from, for nets that may have several."""
    values: tuple[str, ...] | None = None
    """The value heads to choose from, for nets that may have several."""
    heads: str | None = None
    """The policy head and the value head in use."""
    value: str | None = None
    """The kind of value: `classical` (one number) or `wdl`; for a Go net, the kind of its head: `lz` (one number), `v`,
    `y` or `t`.
    """
    moves_left: bool | None = None
    activation: str | None = None
    ffn_activation: str | None = None
    smolgen_activation: str | None = None
    input: str | None = None
    """The encoding of the input planes of a chess net, as in `InputEncoding`."""
    encoding: str | None = None
    """The number formats in which an lc0 file stores the weights, such as `LINEAR16`."""
    training_steps: int | None = None
    board: int | None = None
    """The number of points on a side of a Go board."""
    planes: int | None = None
    """The number of input planes of a Go net."""
    gate: str | None = None
    """The rule by which a mixture tells the phases of the game apart."""
    vote: str | None = None
    """How a mixture chooses the net for a position: `split` or `majority` (see `MixtureConfig`)."""
    nets: tuple[str, ...] | None = None
    """The nets of a mixture, one for each phase."""
    ratings: str | None = None
    """The ratings at which the net plays, and the site whose ratings they are."""
    not_opened: str | None = None
    """The reason why a net of that name cannot be opened; `None` if it can."""
    notes: tuple[str, ...] | None = None
    """Things to know before using the net."""

    def facts(self) -> dict[str, str]:
        """All known facts in words, by the name of the field with spaces for underscores."""
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
        case str() if name == "value" and value in _GO_VALUES:
            return f"{_GO_VALUES[value]} (head {value})"
        case _:
            return str(value)
