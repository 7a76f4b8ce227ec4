"""Nets for Go on small boards: Leela Zero's and SAI's (SAI, §1, §2).

Design priorities, in order: safe on untrusted files; the same answers as the programs whose files these are; fast.
"""

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
