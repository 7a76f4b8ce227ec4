"""A page for each command, written from the command itself before the site is built."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from rich.markup import render
from sphinx.application import Sphinx

from foible.interfaces.cli.commands import COMMANDS, build

FOLDER = Path("reference", "commands")


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True}


def write_pages(app: Sphinx) -> None:
    """`reference/commands`: the index, and a page for each command."""
    write(app.srcdir / FOLDER, {"index.md": index(), **{f"{name}.md": command_page(name) for name in COMMANDS}})


def write(folder: Path, pages: dict[str, str]) -> None:
    """Make the folder hold these pages alone. One that is as it was is left alone, and not read again by Sphinx."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        if path.name not in pages:
            path.unlink()
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")


def index() -> str:
    """What each command is for, in a line."""
    rows = "\n".join(f"| [`foible {name}`]({name}.md) | {summary} |" for name, (_, summary) in COMMANDS.items())
    return (
        "# Commands\n\nFor those who use foible on the command line: every command with its options and examples, as "
        "`foible COMMAND --help` shows them.\n\n"
        f"| command | what it does |\n| --- | --- |\n{rows}\n\n```{{toctree}}\n:hidden:\n\n"
        + "\n".join(COMMANDS)
        + "\n```\n"
    )


def command_page(name: str) -> str:
    """The page of a command, with its subcommands below it."""
    return "\n\n".join(_sections(f"foible {name}", build(name).commands[name], 1)) + "\n"


def _sections(name: str, command: Any, level: int) -> Iterator[str]:
    yield f"{'#' * level} {name}"
    yield markdown(_plain(command.help or ""))
    context = typer.Context(command, info_name=name)
    yield f"```text\n{' '.join([name, *command.collect_usage_pieces(context)])}\n```"
    records = [record for option in command.get_params(context) if (record := option.get_help_record(context))]
    if records:
        yield "| option | meaning |\n| --- | --- |\n" + "\n".join(_row(*record) for record in records)
    lines = [
        line.strip() for line in _plain(command.epilog or "").removeprefix("Examples:").splitlines() if line.strip()
    ]
    if examples := [line for line in lines if not line[0].isupper()]:
        yield "\n".join(("Examples:\n\n```sh", *examples, "```"))
    yield from (markdown(line) for line in lines if line[0].isupper())
    for subcommand in getattr(command, "commands", {}).values():
        yield from _sections(f"{name} {subcommand.name}", subcommand, level + 1)


def _row(names: str, told: str) -> str:
    """An option in the table: its kind of value without `list` and `range`, its default and bounds in brackets."""
    names = re.sub(r"<(?:list\[)?(\w+)(?: range|\])>", r"<\1>", names)
    told, _, bounds = told.partition("  [")
    meaning = _plain(told) + (f" ({bounds.removesuffix(']')})" if bounds else "")
    return f"| `{_cell(names)}` | {_cell(markdown(meaning))} |"


def _plain(text: str) -> str:
    """Without the markup of terminals."""
    return render(text).plain


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def markdown(text: str) -> str:
    """Plain text as Markdown: code in backquotes stays, other signs mean themselves, pages of `docs` are linked."""
    parts = re.split(r"(`[^`]*`)", text)
    parts[::2] = [
        re.sub(r"docs/(\w[\w-]*\.md)", r"[\1](/\1)", re.sub(r"([\\*_\[\]<>#])", r"\\\1", part)) for part in parts[::2]
    ]
    return "".join(parts)
