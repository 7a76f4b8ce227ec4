"""What users set of a search, by the names of its constants: `--set`, UCI options, `search = {…}` in configurations."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, Self

from foible.errors import ConfigError
from foible.mistakes import near
from foible.search.params import BEST_MOVE, MoveChoice, SearchParams

Constant = bool | int | float | str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings:
    """A search and the choice of its move. No name stands in both."""

    params: SearchParams = field(default_factory=SearchParams)
    choice: MoveChoice = BEST_MOVE

    def with_settings(self, settings: Mapping[str, str]) -> Self:
        """Change constants given as text.

        :raises ConfigError: an unknown name, or a value of the wrong kind or out of range.
        """
        values: dict[str, Constant] = {}
        for name, text in settings.items():
            if name not in KINDS:
                raise ConfigError(f"unknown search parameter {name!r}: {near(name, KINDS)}")
            values[name] = _parse(name, KINDS[name], text)
        return self.with_values(values)

    def with_values(self, values: Mapping[str, Constant]) -> Self:
        """Change constants.

        :raises ConfigError: a value out of range.
        """
        of_choice: dict[str, Any] = {name: value for name, value in values.items() if name in _OF_CHOICE}
        of_params: dict[str, Any] = {name: value for name, value in values.items() if name not in _OF_CHOICE}
        return replace(self, params=replace(self.params, **of_params), choice=replace(self.choice, **of_choice))

    def values(self) -> dict[str, Constant]:
        """All constants by their names."""
        return {name: getattr(self.choice if name in _OF_CHOICE else self.params, name) for name in KINDS}


KINDS: Final = {one.name: one.type for one in (*fields(SearchParams), *fields(MoveChoice))}
"""The type of every constant."""
_OF_CHOICE: Final = frozenset(one.name for one in fields(MoveChoice))

_BOOLEANS = {
    "true": True,
    "false": False,
    "1": True,
    "0": False,
    "yes": True,
    "no": False,
    "on": True,
    "off": False,
}


def _parse(name: str, kind: Any, text: str) -> Constant:
    kind = str(kind)
    text = text.strip()
    if ("None" in kind or "Optional" in kind) and text.lower() in ("none", "same", "off"):
        return None
    try:
        if "bool" in kind:
            return _BOOLEANS[text.lower()]
        if "int" in kind:
            return int(text)
        if "float" in kind:
            return float(text)
    except (KeyError, ValueError):
        expected = "true or false" if "bool" in kind else "a whole number" if "int" in kind else "a number"
        raise ConfigError(f"search parameter {name} = {text!r}: expected {expected}") from None
    return text
