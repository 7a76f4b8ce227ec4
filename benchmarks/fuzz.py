"""Inputs by strangers, made by changing good ones at random, for everything that Python reads.

    python benchmarks/fuzz.py [READER …] [--inputs N] [--seed S] [--keep FOLDER]

Each reader gets so many inputs: a good one of its own, in which bytes are flipped, pieces cut, doubled, swapped with
pieces of other good inputs, or replaced by what readers stumble over. An input must be read or refused by one of
foible's own errors, in one line. Any other exception is shown with its traceback, and its input is kept. The same seed
makes the same inputs. The core's own readers are fuzzed by `cargo fuzz` (core/fuzz).
"""

import argparse
import gzip
import io
import random
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from onnx import TensorProto, ValueInfoProto, helper, numpy_helper

from foible.agents.spec import parse_team
from foible.analysis.puzzles.puzzle_table import read_table
from foible.arena.config import parse_config as parse_match
from foible.arena.go.config import parse_config as parse_go_match
from foible.arena.openings import read_openings
from foible.arena.pgn import read_records
from foible.arena.sweep.config import parse_sweep
from foible.errors import FoibleError, GameFileError
from foible.games.jsonl import read_positions
from foible.games.pgn import read_pgn
from foible.games.sgf import walk_sgf
from foible.interfaces.gtp import protocol as gtp
from foible.interfaces.uci import protocol as uci
from foible.interfaces.uci.personalities import parse_personalities
from foible.interfaces.web.messages import MessageError, read_message
from foible.judges.spec import parse_judge
from foible.nets.catalogue import describe_net
from foible.nets.mixture_file import read_mixture
from foible.opponents.spec import parse_model
from foible.selfplay.config import parse_config as parse_selfplay
from foible.training.config import parse_config as parse_training
from foible.training.experts.config import parse_config as parse_experts
from foible.training.go.config import read_config as read_go_training
from foible.training.improve.config import parse_config as parse_improvement
from foible.training.labels.config import parse_teacher

ROOT = Path(__file__).resolve().parents[1]
NETS = ROOT / "python" / "foible" / "nets" / "shipped"
EXAMPLES = ROOT / "examples"
REFUSALS = (FoibleError, MessageError)
PIECES = (
    b"",
    b"\0",
    b"\x1b[2J",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    "\u202e\u00e9\U0001f600".encode(),
    b"-1",
    b"1e999",
    b"nan",
    b"99999999999999999999",
    b"[" * 200,
    b"{" * 200,
    b"(" * 200,
    b'"',
    b"\\",
    b"\n\n",
    b"true",
    b"null",
    b"/dev/zero",
    b"../" * 20,
)
"""What readers stumble over."""


@dataclass(frozen=True)
class Reader:
    """What reads, and inputs that it takes."""

    read: Callable[[bytes], object]
    good: Sequence[bytes]


def text_reader(parse: Callable[[str, str], object]) -> Callable[[bytes], object]:
    """A reader of a configuration; bytes that are no text are refused where the file is opened."""
    return lambda data: parse(data.decode("utf-8", "replace"), "fuzzed.toml")


def word_reader(parse: Callable[[str], object]) -> Callable[[bytes], object]:
    """A reader of what stands in no file: an argument of a command, a message of the page."""
    return lambda data: parse(data.decode("utf-8", "replace"))


def file_reader(read_file: Callable[[Path], object], suffix: str) -> Callable[[bytes], object]:
    """A reader of what has to be a file."""
    folder = tempfile.mkdtemp(prefix="foible-fuzz-")

    def read(data: bytes) -> object:
        path = Path(folder, f"fuzzed{suffix}")
        path.write_bytes(data)
        return read_file(path)

    return read


def described(path: Path) -> object:
    """The whole file is read for it."""
    return describe_net(str(path))


def uci_line(data: bytes) -> None:
    for line in uci.read_lines(io.BytesIO(data), lambda _: None):
        name, _, rest = line.partition(" ")
        if name == "go":
            uci.parse_go(rest.split(), white=True)
        elif name == "position":
            uci.parse_position(rest.split())
        elif name == "setoption":
            _, value = uci.parse_setoption(rest)
            uci.parse_opponent(value)


def gtp_line(data: bytes) -> None:
    for line in gtp.read_lines(io.BytesIO(data)):
        command = gtp.parse(line)
        for word in command.arguments if command else ():
            for take in (gtp.vertex, gtp.integer, gtp.number):
                try:
                    take(word)
                except gtp.CommandError:
                    continue


def pgn(data: bytes) -> None:
    """The tags and the comments of games, as statistics and run folders take them."""
    for _ in read_pgn(io.BytesIO(data), comments=True):
        pass
    with suppress(GameFileError):
        read_records(data)


