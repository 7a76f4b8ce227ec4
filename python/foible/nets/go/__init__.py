"""Nets for Go on small boards: Leela Zero's and SAI's (SAI, §1, §2).

Design priorities, in order: safety on untrusted files; the same answers as the programs Leela Zero and SAI; speed.
"""

from typing import TYPE_CHECKING

from foible.faces import names_from

if TYPE_CHECKING:
    from foible.nets.go.evaluator import GoOutputs, GoRuntimeNet, Symmetry
    from foible.nets.go.graph import graph_model, to_onnx
    from foible.nets.go.leela_file import read_weights
    from foible.nets.go.leela_write import write_weights
    from foible.nets.go.net import GoNetConfig, GoWeights, HeadKind, input_planes

__all__ = [
    "GoNetConfig",
    "GoOutputs",
    "GoRuntimeNet",
    "GoWeights",
    "HeadKind",
    "Symmetry",
    "graph_model",
    "input_planes",
    "read_weights",
    "to_onnx",
    "write_weights",
]

_HOMES = {
    "foible.nets.go.evaluator": ["GoOutputs", "GoRuntimeNet", "Symmetry"],
    "foible.nets.go.graph": ["graph_model", "to_onnx"],
    "foible.nets.go.leela_file": ["read_weights"],
    "foible.nets.go.leela_write": ["write_weights"],
    "foible.nets.go.net": ["GoNetConfig", "GoWeights", "HeadKind", "input_planes"],
}

__getattr__, __dir__ = names_from(__name__, _HOMES)
