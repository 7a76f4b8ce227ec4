"""`foible doctor`: what foible finds on this machine; and `foible version`."""

import platform
from dataclasses import asdict

import typer

from foible import __version__
from foible.extras import package_versions
from foible.interfaces.cli.output import Console, Json, examples, print_json, print_table

DOCTOR_EXAMPLES = examples("foible doctor", "foible doctor --json")
BROKEN = 1


def doctor(json: Json = False) -> None:
    """What foible finds on this machine: processor, packages, extras, nets, engines; what is broken or would be faster.

    The exit code is 1 where something is broken. What is missing is not: foible does without it.
    """
    from foible.interfaces.doctor import examine  # noqa: PLC0415  imports runtimes, which `foible version` does without

    with Console(stderr=True).status("looking"):
        findings = examine()
    if json:
        print_json([asdict(finding) for finding in findings])
    else:
        rows = [(one.subject, one.name, one.state, one.found, one.advice) for one in findings]
        broken = sum(one.state == "broken" for one in findings)
        note = f"{broken} broken" if broken else "Nothing is broken."
        print_table("This machine", ("", "what", "state", "found", "to do"), rows, left=5, note=note)
    if any(one.state == "broken" for one in findings):
        raise typer.Exit(BROKEN)


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
