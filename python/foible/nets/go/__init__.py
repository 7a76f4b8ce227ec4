"""Nets for Go on small boards: Leela Zero's and SAI's (SAI, §1, §2).

Design priorities, in order: safety on untrusted files; the same answers as the programs Leela Zero and SAI; speed.
"""

from typing import TYPE_CHECKING

from foible.faces import face

if TYPE_CHECKING:
    from foible.nets.go.evaluator import GoOutputs as GoOutputs, GoRuntimeNet as GoRuntimeNet, Symmetry as Symmetry
    from foible.nets.go.graph import graph_model as graph_model, to_onnx as to_onnx
    from foible.nets.go.leela_file import read_weights as read_weights
    from foible.nets.go.leela_write import write_weights as write_weights
    from foible.nets.go.net import (
        GoNetConfig as GoNetConfig,
        GoWeights as GoWeights,
        HeadKind as HeadKind,
        input_planes as input_planes,
    )

__getattr__, __dir__ = face(__name__)