def contents(*paths: Path) -> list[bytes]:
    return [path.read_bytes() for path in paths]


def configurations() -> dict[str, Reader]:
    """Readers of configurations of runs, and of other TOML."""

    def examples(*names: str) -> list[bytes]:
        return contents(*(EXAMPLES / f"{name}.toml" for name in names))

    return {
        "match": Reader(text_reader(parse_match), examples("researcher", "coach", "engine-user", "int8")),
        "sweep": Reader(text_reader(parse_sweep), examples("sweep", "tournament")),
        "selfplay": Reader(text_reader(parse_selfplay), examples("selfplay")),
        "training": Reader(text_reader(parse_training), examples("train")),
        "experts": Reader(text_reader(parse_experts), examples("experts")),
        "improve": Reader(text_reader(parse_improvement), examples("improve")),
        "go-match": Reader(text_reader(parse_go_match), examples("go/match")),
        "go-training": Reader(file_reader(read_go_training, ".toml"), examples("go/train-5x5")),
        "personalities": Reader(text_reader(parse_personalities), examples("engines/personalities")),
        "mixture": Reader(file_reader(read_mixture, ".toml"), contents(NETS / "master-experts.toml")),
    }


def arguments_of_commands() -> dict[str, Reader]:
    """Readers of players, models and judges as the command line names them."""
    return {
        "team": Reader(
            word_reader(parse_team),
            [
                b"maia-1500@20",
                b"uci:stockfish:nodes=100",
                b'{kind="tag_team", senior={kind="net_search", net="master", nodes=9}, junior={kind="random"}}',
            ],
        ),
        "model": Reader(
            word_reader(parse_model),
            [b"1537", b"club:1500", b'{kind = "floor", of = {kind = "rating", rating = 1537}, epsilon = 0.05}'],
        ),
        "judge": Reader(
            word_reader(parse_judge), [b"master@100", b"uci:stockfish:nodes=100000", b'{kind = "net", net = "club"}']
        ),
        "teacher": Reader(
            word_reader(parse_teacher), [b"maia-1100,maia-1900", b"master@100", b"uci:stockfish:depth=8", b"club:1500"]
        ),
    }


def game_files() -> dict[str, Reader]:
    """Readers of games, positions and puzzles."""
    return {
        "sgf": Reader(
            lambda data: list(walk_sgf(data)),
            [
                *contents(EXAMPLES / "go" / "5x5.sgf"),
                b"(;GM[1]FF[4]CA[UTF-8]SZ[9]HA[2]AB[cc][gg]KM[0.5]RU[AGA];W[ee]C[a \\] b](;B[dd])(;B[];W[]))",
                b"(;SZ[3]AB[aa:bb]AE[ab]PL[W];W[cc];W[ca]LB[aa:x])(;GM[1]SZ[5])",
            ],
        ),
        "pgn": Reader(
            pgn, [(EXAMPLES / "games.pgn").read_bytes()[:6000], b'[FEN "8/8/8/8/8/8/8/K1k5 w - - 0 1"]\n\n*\n']
        ),
        "epd": Reader(
            file_reader(read_openings, ".epd"),
            [
                b"rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -\n"
                b'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - hmvc 0; fmvn 2; id "open";\n'
            ],
        ),
        "book": Reader(
            file_reader(lambda path: read_openings(path, plies=8), ".pgn"),
            [(EXAMPLES / "games.pgn").read_bytes()[:3000]],
        ),
        "positions": Reader(
            lambda data: list(read_positions(io.BytesIO(data), "fuzzed.jsonl")),
            [
                b'{"fen": "startpos", "moves": ["e2e4", "e7e5"], "id": 1}\n'
                b'{"fen": "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", "chess960": true}\n'
            ],
        ),
        "puzzles": Reader(
            file_reader(lambda path: list(read_table(path)), ".csv"),
            [
                b"PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl\n"
                b'a,6k1/5ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1,g8f8 d1d8,900,80,95,1000,"mateIn1 short",https://example.org\n'
            ],
        ),
    }


def lines_of_programs() -> dict[str, Reader]:
    """Readers of what interfaces and the page send."""
    return {
        "web": Reader(
            word_reader(read_message),
            [
                b'{"do": "ask", "id": 1, "question": {"kind": "read_game", "text": "e4 e5"}}',
                b'{"do": "ask", "id": 2, "question": {"kind": "bars", "line": {"moves": ["e2e4"]}}}',
                b'{"do": "stop", "id": 1}',
            ],
        ),
        "uci": Reader(
            uci_line,
            [
                b"go wtime 1000 btime 1000 winc 10 binc 10 movestogo 40 nodes 100 searchmoves e2e4 d2d4\n",
                b"position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 moves e2e4 e7e5\n",
                b"setoption name UCI_Opponent value GM 2800 human Gary Kasparov\n",
            ],
        ),
        "gtp": Reader(
            gtp_line, [b"1 play b D4 # a comment\n", b"kata-set-rules chinese\n", b"2 komi 7.5\nboardsize 19\n"]
        ),
    }


