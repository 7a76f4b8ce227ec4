"""Nets: file formats, runtimes, and the catalogue that turns a name into an evaluator.

`open_net(name)` is all that most callers need. This layer knows batches of positions, but neither search nor
agents.
"""

from foible.nets import no_telemetry  # noqa: F401  before OpenVINO is imported
from foible.nets.catalogue import KnownNet, NetDescription, describe_net, find_net, known_nets, open_net
from foible.nets.evaluator import Evaluation, Evaluator
from foible.nets.lc0_file import read_lc0
from foible.nets.lc0_net import Lc0Net
from foible.nets.lc0_onnx import to_onnx
from foible.nets.material import Material
from foible.nets.mixture import MajorityMixture, PhaseMixture
from foible.nets.onnx_file import OnnxModel, read_onnx
from foible.nets.runtimes import Outputs, Precision, Runtime, RuntimeNet

__all__ = [
    "Evaluation",
    "Evaluator",
    "KnownNet",
    "Lc0Net",
    "MajorityMixture",
    "Material",
    "NetDescription",
    "OnnxModel",
    "Outputs",
    "PhaseMixture",
    "Precision",
    "Runtime",
    "RuntimeNet",
    "describe_net",
    "find_net",
    "known_nets",
    "open_net",
    "read_lc0",
    "read_onnx",
    "to_onnx",
]
