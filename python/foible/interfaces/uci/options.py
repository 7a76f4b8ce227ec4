"""The options that a GUI sees: those of the engine, and every constant of a search of chess under its natural name.

A GUI asks for them first, so this module imports nothing that takes long.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, get_args

from foible._core import __version__
from foible.errors import ConfigError
from foible.interfaces.uci.protocol import NOBODY, Send, parse_opponent, shown
from foible.interfaces.uci.strength import ratings
from foible.nets.choices import MASTER, Precision, Runtime, default_threads
from foible.search.params import CHOICES, KINDS, MOST_CONTEMPT_VISITS, RANGES, SearchParams, SearchSettings
from foible.search.unread_constants import GO_ONLY

Kind = Literal["check", "spin", "combo", "string"]

AUTO: Final = "auto"
"""A value of the option `Personality`: the first personality that fits the game is taken."""
NONE: Final = "none"
"""A value of the option `Personality`: no personality is taken, the search plays as the options say."""
BUILT_IN: Final = ("odds", "human", "exploit", "contempt")
"""The names of the personalities in `personalities.toml` beside this module, in the file's order."""

UCI_SEARCH: Final = SearchSettings(params=SearchParams(batch=16, lanes=2, memory_mb=1024))
"""The search for one game: batched for speed; `Batch` 1 and `Lanes` 1 give PUCT to the letter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The values of the options."""

    net: str = MASTER
    """The net's name or path, as `foible.nets.open_net` takes it."""
    threads: int = field(default_factory=default_threads)
    backend: Runtime | Literal["auto"] = "auto"
    precision: Precision | Literal["auto"] = "auto"
    multipv: int = 1
    """The number of moves that are reported, best first."""
    show_wdl: bool = False
    chess960: bool = False
    limit_strength: bool = False
    """Play like a human of rating `elo`: the policy of the nearest human net, without search."""
    elo: int = 1500
    ponder: bool = False
    """Whether the GUI means to ponder. The option only announces that it may; its value changes nothing."""
    move_overhead: int = 50
    """Milliseconds that each move loses on the way to the GUI and back."""
    max_nodes: int = 0
    """Visits of the root after which a search ends whatever its other limits are; 0: no such limit."""
    personality: str = AUTO
    """`auto`, `none`, or one of the names in `personalities`."""
    personalities: tuple[str, ...] = BUILT_IN
    """The names of all personalities to choose from."""
    opponent: str = NOBODY
    """The value of `UCI_Opponent`, as `parse_opponent` reads it."""
    opponent_elo: int = 0
    """The opponent's rating where the GUI does not tell it; 0: not known."""
    search: SearchSettings = UCI_SEARCH


@dataclass(frozen=True, slots=True)
class Option:
    """An option as UCI describes it."""

    name: str
    field: str
    """The field of `Settings` that holds its value, or of `SearchSettings` where `search` is true."""
    kind: Kind
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()
    search: bool = False
    """Whether the option is a constant of the search."""
    off: int | None = None
    """The number by which a GUI switches the option off, that is, sets it to `None`."""

    def line(self, settings: Settings) -> str:
        """`option name …` with the current value as default."""
        value = settings.search.values()[self.field] if self.search else getattr(settings, self.field)
        absent = "same" if self.off is None else str(self.off)
        text = absent if value is None else str(value).lower() if self.kind == "check" else str(value)
        extent = f" min {self.low} max {self.high}" if self.kind == "spin" else ""
        return f"option name {self.name} type {self.kind} default {text}{extent}" + "".join(
            f" var {choice}" for choice in self.choices
        )

    def read(self, text: str) -> bool | int | str:
        """The value of an engine option.

        :raises ConfigError: a value of the wrong kind or out of range.
        """
        if self.kind == "check" and text.lower() in ("true", "false"):
            return text.lower() == "true"
        if self.kind == "combo" and text.lower() in self.choices:
            return text.lower()
        if self.kind == "string" and text:
            return text
        if self.kind == "spin" and text.isdecimal() and len(text) < 20 and self.low <= int(text) <= self.high:
            return int(text)
        raise self.wrong(text)

    def wrong(self, text: str) -> ConfigError:
        """The error for a value that the option cannot have."""
        off = "" if self.off is None else f", {self.off} for off"
        expected = {
            "check": "true or false",
            "combo": " or ".join(self.choices),
            "spin": f"a whole number from {self.low} to {self.high}{off}",
            "string": "a text",
        }[self.kind]
        return ConfigError(f"option {self.name} = {shown(text)}: expected {expected}")