def files_of_nets() -> dict[str, Reader]:
    """Readers of nets; these are unpacked, as few changes to packed bytes would reach what reads them."""
    go_net, chess_net = (gzip.decompress((NETS / name).read_bytes()) for name in ("go-5x5.txt.gz", "club.pb.gz"))
    return {
        "go-net": Reader(file_reader(described, ".txt"), [go_net]),
        "chess-net": Reader(file_reader(described, ".pb"), [chess_net]),
        "onnx": Reader(file_reader(described, ".onnx"), [small_onnx()]),
    }


def small_onnx() -> bytes:
    """A model of few bytes, so that most changes meet its structure: the squares' mean, and two layers."""

    def value(name: str, *shape: int) -> ValueInfoProto:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", *shape])

    constant = numpy_helper.from_array(np.full(1, 0.01, np.float32))
    nodes = [
        helper.make_node("GlobalAveragePool", ["planes"], ["means"]),
        helper.make_node("Flatten", ["means"], ["flat"]),
        helper.make_node("ConstantOfShape", ["policy_shape"], ["policy_weights"], value=constant),
        helper.make_node("MatMul", ["flat", "policy_weights"], ["policy"]),
        helper.make_node("MatMul", ["flat", "value_weights"], ["values"]),
        helper.make_node("Softmax", ["values"], ["wdl"], axis=1),
    ]
    weights = [
        numpy_helper.from_array(np.array([112, 1858]), "policy_shape"),
        numpy_helper.from_array(np.full((112, 3), 0.01, np.float32), "value_weights"),
    ]
    graph = helper.make_graph(
        nodes, "small", [value("planes", 112, 8, 8)], [value("policy", 1858), value("wdl", 3)], weights
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(model.SerializeToString())


def readers() -> dict[str, Reader]:
    return configurations() | arguments_of_commands() | game_files() | lines_of_programs() | files_of_nets()


def changed(good: Sequence[bytes], chance: random.Random) -> bytes:
    """A good input with one to eight changes."""
    data = bytearray(chance.choice(good))
    for _ in range(chance.randint(1, 8)):
        begin = chance.randrange(len(data) + 1)
        end = min(len(data), begin + chance.choice((0, 1, 2, 8, 64, len(data))))
        other = chance.choice(good)
        where = chance.randrange(len(other) + 1)
        match chance.randrange(5):
            case 0 if data:
                data[begin - 1] ^= 1 << chance.randrange(8)
            case 1:
                del data[begin:end]
            case 2:
                data[begin:begin] = data[begin:end]
            case 3:
                data[begin:end] = other[where : where + chance.choice((1, 8, 64))]
            case _:
                data[begin:end] = chance.choice(PIECES)
    return bytes(data)


def fuzz(name: str, reader: Reader, inputs: int, seed: int, keep: Path) -> int:
    """So many inputs for a reader; how many broke it."""
    chance = random.Random(f"{name} {seed}")
    for one in reader.good:
        reader.read(one)
    broken = refused = 0
    begin = time.perf_counter()
    for number in range(inputs):
        data = changed(reader.good, chance)
        try:
            reader.read(data)
        except REFUSALS as error:
            refused += 1
            if "\n" not in str(error):
                continue
            found = f"{error!r} has more than one line"
        except Exception:
            found = traceback.format_exc()
        else:
            continue
        broken += 1
        keep.mkdir(parents=True, exist_ok=True)
        path = keep / f"{name}-{seed}-{number}"
        path.write_bytes(data)
        print(f"{path}:\n{found}")
    seconds = time.perf_counter() - begin
    print(f"{name}: {inputs} inputs, {refused} refused, {broken} broke it, {inputs / seconds:.0f} inputs/s", flush=True)
    return broken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    known = readers()
    parser.add_argument("readers", nargs="*", metavar="READER", help=f"of {', '.join(known)}; all when absent")
    parser.add_argument("--inputs", type=int, default=10_000, help="for each reader")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--keep", type=Path, default=Path("broken-inputs"), help="folder for inputs that broke something"
    )
    arguments = parser.parse_args()
    if unknown := set(arguments.readers) - set(known):
        parser.error(f"no reader is called {', '.join(sorted(unknown))}")
    chosen = arguments.readers or list(known)
    broken = sum(fuzz(name, known[name], arguments.inputs, arguments.seed, arguments.keep) for name in chosen)
    print(f"in all: {len(chosen) * arguments.inputs} inputs, {broken} broke something")
    raise SystemExit(bool(broken))


if __name__ == "__main__":
    main()
