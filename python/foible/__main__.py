"""The program `foible`, which `python -m foible` is as well, for where that is not on the path."""

import sys


def main() -> None:
    """Run the command line; Ctrl-C ends it in one line, from the first imports on."""
    try:
        from foible.interfaces.cli import main as run_commands  # noqa: PLC0415  may be interrupted
    except KeyboardInterrupt:
        print("foible: interrupted", file=sys.stderr)
        sys.exit(130)
    run_commands()


if __name__ == "__main__":
    main()