def options(personalities: Sequence[str] = BUILT_IN) -> list[Option]:
    """All options: those of the engine, then the constants of the search."""
    lowest, highest = ratings()
    return [
        Option("Net", "net", "string"),
        Option("Threads", "threads", "spin", 1, 1024),
        Option("Backend", "backend", "combo", choices=("auto", *get_args(Runtime))),
        Option("Precision", "precision", "combo", choices=("auto", *get_args(Precision))),
        Option("MultiPV", "multipv", "spin", 1, 500),
        Option("Ponder", "ponder", "check"),
        Option("MoveOverhead", "move_overhead", "spin", 0, 10_000),
        Option("UCI_ShowWDL", "show_wdl", "check"),
        Option("UCI_Chess960", "chess960", "check"),
        Option("UCI_LimitStrength", "limit_strength", "check"),
        Option("UCI_Elo", "elo", "spin", lowest, highest),
        Option("UCI_Opponent", "opponent", "string"),
        Option("OpponentElo", "opponent_elo", "spin", 0, 4000),
        Option("Personality", "personality", "combo", choices=(AUTO, NONE, *personalities)),
        Option("MaxNodes", "max_nodes", "spin", 0, 1_000_000_000),
        # `ScLimit` is the name of ContemptVisits in the program of search-contempt. Of the two, the one that is set
        # last counts; GUIs that set all options do so in this order.
        Option("ScLimit", "contempt_visits", "spin", 1, MOST_CONTEMPT_VISITS, search=True, off=MOST_CONTEMPT_VISITS),
        *_search_options(),
    ]


def introduce(settings: Settings, send: Send) -> None:
    """The answer to `uci`. `settings`: the defaults."""
    send(f"id name foible {__version__}")
    send("id author the foible authors")
    for option in options(settings.personalities):
        send(option.line(settings))
    send("uciok")


def change(settings: Settings, name: str, text: str) -> Settings:
    """Set an option; names are not case-sensitive, and `WeightsFile` is another name for `Net`.

    :raises ConfigError: there is no such option, or it cannot have this value.
    """
    wanted = {"weightsfile": "net"}.get(name.lower(), name.lower())
    option = next((option for option in options(settings.personalities) if option.name.lower() == wanted), None)
    if option is None:
        raise ConfigError(f"unknown option {shown(name)}")
    no_value = "same" if "same" in option.choices else str(option.off)
    if option.search and text.lower() == no_value:
        return replace(settings, search=settings.search.with_values({option.field: None}))
    if option.search:
        try:
            return replace(settings, search=settings.search.with_settings({option.field: text}))
        except ConfigError as error:
            if option.off is not None:  # The search does not know the number for off.
                raise option.wrong(text) from None
            raise ConfigError(f"option {option.name}: {error}") from None
    if option.field == "opponent":
        parse_opponent(text)
        return replace(settings, opponent=text or NOBODY)
    value: Any = option.read(text)
    return replace(settings, **{option.field: value})


def _search_options() -> Iterator[Option]:
    for constant, kind in KINDS.items():
        if constant in GO_ONLY:
            continue
        name = option_name(constant)
        if kind is bool:
            yield Option(name, constant, "check", search=True)
        elif constant in CHOICES:
            choices = tuple(choice or "same" for choice in CHOICES[constant])
            yield Option(name, constant, "combo", choices=choices, search=True)
        elif constant == "contempt_visits":
            yield Option(name, constant, "spin", 0, MOST_CONTEMPT_VISITS, search=True, off=0)
        elif kind is int and RANGES[constant][1] < 2**31:
            low, high = RANGES[constant]
            yield Option(name, constant, "spin", int(low), int(high), search=True)
        else:
            # UCI has no fractions, and GUIs keep their numbers in 32 bits.
            yield Option(name, constant, "string", search=True)


def option_name(constant: str) -> str:
    """`cpuct_base` → `CPuctBase`, `root_fpu` → `FpuStrategyAtRoot`, `memory_mb` → `Hash`, as GUIs know them."""
    if constant == "memory_mb":
        return "Hash"
    words = constant.removeprefix("root_").split("_")
    if words == ["fpu"]:
        words.append("strategy")
    name = "".join("CPuct" if word == "cpuct" else word.capitalize() for word in words)
    return name + "AtRoot" * constant.startswith("root_")
