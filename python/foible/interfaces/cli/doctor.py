"""`foible doctor`."""

from dataclasses import asdict

import typer

from foible.interfaces.cli.output import Console, Json, examples, print_json, print_table
from foible.interfaces.doctor import examine

DOCTOR_EXAMPLES = examples("foible doctor", "foible doctor --json")
BROKEN = 1


def doctor(json: Json = False) -> None:
    """What foible finds on this machine: processor, packages, extras, nets, engines; what is broken or would be faster.

    The exit code is 1 where something is broken. What is missing is not: foible does without it.
    """
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
