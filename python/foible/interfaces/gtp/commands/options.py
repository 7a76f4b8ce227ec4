"""Options that a controller may change while the engine runs."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from foible.errors import ConfigError
from foible.interfaces.gtp.call import Call
from foible.interfaces.gtp.protocol import SYNTAX, CommandError
from foible.interfaces.gtp.session import Action, Session
from foible.interfaces.gtp.settings import SettingError, Settings
from foible.search.go import SIDES


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
    """Of `Settings`."""
    read: Callable[[str], Any]
    form: str
    """Type and range, as the list of options has it."""

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
"""Names are told apart in neither case."""


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
    """`name NAME value VALUE`, both perhaps of several words; without arguments the options that there are."""
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


COMMANDS: Final[dict[str, Action]] = {"lz-setoption": setoption}
