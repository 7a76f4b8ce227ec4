"""`foible presets`."""

import sys
from typing import Annotated

import tomli_w
import typer

from foible.arena.config import own_presets, read_preset, to_toml_dict
from foible.arena.papers import EXPERIMENTS
from foible.arena.store import without_none
from foible.interfaces.cli.output import Json, examples, print_json, print_table

EPILOG = examples(
    "foible presets", "foible presets stt-exp > exp.toml && foible match exp.toml --games 20 --effort 0.02"
)

OURS = "ours"
"""What stands where others name a paper."""


def presets(
    name: Annotated[
        str | None, typer.Argument(help="Write this one as a configuration file.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """The matches that come with foible: some of its own, and every experiment of the papers.

    `foible match --preset NAME` plays one. With a NAME its configuration is written to the output, every default
    spelled out: a start for one of your own.
    """
    if name is None:
        _list(as_json)
    elif as_json:
        print_json(to_toml_dict(read_preset(name)))
    else:
        config = tomli_w.dumps(without_none(to_toml_dict(read_preset(name))))
        sys.stdout.write(_about(name) + config)


def _entries() -> list[dict[str, str]]:
    """Foible's own matches, then those of the papers."""
    own = [{"name": name, "source": OURS, "what": what, "published": ""} for name, what in own_presets().items()]
    papers = [
        {"name": name, "source": one.source, "what": one.what, "published": one.published}
        for name, one in EXPERIMENTS.items()
    ]
    return own + papers


def _about(name: str) -> str:
    """What the configuration is, as comments."""
    found = next(entry for entry in _entries() if entry["name"] == name)
    published = f"; published: {found['published']}" if found["published"] else ""
    return f"# {name}: {found['what']} ({found['source']}{published})\n\n"


def _list(as_json: bool) -> None:
    if as_json:
        print_json(_entries())
        return
    rows = [(one["name"], one["what"], one["published"] or None, one["source"]) for one in _entries()]
    columns = ("preset", "match", "published", "source")
    print_table("Presets, and the published share of the focal team in %", columns, rows, left=4)
