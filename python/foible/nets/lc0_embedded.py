"""lc0 weights files with an ONNX model inside (`NETWORK_ONNX`), for nets that lc0's own layers cannot express.

Format facts: `net.proto` for field numbers; lc0's converter and its ONNX backend for how the outputs are to look: the
policy has 1858 columns whatever the head, `wdl` holds probabilities, the moves left are `[N, 1]`. Written by the
published format; not run in lc0.
"""

from typing import Final

from foible.errors import NetFileError
from foible.nets.lc0_file import check_magic
from foible.nets.lc0_write import net_message
from foible.nets.wire import bytes_field, number_field, read_message

NETWORK_ONNX: Final = 5
_MINOR = 28
"""The lc0 0.x that first read such files."""
_FLOAT32 = 1


def embed_onnx(model: bytes, *, training_steps: int = 0, licence: str = "") -> bytes:
    """An uncompressed weights file around a model with the input `planes` (lc0's 112) and the outputs `policy`, `wdl`
    and `mlh`, the plies left.
    """
    formats = {
        1: 1,  # input: 112 classical planes
        2: 2,  # output: win, draw, loss
        3: NETWORK_ONNX,
        4: 1,  # policy: as from a classical head
        5: 2,  # value: win, draw, loss
        6: 1,  # moves left
    }
    names = {3: "planes", 5: "wdl", 6: "policy", 7: "mlh"}
    content = bytes_field(1, model) + number_field(2, _FLOAT32)
    content += b"".join(bytes_field(number, name.encode()) for number, name in names.items())
    return net_message(
        bytes_field(2, b"".join(number_field(number, value) for number, value in formats.items())),
        bytes_field(11, content),
        minor=_MINOR,
        licence=licence,
        training_steps=training_steps,
    )


def embedded_onnx(data: bytes | bytearray) -> bytes | None:
    """The model inside an uncompressed weights file, `None` where it holds weights.

    :raises NetFileError: it is no weights file, is damaged, or says that it holds a model and does not.
    """
    check_magic(data)
    net = read_message(memoryview(data), "net")
    file_format = net.message(4, "format")
    network_format = file_format.message(2, "network format") if file_format else None
    if network_format is None or network_format.integer(3) != NETWORK_ONNX:
        return None
    content = net.message(11, "ONNX model")
    if content is None or not content.bytes(1):
        raise NetFileError("holds no ONNX model, though its format is NETWORK_ONNX")
    return bytes(content.bytes(1))
