"""What people write for a model on a command line."""

import re
import tomllib
from pathlib import Path

import msgspec

from foible.errors import ConfigError
from foible.opponents.spec import ModelSpec, NetModelSpec

NUMBER = re.compile(r"[0-9]+(\.[0-9]*)?")
TABLE = "model"


def parse_model(text: str) -> ModelSpec:
    """A rating (`1537`), a TOML table (`{kind = "floor", of = {kind = "rating", rating = 1537}}`), the path of a .toml
    file that holds such keys, or else the name or path of a net (`maia-1500`).

    :raises ConfigError: it is none of these; says where it goes wrong.
    """
    text = text.strip()
    if not text:
        raise ConfigError("an empty model: expected a net, a rating, a TOML table or the path of a .toml file")
    if text.startswith("{"):
        return _model(_toml(f"{TABLE} = {text}", text)[TABLE], text)
    if text.endswith(".toml"):
        return _model(_toml(_read(Path(text)), text), text)
    if NUMBER.fullmatch(text):
        return _model({"kind": "rating", "rating": float(text)}, text)
    return NetModelSpec(net=text)


def _read(path: Path) -> str:
    try:
        return path.expanduser().read_text("utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: cannot be read (not UTF-8)") from None


def _toml(text: str, source: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{source}: not TOML: {error}") from None
    except RecursionError:
        raise ConfigError(f"{source[:40]}…: TOML nested too deep") from None


def _model(found: object, source: str) -> ModelSpec:
    try:
        spec: ModelSpec = msgspec.convert(found, ModelSpec)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{source}: {error}") from None
    except RecursionError:
        raise ConfigError(f"{source[:40]}…: nested too deep") from None
    return spec
