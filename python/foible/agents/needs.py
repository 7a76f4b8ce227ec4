"""The nets, programs and other files that a description of players names: the nets that play, those that stand in for
others, what this machine lacks, and the hashes of the files.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from foible.engines.programs import program_path
from foible.errors import FoibleError
from foible.nets.download import file_sha256
from foible.nets.named_nets import public_nets, split_rating
from foible.nets.shelf import at_hand, choose_net
from foible.toml import expand

S = TypeVar("S", bound=msgspec.Struct)

LEVELS_KEY = "nets"
"""The key of a table that names a net, or several, for each level."""

NET_KEYS = ("net", "judge", "junior", "hand", "opponent")
"""The keys whose value is a net, or a list of nets of which the first that is on this machine plays."""
PROGRAM_KEY = "command"
"""The key of a program, or of a program and its arguments."""
FILE_KEYS = (PROGRAM_KEY, "file", "book", "options")
"""The keys whose values name files. In a command only the program counts: its arguments may name a log file."""


def with_chosen_nets(spec: S) -> S:
    """The description with every list of nets replaced by the one that plays."""
    changes = {name: _with_chosen_nets(name, value) for name, value in msgspec.structs.asdict(spec).items()}
    return msgspec.structs.replace(spec, **changes)


def _with_chosen_nets(key: str, value: Any) -> Any:
    match value:
        case msgspec.Struct():
            return with_chosen_nets(value)
        case dict() if key == LEVELS_KEY:
            return {level: choose_net(net) for level, net in value.items()}
        case list() if key in NET_KEYS:
            return choose_net(value)
        case list():
            return [_with_chosen_nets("", item) for item in value]
        case _:
            return value


def stand_ins(spec: msgspec.Struct) -> set[tuple[str, str]]:
    """The nets that a description prefers but that are not on this machine, each with the net that replaces it."""
    return {pair for name, value in msgspec.structs.asdict(spec).items() for pair in _stand_ins(name, value)}


def _stand_ins(key: str, value: Any) -> set[tuple[str, str]]:
    match value:
        case msgspec.Struct():
            return stand_ins(value)
        case dict() if key == LEVELS_KEY:
            return {pair for net in value.values() for pair in _stand_ins(NET_KEYS[0], net)}
        case list() if key in NET_KEYS:
            return {(value[0], choose_net(value))} - {(value[0], value[0])}
        case list():
            return {pair for item in value for pair in _stand_ins("", item)}
        case _:
            return set()


def missing(spec: msgspec.Struct, is_here: Callable[[str], bool] = at_hand) -> list[str]:
    """The nets and programs that a player or a team needs and this machine lacks, in words, with a command to get the
    net where there is one; empty where it can play at once.

    :param is_here: whether a net is on this machine.
    """
    return list(dict.fromkeys(lack for key, value in _leaves(spec) for lack in _lacks(key, value, is_here)))


def _lacks(key: str, value: Any, is_here: Callable[[str], bool]) -> Iterator[str]:
    match value:
        case dict() if key == LEVELS_KEY:
            for net in value.values():
                yield from _lacks(NET_KEYS[0], net, is_here)
        case str() | list() if key in NET_KEYS:
            yield from _net_lacks([value] if isinstance(value, str) else value, is_here)
        case str() | list() if key == PROGRAM_KEY:
            program = value if isinstance(value, str) else value[0]
            if program_path(program) is None:
                yield f"the program {program}"


def _net_lacks(nets: Sequence[str], is_here: Callable[[str], bool]) -> Iterator[str]:
    """The first of several alternative nets, as missing, where none of them is on this machine."""
    try:
        if not any(map(is_here, nets)):
            name, _ = split_rating(nets[0])
            yield f"the net {name} (foible nets get {name})" if name in public_nets() else f"the net {name}"
    except FoibleError as error:
        yield str(error)


def _leaves(spec: msgspec.Struct) -> Iterator[tuple[str, Any]]:
    """The keys and plain values of a description and of all descriptions nested in it."""
    for key, value in msgspec.structs.asdict(spec).items():
        parts = value if isinstance(value, list) else [value]
        inside = [part for part in parts if isinstance(part, msgspec.Struct)]
        for part in inside:
            yield from _leaves(part)
        if not inside:
            yield key, value


def file_hashes(description: msgspec.Struct) -> dict[str, str]:
    """The hash of every file, other than nets, that a description names at any depth: the programs of engines, games,
    books. The keys are the names in the description.

    A name that is no file on this machine is left out: whoever opens the file reports that it is missing.
    """
    return {name: f"sha256 {file_sha256(path)}" for name, path in sorted(_files("", msgspec.to_builtins(description)))}


def _files(key: str, value: Any) -> Iterator[tuple[str, Path]]:
    match value:
        case dict():
            for inner, within in value.items():
                yield from _files(key if key == "options" else inner, within)
        case [program, *_] if key == PROGRAM_KEY:
            yield from _files(key, program)
        case list():
            for item in value:
                yield from _files(key, item)
        case str() if key in FILE_KEYS:
            path = expand((program_path(value) if key == PROGRAM_KEY else None) or value)
            if path.is_file():
                yield value, path
