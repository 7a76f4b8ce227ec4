"""Nets: file formats, runtimes, and the catalogue that turns a name into an evaluator.

`open_net(name)` is all that most callers need; `NetShelf` opens each net once and shares it between many users. This
layer knows batches of positions, but neither search nor agents. Names that are not exported here are private to this
package.
"""

from typing import TYPE_CHECKING

from foible.faces import face

if TYPE_CHECKING:
    from foible.nets.catalogue import (
        KnownNet as KnownNet,
        describe_net as describe_net,
        describe_opened as describe_opened,
        export_net as export_net,
        find_net as find_net,
        known_nets as known_nets,
        net_sha256 as net_sha256,
        open_net as open_net,
    )
    from foible.nets.choices import MATERIAL as MATERIAL, Precision as Precision, Runtime as Runtime
    from foible.nets.description import NetDescription as NetDescription
    from foible.nets.evaluator import (
        Evaluation as Evaluation,
        Evaluator as Evaluator,
        Material as Material,
        PositionEvaluation as PositionEvaluation,
        SharingEvaluator as SharingEvaluator,
        TreeEvaluator as TreeEvaluator,
        evaluate as evaluate,
        evaluate_all as evaluate_all,
        evaluate_lines as evaluate_lines,
        softmax as softmax,
    )
    from foible.nets.formats import Format as Format
    from foible.nets.go.evaluator import GoRuntimeNet as GoRuntimeNet
    from foible.nets.go.margin import Sigmoid as Sigmoid
    from foible.nets.lc0_file import read_lc0 as read_lc0
    from foible.nets.lc0_heads import DEFAULT_HEADS as DEFAULT_HEADS, Heads as Heads
    from foible.nets.lc0_net import Lc0Net as Lc0Net
    from foible.nets.lc0_onnx import to_onnx as to_onnx
    from foible.nets.mixture import MajorityMixture as MajorityMixture, PhaseMixture as PhaseMixture
    from foible.nets.onnx_file import OnnxModel as OnnxModel, read_onnx as read_onnx
    from foible.nets.runtimes import Outputs as Outputs, RuntimeNet as RuntimeNet, Runtimes as Runtimes
    from foible.nets.shelf import NetShelf as NetShelf, short_name as short_name

__getattr__, __dir__ = face(__name__)
