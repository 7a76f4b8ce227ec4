"""Reads weights files of Leela Zero and SAI (`.txt`, `.txt.gz`) into plain arrays. The first aim is safety on untrusted
input.

The format, according to the programs' loaders and training code: the first line is the version, 1; every further line
holds the numbers of one array, separated by spaces:

- four lines for each convolution: weights `[out, in, ky, kx]`, biases, and the means and variances of its batch norm,
  with epsilon 1e-5. The biases are added before the batch norm; they store the shift that training learnt for the batch
  norm, multiplied by the standard deviation;
- two lines for each dense layer: weights `[out, in]` and biases.

The layers come in this order: the input convolution, two convolutions for each block, convolution and dense layer of
the policy, convolution and two dense layers of the value. In SAI's nets the value layers give alpha, and the layers for
beta follow: only a last dense layer (kind T), two dense layers (Y), or a convolution and two dense layers (V). A last
dense layer with two outputs (I) is equivalent to T. Only the number of lines tells the kinds apart. So a file of SAI's
that is cut off after alpha looks like a valid file of Leela Zero; only gzip can reveal the loss.

These programs count the rows of the board from the bottom, as foible does, so nothing is flipped. In versions other
than 1 the planes differ (17 and later), or the net judges for Black (2).
"""

import gzip
import re
import zlib
from collections.abc import Iterator
from itertools import islice
from math import isqrt
from pathlib import Path
from typing import IO, Final, NamedTuple

import numpy as np

from foible.errors import NetFileError
from foible.nets.file_reading import MAX_BYTES, check_expansion, check_is_no_stand_in, first_bytes, naming, unpacked
from foible.nets.go.net import LARGEST_BOARD, MOST_BLOCKS, MOST_FILTERS, MOST_HIDDEN, BetaHead, GoWeights, ValueHead
from foible.nets.lc0_net import EPSILON, BatchNorm, Block, Conv, Dense, Doubles
from foible.toml import AnyPath, expand

VERSION: Final = 1
LARGEST_NUMBER: Final = 1e30
"""The largest absolute value that a weight may have; with such weights batch norm cannot overflow."""

_LONGEST_LINE = 64 << 20
"""The length of the longest line in bytes: enough for a convolution from 512 channels to 512, 28 bytes a number."""
_FIRST_LINE = re.compile(rb"\d+\s*\n")
_CHARACTERS = b"0123456789+-.eE \t\r\n\v\f"
_MOST_AFTER = 8


class _Line(NamedTuple):
    number: int
    """The number of the line in the file, from 1."""
    values: Doubles


def read_weights(path: AnyPath, max_bytes: int = MAX_BYTES) -> GoWeights:
    """Read a weights file, gzipped or not.

    :raises NetFileError: the file cannot be read, is cut off, expands beyond `max_bytes`, is no weights file, or holds
        a net of another kind; the message names the file and the line.
    """
    path = expand(path)
    with naming(path), unpacked(path, max_bytes) as (stream, limit):
        return parse_weights(stream, limit)


def begins_as_weights(path: Path) -> bool:
    """Whether the first line of a file, gzipped or not, consists of a single number, as in a weights file."""
    try:
        return _FIRST_LINE.match(first_bytes(path, 16)) is not None
    except (OSError, EOFError, zlib.error):
        return False


def parse_weights(stream: IO[bytes] | gzip.GzipFile, max_bytes: int = MAX_BYTES) -> GoWeights:
    """Parse the content of a weights file.

    :raises NetFileError: as `read_weights`, without the file's name.
    """
    texts = _texts(stream, max_bytes)
    _check_version(next(texts, b""))
    layers = _Layers(_Line(number, _numbers(text, number)) for number, text in enumerate(texts, 2))
    inputs = layers.input()
    filters = len(inputs.weights)
    blocks: list[Block] = []
    while (following := layers.peek("weights of a convolution")).values.size == 9 * filters * filters:
        number = len(blocks) + 1
        if number > MOST_BLOCKS:
            raise NetFileError(f"line {following.number}: more than {MOST_BLOCKS} blocks")
        conv1, conv2 = (layers.conv(f"convolution {i} of block {number}", filters, filters, 3) for i in (1, 2))
        blocks.append(Block(conv1, conv2, se=None))
    policy = layers.conv("policy's convolution", None, filters, 1)
    dense = layers.policy_dense(len(policy.weights))
    value = layers.value_head(filters, len(dense.biases) - 1)
    return GoWeights(inputs, tuple(blocks), policy, dense, value)


