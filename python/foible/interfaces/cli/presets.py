"""`foible presets`."""

import sys
from typing import Annotated

import tomli_w
import typer

from foible.arena.config import read_preset, to_toml_dict
from foible.arena.papers import EXPERIMENTS
from foible.arena.store import without_none
from foible.interfaces.cli.output import Json, examples, print_json, print_table

EPILOG = examples(
    "foible presets", "foible presets stt-exp > exp.toml && foible match exp.toml --games 20 --effort 0.02"
)


def presets(
    name: Annotated[
        str | None, typer.Argument(help="Write this one as a configuration file.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """The matches that come with foible: every experiment of the papers, with what was published of it.

    `foible match --preset NAME` plays one. With a NAME its configuration is written to the output, every default
    spelled out: a start for one of your own.
    """
    if name is None:
        _list(as_json)
    elif as_json:
        print_json(to_toml_dict(read_preset(name)))
    else:
        sys.stdout.write(_about(name) + tomli_w.dumps(without_none(to_toml_dict(read_preset(name)))))


def _about(name: str) -> str:
    """What the configuration is, as comments."""
    found = EXPERIMENTS.get(name)
    if found is None:
        return ""
    published = f"; published: {found.published}" if found.published else ""
    return f"# {name}: {found.what} ({found.source}{published})\n\n"


def _list(as_json: bool) -> None:
    if as_json:
        found = [
            {"name": n, "source": e.source, "what": e.what, "published": e.published} for n, e in EXPERIMENTS.items()
        ]
        print_json(found)
        return
    rows = [(n, e.what, e.published or None, e.source) for n, e in EXPERIMENTS.items()]
    columns = ("preset", "match", "published", "source")
    print_table("Presets, and the published share of the focal team in %", columns, rows, left=4)
