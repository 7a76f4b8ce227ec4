"""What people write for a model on a command line."""

import re
from pathlib import Path

from foible.errors import ConfigError
from foible.opponents.spec import ModelSpec, NetModelSpec
from foible.toml import convert, inline, read_toml

NUMBER = re.compile(r"[0-9]+(\.[0-9]*)?")


def parse_model(text: str) -> ModelSpec:
    """A rating (`1537`), a TOML table (`{kind = "floor", of = {kind = "rating", rating = 1537}}`), the path of a .toml
    file that holds such keys, or else the name or path of a net (`maia-1500`, `club:1500`).

    :raises ConfigError: it is none of these; says where it goes wrong.
    """
    text = text.strip()
    if not text:
        raise ConfigError("an empty model: expected a net, a rating, a TOML table or the path of a .toml file")
    found: ModelSpec = NetModelSpec(net=text)
    if text.startswith("{"):
        found = inline(text, ModelSpec, text)
    elif text.endswith(".toml"):
        found = convert(read_toml(_read(Path(text)), text), ModelSpec, text)
    elif NUMBER.fullmatch(text):
        found = convert({"kind": "rating", "rating": float(text)}, ModelSpec, text)
    return found


def _read(path: Path) -> str:
    try:
        return path.expanduser().read_text("utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: cannot be read (not UTF-8)") from None
