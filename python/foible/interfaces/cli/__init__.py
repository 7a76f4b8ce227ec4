"""The command line. Each command is one short file over a library function."""

import os
import re
import sys

import typer

from foible._core import FoibleError
from foible.extras import advice
from foible.interfaces.cli.commands import WHOLE_EXTRAS, build
from foible.mistakes import brief, visible

USAGE_ERROR = 2
INTERRUPTED = 130
PIPE_CLOSED = 1
LONGEST_WORD = 300
"""Characters of a name, a path or a number in a complaint."""
_NO_TEXT = re.compile("[\ud800-\udfff]")
"""What stands for a byte of an argument, or of a file's name, that is not UTF-8."""

__all__ = ["main", "run"]


def main() -> None:
    """Run the command line. Whatever is wrong with the input becomes one line on the error stream."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """The exit code: 0, 2 for bad input, 130 after Ctrl-C, 1 when nobody reads the output any more."""
    try:
        code = _app(arguments)(arguments, prog_name="foible", standalone_mode=False)
        sys.stdout.flush()
    except typer.TyperException as error:
        return _complain(error.format_message().replace("Value error, ", ""))  # pydantic's, of choices
    except FoibleError as error:
        return _complain(str(error))
    except (ModuleNotFoundError, UnicodeEncodeError) as error:
        said = _advice(error, arguments) if isinstance(error, ModuleNotFoundError) else _not_utf8(error, arguments)
        if not said:
            raise
        return _complain(said)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except OSError as error:
        return _complain(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except KeyboardInterrupt:
        code = INTERRUPTED
    if code == INTERRUPTED:
        _complain("interrupted")
    return code if isinstance(code, int) else 0


def _app(arguments: list[str]) -> typer.Typer:
    """The app with the command that is asked for. Where that wants a package that is not installed, its help says so.

    :raises ModuleNotFoundError: it wants such a package, and more than its help is asked for.
    """
    words = arguments or _words_to_complete()
    name = words[0] if words else None
    try:
        return build(name)
    except ModuleNotFoundError as error:
        said = _advice(error, words)
        if "--help" not in words or not said:
            raise
        return build(name, without=said)


def _advice(error: ModuleNotFoundError, words: list[str]) -> str:
    return advice(error.name or "", WHOLE_EXTRAS.get(words[0]) if words else None)


def _not_utf8(error: UnicodeEncodeError, words: list[str]) -> str:
    """What is said of a name of bytes that are no text: the system allows it, a result cannot repeat it."""
    found = next(filter(_NO_TEXT.search, (*words, *error.object.split('"'))), None)
    return f"{found}: not UTF-8; expected a name in UTF-8" if found else ""


def _words_to_complete() -> list[str]:
    """What stands behind `foible` on a line that a shell completes; it hands the line over in the environment."""
    if "_FOIBLE_COMPLETE" not in os.environ:
        return []
    return os.environ.get("COMP_WORDS" if "COMP_WORDS" in os.environ else "_TYPER_COMPLETE_ARGS", "").split()[1:]


def _complain(message: str) -> int:
    """One line; nothing where help was printed instead, because the command was not complete."""
    if message:
        print("foible:", *(brief(visible(word), LONGEST_WORD) for word in message.split()), file=sys.stderr)
    return USAGE_ERROR