def _texts(stream: IO[bytes] | gzip.GzipFile, max_bytes: int) -> Iterator[bytes]:
    total, number = 0, 0
    while line := stream.readline(_LONGEST_LINE + 1):
        total, number = total + len(line), number + 1
        if len(line) > _LONGEST_LINE:
            raise NetFileError(f"line {number}: longer than {_LONGEST_LINE >> 20} MiB")
        check_expansion(total, max_bytes)
        yield line


def _check_version(line: bytes) -> None:
    check_is_no_stand_in(line)
    text = line.strip()
    if not text.isdigit() or len(text) > 9:
        raise NetFileError(f"line 1: {_shown(text)}, expected the version of a weights file of Leela Zero, {VERSION}")
    if int(text) != VERSION:
        raise NetFileError(f"line 1: a weights file of version {int(text)}; foible reads version {VERSION}")


def _numbers(line: bytes, number: int) -> Doubles:
    words = line.split()
    try:
        values = np.array(list(map(float, words)), np.float64)
    except ValueError:
        values = np.full(len(words), np.nan)
    # Python also reads `nan`, `inf` and `1_000` as numbers; they contain characters that weights never do.
    if np.isnan(values).any() or line.translate(None, _CHARACTERS):
        wrong = next(filter(_is_no_number, words))
        raise NetFileError(f"line {number}: {_shown(wrong)} is no number")
    if values.size and np.abs(values).max() > LARGEST_NUMBER:
        wrong = words[int(np.abs(values).argmax())]
        raise NetFileError(f"line {number}: {_shown(wrong)} is no weight, expected at most {LARGEST_NUMBER:g}")
    return values


def _is_no_number(word: bytes) -> bool:
    try:
        float(word)
    except ValueError:
        return True
    return bool(word.translate(None, _CHARACTERS))


def _shown(word: bytes) -> str:
    return repr(word[:40].decode("latin-1"))


