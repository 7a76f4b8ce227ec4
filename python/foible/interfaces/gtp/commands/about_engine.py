"""Commands about the engine itself: its name, the memory it takes, the options a controller may change, and `quit`."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import foible
from foible.errors import ConfigError
from foible.interfaces.gtp.protocol import SYNTAX, Call, CommandError
from foible.interfaces.gtp.session import Action, Session
from foible.interfaces.gtp.settings import SettingError, Settings
from foible.search.go import SIDES

_MIB: Final = 1 << 20


def describe_engine(session: Session, _: Call) -> str:
    """Gomill's description of an engine: name, version and whatever else tells it from others."""
    settings = session.settings
    limits = [f"{number} {name}" for name in ("visits", "playouts") if (number := getattr(settings, name))]
    lines = [f"foible {foible.__version__}", f"net: {session.net.evaluator.name}", ", ".join(limits)]
    if not settings.plain:
        weights = (f"{name} {','.join(f'{n:g}' for n in pair)}" for name, pair in _weights(session))
        lines.append(", ".join(weights))
    return "\n".join(lines)


def memory_report(session: Session, _: Call) -> str:
    nodes, memory, cached = session.tree.size
    return (
        f"Search tree: {nodes} nodes, {-(-memory // _MIB)} MiB of {session.settings.memory_mb}\n"
        f"Evaluations kept: {cached}"
    )


def clear_cache(session: Session, _: Call) -> str:
    session.tree.forget_all()
    return ""


def search_reset(session: Session, _: Call) -> str:
    session.tree.forget()
    return ""


def _weights(session: Session) -> tuple[tuple[str, tuple[float, ...]], ...]:
    return ("lambda", session.settings.lambda_), ("mu", session.settings.mu)


ABOUT: Final[dict[str, Action]] = {
    "protocol_version": lambda session, call: "2",
    "name": lambda session, call: "foible",
    "version": lambda session, call: foible.__version__,
    "quit": lambda session, call: "",
    "cputime": lambda session, call: f"{time.process_time():.3f}",
    "gomill-describe_engine": describe_engine,
    "lz-memory_report": memory_report,
    "lz-search_reset": search_reset,
    "clear_cache": clear_cache,
}


def read_numbers(text: str) -> tuple[float, ...]:
    """`0.5` or `0.5,0.3,0,0`.

    :raises ConfigError: anything but numbers between commas.
    """
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise ConfigError(f"{text!r}: expected 1 to {len(SIDES)} numbers with commas between them") from None


@dataclass(frozen=True, slots=True)
class Option:
    """An option of `lz-setoption`."""

    name: str
    field: str
    """The field of `Settings`."""
    read: Callable[[str], Any]
    form: str
    """Type, default and range, as the list of options shows them; `{}` stands for the value."""

    def line(self, settings: Settings) -> str:
        value = getattr(settings, self.field)
        numbers = value if isinstance(value, tuple) else (value,)
        text = ",".join(str(part).lower() if isinstance(part, bool) else f"{part:.12g}" for part in numbers)
        return f"option name {self.name} type {self.form.format(text)}"


def _truth(text: str) -> bool:
    return {"true": True, "false": False}[text.lower()]


OPTIONS: Final = (
    Option("Visits", "visits", int, "spin default {} min 0 max 1000000000"),
    Option("Playouts", "playouts", int, "spin default {} min 0 max 1000000000"),
    Option("Lagbuffer", "lag", int, "spin default {} min 0 max 3000"),
    Option("Resign Percentage", "resign", float, "spin default {} min 0 max 100"),
    Option("Pondering", "pondering", _truth, "check default {}"),
    Option("Maximum Memory Use (MiB)", "memory_mb", int, "spin default {} min 1 max 40000"),
    Option("Lambda", "lambda_", read_numbers, "string default {}"),
    Option("Mu", "mu", read_numbers, "string default {}"),
)
"""The options of `lz-setoption`. Case does not matter in their names."""


def change(settings: Settings, name: str, text: str) -> Settings:
    """:raises ConfigError: no such option, or the value is not one for it."""
    option = next((option for option in OPTIONS if option.name.lower() == name.lower()), None)
    if option is None:
        raise ConfigError("Unknown option")
    try:
        value = option.read(text)
    except (KeyError, ValueError):
        raise ConfigError("incorrect value") from None
    try:
        return replace(settings, **{option.field: value})
    except SettingError as error:
        raise error.named(option.name) from None


def setoption(session: Session, call: Call) -> str:
    """`name NAME value VALUE`, where both may have several words; without arguments, list the options."""
    if not call.more:
        return "\n" + "\n".join(option.line(session.settings) for option in OPTIONS)
    if call.word() != "name":
        raise CommandError(SYNTAX)
    words = call.rest()
    if "value" not in words:
        raise CommandError(SYNTAX)
    at = words.index("value")
    session.change_settings(change(session.settings, " ".join(words[:at]), " ".join(words[at + 1 :])))
    return ""


SETTINGS: Final[dict[str, Action]] = {"lz-setoption": setoption}
