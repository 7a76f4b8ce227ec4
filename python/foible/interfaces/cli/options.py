"""Options and arguments that several commands share, and the files and settings that they name."""

import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Final, Literal, get_args

import typer

from foible.engines.programs import installed_stockfish
from foible.errors import ConfigError, GameFileError
from foible.fields import PictureKind
from foible.games.jsonl import STARTPOS
from foible.nets.choices import MOST_THREADS

RuntimeName = Literal["auto", "openvino", "onnxruntime", "torch"]
PrecisionName = Literal["auto", "f32", "bf16", "int8"]


def start_fen(text: str | None) -> str | None:
    """The FEN of an option, where `startpos` stands for the start position, or `None` for that."""
    return None if text == STARTPOS else text


_NUMBERS: Final = re.compile(r"\b\d+\.+|,")


def written_moves(text: str) -> list[str]:
    """The moves of an option, in whatever notation, without the numbers and commas that people write between them."""
    return _NUMBERS.sub(" ", text).split()


Net = Annotated[
    str, typer.Argument(metavar="NET", help="A path, or a name that `foible nets list` shows.", show_default=False)
]
Positions = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help='A position a line: FEN, EPD or JSON, {"fen": …, "moves": ["e2e4", …], "id": …} with fen or moves or both,'
        ' and "chess960": true where castling rights do not tell that it is. "-" is standard input.',
        show_default=False,
    ),
]
Runtime = Annotated[
    RuntimeName, typer.Option(help="What computes the net; auto: torch where there is CUDA, else measured once.")
]
PRECISION_HELP: Final = "Arithmetic of nets; auto: the fastest that is near f32. See docs/nets.md."
Precision = Annotated[PrecisionName, typer.Option(help=PRECISION_HELP)]
Threads = Annotated[
    int | None,
    typer.Option(min=1, max=MOST_THREADS, help="Threads of the net.", show_default="one per processor"),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help="A search parameter; `foible search --help` lists them. May be repeated."
    ),
]

RunOut = Annotated[
    Path | None, typer.Option(help="Run folder; runs/NAME of the configuration when absent.", show_default=False)
]
On = Annotated[
    str,
    typer.Option(
        metavar="WHERE",
        help="Where the work runs: inline (in this process), processes:N, ray, or ray:ADDRESS. See docs/scale.md.",
    ),
]
AnyProcessor = Annotated[
    bool,
    typer.Option(
        "--any-processor",
        help="Accept parts that another model of processor computed; results may differ in the last bits.",
    ),
]


def judge_option(nodes: int) -> Any:
    """The option `--judge`, for which the help names the usual judge: Stockfish at `nodes` nodes, or a net."""
    return typer.Option(
        help="Who judges: NET, NET@NODES, uci:COMMAND:nodes=100000, or a table of TOML.",
        show_default=f"Stockfish at {nodes:,} nodes where it is installed, else master@100",
    )


def judge_line(name: str, *, asked: object) -> str:
    """The line in which a command names its judge of positions. `asked`: true where the user chose the judge."""
    missing = "" if asked or installed_stockfish() else "; Stockfish, which is not installed, would judge better"
    return f"judge: {name}{missing}"


STDIN = "-"
_PIPE: Final = Path("/dev/stdin")
"""The path by which the bytes of standard input are read like a file's, on systems that have one."""


def is_stdin(file: Path) -> bool:
    """Whether a file is standard input, by either of its names."""
    return file in (Path(STDIN), _PIPE)


def input_path(file: Path) -> Path:
    """The path of a file that is read once, from its beginning to its end: `-` stands for standard input.

    :raises ConfigError: this system has no path for standard input.
    """
    if str(file) != STDIN:
        return file
    if not _PIPE.exists():
        check_files([file])
    return _PIPE


def check_files(files: Iterable[Path]) -> None:
    """Check that none of the files, which are read more than once or looked for again, is standard input.

    :raises ConfigError: one is.
    """
    for file in files:
        if is_stdin(file):
            raise ConfigError(f"{file}: standard input cannot be read again here; write it to a file, and name that")


LONGEST_LINE: Final = 1 << 20
"""The most bytes of a line of input."""


@contextmanager
def open_lines(file: str) -> Iterator[tuple[Iterator[bytes], str, int | None]]:
    """The lines of a file, the name by which errors call it, and the number of lines with text where that can be known.

    :raises GameFileError: the file is missing, or a line is longer than 1 MiB, which may show only while iterating.
    :raises OSError: the file cannot be opened.
    """
    if file == STDIN:
        yield _lines(sys.stdin.buffer, "standard input"), "standard input", None
        return
    if not Path(file).exists():
        line = '{"fen": "startpos"}' if file == STARTPOS else file if file.count("/") == 7 and " " in file else None
        hint = f"; a position itself is read from standard input: echo '{line}' | foible … -" if line else ""
        raise GameFileError(f"{file}: no such file{hint}")
    with Path(file).open("rb") as stream:
        total = None
        if stream.seekable():
            total = sum(bool(line.strip()) for line in _lines(stream, file))
            stream.seek(0)
        yield _lines(stream, file), file, total


def _lines(stream: BinaryIO, name: str) -> Iterator[bytes]:
    for number in count(1):
        line = stream.readline(LONGEST_LINE + 1)
        if len(line) > LONGEST_LINE:
            raise GameFileError(f"{name}, line {number}: longer than {LONGEST_LINE >> 20} MiB")
        if not line:
            return
        yield line


def settings(pairs: Sequence[str]) -> dict[str, str]:
    """The values by key of the options `--set`, each `KEY=VALUE`.

    :raises ConfigError: a pair without `=`.
    """
    for pair in pairs:
        if "=" not in pair:
            raise ConfigError(f"--set {pair}: expected KEY=VALUE, e.g. cpuct=2.5")
    return {key.strip(): value for key, _, value in (pair.partition("=") for pair in pairs)}


Out = Annotated[Path | None, typer.Option(help="The picture, .svg or .png.", show_default=False)]

SUFFIXES: Final[Mapping[str, PictureKind]] = {f".{kind}": kind for kind in get_args(PictureKind)}


@dataclass(frozen=True, slots=True)
class PictureFile:
    """The file of a picture, and its format."""

    path: Path
    kind: PictureKind


def picture_file(out: Path | None) -> PictureFile | None:
    """The picture that `--out` asks for; `None` without the option. Errors as `check_picture`."""
    if out is None:
        return None
    check_picture(out, SUFFIXES)
    return PictureFile(out, SUFFIXES[out.suffix])


def check_picture(path: Path, suffixes: Collection[str]) -> None:
    """:raises ConfigError: the path to write has none of the suffixes, is a folder, or lies in none that exists."""
    if path.suffix not in suffixes:
        raise ConfigError(f"{path}: expected the name of a picture, {' or '.join(suffixes)}")
    if path.is_dir():
        raise ConfigError(f"{path} is a folder; expected a file")
    if not path.parent.is_dir():
        raise ConfigError(f"{path}: there is no folder {path.parent}")
