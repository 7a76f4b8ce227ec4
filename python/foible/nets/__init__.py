"""Nets: file formats, runtimes, and the catalogue that turns a name into an evaluator.

`open_net(name)` is all that most callers need; `NetShelf` opens each net once and shares it between many users. This
layer knows batches of positions, but neither search nor agents. Names that are not exported here are private to this
package.
"""

from typing import TYPE_CHECKING

from foible.faces import names_from

if TYPE_CHECKING:
    from foible.nets.catalogue import (
        KnownNet,
        describe_net,
        describe_opened,
        export_net,
        find_net,
        known_nets,
        net_sha256,
        open_net,
    )
    from foible.nets.choices import MATERIAL, Precision, Runtime
    from foible.nets.description import NetDescription
    from foible.nets.evaluator import (
        Evaluation,
        Evaluator,
        Material,
        PositionEvaluation,
        TreeEvaluator,
        evaluate,
        evaluate_all,
        evaluate_lines,
        softmax,
    )
    from foible.nets.formats import Format
    from foible.nets.go.evaluator import GoRuntimeNet
    from foible.nets.go.margin import Sigmoid
    from foible.nets.lc0_file import read_lc0
    from foible.nets.lc0_heads import DEFAULT_HEADS, Heads
    from foible.nets.lc0_net import Lc0Net
    from foible.nets.lc0_onnx import to_onnx
    from foible.nets.mixture import MajorityMixture, PhaseMixture
    from foible.nets.onnx_file import OnnxModel, read_onnx
    from foible.nets.runtimes import Outputs, RuntimeNet, Runtimes
    from foible.nets.shelf import NetShelf, short_name

__all__ = [
    "DEFAULT_HEADS",
    "MATERIAL",
    "Evaluation",
    "Evaluator",
    "Format",
    "GoRuntimeNet",
    "Heads",
    "KnownNet",
    "Lc0Net",
    "MajorityMixture",
    "Material",
    "NetDescription",
    "NetShelf",
    "OnnxModel",
    "Outputs",
    "PhaseMixture",
    "PositionEvaluation",
    "Precision",
    "Runtime",
    "RuntimeNet",
    "Runtimes",
    "Sigmoid",
    "TreeEvaluator",
    "describe_net",
    "describe_opened",
    "evaluate",
    "evaluate_all",
    "evaluate_lines",
    "export_net",
    "find_net",
    "known_nets",
    "net_sha256",
    "open_net",
    "read_lc0",
    "read_onnx",
    "short_name",
    "softmax",
    "to_onnx",
]

_HOMES = {
    "foible.nets.catalogue": [
        "KnownNet",
        "describe_net",
        "describe_opened",
        "export_net",
        "find_net",
        "known_nets",
        "net_sha256",
        "open_net",
    ],
    "foible.nets.choices": ["MATERIAL", "Precision", "Runtime"],
    "foible.nets.description": ["NetDescription"],
    "foible.nets.evaluator": [
        "Evaluation",
        "Evaluator",
        "Material",
        "PositionEvaluation",
        "TreeEvaluator",
        "evaluate",
        "evaluate_all",
        "evaluate_lines",
        "softmax",
    ],
    "foible.nets.formats": ["Format"],
    "foible.nets.go.evaluator": ["GoRuntimeNet"],
    "foible.nets.lc0_file": ["read_lc0"],
    "foible.nets.lc0_heads": ["DEFAULT_HEADS", "Heads"],
    "foible.nets.lc0_net": ["Lc0Net"],
    "foible.nets.lc0_onnx": ["to_onnx"],
    "foible.nets.go.margin": ["Sigmoid"],
    "foible.nets.mixture": ["MajorityMixture", "PhaseMixture"],
    "foible.nets.onnx_file": ["OnnxModel", "read_onnx"],
    "foible.nets.runtimes": ["Outputs", "RuntimeNet", "Runtimes"],
    "foible.nets.shelf": ["NetShelf", "short_name"],
}

__getattr__, __dir__ = names_from(__name__, _HOMES)
