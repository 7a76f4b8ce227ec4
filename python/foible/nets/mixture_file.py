"""A mixture as a file, which lists the nets and says how one is chosen for each position.

    gate = "current"
    vote = "split"
    nets = ["opening.pb.gz", "middlegame.pb.gz", "endgame.pb.gz"]

A mixture may also be a folder with a subfolder for each phase, `phase0`, `phase1`, `phase2`, and one net in each, as
CrazyAra has it.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec
import tomli_w

from foible.errors import ConfigError, NetFileError
from foible.fields import Names
from foible.games.phases import PHASES
from foible.nets.evaluator import Evaluator
from foible.nets.gates import Gate, LearnedGate, TableGate, parse_gate
from foible.nets.mixture import MajorityMixture, PhaseMixture
from foible.nets.paths import NET_SUFFIXES, net_at
from foible.scale.lending import offered_beside
from foible.toml import convert, read_text, read_toml

Vote = Literal["split", "majority"]

VOTES: dict[Vote, type[PhaseMixture]] = {"split": PhaseMixture, "majority": MajorityMixture}


class MixtureConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of a mixture's file."""

    nets: Names
    """One net for each phase, or a single one for all: paths, relative to the file's folder, or names. A net may be
    listed several times.
    """
    gate: str | LearnedGate = "current"
    """The rule that tells phases apart: `current`, `legacy` or `engine`, tables of mixedness scores; or `moves-K`, K
    segments by the move counter. Or a table with what was learned in place of a rule.
    """
    vote: Vote = "split"
    """`split`: each position is judged by the net of its own phase; `majority`: all leaves that a search evaluates
    together are judged by the net of their most frequent phase.
    """


@dataclass(frozen=True, slots=True)
class NetMixture:
    """The mixture that a file or folder describes."""

    path: Path
    gate: Gate
    vote: Vote
    nets: tuple[str, ...]
    """Paths, or names of known nets."""


def read_mixture(path: Path) -> NetMixture:
    """Read a mixture from its file or folder.

    :raises ConfigError: the file or folder does not describe a mixture.
    :raises NetFileError: the folder of a phase is missing, or holds no net, or several.
    """
    if path.is_dir():
        nets = tuple(_net_in(path / f"phase{k}") for k in _phases_in(path))
        return NetMixture(path, TableGate("current"), "split", nets)
    source = str(path)
    table = read_toml(read_text(path), source)
    if table and not table.keys() & set(MixtureConfig.__struct_fields__):
        raise ConfigError(f"{source}: lists no nets; expected nets = [ … ], or the run folder in place of a run's file")
    config: MixtureConfig = convert(table, MixtureConfig, source)
    try:
        gate = _gate(config.gate)
    except ConfigError as error:
        raise ConfigError(f"{source}: {error}") from None
    if len(config.nets) not in (1, gate.count):
        raise ConfigError(
            f"{source}: gate {gate} tells {gate.count} phases apart, and there are {len(config.nets)} nets"
        )
    return NetMixture(path, gate, config.vote, tuple(_net_beside(path, net) for net in config.nets))


def _gate(found: str | LearnedGate) -> Gate:
    if isinstance(found, str):
        return parse_gate(found)
    found.check()
    return found


def names_nets(path: Path) -> bool:
    """Whether a TOML file is that of a mixture: it lists nets, which the configuration of a run does not. True also for
    a damaged file, so that whoever opens it is told what is wrong.
    """
    try:
        return isinstance(read_toml(read_text(path), str(path)).get("nets"), list)
    except ConfigError:
        return True


def mixture_toml(nets: Sequence[str], gate: str | LearnedGate = "current", vote: Vote = "split") -> str:
    """The text of a mixture's file."""
    return tomli_w.dumps({"gate": msgspec.to_builtins(gate), "vote": vote, "nets": list(nets)})


def build_mixture(mixture: NetMixture, name: str, open_one: Callable[[str], Evaluator]) -> PhaseMixture:
    """The evaluator of a mixture. `open_one` opens a net by path or name, and is called once for each distinct net."""
    opened = {net: open_one(net) for net in dict.fromkeys(mixture.nets)}
    return VOTES[mixture.vote]([opened[net] for net in mixture.nets], mixture.gate, name, mixture.nets)


def mixture_hash(mixture: NetMixture, hash_one: Callable[[str], str]) -> str:
    """A sha256 over the gate, the vote and the hashes of the nets. It does not depend on where the files lie."""
    text = "\n".join((str(mixture.gate), mixture.vote, *map(hash_one, mixture.nets)))
    return hashlib.sha256(text.encode()).hexdigest()


def _net_beside(path: Path, net: str) -> str:
    """The path of a listed net if it lies relative to the mixture's file, with whatever stands behind colons; if the
    file is a copy of another machine's, the name of the net that is lent from there; otherwise the text as it was
    listed.
    """
    beside = path.parent / net
    if lies_at(beside):
        return str(beside)
    lent = ((offered_beside(path, name), name) for name in _without_colons(net))
    return next((found + net.removeprefix(name) for found, name in lent if found), net)


def lies_at(place: Path) -> bool:
    """Whether there is a net at a path, behind whose name colons may add a rating, heads and a precision."""
    return any(net_at(place.with_name(name)) for name in _without_colons(place.name))


def _without_colons(net: str) -> Iterator[str]:
    """A net's name, and the names before each of its colons, the longest first."""
    while net:
        yield net
        net = net.rpartition(":")[0]


def _phases_in(folder: Path) -> range:
    """The numbers of the phases for which a folder has subfolders.

    :raises ConfigError: there are neither three phases, as lichess has them, nor a single one.
    """
    count = sum(1 for place in folder.glob("phase[0-9]") if place.is_dir())
    if count not in (1, len(PHASES)):
        hint = 'write a .toml file with gate = "moves-K" for other phases'
        raise ConfigError(f"{folder}: {count} folders of phases; expected phase0, phase1 and phase2 ({hint})")
    return range(count)


def _net_in(folder: Path) -> str:
    files = [file for file in sorted(folder.glob("*")) if file.name.endswith(NET_SUFFIXES) and file.is_file()]
    if len(files) != 1:
        raise NetFileError(f"{folder}: {len(files)} nets; expected one ({', '.join(NET_SUFFIXES)})")
    return str(files[0])
