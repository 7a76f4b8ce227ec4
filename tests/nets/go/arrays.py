"""Weights read from bytes, and taken apart, to be compared bit by bit."""

from dataclasses import fields, is_dataclass
from io import BytesIO

import numpy as np

from foible.nets.go.leela_file import parse_weights
from foible.nets.go.net import GoWeights


def weights_of(text: bytes) -> GoWeights:
    """The weights in an uncompressed file."""
    return parse_weights(BytesIO(text))


def arrays_of(part: object, name: str = "") -> dict[str, tuple[tuple[int, ...], bytes] | None]:
    """Shape and bytes of every array in weights, by where it stands there; `None` for what is absent."""
    if isinstance(part, tuple):
        named = [(f"{name}.{number}", one) for number, one in enumerate(part)]
    elif is_dataclass(part):
        named = [(f"{name}.{field.name}", getattr(part, field.name)) for field in fields(part)]
    else:
        assert part is None or isinstance(part, np.ndarray)
        return {name: None if part is None else (part.shape, part.astype("<f4", casting="no").tobytes())}
    return {key: value for one_name, one in named for key, value in arrays_of(one, one_name).items()}
