"""The command line. Each command is a short function over what a library user would call."""

import gc
import os
import re
import sys
from contextlib import nullcontext

import typer

from foible import __version__
from foible._core import FoibleError
from foible.extras import advice
from foible.interfaces.cli.commands import WHOLE_EXTRAS, build
from foible.interfaces.standard_output import use_stand_ins
from foible.mistakes import brief, visible
from foible.runs.interrupt import terminable

USAGE_ERROR = 2
INTERRUPTED = 130
PIPE_CLOSED = 1
SERVING = (["web"], ["uci"], ["gtp"])
"""Commands that work for somebody else and have nothing to finish: SIGTERM ends them as any other program."""
LONGEST_WORD = 300
"""The most characters of a name, a path or a number that an error message repeats."""
_NO_TEXT = re.compile("[\ud800-\udfff]")
"""The surrogates by which Python represents bytes of arguments and file names that are not UTF-8."""

_PHRASES = {
    "Value error, ": "",
    "Input should be a valid integer, unable to parse string as an integer": "expected a whole number",
    "Input should be a valid number, unable to parse string as a number": "expected a number",
    "Input should be less than or equal to": "expected at most",
    "Input should be greater than or equal to": "expected at least",
    " does not match the formats '%Y-%m-%d'.": ": expected YYYY-MM-DD",
}
"""What pydantic and typer say of the value of an option, and what all other messages say."""

__all__ = ["Stopped", "main", "run"]


class Stopped(Exception):  # noqa: N818  # what it tells of is no error
    """A command was interrupted before the end of its job; the message says how far it came."""


def main() -> None:
    """Run the command line. Whatever is wrong with the input becomes one line on the error stream."""
    if sys.argv[1:] == ["--version"]:
        print(f"foible {__version__}")
    else:
        gc.disable()  # Imports leave no garbage; searching what they made takes a tenth of a start.
        sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run a command; the exit code: 0, 2 for bad input, 130 after Ctrl-C or SIGTERM, 1 when nobody reads the output any
    more.
    """
    if sys.stdout is None:  # the caller closed it
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # it stays open to the end of the process
    for stream in filter(None, (sys.stdout, sys.stderr)):
        use_stand_ins(stream)
    try:
        code, how_far = _result(arguments)
        sys.stdout.flush()
    except typer.TyperException as error:
        return _complain(_in_our_words(error.format_message()) + _usage_after(error))
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
    if code == INTERRUPTED:
        _complain(how_far or "interrupted")
    return code if isinstance(code, int) else 0


def _result(arguments: list[str]) -> tuple[object, str]:
    """What a command returns, or an exit code; and how far it came, where it was interrupted and says so."""
    try:
        with nullcontext() if arguments[:1] in SERVING else terminable():
            app = _app(arguments)
            if not gc.isenabled():  # `main` put it off
                gc.freeze()
                gc.enable()
            return app(arguments, prog_name="foible", standalone_mode=False), ""
    except (Stopped, KeyboardInterrupt) as interrupt:
        return INTERRUPTED, str(interrupt)


def _app(arguments: list[str]) -> typer.core.TyperGroup:
    """`foible` with the command that is asked for. Where the command needs a package that is missing, its help says so.

    :raises ModuleNotFoundError: the command needs such a package, and is to run, not to show its help.
    """
    words = arguments or _words_to_complete()
    name = words[0] if words else None
    try:
        return build(name)
    except ModuleNotFoundError as error:
        said = _advice(error, words)
        if not {"-h", "--help"}.intersection(words) or not said:
            raise
        return build(name, without=said)


def _in_our_words(message: str) -> str:
    for theirs, ours in _PHRASES.items():
        message = message.replace(theirs, ours)
    return message


def _usage_after(error: typer.TyperException) -> str:
    """What the command takes, where it was given a word too many, and where its options are listed, where it has none
    of that name or a similar one: the message names that word alone.
    """
    context, message = getattr(error, "ctx", None), error.format_message()
    if context is None:
        return ""
    if message.startswith("Got unexpected extra argument"):
        return f"; expected {context.get_usage().removeprefix('Usage: ')}"
    unknown = message.startswith("No such option") and not message.endswith(")")  # where it names similar ones
    return f"; `{context.command_path} --help` lists those that there are" if unknown else ""


def _advice(error: ModuleNotFoundError, words: list[str]) -> str:
    return advice(error.name or "", WHOLE_EXTRAS.get(words[0]) if words else None)


def _not_utf8(error: UnicodeEncodeError, words: list[str]) -> str:
    """The message on a name that is not UTF-8, which systems allow and results cannot hold; empty without one."""
    found = next(filter(_NO_TEXT.search, (*words, *error.object.split('"'))), None)
    return f"{found}: not UTF-8; expected a name in UTF-8" if found else ""


def _words_to_complete() -> list[str]:
    """The words after `foible` on a line that a shell is completing; the shell passes the line in the environment."""
    if "_FOIBLE_COMPLETE" not in os.environ:
        return []
    return os.environ.get("COMP_WORDS" if "COMP_WORDS" in os.environ else "_TYPER_COMPLETE_ARGS", "").split()[1:]


def _complain(message: str) -> int:
    """Print an error as one line; the message is empty where help was printed, as the command was incomplete."""
    if message:
        print("foible:", *(brief(visible(word), LONGEST_WORD) for word in message.split()), file=sys.stderr)
    return USAGE_ERROR
