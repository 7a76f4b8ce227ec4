"""`foible doctor`: what foible finds on this machine; and `foible version`."""

import platform
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

import typer
from rich.table import Table

from foible import __version__
from foible.extras import package_versions
from foible.interfaces.cli.output import Console, Json, examples, output_console, print_json

if TYPE_CHECKING:
    from foible.interfaces.doctor import Finding

DOCTOR_EXAMPLES = examples("foible doctor", "foible doctor --json")
BROKEN = 1
WIDTHS: Final = (18, 7)
"""The widths of the names and of the states in characters, fixed: a row is shown before the others are known."""


def doctor(json: Json = False) -> None:
    """What foible finds on this machine: processor, packages, extras, nets, engines; what is broken or would be faster.

    The exit code is 1 where something is broken. What is missing is not: foible does without it.
    """
    from foible.interfaces.doctor import examine  # noqa: PLC0415  imports runtimes, which `foible version` does without

    if json:
        with Console(stderr=True).status("looking"):
            findings = list(examine())
        print_json([asdict(finding) for finding in findings])
    else:
        findings = []
        console = output_console()
        for one in examine():
            if not findings or findings[-1].subject != one.subject:
                console.print(one.subject)
            console.print(_row(one))
            findings.append(one)
        broken = sum(one.state == "broken" for one in findings)
        console.print(f"{broken} broken" if broken else "Nothing is broken.")
    if any(one.state == "broken" for one in findings):
        raise typer.Exit(BROKEN)


def _row(finding: "Finding") -> Table:
    row = Table.grid(padding=(0, 2, 0, 0))
    row.add_column(width=0)
    for width in (*WIDTHS, None):
        row.add_column(width=width, overflow="fold")
    text = f"{finding.found} ({finding.advice})" if finding.advice else finding.found
    row.add_row("", finding.name, finding.state, text)
    return row


VERSION_EXAMPLES = "Put this into every bug report."


def version(json: Json = False) -> None:
    """Versions of foible, of Python and of what computes the nets."""
    versions = {"foible": __version__, "python": platform.python_version()}
    versions |= package_versions() | {"platform": platform.platform()}
    if json:
        print_json(versions)
        return
    for name, text in versions.items():
        print(f"{name:12} {text}")