class _Layers:
    """Reads the lines of a file one after the other and makes layers of them. `what` names the layer or line that is
    expected next, for error messages.

    :raises NetFileError: (every method) a line is missing, or its count of numbers does not fit the lines around it.
    """

    def __init__(self, lines: Iterator[_Line]) -> None:
        self._lines = lines
        self._next: _Line | None = None
        self._last = 1

    def peek(self, what: str) -> _Line:
        """The next line, without taking it."""
        if self._next is None:
            self._next = next(self._lines, None)
        if self._next is None:
            raise NetFileError(f"line {self._last + 1}: the file ends, expected the {what}")
        return self._next

    def take(self, what: str, count: int | None = None) -> _Line:
        """Take the next line. `count`: the expected count of its numbers; `None` where it is not known beforehand."""
        line = self.peek(what)
        self._next, self._last = None, line.number
        if count is not None:
            _check_count(line, count, what)
        return line

    def input(self) -> Conv:
        """The input convolution, whose shape tells the numbers of filters and of planes."""
        what = "input convolution"
        weights, biases = self.take(f"weights of the {what}"), self.take(f"biases of the {what}")
        filters = _within(biases, len(biases.values), MOST_FILTERS, "channels")
        planes = 17 if weights.values.size == 9 * 17 * filters else 18
        _check_count(
            weights, 9 * planes * filters, f"weights of the {what} with {filters} channels and 17 or 18 planes"
        )
        return self._normed(what, weights.values.reshape(filters, planes, 3, 3), biases.values)

    def conv(self, what: str, outputs: int | None, inputs: int, size: int) -> Conv:
        """A convolution. `outputs`: the number of its output channels; `None`: as many as the weights suffice for."""
        each = inputs * size * size
        weights = self.take(f"weights of the {what}", None if outputs is None else outputs * each)
        if outputs is None:
            outputs = _within(weights, weights.values.size // each, MOST_FILTERS, "channels")
            _check_count(weights, outputs * each, f"weights of the {what} with {inputs} channels before it")
        biases = self.take(f"biases of the {what}", outputs)
        return self._normed(what, weights.values.reshape(outputs, inputs, size, size), biases.values)

    def _normed(self, what: str, weights: Doubles, biases: Doubles) -> Conv:
        means = self.take(f"means of the {what}", len(biases))
        variances = self.take(f"variances of the {what}", len(biases))
        if (lowest := variances.values.min()) < 0:
            raise NetFileError(f"line {variances.number}: a variance of {lowest:g}, expected none below 0 ({what})")
        spreads = variances.values.astype(np.float32).astype(np.float64)
        shifts = biases / np.sqrt(spreads + EPSILON)
        norm = (means.values, variances.values, np.ones(len(biases)), shifts)
        zeros = np.zeros(len(biases), np.float32)
        return Conv(weights.astype(np.float32), zeros, BatchNorm(*(values.astype(np.float32) for values in norm)))

    def dense(self, what: str, inputs: int, most: int = MOST_HIDDEN) -> Dense:
        """A dense layer with as many outputs as it has biases, at most `most`."""
        weights, biases = self.take(f"weights of the {what}"), self.take(f"biases of the {what}")
        outputs = _within(biases, len(biases.values), most, "outputs")
        _check_count(weights, outputs * inputs, f"weights of the {what}, {inputs} numbers to {outputs}")
        return Dense(weights.values.reshape(outputs, inputs).astype(np.float32), biases.values.astype(np.float32))

    def policy_dense(self, channels: int) -> Dense:
        """The policy's dense layer, whose number of outputs tells the size of the board."""
        what = "policy's dense layer"
        weights, biases = self.take(f"weights of the {what}"), self.take(f"biases of the {what}")
        moves = len(biases.values)
        size = isqrt(max(moves - 1, 0))
        if not (1 <= size <= LARGEST_BOARD and size * size == moves - 1):
            raise NetFileError(
                f"line {biases.number}: {moves} numbers, expected one for each point of a board of at most"
                f" {LARGEST_BOARD}×{LARGEST_BOARD} and one for the pass (biases of the {what})"
            )
        inputs = channels * size * size
        _check_count(weights, moves * inputs, f"weights of the {what}, {inputs} numbers to {moves}")
        return Dense(weights.values.reshape(moves, inputs).astype(np.float32), biases.values.astype(np.float32))

    def value_head(self, filters: int, points: int) -> ValueHead:
        """The value head, which goes on to the end of the file; the number of lines after alpha tells its kind."""
        conv = self.conv("value's convolution", None, filters, 1)
        board = len(conv.weights) * points
        hidden = self.dense("value's hidden layer", board)
        numbers = len(hidden.biases)
        output = self.dense("value's last layer", numbers, most=2)
        after = list(islice(self._lines, _MOST_AFTER + 1))
        self._lines = iter(after)
        if len(output.biases) == 2:
            _check_after(after, (0,), "after two outputs of the value")
            alpha, beta = (Dense(output.weights[i : i + 1], output.biases[i : i + 1]) for i in (0, 1))
            return ValueHead(conv, hidden, alpha, BetaHead(beta, None, None))
        _check_after(after, (0, 2, 4, 8), "after the value")
        own_conv = self.conv("beta's convolution", None, filters, 1) if len(after) == 8 else None
        own_hidden = None
        if len(after) >= 4:
            own_board = board if own_conv is None else len(own_conv.weights) * points
            own_hidden = self.dense("beta's hidden layer", own_board)
            numbers = len(own_hidden.biases)
        beta_head = BetaHead(self.dense("beta's last layer", numbers, most=1), own_hidden, own_conv) if after else None
        return ValueHead(conv, hidden, output, beta_head)


def _check_count(line: _Line, count: int, what: str) -> None:
    if line.values.size != count:
        raise NetFileError(f"line {line.number}: {line.values.size} numbers, expected {count} ({what})")


def _within(line: _Line, count: int, most: int, what: str) -> int:
    if not 1 <= count <= most:
        raise NetFileError(f"line {line.number}: {line.values.size} numbers make {count} {what}, expected 1 to {most}")
    return count


def _check_after(after: list[_Line], counts: tuple[int, ...], where: str) -> None:
    if len(after) not in counts:
        found = f"more than {_MOST_AFTER}" if len(after) > _MOST_AFTER else str(len(after))
        raise NetFileError(
            f"line {after[0].number}: {found} more lines {where}, expected {', '.join(map(str, counts))} in all"
        )
