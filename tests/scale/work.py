"""Units for the tests of executors. Each notes in its folder what it does."""

import os
import signal
import time
import weakref
from collections.abc import Callable
from pathlib import Path

from foible.errors import ConfigError
from foible.runs.files import write_atomically
from foible.scale import Unit


def unit(folder: Path, work: str, *arguments: object) -> Unit:
    """One of the functions below, in a folder of its own."""
    folder.mkdir(exist_ok=True)
    works: list[Callable[..., None]] = [note, note_variable, die, give_up, wrong, stay, stay_in_callback, hang]
    return Unit(folder.name, folder, {one.__name__: one for one in works}[work], arguments)


def note(folder: str, text: str) -> None:
    """Also that whatever is printed disturbs nobody."""
    print("printed by a unit")
    (Path(folder) / "noted").write_text(f"{text} {os.getpid()}")


def note_variable(folder: str, name: str) -> None:
    (Path(folder) / "noted").write_text(os.environ.get(name, "absent"))


def die(folder: str, times: int) -> None:
    """Is killed so many times, and then comes to its end."""
    lives = Path(folder) / "lives"
    with lives.open("a") as stream:
        stream.write("x")
    if len(lives.read_text()) <= times:
        os.kill(os.getpid(), signal.SIGKILL)


def give_up(folder: str) -> None:
    """The first time it ends early, as a match does when a signal has stopped it."""
    tried = Path(folder) / "tried"
    if not tried.exists():
        tried.touch()
        raise KeyboardInterrupt


def wrong(folder: str, kind: str) -> None:
    if kind == "config":
        raise ConfigError(f"{folder}: no match")
    if kind == "disk":
        (Path(folder) / "missing" / "file").write_text("")
    if kind == "folder":
        write_atomically(Path(folder), "")
    raise LookupError("of nobody's making")


def stay(folder: str) -> None:
    """Until it is interrupted."""
    try:
        write_atomically(Path(folder) / "begun", str(os.getpid()))
        while True:
            time.sleep(0.02)
    finally:
        (Path(folder) / "left").touch()


def stay_in_callback(folder: str) -> None:
    """As `stay`, first in a callback, from which Python lets no exception out."""

    def called(dead: object) -> None:
        (Path(folder) / "called").touch()
        time.sleep(100)

    try:
        thing = set[int]()
        dead = weakref.ref(thing, called)
        del thing
        assert dead() is None
        stay(folder)
    finally:
        (Path(folder) / "left").touch()


def hang(folder: str) -> None:
    """The first time it is stopped for good, and hears nothing any more; the next time it comes to its end."""
    hung = Path(folder) / "hung"
    if not hung.exists():
        write_atomically(hung, str(os.getpid()))
        os.kill(os.getpid(), signal.SIGSTOP)
    (Path(folder) / "ended").touch()
