"""The option `--out` of commands that draw."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from foible.errors import ConfigError

Out = Annotated[Path | None, typer.Option(help="The picture, .svg or .png.", show_default=False)]

KINDS: Final[dict[str, Literal["svg", "png"]]] = {".svg": "svg", ".png": "png"}


@dataclass(frozen=True, slots=True)
class PictureFile:
    """A picture that was asked for."""

    path: Path
    kind: Literal["svg", "png"]


def picture_file(out: Path | None) -> PictureFile | None:
    """What `--out` asks for.

    :raises ConfigError: the name is not that of a picture.
    """
    if out is None:
        return None
    if out.suffix not in KINDS:
        raise ConfigError(f"{out}: expected the name of a picture, {' or '.join(KINDS)}")
    return PictureFile(out, KINDS[out.suffix])
